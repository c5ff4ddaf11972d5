//! The platforms that random programs are made for and run on.

use gusset_abi::{AbiError, DataLayout, Env, FnAbi, Signature, Target, classify};
use gusset_codegen::ir::Type;
use gusset_codegen::object::ObjectFormat;
use gusset_targets::x86::{Features, X86, object};

/// Triples of the platforms; the first is the usual one.
pub const PLATFORMS: [&str; 4] =
    ["x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu", "x86_64-pc-windows-gnu", "i686-pc-windows-gnu"];

/// A machine with its system.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Its triple.
    pub triple: &'static str,
    /// Its rules of calls and layouts.
    pub abi: Target,
    /// What its objects look like.
    pub machine: &'static ObjectFormat,
}

/// A way to compile.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// For messages.
    pub name: &'static str,
    /// Extensions that may be used.
    pub features: Features,
    /// Position-independent code.
    pub pic: bool,
}

impl Setting {
    /// Whether this machine runs what is compiled so.
    pub fn runs_here(&self) -> bool {
        self.features == Features::default()
            || std::is_x86_feature_detected!("sse4.2")
                && std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("cmpxchg16b")
                && std::is_x86_feature_detected!("fma")
    }
}

impl Platform {
    /// The platform of one of [`PLATFORMS`].
    ///
    /// # Errors
    /// It is none of them.
    pub fn of(triple: &str) -> Result<Platform, String> {
        let known = PLATFORMS.iter().find(|known| **known == triple);
        let triple = known.ok_or_else(|| format!("`{triple}` is none of {}", PLATFORMS.join(", ")))?;
        let mut abi = Target::from_triple(triple, Default::default()).map_err(|e| e.to_string())?;
        abi.features.vector_bytes = 16;
        let machine = match (abi.pointer_bytes(), abi.is_windows()) {
            (8, false) => &object::X86_64,
            (8, true) => &object::X86_64_MINGW,
            (_, false) => &object::I386,
            (_, true) => &object::I386_MINGW,
        };
        Ok(Platform { triple, abi, machine })
    }

    /// x86-64 Linux.
    pub fn usual() -> Platform {
        Platform::of(PLATFORMS[0]).expect("it is in the list")
    }

    /// The ways in which every module is compiled, whatever this machine can run.
    pub fn settings(&self) -> Vec<Setting> {
        let plain = Features::default();
        let extensions = Features {
            sse3: true,
            ssse3: true,
            sse41: true,
            sse42: true,
            popcnt: true,
            lzcnt: true,
            bmi1: true,
            bmi2: true,
            cx16: !self.is_32(),
            fma: true,
            x87_only: false,
        };
        let mut settings = vec![
            Setting { name: "sse2", features: plain, pic: true },
            Setting { name: "extensions", features: extensions, pic: true },
        ];
        // On Windows there is one kind of code.
        if !self.abi.is_windows() {
            settings.insert(1, Setting { name: "static", features: plain, pic: false });
        }
        settings
    }

    /// The back end for a setting.
    pub fn back_end(&self, setting: &Setting) -> X86 {
        match (self.is_32(), self.abi.is_windows()) {
            (false, false) => X86::new(setting.features, setting.pic),
            (true, false) => X86::new_32(setting.features, setting.pic).on(self.abi.os),
            (false, true) => X86::new_windows(Features { cx16: true, ..setting.features }, Env::Gnu),
            (true, true) => X86::new_windows_32(setting.features, Env::Gnu),
        }
    }

    /// Has it 32 bits?
    pub fn is_32(&self) -> bool {
        self.abi.pointer_bytes() == 4
    }

    /// The type of addresses.
    pub fn pointer(&self) -> Type {
        if self.is_32() { Type::I32 } else { Type::I64 }
    }

    /// Bits of the widest integer that atomic accesses and lanes of vectors may have.
    pub fn widest(&self) -> u32 {
        2 * self.pointer().bits()
    }

    /// Can `f16` be converted? GCC's library for 64-bit Windows takes it in general registers, where LLVM's code, and ours, has it in
    /// vector registers.
    pub fn has_half(&self) -> bool {
        self.is_32() || !self.abi.is_windows()
    }

    /// Its layouts.
    pub fn layout(&self) -> DataLayout {
        DataLayout::new(&self.abi)
    }

    /// The signature's ABI.
    ///
    /// # Errors
    /// It has none.
    pub fn classify(&self, signature: &Signature) -> Result<FnAbi, AbiError> {
        classify(&self.abi, signature)
    }
}
