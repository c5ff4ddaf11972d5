//! Allocation units: the register-sized parts of values, and what the allocator knows of each.

use crate::frame::FramePlace;
use crate::ir::{Function, Value};
use crate::machine::{Machine, PReg, PartKind};

/// Flags of a unit.
pub struct UnitFlags;

impl UnitFlags {
    /// It has a home for its whole life: a register or a place.
    pub const HOMED: u8 = 1;
    /// Its place holds the value now.
    pub const IN_MEMORY: u8 = 2;
    /// It is in the list of those that want a home.
    pub const WANTS_HOME: u8 = 4;
    /// Its home differs from block to block, see [`Splits`](super::splits::Splits).
    pub const SPLIT: u8 = 8;
}

/// Stands for no register.
const NONE: u8 = 0xff;
const NO_PLACE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Unit {
    kind: PartKind,
    home: u8,
    reg: u8,
    flags: u8,
    place: u32,
}

/// All units of a function: unit `n` is the low part of value `n`; high parts follow after the last value.
#[derive(Default)]
pub struct Units {
    units: Vec<Unit>,
    high: Vec<u32>,
    high_value: Vec<Value>,
    places: Vec<FramePlace>,
    /// For each value that shares its home, the last position at which the home is occupied; empty if no value shares
    /// one.
    home_ends: Vec<u32>,
    values: u32,
    /// Are there floating-point numbers among the values?
    pub uses_float: bool,
}

impl Units {
    /// Numbers the units of `f`.
    pub fn begin<T: Machine>(&mut self, target: &T, f: &Function) {
        let n = f.value_count();
        self.values = n as u32;
        self.units.clear();
        self.high.clear();
        self.high_value.clear();
        self.places.clear();
        self.home_ends.clear();
        self.uses_float = false;
        let unit = |kind| Unit { kind, home: NONE, reg: NONE, flags: 0, place: NO_PLACE };
        // Most values have the type of the one before.
        let (mut last, mut count, mut first) = (None, 1, unit(target.parts(crate::ir::Type::I32).kind));
        self.units.extend(f.value_types().enumerate().map(|(k, ty)| {
            if last != Some(ty) {
                let parts = target.parts(ty);
                (last, count, first) = (Some(ty), parts.count, unit(parts.kind));
                self.uses_float |= ty.lane().is_float();
            }
            if count > 1 {
                self.high.resize(n, NO_PLACE);
                self.high[k] = self.high_value.len() as u32;
                self.high_value.push(Value::new(k));
            }
            first
        }));
        for &v in &self.high_value {
            self.units.push(unit(self.units[v.index()].kind));
        }
    }

    /// Forgets where values are, but keeps their home registers, for another attempt.
    pub fn reset(&mut self) {
        for u in &mut self.units {
            u.reg = NONE;
            u.flags &= UnitFlags::HOMED | UnitFlags::WANTS_HOME | UnitFlags::SPLIT;
            u.place = NO_PLACE;
        }
        self.places.clear();
    }

    /// Number of units.
    pub fn count(&self) -> usize {
        self.units.len()
    }

    /// The unit of a value's part.
    #[inline]
    pub fn unit(&self, v: Value, part: u8) -> u32 {
        if part == 0 { v.0 } else { self.values + self.high[v.index()] }
    }

    /// A value's units.
    #[inline]
    pub fn of(&self, v: Value) -> impl Iterator<Item = u32> + use<> {
        let high = self.high.get(v.index()).copied().filter(|&h| h != NO_PLACE).map(|h| self.values + h);
        std::iter::once(v.0).chain(high)
    }

    /// Number of parts of a value.
    #[inline]
    pub fn parts(&self, v: Value) -> u8 {
        if self.high.get(v.index()).is_some_and(|&h| h != NO_PLACE) { 2 } else { 1 }
    }

    /// The value a unit belongs to.
    #[inline]
    pub fn value(&self, unit: u32) -> Value {
        if unit < self.values { Value(unit) } else { self.high_value[(unit - self.values) as usize] }
    }

    /// The unit of `other` that corresponds to `unit` of `v`; `other`'s low part if it has only one.
    pub fn sibling(&self, other: Value, v: Value, unit: u32) -> u32 {
        if unit != v.0 && self.parts(other) == 2 { self.unit(other, 1) } else { other.0 }
    }

    /// Kind of a unit.
    #[inline]
    pub fn kind(&self, unit: u32) -> PartKind {
        self.units[unit as usize].kind
    }

    /// Home register.
    #[inline]
    pub fn home(&self, unit: u32) -> Option<PReg> {
        let h = self.units[unit as usize].home;
        if h == NONE { None } else { Some(PReg(h)) }
    }

    /// Sets or takes away the home register.
    pub fn set_home(&mut self, unit: u32, r: Option<PReg>) {
        self.units[unit as usize].home = r.map_or(NONE, |p| p.0);
    }

    /// Notes that the value's home is occupied up to this position at least.
    pub fn set_home_end(&mut self, v: Value, end: u32) {
        self.home_ends.resize(self.values as usize, 0);
        self.home_ends[v.index()] = end;
    }

    /// The last position at which the home of a value is occupied that itself lives to `end`.
    #[inline]
    pub fn home_end(&self, v: Value, end: u32) -> u32 {
        self.home_ends.get(v.index()).map_or(end, |&e| e.max(end))
    }

    /// Do some values share their homes?
    pub fn share_homes(&self) -> bool {
        !self.home_ends.is_empty()
    }

    /// Does the value share its home with others?
    pub fn shares_home(&self, v: Value) -> bool {
        self.home_ends.get(v.index()).is_some_and(|&end| end != 0)
    }

    /// The register the unit is in now.
    #[inline]
    pub fn reg(&self, unit: u32) -> Option<PReg> {
        let h = self.units[unit as usize].reg;
        if h == NONE { None } else { Some(PReg(h)) }
    }

    /// Sets the register the unit is in now.
    #[inline]
    pub fn set_reg(&mut self, unit: u32, r: Option<PReg>) {
        self.units[unit as usize].reg = r.map_or(NONE, |p| p.0);
    }

    /// Tests flags.
    #[inline]
    pub fn has(&self, unit: u32, flag: u8) -> bool {
        self.units[unit as usize].flags & flag != 0
    }

    /// Sets flags.
    #[inline]
    pub fn flag(&mut self, unit: u32, flag: u8) {
        self.units[unit as usize].flags |= flag;
    }

    /// Takes flags away.
    #[inline]
    pub fn unflag(&mut self, unit: u32, flag: u8) {
        self.units[unit as usize].flags &= !flag;
    }

    /// Adds a place that units may have. Returns its number.
    pub fn new_place(&mut self, p: FramePlace) -> u32 {
        self.places.push(p);
        self.places.len() as u32 - 1
    }

    /// The unit's place.
    #[inline]
    pub fn place(&self, unit: u32) -> Option<FramePlace> {
        let p = self.units[unit as usize].place;
        if p == NO_PLACE { None } else { Some(self.places[p as usize]) }
    }

    /// The number of the unit's place.
    #[inline]
    pub fn place_index(&self, unit: u32) -> Option<u32> {
        let p = self.units[unit as usize].place;
        if p == NO_PLACE { None } else { Some(p) }
    }

    /// Is the unit's value in this place now?
    #[inline]
    pub fn is_at(&self, unit: u32, place: u32) -> bool {
        let u = &self.units[unit as usize];
        u.place == place && u.flags & UnitFlags::IN_MEMORY != 0
    }

    /// A place by its number.
    pub fn place_at(&self, place: u32) -> FramePlace {
        self.places[place as usize]
    }

    /// Says where a place is.
    pub fn move_place(&mut self, place: u32, to: FramePlace) {
        self.places[place as usize] = to;
    }

    /// Number of places.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// Sets the unit's place.
    pub fn set_place(&mut self, unit: u32, place: u32) {
        self.units[unit as usize].place = place;
    }
}
