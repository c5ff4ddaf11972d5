//! Reads phis, which become block parameters.

use gusset_codegen::ir::Block;
use gusset_program::{ENTRY, Incoming, Phi, PhiEntry, PhiReader, Phis, Refusal, Result, Sink, TypeId, Val, refuse_if};

use super::Reader;
use super::fields::Fields;
use super::flags;
use super::tables::State;
use crate::constants::signed;

impl<E: Sink> Reader<'_, E> {
    /// Reads a phi.
    pub(super) fn phi(&mut self, mut fields: Fields<'_>) -> Result<(TypeId, Val)> {
        let ty = self.m.table.get(fields.next()?)?;
        self.l.check_aggregate(ty)?;
        refuse_if(self.after_phis, "a phi stands after other instructions")?;
        // Flags may follow the pairs.
        let (pairs, more) = fields.rest().as_chunks::<2>();
        let first = self.s.phis.entries.len();
        if pairs.is_empty() {
            // A block that nothing enters has values of none.
            self.s.phi_places.push((self.base, self.place));
        }
        let mut home = ENTRY;
        for &[value, from] in pairs {
            home = ENTRY;
            let id = self.next.wrapping_sub(signed(value) as u32);
            let pos = self.s.phi_places.len() as u32;
            self.s.phi_places.push((id, self.place));
            let val = match self.s.locals.get(id.wrapping_sub(self.base) as usize).copied() {
                Some(local) if local.state == State::Defined => {
                    refuse_if(local.ty != ty, "the operand has another type")?;
                    home = local.block;
                    Incoming::Known(local.val)
                }
                Some(local) if local.state == State::Constant => self.incoming_constant(id, ty)?,
                None if id < self.base => self.incoming_constant(id, ty)?,
                _ => Incoming::Local(id),
            };
            let from = self.label(from)?;
            if home != from && home != ENTRY {
                self.s.uses.far_pair(home, from);
            }
            self.s.phis.entries.push(PhiEntry { from, val, pos });
        }
        if !E::PRESERVES_METADATA
            && self.s.phis.entries.len() == first + 1
            && let Some(PhiEntry { from, val, pos }) = self.s.phis.entries.pop()
        {
            // The block has one predecessor: constants can be made there.
            self.s.phis.single.push((self.block, from, pos as usize));
            if home != self.block && home != ENTRY {
                self.s.uses.far_pair(home, self.block);
            }
            let val = match val {
                Incoming::Known(val) => val,
                Incoming::Local(id) => self.value(id, ty)?,
                Incoming::Expression => {
                    let id = self.s.phi_places[pos as usize].0;
                    self.value(id, ty)?
                }
            };
            return Ok((ty, val));
        }
        if E::PRESERVES_METADATA {
            self.l.flags(flags::fast(more.first().copied().unwrap_or(0)));
        }
        let block = self.block;
        let (param, val) = self.l.append_param(block, ty);
        let entries = first as u32..self.s.phis.entries.len() as u32;
        let pos = self.s.phi_places.len() as u32 - 1;
        self.s.phis.phis.push(Phi { block, param, ty, entries, pos });
        Ok((ty, val))
    }

    /// Makes a constant, which may need instructions: these belong on the edge, which does not exist yet.
    fn incoming_constant(&mut self, id: u32, ty: TypeId) -> Result<Incoming<u32>> {
        self.l.set_frozen(true);
        let val = self.value(id, ty);
        let refused = self.l.set_frozen(false);
        match val {
            Ok(val) => Ok(Incoming::Known(val)),
            Err(_) if refused => {
                self.depth = 0;
                self.s.members.clear();
                self.s.indices.clear();
                Ok(Incoming::Expression)
            }
            Err(why) => Err(why),
        }
    }
}

impl<E: Sink> PhiReader for Reader<'_, E> {
    type Local = u32;
    type Sink = E;
    type Error = (usize, Refusal);

    fn phis(&mut self) -> &mut Phis<u32> {
        &mut self.s.phis
    }

    fn sink(&mut self) -> &mut E {
        &mut self.l
    }

    fn defined(&self, local: u32) -> Option<(TypeId, Val, Block)> {
        let local = self.s.locals.get(local.checked_sub(self.base)? as usize)?;
        (local.state == State::Defined).then_some((local.ty, local.val, local.block))
    }

    fn far_pair(&mut self, home: Block, user: Block) {
        self.s.uses.far_pair(home, user);
    }

    fn expression(&mut self, place: u32, block: Block, ty: TypeId) -> std::result::Result<Val, (usize, Refusal)> {
        self.block = block;
        let (id, at) = self.s.phi_places[place as usize];
        self.value(id, ty).map_err(|why| (at, why))
    }

    fn same_constant(&self, place: u32, other: u32) -> bool {
        self.s.phi_places[place as usize].0 == self.s.phi_places[other as usize].0
    }

    fn refused(&self, place: usize, why: Refusal) -> (usize, Refusal) {
        (self.s.phi_places.get(place).map_or(self.place, |known| known.1), why)
    }
}
