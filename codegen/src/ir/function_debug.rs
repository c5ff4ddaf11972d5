//! What debug information and stack maps say of a function's blocks and slots.

use super::entities::Slot;
use super::function::Function;
use super::stack_map::StackMap;

impl Function {
    /// Slots that others find by the frame.
    pub fn escaped_slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let escapes = self.escapes.iter().flat_map(|escapes| escapes.all());
        escapes.chain(self.stack_maps.iter().flat_map(StackMap::slots))
    }

    /// All slots that must stay in memory as they are: those that others find, and those of functions that keep their variables for
    /// debuggers. What is no variable stays too there, so that each line has the code that it has in the source.
    pub fn kept_slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let all = if self.debug.keeps_variables { 0..self.slots.len() } else { 0..0 };
        self.escaped_slots().chain(all.map(Slot::new))
    }
}
