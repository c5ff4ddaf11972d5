//! Turns the reader's functions into the crate's results.

use gusset_abi::{
    AbiError, AbiTarget, Arch, CType, Convention, Env, FieldRole, Language, Member, Modifiers, Record, RecordKind,
    Scalar, Signature, Subject,
};
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

use gusset_text::ReadError;

use crate::fault::{Checked, Fault};
use crate::lex::{self, Kind, Token};
use crate::names;
use crate::reader::{self, Reader};
use crate::rewrite::{self, Rewritten};
use crate::types::{Function, Type, TypeKind};

/// Most leaves listed for one type.
const MAX_LEAVES: usize = 256;

/// How a function was declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Declared {
    /// By a prototype or definition.
    Function,
    /// By a typedef of a function type.
    Typedef,
    /// By something that is a pointer to a function.
    Pointer,
}

/// A function with its signature, and how the source spells it.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The language of the source: the symbol of a C++ function differs from its name.
    pub language: Language,
    /// How it was declared.
    pub declared: Declared,
    /// Name of the function, the typedef or the pointer.
    pub name: String,
    /// The declaration in C, on one line, without attributes.
    pub text: String,
    /// The function's types and convention. The types after the dots of a variadic function are unnamed arguments in
    /// it, promoted.
    pub signature: Signature,
    /// The parameters, one per parameter of the signature, in order.
    pub params: Vec<Param>,
    /// The result.
    pub ret: Typed,
    /// The structs and unions of the source in order, with the names that clang gives them in LLVM IR, such as
    /// `struct.point`.
    pub records: Vec<(String, CType)>,
    /// The symbol's name if an `asm` label gives it.
    pub symbol: Option<String>,
    /// What the source says that has no effect on this target, as sentences without a full stop.
    pub notes: Vec<String>,
    at: usize,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// The parameter's name, if it has one.
    pub name: Option<String>,
    /// The parameter's type; arrays and functions are pointers already.
    pub ty: Typed,
    at: usize,
}

/// A type and its spelling.
#[derive(Clone, Debug)]
pub struct Typed {
    /// C's spelling.
    pub spelling: String,
    /// The type for the ABI.
    pub ctype: CType,
    /// The scalars and vectors that the type consists of, in order of declaration; for a plain scalar, itself with an
    /// empty path. At most 256 are listed.
    pub leaves: Vec<Leaf>,
}

/// A scalar, vector or bit-field within a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The path to the leaf, such as `box.corner[1].x`; empty for the whole value.
    pub path: String,
    /// C's spelling of its type.
    pub spelling: String,
    /// Offset in bits.
    pub bit_offset: u64,
    /// Size in bits.
    pub bits: u64,
}

impl Prototype {
    /// The fault as an error with its place in `source`.
    pub fn locate(&self, source: &str, error: &AbiError) -> ReadError {
        let at = match error.subject() {
            Subject::Param(i) => self.params.get(i).map_or(self.at, |param| param.at),
            _ => self.at,
        };
        Fault::new(at, error.to_string()).of(source)
    }
}

/// All functions of a source.
pub(crate) fn all(source: &str, target: &AbiTarget) -> Checked<Vec<Prototype>> {
    with_reader(source, target, Language::C, |reader| {
        let found = std::mem::take(&mut reader.prototypes);
        found.iter().map(|p| finish(reader, p, Language::C)).collect()
    })
}

/// Finds the function called `name`, or the last one.
pub(crate) fn chosen(
    source: &str,
    target: &AbiTarget,
    language: Language,
    name: Option<&str>,
) -> Checked<Option<Prototype>> {
    with_reader(source, target, language, |reader| {
        let found = std::mem::take(&mut reader.prototypes);
        let wanted = |p: &&reader::Prototype| name.is_none_or(|name| p.name == name);
        let function = |p: &&reader::Prototype| p.declared == Declared::Function;
        let last = found.iter().filter(wanted).rfind(function).or_else(|| found.iter().rfind(wanted));
        last.map(|p| finish(reader, p, language)).transpose()
    })
}

/// Runs something on the reader of a source.
pub(crate) fn with_reader<T>(
    source: &str,
    target: &AbiTarget,
    language: Language,
    run: impl FnOnce(&mut Reader<'_>) -> Checked<T>,
) -> Checked<T> {
    let tokens = lex::tokens(source)?;
    let text = rewrite::rewrite(&tokens, source.len(), target, language)?;
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    let parsed = match parse_preprocessed(&config, text.text.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return Err(syntax(&error, &tokens, &text, source, target)),
    };
    let mut reader = Reader::new(target, &text);
    reader.unit(&parsed.unit)?;
    run(&mut reader)
}

/// Explains a syntax error as far as possible.
fn syntax(error: &SyntaxError, tokens: &[Token<'_>], text: &Rewritten, source: &str, target: &AbiTarget) -> Fault {
    // The parser's position may be that of the white space before the token.
    let offset = error.source[error.offset.min(error.source.len())..]
        .find(|c: char| c != ' ')
        .map_or(error.source.len(), |skip| error.offset + skip);
    let at = text.source_of(offset);
    let Some(token) = tokens.iter().rfind(|t| t.at <= at).filter(|_| at < source.len()) else {
        return Fault::new(source.len(), "the declaration is not complete");
    };
    let index = tokens.partition_point(|t| t.at < token.at);
    let before = |n: usize| index.checked_sub(n).and_then(|i| tokens.get(i));
    let named = |t: &&Token<'_>| t.kind == Kind::Word && !is_keyword(t.text);
    // Of two names in a row, or a name and a star, the first would have to be a type.
    let unknown = match before(1) {
        Some(previous) if named(&previous) && (named(&token) || token.is("*")) => Some(previous),
        _ => Some(token).filter(|t| named(t) && error.expected.contains("<typedef_name>")),
    };
    if let Some(name) = unknown {
        let own = tokens.iter().filter(|t| t.kind == Kind::Word && t.at != name.at).map(|t| t.text);
        return names::unknown_type(name.at, name.text, own, target);
    }
    let message = format!("`{}` is not expected here", token.text);
    Fault::new(token.at, message)
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 24] = [
        "char", "const", "double", "enum", "extern", "float", "if", "inline", "int", "long", "register", "restrict",
        "return", "short", "signed", "sizeof", "static", "struct", "typedef", "union", "unsigned", "void", "volatile",
        "while",
    ];
    KEYWORDS.contains(&word)
}

pub(crate) fn finish(reader: &Reader<'_>, found: &reader::Prototype, language: Language) -> Checked<Prototype> {
    let function = &found.function;
    let mut notes = Vec::new();
    let (convention, modifiers) = calling(&reader.target, function, found.at, &mut notes)?;
    let ret = typed(reader, &function.ret, found.at)?;
    let mut signature = Signature::c(ret.ctype.clone()).with_convention(convention);
    signature.modifiers = modifiers;
    let mut params = Vec::new();
    let mut spelled = Vec::new();
    for (i, param) in function.params.iter().enumerate() {
        if function.dots == Some(i) {
            signature = signature.ellipsis();
            spelled.push("...".to_string());
        }
        let mut ty = typed(reader, &param.ty, param.at)?;
        if function.dots.is_some_and(|dots| i >= dots) {
            promote(&mut ty);
        }
        signature = signature.param(ty.ctype.clone());
        spelled.push(reader.spell(&param.ty, param.name.as_deref().unwrap_or("")));
        params.push(Param { name: param.name.clone(), ty, at: param.at });
    }
    if function.dots == Some(params.len()) {
        signature = signature.ellipsis();
        spelled.push("...".to_string());
    }
    if spelled.is_empty() {
        spelled.push("void".to_string());
    }
    let word = match function.call.convention {
        Some(named) if notes.is_empty() => match named.convention {
            Convention::Stdcall | Convention::Fastcall | Convention::Thiscall | Convention::Vectorcall => {
                format!("__{} ", named.word)
            }
            Convention::C => String::new(),
            _ => format!("__attribute__(({})) ", named.word),
        },
        _ => String::new(),
    };
    let head = format!("{word}{}({})", found.name, spelled.join(", "));
    Ok(Prototype {
        language,
        declared: found.declared,
        name: found.name.clone(),
        text: reader.spell(&function.ret, &head),
        signature,
        params,
        ret,
        records: records(reader),
        symbol: found.symbol.clone(),
        notes,
        at: found.at,
    })
}

/// The complete structs and unions, named as clang names them: by tag or typedef, or `anon`; equal names get a number
/// from the second on.
fn records(reader: &Reader<'_>) -> Vec<(String, CType)> {
    let mut named = Vec::new();
    let mut anonymous = 0;
    for record in &reader.records {
        let Some(body) = &record.body else { continue };
        let keyword = match record.kind {
            RecordKind::Union => "union",
            RecordKind::Struct if record.class => "class",
            RecordKind::Struct => "struct",
        };
        let name = match (&record.tag, &record.typedef) {
            (Some(tag), _) => format!("{keyword}.{tag}"),
            (None, Some(name)) => format!("{keyword}.{name}"),
            (None, None) => {
                anonymous += 1;
                match anonymous {
                    1 => format!("{keyword}.anon"),
                    n => format!("{keyword}.anon.{}", n - 2),
                }
            }
        };
        named.push((name, body.ctype.clone()));
    }
    named
}

/// C11, 6.5.2.2: default argument promotions.
fn promote(ty: &mut Typed) {
    let (promoted, spelling) = match &ty.ctype {
        CType::Scalar(Scalar::Bool | Scalar::Int { bits: 8 | 16, .. }) => (CType::I32, "int"),
        CType::Scalar(Scalar::Float(gusset_abi::FloatKind::F32)) => (CType::F64, "double"),
        _ => return,
    };
    let bits = if promoted == CType::I32 { 32 } else { 64 };
    ty.leaves = vec![Leaf { path: String::new(), spelling: spelling.into(), bit_offset: 0, bits }];
    ty.spelling = spelling.into();
    ty.ctype = promoted;
}

/// The convention that the attributes ask for on this target, as compilers understand them.
fn calling(
    target: &AbiTarget,
    function: &Function,
    at: usize,
    notes: &mut Vec<String>,
) -> Checked<(Convention, Modifiers)> {
    let call = function.call;
    let x86 = target.arch == Arch::X86;
    let x86_64 = target.arch == Arch::X86_64;
    let arm = target.arch == Arch::Arm;
    let mut modifiers = Modifiers { member: call.member, ..Modifiers::default() };
    if call.regparm.is_some() || call.sse_regparm {
        if x86 {
            modifiers.regparm = call.regparm.unwrap_or(0);
            modifiers.sse_regparm = call.sse_regparm;
        } else {
            notes.push("`regparm` and `sseregparm` mean something on 32-bit x86 only".into());
        }
    }
    let Some(named) = call.convention else {
        // Microsoft's compilers and MinGW's: methods are `thiscall` unless they are variadic.
        let windows = target.is_windows() && matches!(target.env, Env::Msvc | Env::Gnu);
        let this = x86 && windows && call.member != Member::None && function.dots.is_none();
        return Ok((if this { Convention::Thiscall } else { Convention::C }, modifiers));
    };
    let convention = match named.convention {
        Convention::Stdcall | Convention::Fastcall | Convention::Thiscall if !x86 => {
            notes.push(format!("`{}` means something on 32-bit x86 only", named.word));
            Convention::C
        }
        Convention::Win64 if x86_64 && target.is_windows() => Convention::C,
        Convention::SysV64 if x86_64 && !target.is_windows() => Convention::C,
        Convention::Win64 | Convention::SysV64 if !x86_64 => {
            return Err(Fault::new(at, format!("`{}` exists on x86-64 only", named.word)));
        }
        Convention::AapcsBase | Convention::AapcsVfp if !arm => {
            return Err(Fault::new(at, format!("`{}` exists on 32-bit ARM only", named.word)));
        }
        other => other,
    };
    Ok((convention, modifiers))
}

fn typed(reader: &Reader<'_>, ty: &Type, at: usize) -> Checked<Typed> {
    let ctype = reader.value_type(ty, at)?;
    if ty.typedef_align().is_some() && matches!(ctype, CType::Record(_)) {
        let message = "a struct aligned by a typedef is not supported here: align the struct itself";
        return Err(Fault::new(at, message));
    }
    let mut leaves = Vec::new();
    if ctype != CType::Void {
        add_leaves(reader, ty, at, (String::new(), true), 0, &mut leaves)?;
    }
    Ok(Typed { spelling: reader.spell(ty, ""), ctype, leaves })
}

/// Adds the leaves of a value that begins at a bit. The path leads to it; a value that is complete, and not a base, has
/// its virtual bases.
fn add_leaves(
    reader: &Reader<'_>,
    ty: &Type,
    at: usize,
    (path, complete): (String, bool),
    start: u64,
    leaves: &mut Vec<Leaf>,
) -> Checked<()> {
    if leaves.len() >= MAX_LEAVES {
        return Ok(());
    }
    let layout = |ctype: &CType| reader.layout.layout(ctype).map_err(|error| reader.abi_fault(at, &error));
    match ty.resolved().kind() {
        TypeKind::Record(id) => {
            let Some(body) = &reader.records[*id].body else { return Ok(()) };
            let CType::Record(record) = &body.ctype else { return Ok(()) };
            if record.bases().next().is_some() || record.virtuals().is_some() {
                add_inherited(reader, record, at, (&path, complete), start, leaves)?;
            }
            let placed = reader.layout.record(record).map_err(|error| reader.abi_fault(at, &error))?;
            for ((member, field), offset) in body.members.iter().zip(record.fields()).zip(&placed.bit_offsets) {
                let path = within(&path, member.name.as_deref());
                match field.bits {
                    _ if field.is_base() => {}
                    Some(_) if member.name.is_none() => {}
                    Some(bits) if leaves.len() < MAX_LEAVES => {
                        let spelling = reader.spell(&member.ty, "");
                        leaves.push(Leaf { path, spelling, bit_offset: start + offset, bits: bits.into() });
                    }
                    Some(_) => {}
                    None => add_leaves(reader, &member.ty, at, (path, true), start + offset, leaves)?,
                }
            }
        }
        TypeKind::Array(of, len) => {
            let size = layout(&reader.value_type(of, at)?)?.size;
            for i in 0..len.unwrap_or(0) {
                if leaves.len() >= MAX_LEAVES || size == 0 {
                    break;
                }
                add_leaves(reader, of, at, (format!("{path}[{i}]"), true), start + 8 * i * size, leaves)?;
            }
        }
        _ => {
            let ctype = reader.value_type(ty, at)?;
            let spelling = reader.spell(ty, "");
            match ctype {
                CType::Complex(part) => {
                    let bits = 8 * layout(&CType::Scalar(part))?.size;
                    let part_name = spelling.replace("_Complex ", "");
                    for (i, suffix) in ["re", "im"].into_iter().enumerate() {
                        let path = if path.is_empty() { suffix.to_string() } else { format!("{path}.{suffix}") };
                        let bit_offset = start + i as u64 * bits;
                        leaves.push(Leaf { path, spelling: part_name.clone(), bit_offset, bits });
                    }
                }
                _ => leaves.push(Leaf { path, spelling, bit_offset: start, bits: 8 * layout(&ctype)?.size }),
            }
        }
    }
    Ok(())
}

/// The path of a member within something.
fn within(path: &str, name: Option<&str>) -> String {
    match name {
        Some(name) if path.is_empty() => name.to_string(),
        Some(name) => format!("{path}.{name}"),
        None => path.to_string(),
    }
}

/// Adds the pointers to tables of a class, and the leaves of its bases.
fn add_inherited(
    reader: &Reader<'_>,
    record: &Record,
    at: usize,
    (path, complete): (&str, bool),
    start: u64,
    leaves: &mut Vec<Leaf>,
) -> Checked<()> {
    let class = reader.layout.class(record).map_err(|error| reader.abi_fault(at, &error))?;
    for (offset, name) in [(class.vptr, "__vptr"), (class.vbptr, "__vbptr")] {
        if let Some(offset) = offset {
            let (path, bits) = (within(path, Some(name)), 8 * u64::from(reader.target.pointer_bytes()));
            leaves.push(Leaf { path, spelling: "void *".into(), bit_offset: start + 8 * offset, bits });
        }
    }
    let fields = record.fields().iter().zip(&class.bit_offsets);
    let bases = fields.filter_map(|(field, offset)| match (&field.ty, field.role) {
        (CType::Record(base), FieldRole::Base) => Some((base, *offset)),
        _ => None,
    });
    let virtual_bases = class.virtual_bases.iter().filter(|_| complete).map(|base| (&base.class, 8 * base.offset));
    for (base, offset) in bases.chain(virtual_bases) {
        if let Some(ty) = reader.class_type(base) {
            add_leaves(reader, &ty, at, (path.to_string(), false), start + offset, leaves)?;
        }
    }
    Ok(())
}
