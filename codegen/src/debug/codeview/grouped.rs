//! Things in groups.

/// Things by the number of the group that each is in.
pub(super) struct Grouped<T>(Vec<(u32, T)>);

impl<T> Grouped<T> {
    /// In a group, things keep their order.
    pub fn new(things: impl Iterator<Item = (u32, T)>) -> Grouped<T> {
        let mut list: Vec<_> = things.collect();
        list.sort_by_key(|thing| thing.0);
        Grouped(list)
    }

    /// The things in a group.
    pub fn of(&self, group: u32) -> impl Iterator<Item = &T> {
        let start = self.0.partition_point(|thing| thing.0 < group);
        self.0[start..].iter().take_while(move |thing| thing.0 == group).map(|thing| &thing.1)
    }
}
