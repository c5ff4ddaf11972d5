//! Flags of instructions, which only translation needs.

/// Flags of an instruction, which code generation ignores (LLVM LangRef, "Fast-Math Flags" and the instructions).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags(pub u32);

macro_rules! flags {
    ($($name:ident $text:literal = $bit:literal)*) => {
        impl Flags {
            $(#[doc = concat!("`", $text, "`.")] pub const $name: Flags = Flags(1 << $bit);)*

            /// Every flag with its keyword, in the order in which LLVM prints them.
            pub const WORDS: &'static [(Flags, &'static str)] = &[$((Flags::$name, $text)),*];
        }
    };
}

flags! {
    INBOUNDS "inbounds" = 0
    NUSW "nusw" = 1
    NUW "nuw" = 2
    NSW "nsw" = 3
    EXACT "exact" = 4
    DISJOINT "disjoint" = 5
    NNEG "nneg" = 6
    SAMESIGN "samesign" = 7
    REASSOC "reassoc" = 8
    NNAN "nnan" = 9
    NINF "ninf" = 10
    NSZ "nsz" = 11
    ARCP "arcp" = 12
    CONTRACT "contract" = 13
    AFN "afn" = 14
    // On an `alloca`, a `cmpxchg`, a call.
    SWIFTERROR "swifterror" = 15
    WEAK "weak" = 16
    NOTAIL "notail" = 17
    // On inline assembly; other calls have their own field.
    TAIL "tail" = 18
}

impl Flags {
    /// All fast-math flags.
    pub const FAST: Flags = Flags(0x7f << 8);

    /// Are all of these set?
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// With these as well.
    pub fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }

    /// The flag of a word.
    pub fn from_word(word: &[u8]) -> Option<Flags> {
        match word {
            b"fast" => Some(Flags::FAST),
            _ => Flags::WORDS.iter().find(|f| f.1.as_bytes() == word).map(|f| f.0),
        }
    }
}
