//! LLVM's names for the features of processors (`llc -mattr=help`), and how each is treated in a function's attribute
//! `target-features` and on the command line. `docs/target-features.md` is made of these tables.

mod aarch64;
mod arm;
mod registers;
mod x86;

pub use registers::SystemRegister;

use crate::target::Arch;

/// How a feature is treated.
///
/// ```
/// use gusset_abi::Arch;
/// use gusset_abi::features::{Meaning, meaning};
///
/// assert!(meaning(Arch::X86_64, "sse4.2", true).is_some());
/// assert!(meaning(Arch::X86_64, "no such feature", true).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It asks for code that is not supported: an error.
    Refused,
    /// It asks for different code, which is generated.
    Done(Request),
    /// The command line's feature decides which instructions are chosen. A function's feature only allows them.
    Chooses,
    /// It allows instructions that are only used where the program names them, if at all.
    Allows,
    /// It says what is fast, or is a matter of spelling.
    Tunes,
}

/// Code that is made otherwise. An example is at [`Meaning`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Vectors are passed in registers wider than those supported here: signatures with such vectors are errors.
    WideVectors,
    /// Vectors of `half` are passed whole.
    HalfVectors,
    /// Vectors of `bfloat` are passed whole.
    BrainVectors,
    /// Floating-point registers are not used; signatures that need them are errors.
    NoFloats,
    /// The same, but signatures may have floating-point numbers, though no vectors.
    ScalarFloats,
    /// No registers of vectors.
    NoVectors,
    /// Floating-point numbers are in general-purpose registers, and the library computes with them.
    SoftFloat,
    /// Accesses are aligned.
    StrictAlignment,
    /// The platform reserves a register: `x18`, `r9`.
    ReservePlatformRegister,
    /// Atomic operations call library functions.
    OutlineAtomics,
    /// Addresses of variables have tags in their upper bits, and are therefore never computed relative to the code.
    TaggedGlobals,
    /// No multiply-add directly follows a memory access.
    SeparateProducts,
    /// Functions are called through registers.
    LongCalls,
    /// Addresses are not assembled from halves.
    NoMovt,
    /// Code is never read as data.
    ExecuteOnly,
    /// Where the address of the thread's data is found.
    Thread(ThreadRegister),
    /// Protection against speculative execution.
    Harden(Hardening),
}

/// What a function's code does against speculative execution and calls of other code than the program's, as bits. An example is at [`Meaning`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hardening(pub u8);

impl Hardening {
    /// Calls by address go through a thunk that processors do not predict.
    pub const CALL_THUNKS: Hardening = Hardening(1);
    /// Jumps by address are as returns that processors do not predict, and switches have no tables.
    pub const UNPREDICTED_JUMPS: Hardening = Hardening(1 << 1);
    /// The thunk of calls is another object's.
    pub const EXTERNAL_THUNKS: Hardening = Hardening(1 << 2);
    /// Nothing is executed after a jump by address.
    pub const JUMP_BARRIERS: Hardening = Hardening(1 << 3);
    /// Nothing is executed after a return.
    pub const RETURN_BARRIERS: Hardening = Hardening(1 << 4);
    /// Returns are jumps to a thunk of another object.
    pub const RETURN_THUNKS: Hardening = Hardening(1 << 5);
    /// Jumps to thunks have a prefix, so that they are as long as what may replace them.
    pub const LONG_THUNK_JUMPS: Hardening = Hardening(1 << 6);
    /// Calls by address go by the function that Windows' loader gives (Control Flow Guard).
    pub const GUARDED_CALLS: Hardening = Hardening(1 << 7);
    /// The words of the bits in the IR's text.
    pub const WORDS: [&str; 8] = [
        "call_thunks",
        "unpredicted_jumps",
        "external_thunks",
        "jump_barriers",
        "return_barriers",
        "return_thunks",
        "long_thunk_jumps",
        "guarded_calls",
    ];

    /// These bits, except for others.
    pub const fn without(self, other: Hardening) -> Hardening {
        Hardening(self.0 & !other.0)
    }

    /// Both.
    pub const fn and(self, other: Hardening) -> Hardening {
        Hardening(self.0 | other.0)
    }

    /// Of the bits that a feature asks for, those that switching it off takes back: not those of features that it includes.
    pub fn of_feature(self, name: &str) -> Hardening {
        match name {
            "retpoline" => Hardening::default(),
            "retpoline-external-thunk" => Hardening::EXTERNAL_THUNKS,
            _ => self,
        }
    }

    /// Has one of these bits?
    #[inline]
    pub const fn has(self, bits: Hardening) -> bool {
        self.0 & bits.0 != 0
    }
}

/// Where the address of the thread's data is found. An example is at [`Meaning`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadRegister {
    /// By a library function (ARM, "Run-time ABI for the Arm Architecture", section 5.3.5).
    Library = 1,
    /// `tpidr_el0`, `tpidrurw`.
    User,
    /// `tpidrro_el0`, `tpidruro`.
    UserReadOnly,
    /// `tpidr_el1`, `tpidrprw`.
    Privileged,
    /// `tpidr_el2`.
    Hypervisor,
    /// `tpidr_el3`.
    Monitor,
}

impl ThreadRegister {
    /// That of a number.
    pub fn from_number(number: u64) -> Option<ThreadRegister> {
        use ThreadRegister::*;
        [Library, User, UserReadOnly, Privileged, Hypervisor, Monitor].into_iter().find(|r| *r as u64 == number)
    }
}

/// What the features of a module's functions ask for in all its code. An example is at [`Meaning`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CodeRequests {
    /// See [`Request::SoftFloat`].
    pub soft_float: bool,
    /// See [`Request::NoFloats`]: on x86, where numbers are on the x87 stack then.
    pub no_floats: bool,
    /// See [`Request::TaggedGlobals`].
    pub tagged_globals: bool,
    /// See [`Request::SeparateProducts`].
    pub separate_products: bool,
    /// See [`Request::LongCalls`].
    pub long_calls: bool,
    /// See [`Request::NoMovt`].
    pub no_movt: bool,
    /// See [`Request::ExecuteOnly`].
    pub execute_only: bool,
    /// See [`Request::Thread`].
    pub thread: Option<ThreadRegister>,
    /// What some function asks for.
    pub hardening: Hardening,
}

/// The features of an architecture, each group in alphabetical order.
pub(crate) struct Table {
    refused: &'static [&'static str],
    /// Features with a request; the flag says whether the request is made by switching the feature on or off.
    requests: &'static [(&'static str, bool, Request)],
    chooses: &'static [&'static str],
    allows: &'static [&'static str],
    tunes: &'static [&'static str],
}

/// A list of names, several to a line.
macro_rules! list {
    ($($name:literal)*) => { &[$($name),*] };
}
use list;

fn table(arch: Arch) -> &'static Table {
    match arch {
        Arch::X86 | Arch::X86_64 => &x86::TABLE,
        Arch::Aarch64 => &aarch64::TABLE,
        Arch::Arm => &arm::TABLE,
    }
}

/// How a feature is treated when it is switched `on` or off. `None` for names that LLVM does not know either; it
/// ignores them.
pub fn meaning(arch: Arch, name: &str, on: bool) -> Option<Meaning> {
    let table = table(arch);
    let has = |names: &[&str]| names.binary_search(&name).is_ok();
    if let Ok(at) = table.requests.binary_search_by(|row| row.0.cmp(name)) {
        let (_, when, request) = table.requests[at];
        return Some(match when == on {
            true => Meaning::Done(request),
            false if has(table.chooses) => Meaning::Chooses,
            false => Meaning::Allows,
        });
    }
    [
        (table.tunes, Meaning::Tunes),
        (table.allows, Meaning::Allows),
        (table.chooses, Meaning::Chooses),
        // Switching it off asks for the code that is generated anyway.
        (table.refused, if on { Meaning::Refused } else { Meaning::Allows }),
    ]
    .into_iter()
    .find_map(|(names, meaning)| has(names).then_some(meaning))
}

/// The names of an architecture's features, in alphabetical order.
pub fn names(arch: Arch) -> alloc::vec::Vec<&'static str> {
    let table = table(arch);
    let groups = [table.refused, table.chooses, table.allows, table.tunes].into_iter().flatten().copied();
    let mut all: alloc::vec::Vec<&str> = groups.chain(table.requests.iter().map(|row| row.0)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The features by which instructions are chosen.
pub fn chosen(arch: Arch) -> alloc::vec::Vec<&'static str> {
    let made = |name: &&str| {
        matches!(meaning(arch, name, true), Some(Meaning::Chooses | Meaning::Done(_)))
            && meaning(arch, name, true) != Some(Meaning::Done(Request::WideVectors))
    };
    names(arch).into_iter().filter(made).collect()
}

/// The features of a list in LLVM's syntax: each with `+` or `-` before it, where `+` may be left out.
pub fn each(list: &[u8]) -> impl Iterator<Item = (&str, bool)> {
    list.split(|&b| b == b',').filter_map(|item| {
        let (on, name) = match item {
            [b'-', name @ ..] => (false, name),
            [b'+', name @ ..] => (true, name),
            name => (true, name),
        };
        // Names of features are ASCII.
        core::str::from_utf8(name).ok().map(|name| (name, on))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_in_order() {
        for arch in [Arch::X86, Arch::Aarch64, Arch::Arm] {
            let table = table(arch);
            for group in [table.refused, table.chooses, table.allows, table.tunes] {
                assert!(group.is_sorted_by(|a, b| a < b), "{group:?}");
                assert!(group.iter().all(|name| meaning(arch, name, true).is_some()));
            }
            assert!(table.requests.is_sorted_by(|a, b| a.0 < b.0));
            // Only what instructions are chosen by may be in two groups.
            let count = [table.refused, table.allows, table.tunes].map(<[_]>::len).iter().sum::<usize>();
            let requests = table.requests.iter().filter(|row| !table.chooses.contains(&row.0)).count();
            assert_eq!(names(arch).len(), count + requests + table.chooses.len());
        }
    }

    #[test]
    fn what_is_switched_off_is_not_what_is_switched_on() {
        assert_eq!(meaning(Arch::Arm, "neon", false), Some(Meaning::Done(Request::NoVectors)));
        assert_eq!(meaning(Arch::Arm, "neon", true), Some(Meaning::Chooses));
        assert_eq!(meaning(Arch::X86_64, "lvi-cfi", false), Some(Meaning::Allows));
        assert_eq!(meaning(Arch::X86_64, "no-such", true), None);
        assert_eq!(each(b"+a,-b,c").collect::<alloc::vec::Vec<_>>(), [("a", true), ("b", false), ("c", true)]);
    }
}
