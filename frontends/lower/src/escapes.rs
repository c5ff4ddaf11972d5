//! Variables that other functions find through the frame: `llvm.localescape`, `llvm.localaddress`, `llvm.localrecover`,
//! `llvm.eh.recoverfp`.
//!
//! LLVM LangRef, `llvm.localescape` and `llvm.localrecover`; "Exception Handling in LLVM". Their offsets are known when
//! the frame is laid out, and functions are compiled in parallel; so the functions that need the offsets load them from
//! a table in the object ([`Escapes`]).

use gusset_codegen::ir::{ConstData, Escapes, MemFlags, Opcode, Slot, SymbolId, Type, Value, ValueDef};
use gusset_program::{PTR, Refusal, Result, mismatch_if, refuse_if};

use crate::function::FunctionLowering;

/// Words of a table before those of the variables, and for each variable.
const HEAD: u32 = 1;
const EACH: u32 = 2;
/// Most variables that a function may let others find.
const MOST: u32 = 1 << 24;

impl FunctionLowering<'_> {
    /// What the function lets others find, which is created on the first use, with this anchor or one of its own.
    fn escapes(&mut self, anchor: Option<Slot>) -> Result<&mut Escapes> {
        if self.b.func.escapes.is_none() {
            let known = self.m.escapes.get(&self.b.func.symbol);
            let &(table, _) =
                known.ok_or_else(|| Refusal::new("it is not known that the frame of this function is looked at"))?;
            let bytes = self.ptr.store_bytes();
            let anchor = anchor.unwrap_or_else(|| self.b.func.make_temporary(bytes, bytes));
            self.b.func.escapes = Some(Box::new(Escapes { table, anchor, slots: Vec::new() }));
        }
        self.b.func.escapes.as_deref_mut().ok_or_else(|| Refusal::new("nothing escapes"))
    }

    /// `llvm.localescape`.
    pub(crate) fn local_escape(&mut self) -> Result<()> {
        refuse_if(self.b.current_block() != Some(self.entry), "variables escape in the first block alone")?;
        refuse_if(self.escaped, "variables escape once in a function")?;
        self.escaped = true;
        let mut slots = Vec::new();
        for i in 0..self.s.call.vals.len() {
            let (_, v) = self.operand(i)?;
            let v = self.b.func.resolve(v);
            slots.push(match (self.b.func.value_def(v), self.b.func.int_constant(v)) {
                (ValueDef::Slot(slot), _) => Some(slot),
                (_, Some(0)) => None,
                _ => return Err(Refusal::new("what escapes must be an `alloca` of the first block, or `null`")),
            });
        }
        // The anchor needs a fixed offset in the frame, which a variable with more alignment than a word may lack.
        let word = self.ptr.store_bytes();
        let anchor = slots.iter().flatten().find(|slot| self.b.func.slots[slot.index()].align <= word).copied();
        self.escapes(anchor)?.slots = slots;
        Ok(())
    }

    /// `llvm.localaddress`.
    pub(crate) fn local_address(&mut self) -> Result<Value> {
        let anchor = self.escapes(None)?.anchor;
        Ok(self.b.slot_addr(anchor))
    }

    /// `llvm.eh.recoverfp`: the anchor of another function, from the frame address that the personality routine passed.
    pub(crate) fn recover_frame(&mut self) -> Result<Value> {
        let (table, _, frame) = self.recovered()?;
        let place = self.word_of_table(table, 0)?;
        Ok(self.b.index(frame, place, 1))
    }

    /// `llvm.localrecover`: the address of a variable of another function, from its anchor.
    pub(crate) fn local_recover(&mut self) -> Result<Value> {
        let (table, count, anchor) = self.recovered()?;
        let number = u32::try_from(self.constant_operand(2)?).ok().filter(|&n| n < count.min(MOST));
        let number = number.ok_or_else(|| Refusal::new(format!("{count} variables of that function escape")))?;
        let distance = self.word_of_table(table, HEAD + EACH * number)?;
        let mask = self.word_of_table(table, HEAD + EACH * number + 1)?;
        let ones = self.b.iconst(self.ptr, -1);
        let below = self.b.binary(Opcode::Xor, mask, ones);
        let place = self.b.index(anchor, distance, 1);
        let last = self.b.index(place, below, 1);
        Ok(self.b.binary(Opcode::And, last, mask))
    }

    /// The table of the function that is the first operand, its number of variables, and the second operand.
    fn recovered(&mut self) -> Result<(SymbolId, u32, Value)> {
        let ((_, function), (ty, frame)) = (self.operand(0)?, self.operand(1)?);
        mismatch_if(ty != PTR)?;
        let known = match self.b.func.constant(function) {
            Some(ConstData::Symbol(symbol, 0)) => self.m.escapes.get(&symbol).copied(),
            _ => None,
        };
        let (table, count) =
            known.ok_or_else(|| Refusal::new("no variables of that function escape in this module"))?;
        Ok((table, count, frame))
    }

    /// A word of a table, which is a distance.
    fn word_of_table(&mut self, table: SymbolId, word: u32) -> Result<Value> {
        let at = self.b.symbol_addr(table, 0);
        let distance = self.b.load(Type::I32, at, 4 * word as i32, MemFlags::new(4, false));
        self.at_pointer_width(distance, true)
    }

    /// At the end of the function: checks that the module's data about its variables is true.
    pub(crate) fn check_escapes(&mut self) -> Result<()> {
        let Some(&(_, count)) = self.m.escapes.get(&self.b.func.symbol) else { return Ok(()) };
        let own = self.b.func.escapes.as_ref().map_or(0, |escapes| escapes.slots.len());
        refuse_if(own != count as usize, "variables of this function escape that were not found")?;
        // Others may look for its frame without looking for variables.
        self.escapes(None).map(|_| ())
    }
}
