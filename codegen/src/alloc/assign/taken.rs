//! Which registers are taken where, while ranges choose their homes.

use std::collections::BTreeMap;

use super::room::Room;
use crate::alloc::limits::{IncomingPart, Limits};
use crate::alloc::units::{UnitFlags, Units};
use crate::analysis::{Cfg, Fold, Interval, Live};
use crate::call::plan;
use crate::ir::{Function, InstData, Opcode, TailKind};
use crate::machine::{FLOATS, Machine, PReg, each_register};

/// What the registers are taken for.
#[derive(Default)]
pub(super) struct Taken {
    /// For each register the intervals in which it is a home: their ends by their starts.
    registers: Vec<BTreeMap<u32, u32>>,
    /// For each block the registers that are taken somewhere in it, and those that are taken in all of it.
    in_blocks: Vec<TakenInBlock>,
    /// That is needed.
    splits: bool,
    /// The intervals of the range at hand.
    pub own: Vec<Interval>,
    /// Ranges, those that choose first before others.
    pub order: Vec<u32>,
    /// How many general-purpose and floating-point registers may still become homes.
    room: [Room; 2],
    /// For each position, by how much the number of registers that hold values of one block changes there.
    changes: Vec<[i16; 2]>,
    /// Registers in which parameters stay, with the positions from which on they are free.
    staying: Vec<(PReg, u32)>,
    /// Registers that parameters have yet to choose.
    pub awaited: u64,
    /// The link register, if it may be a home: it is no temporary of instructions.
    pub link: u64,
    /// Scratch registers that may be homes where no instruction takes them by name.
    pub scratch: u64,
}

/// The registers that are taken in a block.
#[derive(Clone, Copy, Default)]
struct TakenInBlock {
    somewhere: u64,
    everywhere: u64,
}

/// Registers of each class that instructions find as temporaries, at least.
const TEMPORARIES: i16 = 1;

impl Taken {
    pub fn is_free(&self, r: PReg) -> bool {
        self.own.iter().all(|&own| self.is_free_in(r, own))
    }

    /// Is a register free in a stretch?
    pub fn is_free_in(&self, r: PReg, own: Interval) -> bool {
        let taken = &self.registers[r.0 as usize];
        self.staying.iter().all(|&(other, end)| other != r || end <= own.start)
            && taken.range(..own.end).next_back().is_none_or(|(_, &end)| end <= own.start)
    }

    /// Those of some registers that are free in a stretch of the block at an index.
    pub fn free_in_block(&self, registers: u64, block: u32, own: Interval) -> u64 {
        let taken = self.in_blocks[block as usize];
        let mut free = registers & !taken.somewhere;
        for r in each_register(registers & taken.somewhere & !taken.everywhere) {
            if self.is_free_in(r, own) {
                free |= r.mask();
            }
        }
        free
    }

    /// Notes in which blocks a register is taken from a position to before another one.
    fn mark_blocks(&mut self, cfg: &Cfg, r: PReg, own: Interval) {
        for block in cfg.block_at(own.start)..cfg.order.len() {
            let (start, next) = (cfg.start[block], cfg.start[block + 1]);
            if start >= own.end {
                break;
            }
            let taken = &mut self.in_blocks[block];
            taken.somewhere |= r.mask();
            if own.start <= start && next <= own.end {
                taken.everywhere |= r.mask();
            }
        }
    }

    /// Is there room for one more home in a stretch?
    pub fn has_room_in(&self, float: bool, own: Interval) -> bool {
        self.room[usize::from(float)].least(own.start, own.end) > 0
    }

    /// Takes a register for the range at hand.
    pub fn take(&mut self, cfg: &Cfg, r: PReg) {
        for k in 0..self.own.len() {
            let own = self.own[k];
            self.registers[r.0 as usize].insert(own.start, own.end);
            if self.splits {
                self.mark_blocks(cfg, r, own);
            }
            if self.link & r.mask() == 0 {
                self.room[usize::from(r.is_float())].take(own.start, own.end);
            }
        }
    }

    /// Is there room for one more home wherever the range at hand is live?
    pub fn has_room(&self, float: bool) -> bool {
        self.own.iter().all(|&own| self.has_room_in(float, own))
    }

    /// Takes registers in the block at an index, from a position to before another one.
    fn fix(&mut self, block: usize, registers: u64, from: u32, to: u32) {
        self.in_blocks[block].somewhere |= registers;
        for r in each_register(registers) {
            self.registers[r.0 as usize].insert(from, to);
        }
    }

    /// Marks where scratch registers are taken by name, and counts what homes leave room for.
    pub fn begin<T: Machine>(
        &mut self,
        target: &T,
        f: &Function,
        (cfg, live): (&Cfg, &Live),
        units: &Units,
        (limits, arrivals): (&Limits<'_>, &[IncomingPart]),
    ) {
        let file = &target.facts().registers;
        self.registers.resize_with(64, BTreeMap::new);
        self.registers.iter_mut().for_each(BTreeMap::clear);
        self.splits = limits.splits;
        self.link = limits.link;
        self.in_blocks.clear();
        self.in_blocks.resize(cfg.order.len(), TakenInBlock::default());
        // Moves on edges need one.
        let edge = file.edge_scratch & !FLOATS;
        let edge = edge & edge.wrapping_neg() | file.entry_scratch.mask();
        self.scratch = limits.link | if limits.scratch_homes { file.scratch & limits.allowed & !edge } else { 0 };
        self.staying.clear();
        let staying = arrivals.iter().filter(|arrival| arrival.stays);
        self.staying.extend(staying.map(|arrival| (arrival.reg, live.end(arrival.value) + 1)));
        for k in 0..self.staying.len() {
            let (r, end) = self.staying[k];
            self.mark_blocks(cfg, r, Interval { start: 0, end });
        }
        self.changes.clear();
        self.changes.resize(cfg.positions as usize + 2, [0; 2]);
        let all = cfg.order.iter().enumerate().flat_map(|(block, &b)| f.block_insts(b).map(move |i| (block, i)));
        for (block, i) in all.filter(|(_, i)| live.fold[i.index()] != Fold::Dead) {
            let (d, at) = (f.inst(i), live.position[i.index()]);
            let calls = live.calls_at(at) || d.op == Opcode::Call;
            let by_name = if calls { file.scratch | limits.link } else { target.fixed_registers(f, d) };
            // An operand that ends here cannot be in it either.
            let read_from_there = d.op == Opcode::Call && reads_all_at_once(target, f, d);
            self.fix(block, by_name, if read_from_there { at } else { at - 1 }, at + 1);
            if live.fold[i.index()] == Fold::Deferred {
                // It may have a register in the end, or its address.
                if d.op == Opcode::Load {
                    let class = usize::from(!d.ty.is_int());
                    self.changes[at as usize][class] += 1;
                    self.changes[at as usize + 1][class] -= 1;
                }
                continue;
            }
            for v in f.results(i).filter(|&v| live.count(v) > 0) {
                for kind in units.of(v).filter(|&u| !units.has(u, UnitFlags::WANTS_HOME)).map(|u| units.kind(u)) {
                    let class = usize::from(kind.is_float());
                    self.changes[at as usize][class] += 1;
                    self.changes[live.end(v) as usize][class] -= 1;
                }
            }
        }
        for stretch in limits.tight {
            (0..2).for_each(|class| self.changes[stretch.start as usize][class] += TEMPORARIES);
            (0..2).for_each(|class| self.changes[stretch.end as usize][class] -= TEMPORARIES);
        }
        let count = |class: u64| (limits.allowed & class).count_ones() as i16 - TEMPORARIES;
        let all = [count(!FLOATS), count(file.floats())];
        for class in 0..2 {
            let mut now = all[class];
            self.room[class].begin(self.changes.iter().map(|change| {
                now -= change[class];
                now
            }));
        }
    }
}

/// Does a call move all its arguments by one set of moves, so that they may come from any register?
fn reads_all_at_once<T: Machine>(target: &T, f: &Function, call: &InstData) -> bool {
    let sig = &f.sigs[f.calls[call.a as usize].sig.index()];
    let plan = plan(target, sig);
    plan.memory.is_empty() && !sig.variadic && f.calls[call.a as usize].tail != TailKind::Must
}
