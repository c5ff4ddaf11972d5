//! Why an object cannot be written.

use std::fmt;

use crate::buffer::RelocKind;
use crate::sparse::OutOfMemory;

/// What may fail when an object is written.
pub type Result<T = (), E = ObjectError> = std::result::Result<T, E>;

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $ty:ty),* })? => $text:literal;)*) => {
        /// Why an object cannot be written.
        ///
        /// ```
        /// use gusset_codegen::object::ObjectError;
        ///
        /// let error = ObjectError::Redefined { symbol: "f".into() };
        /// assert_eq!(error.to_string(), "symbol `f` is defined twice");
        /// ```
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "fields are what the messages tell of them")]
        #[non_exhaustive]
        pub enum ObjectError { $($(#[$doc])* $name $({ $($field: $ty,)* })?,)* }

        impl fmt::Display for ObjectError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(ObjectError::$name $({ $($field),* })? => write!(f, $text),)*
                }
            }
        }
    };
}

errors! {
    /// A symbol is defined twice.
    Redefined { symbol: String } => "symbol `{symbol}` is defined twice";
    /// An alias whose target is not defined in the module.
    UndefinedAlias { alias: String, target: String } => "alias `{alias}`: its target `{target}` is not defined in this module";
    /// Aliases that stand for each other, or an alias of an ifunc that is none itself.
    AliasCycle { alias: String } => "alias `{alias}` stands for itself, or for an ifunc without being one";
    /// A defined symbol without a definition: the function was never given to the writer.
    Missing { symbol: String } => "function `{symbol}` has no body: `define` it, or declare it with `Linkage::Import` if it is defined elsewhere";
    /// Data with contents in a section without contents in the file.
    InitializedBss { symbol: String, section: String } => "`{symbol}` is not zero but asks for section `{section}`, which holds zeros only";
    /// A field outside its object.
    FieldOutside { symbol: String, offset: u64 } => "`{symbol}`: the address at offset {offset} lies outside the object";
    /// Two address fields that share bytes.
    FieldsOverlap { symbol: String, offset: u64 } => "`{symbol}`: the address at offset {offset} overlaps the one before";
    /// An address field of a width that the machine has no relocation for.
    FieldWidth { symbol: String, size: u8 } => "`{symbol}`: no relocation stores an address in {size} bytes";
    /// Tentative data that is initialized, or has a section of its own.
    BadCommon { symbol: String } => "common symbol `{symbol}` must be zero and without a section, COMDAT or thread-local storage";
    /// The code of a function stores the address of one of its labels in a form that is not relative to the field.
    LabelAddress { function: String } => "function `{function}` stores the address of a label that has no symbol";
    /// The machine has no such relocation.
    Relocation { section: String, kind: RelocKind } => "section `{section}`: the target has no relocation for {kind}";
    /// The distance of two symbols that no relocation can express: they are not in one section, and the base is not in
    /// the field's section.
    Distance { symbol: String, base: String } => "no relocation stores the distance from `{base}` to `{symbol}`: they are in different sections";
    /// A field of four bytes cannot reach its target in the same section.
    OutOfReach { section: String, offset: u64 } => "section `{section}`: the field at offset {offset:#x} is too narrow for its value";
    /// ELF has no such selection among COMDAT groups.
    ComdatKind { comdat: String } => "COMDAT `{comdat}`: ELF groups are kept by name only (`any` or `nodeduplicate`)";
    /// A COMDAT group in COFF without the symbol of its name, by which linkers pick it.
    ComdatLeader { comdat: String } => "COMDAT `{comdat}`: no symbol of this name is defined, and COFF selects by symbols";
    /// A frame that Windows' unwind tables cannot describe: on x86-64 a prologue longer than 255 bytes, on AArch64 a
    /// frame of 256 MiB, or a function with landing pads larger than a megabyte.
    Prologue { function: String } => "function `{function}`: Windows' unwind tables cannot describe its frame: prologue or code are too long";
    /// Landing pads in an object for Microsoft's tools, whose unwinder calls funclets instead.
    LandingPads { function: String } => "function `{function}` has landing pads, which Microsoft's unwinder does not know";
    /// Funclets for an unwinder without funclets, or for another machine's personality routine; handlers without code.
    Funclets { function: String } => "function `{function}` has funclets of Microsoft's exceptions, for which the target has no tables";
    /// COFF has no such alignment of sections: the largest is 8192 bytes.
    Alignment { section: String, align: u64 } => "section `{section}` is aligned to {align} bytes; COFF sections to 8192 at most";
    /// A name that the format cannot hold: it contains a zero byte.
    Name { name: String } => "the name `{name}` contains a zero byte";
    /// The address of a variable that exists once for each thread, in data.
    EmulatedAddress { symbol: String } => "the address of the thread-local variable `{symbol}` in data is not there with emulated TLS";
    /// Module-level assembly.
    ModuleAssembly => "module-level assembly is not supported yet";
    /// A section has 2 GiB or more.
    TooLarge => "a section would have 2 GiB or more";
    /// A variable is larger than addresses of 32 bits reach.
    Unreachable { symbol: String } => "`{symbol}` has 4 GiB or more, and addresses have 32 bits";
    /// A section is larger than addresses of 32 bits reach.
    UnreachableSection { section: String } => "section `{section}` would have 4 GiB or more, and addresses have 32 bits";
    /// There is no memory for the contents of a variable.
    NoMemory { symbol: String, bytes: u64 } => "`{symbol}`: there is no memory for {bytes} bytes";
    /// There is no memory for a section or for the file.
    OutOfMemory { wanted: OutOfMemory } => "the object file: {wanted}";
    /// The file could not be assembled.
    Format { message: String } => "{message}";
}

impl std::error::Error for ObjectError {}

impl From<OutOfMemory> for ObjectError {
    fn from(wanted: OutOfMemory) -> ObjectError {
        ObjectError::OutOfMemory { wanted }
    }
}
