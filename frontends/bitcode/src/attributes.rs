//! Groups and lists of attributes (LLVM, "LLVM Bitcode File Format", "PARAMATTR_BLOCK Contents").

use std::collections::HashMap;

use gusset_abi::Arch;
use gusset_program::{
    Attribute, AttributeValue, FnAttrs, ParamAttrs, Refusal, TypeId, TypeTable, VOID, Values,
    upgrade_function_attributes,
};
use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::block;
use crate::types::{FunctionType, Types};

mod old;
pub mod upgrade;
mod words;

/// LLVM's words for attributes, by the numbers that files have (`LLVMBitCodes.h`, `AttributeKindCodes`).
const WORDS: [&str; 108] = [
    "",
    "align",
    "alwaysinline",
    "byval",
    "inlinehint",
    "inreg",
    "minsize",
    "naked",
    "nest",
    "noalias",
    "nobuiltin",
    "nocapture",
    "noduplicate",
    "noimplicitfloat",
    "noinline",
    "nonlazybind",
    "noredzone",
    "noreturn",
    "nounwind",
    "optsize",
    "readnone",
    "readonly",
    "returned",
    "returns_twice",
    "signext",
    "alignstack",
    "ssp",
    "sspreq",
    "sspstrong",
    "sret",
    "sanitize_address",
    "sanitize_thread",
    "sanitize_memory",
    "uwtable",
    "zeroext",
    "builtin",
    "cold",
    "optnone",
    "inalloca",
    "nonnull",
    "jumptable",
    "dereferenceable",
    "dereferenceable_or_null",
    "convergent",
    "safestack",
    "argmemonly",
    "swiftself",
    "swifterror",
    "norecurse",
    "inaccessiblememonly",
    "inaccessiblemem_or_argmemonly",
    "allocsize",
    "writeonly",
    "speculatable",
    "strictfp",
    "sanitize_hwaddress",
    "nocf_check",
    "optforfuzzing",
    "shadowcallstack",
    "speculative_load_hardening",
    "immarg",
    "willreturn",
    "nofree",
    "nosync",
    "sanitize_memtag",
    "preallocated",
    "nomerge",
    "null_pointer_is_valid",
    "noundef",
    "byref",
    "mustprogress",
    "nocallback",
    "hot",
    "noprofile",
    "vscale_range",
    "swiftasync",
    "nosanitize_coverage",
    "elementtype",
    "disable_sanitizer_instrumentation",
    "nosanitize_bounds",
    "allocalign",
    "allocptr",
    "allockind",
    "presplitcoroutine",
    "fn_ret_thunk_extern",
    "skipprofile",
    "memory",
    "nofpclass",
    "optdebug",
    "writable",
    "coro_only_destroy_when_complete",
    "dead_on_unwind",
    "range",
    "sanitize_numerical_stability",
    "initializes",
    "hybrid_patchable",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "coro_elide_safe",
    "noext",
    "nodivergencesource",
    "sanitize_type",
    "captures",
    "dead_on_return",
    "sanitize_alloc_token",
    "nocreateundeforpoison",
    "denormal_fpenv",
    "nooutline",
];

/// The index of a function's own attributes in a list; the result has 0, and parameters count from 1.
const FUNCTION: u64 = 0xffff_ffff;

/// Records of lists: of numbers of groups, and of before LLVM 3.3.
const LIST_OF_GROUPS: u64 = 2;
const LIST_OF_BITS: u64 = 1;

/// Parameters that a list may name.
const MOST_PARAMETERS: u64 = 1 << 16;

/// Attributes of a function, its result or a parameter.
struct Group {
    index: u64,
    attributes: Vec<Attribute>,
    /// The function type that is the `elementtype`: its result and whether it is variadic.
    element: Option<(u64, bool)>,
    /// Where it is, in bits.
    place: usize,
}

impl Group {
    /// An empty one for the function, its result or a parameter with this number.
    fn of(c: &Bits<'_>, index: u64) -> Result<Group> {
        c.refuse_if(index > MOST_PARAMETERS && index != FUNCTION, "there is no parameter with this number")?;
        Ok(Group { index, attributes: Vec::new(), element: None, place: c.start })
    }
}

/// The meaning of a list of attributes, of a function or call.
#[derive(Default)]
pub struct AttributeList {
    /// Those of the function.
    pub function: FnAttrs,
    /// Values of these.
    pub values: Option<Box<Values>>,
    /// Attributes of the function that say something of its result here (`preallocated`).
    pub preallocated: ParamAttrs,
    /// Those of the result.
    pub ret: ParamAttrs,
    /// Those of parameters, as far as they are named.
    pub params: Vec<ParamAttrs>,
    /// Attributes of the result and of parameters that need a type and have none, in files from before LLVM 12, by number as in `written`.
    untyped: Vec<(u64, Vec<Attribute>)>,
    /// Why the list cannot be used.
    pub refused: Option<Refusal>,
    /// For translation, all attributes in full by their index: that of the function, 0 for the result, parameters from 1 on.
    written: Vec<(u64, Vec<Attribute>)>,
}

impl AttributeList {
    /// Whether attributes of parameters or of the result affect how they are passed.
    pub fn is_about_passing(&self) -> bool {
        !self.untyped.is_empty() || self.ret.is_about_passing() || self.params.iter().any(ParamAttrs::is_about_passing)
    }

    /// The attributes of a parameter.
    #[inline]
    pub fn param(&self, index: usize) -> ParamAttrs {
        self.params.get(index).copied().unwrap_or_default()
    }

    /// Completes the attributes of parameters of a function type whose attributes need the types that their pointers point to.
    #[inline]
    pub fn complete(
        &self,
        params: &mut [(TypeId, ParamAttrs)],
        ty: &FunctionType,
        types: (&Types, &TypeTable),
    ) -> gusset_program::Result<()> {
        if self.untyped.is_empty() { Ok(()) } else { self.complete_untyped(params, ty, types) }
    }

    #[cold]
    fn complete_untyped(
        &self,
        params: &mut [(TypeId, ParamAttrs)],
        ty: &FunctionType,
        types: (&Types, &TypeTable),
    ) -> gusset_program::Result<()> {
        for (index, attributes) in &self.untyped {
            let at = (*index as usize).wrapping_sub(1);
            if let (Some(&number), Some(param)) = (ty.params.get(at), params.get_mut(at)) {
                let mut list = attributes.clone();
                upgrade::of_value(&mut list, (number, param.0), types);
                param.1 = ParamAttrs::of(&list, types.1)?;
            }
        }
        Ok(())
    }

    /// For translation, the attributes of the function in full.
    pub fn written_function(&self) -> Vec<Attribute> {
        self.written(FUNCTION)
    }

    /// For translation, the attributes of the result, or of the parameter with the number before this one, in full, of a value of this type.
    pub fn written_of(&self, index: u64, of: (u32, TypeId), types: (&Types, &TypeTable)) -> Vec<Attribute> {
        let mut list = self.written(index);
        if !list.is_empty() {
            upgrade::of_value(&mut list, of, types);
        }
        list
    }

    fn written(&self, index: u64) -> Vec<Attribute> {
        self.written.iter().filter(|group| group.0 == index).flat_map(|group| group.1.iter().cloned()).collect()
    }

    fn take(&mut self, group: &Group, types: &Types, (table, arch): (&TypeTable, Arch)) -> gusset_program::Result<()> {
        if group.index == FUNCTION {
            let (mut attrs, mut values) = (FnAttrs::default(), Values::default());
            for attribute in &group.attributes {
                attrs.take(attribute, &mut values, (group.place, arch))?;
                if attribute.name == b"preallocated" {
                    self.preallocated = ParamAttrs::of(std::slice::from_ref(attribute), table)?;
                }
            }
            self.function.0 |= attrs.0;
            if values != Values::default() {
                self.values.get_or_insert_default().add(&values);
            }
            return Ok(());
        }
        let mut attrs = if upgrade::lacks_type(&group.attributes) {
            self.untyped.push((group.index, group.attributes.clone()));
            ParamAttrs::default()
        } else {
            ParamAttrs::of(&group.attributes, table)?
        };
        if let Some((ret, variadic)) = group.element {
            (attrs.element_type, attrs.variadic_element) = (types.get(ret)?, variadic);
        }
        if group.index == 0 {
            self.ret = attrs;
            return Ok(());
        }
        let index = group.index as usize - 1;
        if self.params.len() <= index {
            self.params.resize(index + 1, ParamAttrs::default());
        }
        self.params[index] = attrs;
        Ok(())
    }
}

/// Reads the lists of a module, by their numbers; number 0 is an empty one. `groups` and `lists` are the places of the blocks' heads.
pub fn read_lists(
    c: &mut Bits<'_>,
    (groups, lists): (Option<usize>, Option<usize>),
    types: &Types,
    (table, arch): (&TypeTable, Arch),
) -> Result<Vec<AttributeList>> {
    let groups = match groups {
        Some(head) => read_groups(c, head, types)?,
        None => HashMap::new(),
    };
    let mut all = vec![AttributeList::default()];
    let Some(head) = lists else { return Ok(all) };
    c.enter_at(head, block::PARAMATTR)?;
    loop {
        match c.next()? {
            Entry::End => return Ok(all),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => {
                let mut list = AttributeList::default();
                let mut add = |group: &Group| {
                    if table.carries() {
                        list.written.push((group.index, group.attributes.clone()));
                    } else if let Err(why) = list.take(group, types, (table, arch)) {
                        list.refused.get_or_insert(why);
                    }
                };
                match c.code {
                    LIST_OF_GROUPS => {
                        for number in c.record() {
                            let missing = || c.error(format!("the group of attributes {number} is not defined"));
                            groups.get(number).ok_or_else(missing)?.iter().for_each(&mut add);
                        }
                    }
                    LIST_OF_BITS => {
                        for (index, attributes) in old::lists(c)? {
                            add(&Group { attributes, ..Group::of(c, index)? });
                        }
                    }
                    other => return Err(c.error(format!("the record {other} of attributes is not known"))),
                }
                all.push(list);
            }
        }
    }
}

fn read_groups(c: &mut Bits<'_>, head: usize, types: &Types) -> Result<HashMap<u64, Vec<Group>>> {
    c.enter_at(head, block::PARAMATTR_GROUP)?;
    let mut all: HashMap<u64, Vec<Group>> = HashMap::new();
    loop {
        match c.next()? {
            Entry::End => return Ok(all),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => {
                let [number, index] = c.fields()?;
                let mut group = Group::of(c, index)?;
                let mut at = 2;
                while at < c.record().len() {
                    at = attribute(c, at, types, &mut group)?;
                }
                if types.carries && index == FUNCTION {
                    upgrade_function_attributes(&mut group.attributes);
                }
                all.entry(number).or_default().push(group);
            }
        }
    }
}

/// Reads the attribute at a field of the record; returns the index of the next field.
fn attribute(c: &Bits<'_>, at: usize, types: &Types, group: &mut Group) -> Result<usize> {
    let kind = c.record()[at];
    if let 3 | 4 = kind {
        let (name, mut next) = string(c, at + 1)?;
        let value = if kind == 3 {
            AttributeValue::Key
        } else {
            let (text, end) = string(c, next)?;
            next = end;
            // LLVM has no difference between no value and an empty one.
            if text.is_empty() { AttributeValue::Key } else { AttributeValue::String(text) }
        };
        group.attributes.push(Attribute { name, value });
        return Ok(next);
    }
    let number = *c.record().get(at + 1).ok_or_else(|| c.short())?;
    let word = usize::try_from(number).ok().and_then(|number| WORDS.get(number)).filter(|word| !word.is_empty());
    let word = word.ok_or_else(|| c.error(format!("the attribute with the number {number} is not known")))?;
    let field = |index: usize| c.record().get(at + index).copied().ok_or_else(|| c.short());
    let (value, next) = match kind {
        0 => (AttributeValue::Flag, at + 2),
        1 if types.carries => (words::of_number(word, field(2)?), at + 3),
        1 => (AttributeValue::Number(field(2)?), at + 3),
        5 => return Err(c.error(format!("the attribute `{word}` has no type"))),
        6 => {
            let number = field(2)?;
            let id = match (*word, types.function(number)) {
                (_, Ok(_)) if types.carries => types.function_id(number).map_err(|why| c.error(why))?,
                ("elementtype", Ok(function)) => {
                    group.element = Some((function.ret.into(), function.variadic));
                    VOID
                }
                _ => types.get(number).map_err(|why| c.error(why))?,
            };
            (AttributeValue::Type(id), at + 3)
        }
        // A range: its width and its bounds.
        7 => {
            let (width, next) = (field(2)?, bounds(c, at + 3, field(2)?)?);
            c.refuse_if(types.carries && width > 128, "ranges of more than 128 bits are not translated")?;
            (words::of_range(width, &c.record()[at + 3..next]), next)
        }
        // Ranges: how many, their width, and the bounds of each.
        8 => {
            let (count, width) = (field(2)?, field(3)?);
            let mut ranges = Vec::new();
            let mut next = at + 4;
            for _ in 0..count {
                let end = bounds(c, next, width)?;
                ranges.push(words::range(width, &c.record()[next..end]));
                next = end;
            }
            (AttributeValue::Words(ranges.join(", ").into_bytes()), next)
        }
        _ => return Err(c.error(format!("the attribute `{word}` has a value of no known form"))),
    };
    group.attributes.push(Attribute { name: word.as_bytes().to_vec(), value });
    Ok(next)
}

/// Reads a string that a zero ends; returns it and the index after the zero.
fn string(c: &Bits<'_>, from: usize) -> Result<(Vec<u8>, usize)> {
    let rest = c.record().get(from..).unwrap_or_default();
    let length = rest.iter().position(|&letter| letter == 0).ok_or_else(|| c.error("a string has no end"))?;
    Ok((rest[..length].iter().map(|&letter| letter as u8).collect(), from + length + 1))
}

/// The index after the bounds of a range of this width.
fn bounds(c: &Bits<'_>, at: usize, width: u64) -> Result<usize> {
    let next = match width {
        ..=64 => at + 2,
        _ => {
            let counts = c.record().get(at).copied().ok_or_else(|| c.short())?;
            at + 1 + counts as u32 as usize + (counts >> 32) as usize
        }
    };
    if next > c.record().len() { Err(c.short()) } else { Ok(next) }
}
