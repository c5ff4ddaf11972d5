//! A look at the functions' blocks before they are read: what the module must know of them.

use std::collections::{HashMap, HashSet};

use gusset_program::{I64, TypeTable, refusals};
use gusset_text::Result;

use crate::bits::{Bits, Entry};
use crate::codes::{block, constant, function as code, is_no_instruction};
use crate::metadata::{Attached, Metadata, Nodes, pairs_of};
use crate::names::read_names;
use crate::old::Modern;
use crate::tables::Tables;
use crate::types::{FunctionType, Types};

/// What a function's block says of the module.
#[derive(Default, Debug)]
pub struct Look {
    /// Blocks whose address is taken: functions by their values' numbers, with numbers of blocks.
    pub blocks: Vec<(u64, u64)>,
    /// Metadata that are attached to the function.
    pub attached: Attached,
    /// Instructions by number, with the nodes that tell their assignments apart.
    pub assignments: Vec<(u64, u64)>,
    /// The function's own metadata.
    pub metadata: Metadata,
    /// The personality routine that a landing pad names, in files from before LLVM 3.7, by the number of its value.
    pub personality: Option<u32>,
    /// Calls of the functions that were asked for: the numbers of the values of the callee and of the arguments.
    pub calls: Vec<(u32, Vec<u32>)>,
}

/// What is looked for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// The functions whose calls are collected, by their values' numbers.
    pub callees: &'a [u32],
    /// What is attached, whatever it is.
    pub attachments: bool,
    /// The module's metadata and types: what is attached is wanted if something in the function's own metadata may matter.
    pub metadata: &'a Metadata,
    pub table: &'a TypeTable,
    /// The numbers of the kinds `pcsections` and `DIAssignID` of metadata.
    pub refused_kind: Option<u64>,
    pub assignment_kind: Option<u64>,
    pub types: &'a Types,
    /// The module's tables, if its records may lack types.
    pub old: Option<&'a Tables<'a>>,
    /// The number of the function's first own value.
    pub first: u32,
}

impl Wanted<'_> {
    /// Whether a function's own metadata, or those of the module, may matter where they are attached.
    pub fn may_matter(&self, own: Option<&Metadata>) -> bool {
        let Wanted { metadata, types, table, .. } = *self;
        let is_pointer = |ty| types.get(ty).is_ok_and(|ty| table.is_pointer_or_vector(ty));
        Nodes { module: metadata, own }.may_matter_where_attached(|ty| types.get(ty) == Ok(I64), is_pointer)
    }
}

/// Looks at the function of a type whose block's head is at a bit.
pub fn look(c: &mut Bits<'_>, head: usize, ty: &FunctionType, wanted: Wanted<'_>) -> Result<Look> {
    let mut all = wanted.attachments;
    let (mut found, mut next) = (Look::default(), wanted.first.wrapping_add(ty.params.len() as u32));
    let modern = match wanted.old {
        Some(tables) => Modern::of(c, head, ty, tables)?,
        None => Modern::default(),
    };
    found.personality = modern.personality;
    c.enter_at(head, block::FUNCTION)?;
    // Records about which nothing is asked are passed over.
    let mut only_blocks = false;
    loop {
        match if only_blocks { c.next_block()? } else { c.next()? } {
            Entry::End => return Ok(found),
            Entry::Block(block::CONSTANTS) => next = next.wrapping_add(constants(c, &mut found)?),
            Entry::Block(block::METADATA_ATTACHMENT) => attachments(c, &wanted, &mut found)?,
            Entry::Block(block::METADATA) => {
                c.enter(block::METADATA)?;
                found.metadata.read(c)?;
                all = all || wanted.may_matter(Some(&found.metadata));
            }
            Entry::Block(_) => c.pass_over()?,
            Entry::Record if c.code == code::DECLAREBLOCKS => {}
            Entry::Record if wanted.callees.is_empty() => {
                if !all {
                    return Ok(found);
                }
                only_blocks = true;
            }
            Entry::Record => {
                let has_result = instruction(c, next, (wanted.callees, wanted.types, &modern), &mut found)?;
                next = next.wrapping_add(u32::from(has_result));
            }
        }
    }
}

/// The names of a function's blocks, or their numbers among the locals without names, as LLVM counts them.
pub fn block_numbers(
    c: &mut Bits<'_>,
    head: usize,
    (ty, types): (&FunctionType, &Types),
    (first, old): (u32, Option<&Tables<'_>>),
) -> Result<Vec<std::result::Result<u32, Vec<u8>>>> {
    let (mut named, mut blocks) = (HashSet::new(), HashMap::new());
    let modern = match old {
        Some(tables) => Modern::of(c, head, ty, tables)?,
        None => Modern::default(),
    };
    c.enter_at(head, block::FUNCTION)?;
    loop {
        match c.next_block()? {
            Entry::End => break,
            Entry::Block(block::VALUE_SYMTAB) => read_names(c, |is_block, number, name| {
                if is_block {
                    blocks.insert(number, name);
                } else {
                    named.insert(number);
                }
            })?,
            _ => c.pass_over()?,
        }
    }
    let (mut all, mut next, mut number, mut begins) = (Vec::new(), first, 0, true);
    for _ in &ty.params {
        number += u32::from(!named.contains(&next.into()));
        next += 1;
    }
    c.enter_at(head, block::FUNCTION)?;
    loop {
        match c.next()? {
            Entry::End => return Ok(all),
            Entry::Block(block::CONSTANTS) => next = next.wrapping_add(constants(c, &mut Look::default())?),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record if c.code == code::DECLAREBLOCKS || is_no_instruction(c.code) => {}
            Entry::Record => {
                if std::mem::take(&mut begins) {
                    all.push(match blocks.remove(&(all.len() as u64)) {
                        Some(name) => Err(name),
                        None => {
                            number += 1;
                            Ok(number - 1)
                        }
                    });
                }
                if instruction(c, next, (&[], types, &modern), &mut Look::default())? {
                    number += u32::from(!named.contains(&next.into()));
                    next = next.wrapping_add(1);
                }
                begins = ends_block(c.code);
            }
        }
    }
}

/// Whether an instruction is the last of its block.
fn ends_block(number: u64) -> bool {
    matches!(
        number,
        code::RET
            | code::BR
            | code::SWITCH
            | code::INDIRECTBR
            | code::INVOKE
            | code::UNREACHABLE
            | code::RESUME
            | code::CLEANUPRET
            | code::CATCHRET
            | code::CATCHSWITCH
            | code::CALLBR
    )
}

/// Looks at a block of constants; returns how many there are.
fn constants(c: &mut Bits<'_>, found: &mut Look) -> Result<u32> {
    c.enter(block::CONSTANTS)?;
    let mut count = 0;
    loop {
        match c.next()? {
            Entry::End => return Ok(count),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record => {
                count += u32::from(c.code != constant::SETTYPE);
                if c.code == constant::BLOCKADDRESS {
                    let [_, function, number] = c.fields()?;
                    found.blocks.push((function, number));
                }
            }
        }
    }
}

fn attachments(c: &mut Bits<'_>, wanted: &Wanted<'_>, found: &mut Look) -> Result<()> {
    c.enter(block::METADATA_ATTACHMENT)?;
    loop {
        match c.next()? {
            Entry::End => return Ok(()),
            Entry::Block(_) => c.pass_over()?,
            Entry::Record if c.record().len().is_multiple_of(2) => {
                let attached = pairs_of(c, c.record())?;
                found.attached.extend(attached);
            }
            // Those of an instruction, after its number.
            Entry::Record => {
                let number = c.field(0);
                for (kind, node) in pairs_of(c, &c.record()[1..])? {
                    if wanted.refused_kind == Some(kind) {
                        return Err(c.error(refusals::metadata(b"pcsections")));
                    }
                    if wanted.assignment_kind == Some(kind) {
                        found.assignments.push((number, node));
                    }
                }
            }
        }
    }
}

/// Looks at an instruction before which there are so many values; returns whether it has a result.
fn instruction(
    c: &Bits<'_>,
    next: u32,
    (callees, types, modern): (&[u32], &Types, &Modern),
    found: &mut Look,
) -> Result<bool> {
    let (number, fields) = modern.get(c.start).unwrap_or((c.code, c.record()));
    let at = |index: usize| fields.get(index).copied();
    // Where the function type is, and the callee after it.
    let ty = match number {
        code::CALL => 2 + usize::from(at(1).unwrap_or(0) >> 17 & 1 == 1),
        code::INVOKE => 4,
        code::CALLBR => 4usize.saturating_add(at(3).unwrap_or(0) as usize),
        code::RET | code::BR | code::SWITCH | code::INDIRECTBR | code::UNREACHABLE => return Ok(false),
        code::STORE | code::STOREATOMIC | code::FENCE | code::RESUME => return Ok(false),
        code::CLEANUPRET | code::CATCHRET => return Ok(false),
        other if is_no_instruction(other) => return Ok(false),
        _ => return Ok(true),
    };
    let (Some(number), Some(callee)) = (at(ty), at(ty + 1)) else { return Err(c.short()) };
    let function = types.function(number).map_err(|why| c.error(why))?;
    let callee = next.wrapping_sub(callee as u32);
    if callees.contains(&callee) {
        let args = fields[ty + 2..].iter().map(|&arg| next.wrapping_sub(arg as u32)).collect();
        found.calls.push((callee, args));
    }
    Ok(!types.is_void(function.ret.into()))
}
