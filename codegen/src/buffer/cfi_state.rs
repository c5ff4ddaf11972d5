//! What changes of the frame's description amount to.

use super::CfiOp;

/// What is known of the frame at a place.
#[derive(Clone, Default)]
pub(crate) struct CfiState {
    register: Option<u16>,
    offset: Option<i32>,
    /// What holds besides, in order.
    rules: Vec<CfiOp>,
}

impl CfiState {
    /// Takes a change; `saved` holds what is remembered.
    pub fn take(&mut self, op: CfiOp, saved: &mut Vec<CfiState>) {
        match op {
            CfiOp::DefCfa { register, offset } => (self.register, self.offset) = (Some(register), Some(offset)),
            CfiOp::DefCfaRegister(register) => self.register = Some(register),
            CfiOp::DefCfaOffset(offset) => self.offset = Some(offset),
            CfiOp::Restored(register) => {
                self.rules.retain(|rule| !matches!(rule, CfiOp::Offset { register: r, .. } if *r == register));
            }
            CfiOp::RememberState => saved.push(self.clone()),
            CfiOp::RestoreState => *self = saved.pop().unwrap_or_default(),
            // Twice is not at all.
            CfiOp::NegateReturn { .. } if self.rules.contains(&op) => self.rules.retain(|rule| *rule != op),
            op if self.rules.contains(&op) => {}
            op => self.rules.push(op),
        }
    }

    /// What says this at the beginning of a description.
    pub fn ops(self) -> impl Iterator<Item = CfiOp> {
        self.cfa().into_iter().chain(self.rules)
    }

    fn cfa(&self) -> Option<CfiOp> {
        match (self.register, self.offset) {
            (Some(register), Some(offset)) => Some(CfiOp::DefCfa { register, offset }),
            (Some(register), None) => Some(CfiOp::DefCfaRegister(register)),
            (None, offset) => offset.map(CfiOp::DefCfaOffset),
        }
    }

    /// What says this where something else held.
    pub fn changes(&self, from: &CfiState) -> impl Iterator<Item = CfiOp> {
        let cfa = self.cfa().filter(|_| (self.register, self.offset) != (from.register, from.offset));
        let gone = from.rules.iter().filter(|rule| !self.rules.contains(rule));
        let gone = gone.filter_map(|rule| match *rule {
            CfiOp::Offset { register, .. } => Some(CfiOp::Restored(register)),
            CfiOp::NegateReturn { .. } => Some(*rule),
            _ => None,
        });
        let new = self.rules.iter().filter(|rule| !from.rules.contains(rule)).copied();
        cfa.into_iter().chain(gone.collect::<Vec<_>>()).chain(new.collect::<Vec<_>>())
    }
}
