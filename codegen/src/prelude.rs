//! Emits what precedes a function's frame: data, markers, room for patches, a call of the profiler.

use std::convert::Infallible;

use gusset_abi::Convention;

use crate::buffer::{CodeBuffer, Origin, RelocKind, RelocTarget};
use crate::compiled::Patch;
use crate::error::{CompileError, Result};
use crate::ir::{DataObject, Function, Module, RelocBase, sleds};
use crate::machine::{CodeMark, Machine, Signing, Unwinding};
use crate::object::{check_data, sorted_fields};

/// The most bytes of room for patches.
const MOST_ROOM: u32 = 1 << 20;

/// Emits it. Returns where the room for patches is. `signs`: the frame begins with an instruction that is a valid
/// target of indirect branches.
///
/// # Errors
/// Data that code cannot hold; too much room.
pub(crate) fn emit<T: Machine>(
    target: &T,
    buf: &mut CodeBuffer,
    module: &Module,
    f: &Function,
    signs: bool,
) -> Result<Option<Patch>> {
    if let Some(data) = module.prologue(f.symbol) {
        check_data(module, data).map_err(|e| CompileError::new(f, e.to_string()))?;
        emit_data(buf, f, data)?;
    }
    let in_front = [module.prefix(f.symbol), module.type_hash(f.symbol)];
    if in_front.into_iter().flatten().any(|data| data.size > MOST_ROOM.into()) {
        return Err(CompileError::new(f, "more than 1 MiB of data in front of a function is not supported"));
    }
    let signing = target.facts().frame.signing;
    if let Some(signature) = signing.register().filter(|_| signs)
        && crate::call::plan(target, f.signature()).entry & signature.mask() != 0
    {
        return Err(CompileError::new(f, "an argument is where the signature of the return address will be"));
    }
    if signs && matches!(target.facts().frame.unwinding, Unwinding::WindowsSteps) {
        return Err(CompileError::new(f, "signed return addresses are not supported with unwind tables of Windows"));
    }
    let attrs = &f.attrs;
    let first = attrs.patchable_entry == 0
        && !attrs.redirectable
        && !attrs.entry_call
        && attrs.stack_limit.is_none()
        && attrs.sleds == 0;
    if attrs.indirect_branch_marker && !(signs && first && signing == Signing::InPlace) {
        target.emit_mark(buf, CodeMark::CallTarget);
    }
    if attrs.sleds & sleds::ENTRY != 0 {
        crate::sled::entry(target, buf, f);
    }
    let unit = target.facts().nop_bytes;
    let [before, room] = [attrs.patchable_prefix, attrs.patchable_entry].map(|count| count.saturating_mul(unit));
    if before.max(room) > MOST_ROOM {
        return Err(CompileError::new(f, "more than 1 MiB of room for patches is not supported"));
    }
    let patch = (before > 0 || room > 0).then(|| Patch { before, unit, at: buf.offset() });
    target.emit_mark(buf, CodeMark::Room(room));
    if attrs.redirectable {
        target.emit_mark(buf, CodeMark::Redirectable);
    }
    if f.signature().source.convention == Convention::Interrupt {
        target.emit_mark(buf, CodeMark::UsualFlags);
    }
    if attrs.entry_call {
        target.emit_mark(buf, CodeMark::EntryCall);
    }
    Ok(patch)
}

/// Emits the data at the function's start.
fn emit_data(buf: &mut CodeBuffer, f: &Function, data: &DataObject) -> Result {
    let size = u32::try_from(data.size).ok().filter(|&size| size <= MOST_ROOM);
    let size = size.ok_or_else(|| CompileError::new(f, "more than 1 MiB of data in a function is not supported"))?;
    for piece in data.bytes.pieces() {
        let Ok(()) = piece.chunks(|chunk| {
            buf.put_slice(chunk);
            Ok::<_, Infallible>(())
        });
    }
    (data.bytes.len() as u32..size).for_each(|_| buf.put_slice(&[0]));
    buf.mark_data(0);
    let mut end = 0;
    for reloc in sorted_fields(data).iter() {
        if reloc.offset < end || !matches!(reloc.size, 4 | 8) {
            return Err(CompileError::new(
                f,
                "addresses in the function's data are not apart, or of no width that they have",
            ));
        }
        end = reloc.offset + u64::from(reloc.size);
        let at = reloc.offset as i64;
        let (from, addend) = match reloc.base {
            RelocBase::Zero => (Origin::Zero, reloc.addend),
            RelocBase::Field => (Origin::Field, reloc.addend),
            RelocBase::Symbol(base) if base == f.symbol => (Origin::Field, reloc.addend.wrapping_add(at)),
            RelocBase::Symbol(_) => {
                return Err(CompileError::new(
                    f,
                    "a distance from another symbol in a function's data is not supported",
                ));
            }
        };
        buf.reloc(at as u32, RelocKind::word(reloc.size, from), RelocTarget::Symbol(reloc.symbol.0), addend);
    }
    Ok(())
}
