//! Reads C declarations as types and signatures of `gusset-abi`.
//!
//! [`prototype`] reads declarations and returns the last function among them, with what [`gusset_abi::classify`] needs
//! and what a person wants to see with it: names, spellings, and the offset of each member.
//!
//! ```
//! use gusset_abi::{AbiTarget, classify};
//!
//! let source = "struct P { double x; long n; }; struct P f(int a, struct P b);";
//! let f = gusset_c::prototype(source, &AbiTarget::X86_64_LINUX, None)?;
//! assert_eq!(f.text, "struct P f(int a, struct P b)");
//! assert_eq!(f.params[1].ty.leaves[1].path, "n");
//! let abi = classify(&AbiTarget::X86_64_LINUX, &f.signature).map_err(|error| f.locate(source, &error))?;
//! assert_eq!(abi.args.len(), 2);
//! # Ok::<(), gusset_c::ReadError>(())
//! ```
//!
//! The language is C with the extensions of GNU, Clang and Microsoft that affect calls. Sizes follow the target. Names
//! that every header has (`size_t`, `uint8_t`, `va_list`, `__m128`, `float32x4_t` and so on) are known without a
//! header. A source is expected to be preprocessed: line markers are skipped, `#pragma pack` is obeyed, other
//! directives are errors. Unknown attributes are errors too, because they could affect a call.
//!
//! Of C++, [`prototype_in`] reads classes with their bases and virtual functions, references, methods and operators. In C,
//! attributes express some of it: `cxx_class`, `cxx_nontrivial` and `cxx_nonaggregate` of a struct, `cxx_method`, `cxx_constructor` and
//! `cxx_destructor` of a function whose first parameter is `this`.
//!
//! The dots of a variadic function may be followed by the types of the unnamed arguments of a call: `int printf(const
//! char *, ..., double, int)`. They undergo the default argument promotions.
//!
//! The parser is that of the crate `lang-c`. Before it, the source is rewritten, because the parser does not know all
//! of the language, and the depth of nesting and the length are checked; the parser runs on a thread of its own, with a
//! stack that suffices for them ([`on_a_large_stack`]).
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod attribute;
mod bases;
mod class;
mod constant;
mod cxx;
mod data;
mod fault;
mod layouts;
mod lex;
mod marks;
mod names;
mod pack;
mod prototype;
mod reader;
mod record;
mod rewrite;
mod source_types;
mod specifiers;
mod types;

pub use gusset_text::{ReadError, Result};
pub use layouts::{ClassSizes, Member, MemberRole, TypeLayout};
pub use prototype::{Declared, Leaf, Param, Prototype, Typed};
pub use source_types::{SourceRecord, SourceType, SourceTypes, WithTypes};

use std::cell::Cell;

use fault::{Checked, Fault};
use gusset_abi::{AbiTarget, Language};

/// Stack of the thread that reads, in bytes: the bounds on nesting keep recursion below a fraction of it.
const STACK: usize = 256 << 20;

/// Reads the function called `name` in `source`, or without a name the last one: the last prototype or function
/// definition; if there is none, the last typedef of a function type or pointer to a function.
///
/// # Errors
/// The source is not C; it uses something that is not supported, or that does not exist on `target`; or there is no
/// such function.
pub fn prototype(source: &str, target: &AbiTarget, name: Option<&str>) -> Result<Prototype> {
    prototype_in(Language::C, source, target, name)
}

/// Like [`prototype`], for a source in `language`. Methods are called `class::method`, whether they are declared in
/// their class or after it.
///
/// # Errors
/// As [`prototype`].
pub fn prototype_in(language: Language, source: &str, target: &AbiTarget, name: Option<&str>) -> Result<Prototype> {
    checked(source, |source| {
        prototype::chosen(source, target, language, name)?.ok_or_else(|| match name {
            Some(name) => Fault::new(source.len(), format!("there is no function `{name}`")),
            None => Fault::new(source.len(), "there is no function declaration, such as `int f(float)`"),
        })
    })
}

/// Reads the type called `name` in a source in `language`, or without a name the last one that is declared, with the
/// layout of its members. A source may be a type alone, such as `long double`.
///
/// # Errors
/// As [`prototype`].
pub fn layout_in(language: Language, source: &str, target: &AbiTarget, name: Option<&str>) -> Result<TypeLayout> {
    checked(source, |source| layouts::chosen(source, target, language, name))
}

/// The layouts of all complete structs and unions with names in a source in `language`, in order.
///
/// # Errors
/// As [`prototypes`].
pub fn layouts_in(language: Language, source: &str, target: &AbiTarget) -> Result<Vec<TypeLayout>> {
    checked(source, |source| layouts::all(source, target, language))
}

/// Reads all functions that `source` declares, in order.
///
/// # Errors
/// Like [`prototype`], except that a source without functions is not an error.
pub fn prototypes(source: &str, target: &AbiTarget) -> Result<Vec<Prototype>> {
    checked(source, |source| {
        Ok(prototype::all(source, target)?.into_iter().filter(|p| p.declared == Declared::Function).collect())
    })
}

/// Like [`prototypes`], with the types of the functions as the source spells them.
///
/// # Errors
/// As [`prototypes`].
pub fn prototypes_with_types(source: &str, target: &AbiTarget) -> Result<WithTypes<Vec<Prototype>>> {
    checked(source, |source| source_types::functions(source, target))
}

/// Like [`layout_in`] for a source in C, with the type as the source spells it.
///
/// ```
/// use gusset_abi::AbiTarget;
/// use gusset_c::SourceType;
///
/// let list = gusset_c::layout_with_types("struct list { int n; struct list *next; };", &AbiTarget::X86_64_LINUX, None)?;
/// assert!(matches!(list.types.types[list.roots[0][0]], SourceType::Record(0)));
/// assert_eq!(list.types.records[0].members[1].0.as_deref(), Some("next"));
/// # Ok::<(), gusset_c::ReadError>(())
/// ```
///
/// # Errors
/// As [`prototype`].
pub fn layout_with_types(source: &str, target: &AbiTarget, name: Option<&str>) -> Result<WithTypes<TypeLayout>> {
    checked(source, |source| source_types::of_type(source, target, name))
}

/// Runs `work` on a thread with the stack that the reader needs; calls of the reader inside `work` start no threads.
/// Useful to a caller that reads many sources, since each would start a thread of its own otherwise.
///
/// # Errors
/// The system gives no thread.
pub fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    if LARGE.get() {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("declarations".into()).stack_size(STACK);
        let handle = thread.spawn_scoped(scope, || {
            LARGE.set(true);
            work()
        })?;
        handle.join().map_or_else(|panic| std::panic::resume_unwind(panic), Ok)
    })
}

thread_local! {
    /// Whether this thread was started by [`on_a_large_stack`].
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

fn checked<T: Send>(source: &str, run: impl FnOnce(&str) -> Checked<T> + Send) -> Result<T> {
    let result = on_a_large_stack(|| run(source))
        .unwrap_or_else(|error| Err(Fault::new(0, format!("no thread to read on: {error}"))));
    result.map_err(|fault| fault.of(source))
}
