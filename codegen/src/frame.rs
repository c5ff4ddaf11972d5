//! The stack frame: regions counted from the canonical frame address (CFA), which is the stack pointer before the call.
//!
//! ```text
//!   CFA + n   incoming arguments
//!   CFA       link         what the call pushed, if it pushes anything
//!             home         registers of unnamed arguments, where they go on below the stack arguments; room for those of calls
//!                          that replace the frame, if they take more than the function's own
//!             saved        registers that the prologue pushes, in groups of one instruction each
//!             locals       slots, places of values, registers that are stored rather than pushed
//!             outgoing     arguments of calls, at the stack pointer
//! ```
//!
//! The machine's [`FrameRules`] say what is pushed how, and where the frame pointer points if there is one. All
//! addresses derive from the distances of the stack pointer and the frame pointer from the CFA. Prologue, epilogue and
//! unwind tables derive from a list of steps that `ops` makes of the frame. A second entry of the same function (a
//! funclet) has its own list.

pub(crate) mod ops;
mod place;
#[cfg(test)]
mod tests;

pub use self::place::FramePlace;

use self::place::End;
use crate::ir::Function;
use crate::machine::{FrameAddr, FrameBase, FrameRules, PReg, Probe, each_register};
use crate::unwind::microsoft::registration::Record;

/// Registers that one instruction saves for the caller, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Saved {
    pub registers: u64,
    /// Place of the register with the lowest number; the others follow.
    place: FramePlace,
    pushed: bool,
}

/// A function's frame.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) rules: FrameRules,
    /// Addressing.
    pub base: FrameBase,
    /// In the order of the prologue: first registers that are pushed, then those that are stored.
    pub(crate) saved: Vec<Saved>,
    /// Alignment of the stack pointer at calls that callers keep to, in bytes; at most 16. Places in the frame have no
    /// more.
    pub natural: u32,
    /// Bytes of outgoing arguments at the stack pointer, a multiple of `natural`.
    pub outgoing: u32,
    /// Alignment of the stack pointer in the body, in bytes. If it is more than the natural one, the prologue aligns
    /// the stack pointer below the fixed size, and the frame is addressed from the frame pointer.
    pub align: u32,
    /// How the stack is touched as it grows.
    pub probe: Probe,
    /// Registers that the prologue loads with their fixed contents.
    pub fixed: u64,
    /// Registers that funclets keep for the personality routine, which is a C function whatever convention their host
    /// has.
    pub(crate) kept_by_funclets: u64,
    /// Bytes that the prologue takes before the pushes.
    home: u32,
    /// The return address is signed: by the second key if true, else by the first.
    pub signed: Option<bool>,
    /// The pointer of the shadow call stack on which the return address is, too.
    pub shadowed: Option<PReg>,
    /// Bytes that the prologue takes from the stack after the pushes.
    size: u32,
    /// Bytes from the CFA down to the end of what is pushed.
    above: u32,
    /// Bytes in use among the locals.
    used: u32,
    /// Bytes in use at the upper end, where other places count from the lower one.
    top: u32,
    /// Offset of the frame pointer from the CFA.
    pub(crate) fp_at: i32,
    /// The host's word that the personality routine writes to.
    pub unwind_help: Option<FramePlace>,
    /// The registration record of a host.
    pub(crate) record: Option<Record>,
    /// Registers of exceptions: only exits to handlers load them.
    pub(crate) for_handlers: u64,
    /// The exit that is emitted is one to a handler.
    pub(crate) to_handler: bool,
}

impl Frame {
    /// A frame on a machine with these rules.
    pub fn new(rules: FrameRules) -> Frame {
        Frame {
            rules,
            base: FrameBase::Sp,
            saved: Vec::new(),
            natural: 16,
            outgoing: 0,
            align: 16,
            probe: Probe::default(),
            fixed: 0,
            kept_by_funclets: 0,
            home: 0,
            signed: None,
            shadowed: None,
            size: 0,
            above: 0,
            used: 0,
            top: 0,
            fp_at: 0,
            unwind_help: None,
            record: None,
            for_handlers: 0,
            to_handler: false,
        }
    }

    /// Starts a frame that keeps `saved` for the caller. `calls`: the function calls others, which changes a link
    /// register. `grown` bytes of its arguments lie below those on the stack. Outgoing arguments and the rest are set
    /// later. A `record` needs a frame pointer.
    pub(crate) fn begin(
        &mut self,
        rules: FrameRules,
        base: FrameBase,
        mut registers: u64,
        calls: bool,
        home: u32,
        record: Option<Record>,
    ) {
        let framed = base.is_framed();
        if framed {
            registers |= rules.frame_pointer.mask();
        }
        if calls || framed {
            registers |= rules.link_register.map_or(0, PReg::mask);
        }
        *self = Frame { base, saved: std::mem::take(&mut self.saved), record, ..Frame::new(rules) };
        self.saved.clear();
        self.home = home.next_multiple_of(self.rules.push_unit);
        self.above = self.rules.link + self.home;
        let mut pushed = registers & self.rules.pushed;
        while pushed != 0 {
            let group = (self.rules.next_push)(pushed, base);
            pushed &= !group;
            self.above += self.rules.push_bytes(group);
            let place = FramePlace { end: End::Cfa, offset: -(self.above as i32), size: self.rules.bytes_of(group) };
            self.saved.push(Saved { registers: group, place, pushed: true });
            if group & self.rules.frame_pointer.mask() != 0 {
                let below = group & (self.rules.frame_pointer.mask() - 1);
                self.fp_at = place.offset + self.rules.bytes_of(below) as i32;
                self.above += record.map_or(0, |record| record.bytes());
            }
        }
        for r in each_register(registers & !self.rules.pushed) {
            let place = FramePlace { size: self.rules.bytes_of(r.mask()), ..FramePlace::default() };
            self.saved.push(Saved { registers: r.mask(), place, pushed: false });
        }
    }

    /// Adds the push of the return address's signature. What the prologue does before must not change it.
    pub fn push_signature(&mut self, signature: PReg) {
        self.above += self.rules.push_bytes(signature.mask());
        let size = self.rules.bytes_of(signature.mask());
        let place = FramePlace { end: End::Cfa, offset: -(self.above as i32), size };
        self.saved.push(Saved { registers: signature.mask(), place, pushed: true });
        self.probe.live |= signature.mask();
    }

    /// Is the return address in the frame?
    pub fn keeps_return(&self) -> bool {
        let link = self.rules.link_register.map_or(0, PReg::mask);
        self.saved.iter().any(|s| s.registers & link != 0)
    }

    /// Gives places to the registers that are stored rather than pushed. `None` beyond 2^30 bytes.
    pub fn place_saved(&mut self) -> Option<()> {
        for k in 0..self.saved.len() {
            let Saved { place, pushed, .. } = self.saved[k];
            if !pushed {
                self.saved[k].place = self.add(place.size, place.size)?;
            }
        }
        Some(())
    }

    /// General-purpose registers that the epilogue restores, so that nothing can be in them when a call replaces the
    /// frame.
    pub fn restored(&self) -> u64 {
        let all = self.saved.iter().fold(0, |set, s| set | s.registers) & 0xffff_ffff;
        if self.base.is_framed() { all & !self.rules.frame_pointer.mask() } else { all }
    }

    /// Bytes from the CFA down to the stack pointer after the prologue.
    pub(crate) fn bytes_below_cfa(&self) -> i32 {
        (self.above + self.size) as i32
    }

    /// How the stack is touched above the saved registers. A probe function would change the link register, which is
    /// not saved yet; then it is touched in steps.
    fn home_probe(&self) -> Probe {
        match self.rules.link_register {
            Some(_) => Probe { bytes: None, function: None, ..self.probe },
            None => self.probe,
        }
    }

    /// The return address, if calls push it, and where a call that replaces the frame has it if its stack arguments end
    /// this many bytes above the function's own.
    pub(crate) fn moved_return(&self, raise: i32) -> Option<(FrameAddr, FrameAddr)> {
        let link = -(self.rules.link as i32);
        (link != 0 && raise != 0).then(|| (self.at(link), self.at(link + raise)))
    }

    /// The stack pointer after the prologue.
    pub fn lowest(&self) -> FrameAddr {
        self.at(-self.bytes_below_cfa())
    }

    /// Bytes of the pushed registers, and of what is above them.
    pub fn pushed(&self) -> u32 {
        self.above - self.rules.link
    }

    /// Registers that a call of the probe function changes, if one is made, and that are not saved.
    pub fn lost_by_probe(&self) -> u64 {
        let probed = self
            .probe
            .bytes
            .is_some_and(|most| self.size >= most || self.home_probe().bytes.is_some() && self.home >= most);
        let changed = if probed { self.rules.probe_changes } else { 0 };
        self.saved.iter().fold(changed, |lost, s| lost & !s.registers)
    }

    /// Adds a place of `size` bytes. Alignment beyond 16 is the caller's business. `None` beyond 2^30 bytes.
    pub fn add(&mut self, size: u32, align: u32) -> Option<FramePlace> {
        // Not addressed from a stack pointer that the prologue lowers by the frame's size.
        if matches!(self.base, FrameBase::Fp | FrameBase::RedZone) {
            return add_down(&mut self.used, self.above, size, align);
        }
        let start = self.used.checked_next_multiple_of(align.clamp(1, 16))?;
        self.used = start.checked_add(size).filter(|&used| used <= MOST)?;
        Some(FramePlace { end: End::Bottom, offset: start as i32, size })
    }

    /// Like [`Frame::add`], above all places that [`Frame::add`] gives later, and below those that this method gave
    /// before.
    pub fn add_top(&mut self, size: u32, align: u32) -> Option<FramePlace> {
        let counter = if self.base == FrameBase::Fp { &mut self.used } else { &mut self.top };
        add_down(counter, self.above, size, align)
    }

    /// Bytes in use.
    pub fn used(&self) -> u32 {
        self.used
    }

    /// The alignment that the address of a place still has to be rounded up to, to have alignment `align`; 0 if none.
    pub fn move_up(&self, align: u32) -> u32 {
        if align > self.natural { align } else { 0 }
    }

    /// Address of a byte of a place.
    #[inline(always)]
    pub fn addr(&self, place: FramePlace, byte: i32) -> FrameAddr {
        let end = match place.end {
            End::Cfa => 0,
            End::Bottom => self.outgoing as i32 - self.bytes_below_cfa(),
            End::Stack => return self.outgoing_addr(place.offset.wrapping_add(byte), 0),
        };
        self.at(end.wrapping_add(place.offset).wrapping_add(byte))
    }

    /// Address of the byte at a distance from the CFA.
    pub(crate) fn at(&self, from_cfa: i32) -> FrameAddr {
        let (base, at) = match self.base {
            FrameBase::Fp => (self.rules.frame_pointer, self.fp_at),
            FrameBase::Sp | FrameBase::Walked | FrameBase::RedZone => {
                (self.rules.stack_pointer, -self.bytes_below_cfa())
            }
        };
        FrameAddr { base, disp: from_cfa.wrapping_sub(at) }
    }

    /// Address of byte `offset` of the incoming stack arguments.
    pub fn incoming(&self, offset: i32) -> FrameAddr {
        self.at(offset)
    }

    /// Address of byte `offset` of the outgoing arguments, which are at the stack pointer, when the stack has this
    /// depth.
    pub fn outgoing_addr(&self, offset: i32, depth: i32) -> FrameAddr {
        FrameAddr { base: self.rules.stack_pointer, disp: offset - depth }
    }

    /// The place of `size` bytes just above the outgoing arguments when the stack has this depth. The frame's size must
    /// be fixed.
    pub fn above_outgoing(&self, depth: i32, size: u32) -> FramePlace {
        FramePlace { end: End::Cfa, offset: self.outgoing as i32 - self.bytes_below_cfa() - depth, size }
    }

    /// The same in a funclet, which has a stack of its own.
    pub fn above_own_outgoing(&self, depth: i32, size: u32) -> FramePlace {
        FramePlace { end: End::Stack, offset: self.outgoing as i32 - depth, size }
    }

    /// Fixes the frame's size, for what is in use and `reserve` more bytes, before code is made. A function that keeps
    /// nothing in its frame leaves the stack pointer alone, unless it must be `aligned` for calls or for what lies
    /// below it.
    pub fn fix_size(&mut self, reserve: u32, aligned: bool) {
        let raw = self.outgoing.saturating_add(self.used).saturating_add(self.top).saturating_add(reserve);
        if self.base != FrameBase::RedZone && (raw > 0 || aligned) {
            self.size = (raw + self.above).next_multiple_of(self.natural) - self.above;
        }
        if let Some(most) = self.rules.low_frame_pointer {
            self.fp_at = (self.size.min(most) & !15) as i32 - self.bytes_below_cfa();
        }
    }

    /// Does everything in use fit the size that was fixed?
    pub fn fits(&self) -> bool {
        match self.base {
            FrameBase::RedZone => self.used + self.pushed() <= 128,
            _ => self.outgoing + self.used + self.top <= self.size,
        }
    }
}

/// The largest frame.
const MOST: u32 = i32::MAX as u32 / 2;

/// Adds a place below `used` bytes, which begin `above` bytes below the CFA.
fn add_down(used: &mut u32, above: u32, size: u32, align: u32) -> Option<FramePlace> {
    let end = used.checked_add(size)?.checked_add(above)?.checked_next_multiple_of(align.clamp(1, 16))?;
    *used = end - above;
    (*used <= MOST).then_some(FramePlace { end: End::Cfa, offset: -(end as i32), size })
}

/// Alignment of the stack pointer that a function finds and keeps, in bytes.
pub(crate) fn natural_align(f: &Function) -> u32 {
    let abi = &f.signature().abi;
    // If the caller aligns nothing, all that is known is that it has pushed a return address. If calls push none, the
    // machine itself keeps the stack pointer aligned.
    if f.attrs.realign_stack && abi.entry_bias > 0 { abi.entry_bias } else { abi.entry_align.min(16) }
}
