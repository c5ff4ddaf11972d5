//! The stack frame: one record from which addresses, prologue, epilogue and unwind tables derive.

use crate::ir::{Function, SymbolId};
use crate::target::{FrameAddr, PReg};

/// How places in the frame are addressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FrameBase {
    /// Down from the frame pointer.
    Fp,
    /// Up from the stack pointer, above the outgoing arguments.
    #[default]
    Sp,
    /// Down from the stack pointer, in the red zone: a leaf function that moves the stack pointer by pushes only.
    RedZone,
}

/// A place in the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FramePlace {
    /// Bytes from the base, as [`FrameBase`] counts.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// It is among the incoming stack arguments, and the offset counts from their start.
    pub incoming: bool,
    /// It is at the upper end of the frame, whatever its size, from which the offset counts down.
    pub top: bool,
}

/// What frames need to know of a machine.
#[derive(Clone, Copy, Debug)]
pub struct FrameMachine {
    /// Bytes of a pushed register.
    pub word: u32,
    /// Bytes that a call pushes.
    pub return_address: u32,
    /// Frame pointer.
    pub fp: PReg,
    /// Stack pointer.
    pub sp: PReg,
}

/// A function's frame.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Addressing.
    pub base: FrameBase,
    /// Callee-saved registers that are pushed, in order; the frame pointer not among them.
    pub saved: Vec<PReg>,
    /// Vector registers that are stored in the frame for the caller, and where.
    pub saved_vectors: Vec<(PReg, FramePlace)>,
    /// Alignment of the stack pointer at calls that callers keep to, in bytes: at most 16. Places in the frame have no more.
    pub natural: u32,
    /// Bytes of outgoing arguments at the stack pointer, a multiple of it.
    pub outgoing: u32,
    /// Bytes that the prologue takes from the stack after the pushes.
    pub size: u32,
    /// Alignment of the stack pointer in the body, in bytes. Beyond the natural one the prologue sees to it, below the fixed size; such a
    /// frame is addressed from the frame pointer.
    pub align: u32,
    /// Bytes by which the stack may grow before it is touched, so that a guard page is not stepped over; `None`: any number.
    pub probe_bytes: Option<u32>,
    /// The function that touches it, where that is not the target's usual way.
    pub probe_function: Option<SymbolId>,
    /// Does the function move the stack pointer in its body?
    pub dynamic: bool,
    /// The frame pointer is near the lower end of the fixed part: [`Frame::fp_above_bottom`].
    pub low_fp: bool,
    /// A scratch register brings something that the prologue must not change: the number of vector registers of a variadic
    /// System V call.
    pub keeps_accumulator: bool,
    /// Registers that the prologue fills with what the target keeps in them.
    pub fixed: u64,
    /// Bytes of a pushed register.
    pub word: u32,
    /// Bytes that the call pushed.
    pub return_address: u32,
    /// Frame pointer and stack pointer.
    pub fp: Option<PReg>,
    sp: Option<PReg>,
    used: u32,
    /// Bytes in use at the upper end, where other places count from the lower one.
    top: u32,
    /// Bytes that the stack pointer is below the place where the prologue leaves it, where code is being emitted. Displacements
    /// from the stack pointer count from that place; the encoder adds the height.
    pub height: i32,
    /// The height that the unwind table knows of.
    told: i32,
}

impl Frame {
    /// Starts a frame on a machine with these facts. `saved` must be final; outgoing arguments and the rest come after.
    pub fn begin(&mut self, base: FrameBase, machine: FrameMachine) {
        self.base = base;
        self.outgoing = 0;
        self.natural = 16;
        self.align = 16;
        self.dynamic = false;
        self.word = machine.word;
        self.return_address = machine.return_address;
        self.fp = Some(machine.fp);
        self.sp = Some(machine.sp);
        self.used = 0;
        self.top = 0;
        self.size = 0;
        self.height = 0;
        self.told = 0;
    }

    /// Steps in which the stack is touched as it grows by so many bytes: no more than pages of a machine.
    pub fn probe_step(&self, page: u32) -> u32 {
        self.probe_bytes.map_or(i32::MAX as u32, |bytes| bytes.clamp(64, page).next_multiple_of(16))
    }

    /// Bytes from the lower end of the fixed part up to a low frame pointer: what short displacements reach is around it.
    pub fn fp_above_bottom(&self) -> u32 {
        self.size.min(128) & !15
    }

    /// Bytes by which a low frame pointer is below where it would be by its own push.
    fn fp_drop(&self) -> i32 {
        if self.low_fp { (self.saved.len() as u32 * self.word + self.size - self.fp_above_bottom()) as i32 } else { 0 }
    }

    /// Bytes of the pushed registers, the frame pointer included.
    pub fn pushed(&self) -> u32 {
        (self.saved.len() as u32 + u32::from(self.base == FrameBase::Fp)) * self.word
    }

    /// Bytes below the reference point that are aligned to 16 when the callee is entered by the rules.
    fn bias(&self) -> u32 {
        match self.base {
            FrameBase::Sp => 0,
            // The return address and the pushes, the frame pointer's own among them.
            FrameBase::Fp | FrameBase::RedZone => self.return_address + self.pushed(),
        }
    }

    /// A new place of `size` bytes. Alignment beyond 16 is the caller's business. `None` past 2^31 bytes.
    pub fn add(&mut self, size: u32, align: u32) -> Option<FramePlace> {
        let align = align.clamp(1, 16);
        let offset = match self.base {
            FrameBase::Sp => {
                let start = self.used.checked_next_multiple_of(align)?;
                self.used = start.checked_add(size)?;
                start
            }
            FrameBase::Fp | FrameBase::RedZone => {
                let bias = self.bias();
                let end = (self.used.checked_add(size)?.checked_add(bias)?).checked_next_multiple_of(align)? - bias;
                self.used = end;
                end
            }
        };
        if self.used > i32::MAX as u32 / 2 {
            None
        } else {
            Some(FramePlace { offset, size, incoming: false, top: false })
        }
    }

    /// The same, but above all that [`Frame::add`] gives later, and below what this gave before.
    pub fn add_top(&mut self, size: u32, align: u32) -> Option<FramePlace> {
        if self.base == FrameBase::Fp {
            return self.add(size, align);
        }
        let bias = self.return_address + self.pushed();
        self.top =
            (self.top.checked_add(size)?.checked_add(bias)?).checked_next_multiple_of(align.clamp(1, 16))? - bias;
        let place = FramePlace { offset: self.top, size, incoming: false, top: true };
        if self.top > i32::MAX as u32 / 2 { None } else { Some(place) }
    }

    /// Bytes in use.
    pub fn used(&self) -> u32 {
        self.used
    }

    /// What an address of a place is still to be moved up to, so that it has this alignment; 0 for nothing.
    pub fn move_up(&self, align: u32) -> u32 {
        if align > self.natural { align } else { 0 }
    }

    /// Address of a byte of a place.
    pub fn addr(&self, place: FramePlace, byte: i32) -> FrameAddr {
        if place.incoming {
            return self.incoming(place.offset as i32 + byte);
        }
        if place.top {
            let disp = self.size.wrapping_sub(place.offset) as i32;
            return FrameAddr { base: self.sp.unwrap_or(PReg::int(0)), disp: disp.wrapping_add(byte) };
        }
        let (base, disp) = match self.base {
            FrameBase::Sp => (self.sp, self.outgoing.wrapping_add(place.offset) as i32),
            FrameBase::Fp => {
                let below = (self.saved.len() as u32 * self.word).wrapping_add(place.offset) as i32;
                (self.fp, self.fp_drop().wrapping_sub(below))
            }
            FrameBase::RedZone => (self.sp, -(place.offset as i32)),
        };
        FrameAddr { base: base.unwrap_or(PReg::int(0)), disp: disp.wrapping_add(byte) }
    }

    /// Address of byte `offset` of the incoming stack arguments.
    pub fn incoming(&self, offset: i32) -> FrameAddr {
        match self.base {
            FrameBase::Fp => FrameAddr {
                base: self.fp.unwrap_or(PReg::int(0)),
                disp: self.fp_drop() + (self.word + self.return_address) as i32 + offset,
            },
            _ => FrameAddr {
                base: self.sp.unwrap_or(PReg::int(0)),
                disp: (self.size + self.pushed() + self.return_address) as i32 + offset,
            },
        }
    }

    /// Address of byte `offset` of the outgoing arguments, which are where the stack pointer is now.
    pub fn outgoing_addr(&self, offset: i32) -> FrameAddr {
        FrameAddr { base: self.sp.unwrap_or(PReg::int(0)), disp: offset - self.height }
    }

    /// The place of `size` bytes that lie behind the outgoing arguments when the stack has this height. The frame's size must
    /// be fixed.
    pub fn pushed_area(&self, height: i32, size: u32) -> FramePlace {
        let offset = match self.base {
            FrameBase::Fp => self.size.wrapping_add_signed(height).wrapping_sub(self.outgoing),
            FrameBase::Sp | FrameBase::RedZone => 0u32.wrapping_sub(height as u32),
        };
        FramePlace { offset, size, incoming: false, top: false }
    }

    /// Sets the height; gives the distance from the stack pointer to the canonical frame address, if unwinding counts from
    /// the stack pointer and has to be told.
    pub fn set_height(&mut self, height: i32) -> Option<i32> {
        self.height = height;
        if self.base == FrameBase::Fp || std::mem::replace(&mut self.told, height) == height {
            return None;
        }
        Some((self.size + self.pushed() + self.return_address) as i32 + height)
    }

    /// Fixes the size for what is in use and `reserve` more bytes, before code is made. A function that neither calls nor
    /// keeps anything in its frame leaves the stack pointer alone.
    pub fn fix_size(&mut self, reserve: u32, calls: bool) {
        let raw = self.outgoing.saturating_add(self.used).saturating_add(self.top).saturating_add(reserve);
        if self.base == FrameBase::RedZone || raw == 0 && !calls {
            self.size = 0;
            return;
        }
        let above = self.return_address + self.pushed();
        self.size = (raw + above).next_multiple_of(self.natural) - above;
    }

    /// Does everything in use fit the size that was fixed?
    pub fn fits(&self) -> bool {
        match self.base {
            FrameBase::RedZone => self.used + self.pushed() <= 128,
            _ => self.outgoing + self.used + self.top <= self.size,
        }
    }
}

/// Alignment of the stack pointer that a function finds and keeps to, in bytes.
pub(crate) fn natural_align(f: &Function) -> u32 {
    let abi = &f.signature().abi;
    // Of a caller that aligns nothing we know no more than that it has pushed a return address.
    if f.attrs.realign_stack { abi.entry_bias } else { abi.stack_align.min(16) }
}
