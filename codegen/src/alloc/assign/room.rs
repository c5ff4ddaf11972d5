//! How many registers are left at each position, as a tree of minima.

/// Numbers by position: the least of a stretch is found, and a stretch is changed, in logarithmic time.
#[derive(Default)]
pub(super) struct Room {
    /// Number of leaves, a power of two.
    size: usize,
    /// For each node, the least number below it, less what nodes above add.
    least: Vec<i16>,
    /// For each node, what is added to all below it.
    added: Vec<i16>,
}

impl Room {
    /// Starts with these numbers.
    pub fn begin(&mut self, numbers: impl ExactSizeIterator<Item = i16>) {
        self.size = numbers.len().next_power_of_two();
        self.least.clear();
        self.least.resize(2 * self.size, i16::MAX);
        self.added.clear();
        self.added.resize(2 * self.size, 0);
        for (leaf, n) in self.least[self.size..].iter_mut().zip(numbers) {
            *leaf = n;
        }
        for node in (1..self.size).rev() {
            self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]);
        }
    }

    /// The least number from a position to before another one.
    pub fn least(&self, from: u32, to: u32) -> i16 {
        self.least_in(1, (0, self.size as u32), (from, to))
    }

    fn least_in(&self, node: usize, (first, end): (u32, u32), (from, to): (u32, u32)) -> i16 {
        if to <= first || end <= from {
            return i16::MAX;
        }
        if from <= first && end <= to {
            return self.least[node];
        }
        let middle = first + (end - first) / 2;
        let below = [(2 * node, (first, middle)), (2 * node + 1, (middle, end))];
        let least = below.map(|(node, stretch)| self.least_in(node, stretch, (from, to)));
        least[0].min(least[1]).saturating_add(self.added[node])
    }

    /// Takes one from each number from a position to before another one.
    pub fn take(&mut self, from: u32, to: u32) {
        self.take_in(1, (0, self.size as u32), (from, to));
    }

    fn take_in(&mut self, node: usize, (first, end): (u32, u32), (from, to): (u32, u32)) {
        if to <= first || end <= from {
            return;
        }
        if from <= first && end <= to {
            self.least[node] -= 1;
            self.added[node] -= 1;
            return;
        }
        let middle = first + (end - first) / 2;
        self.take_in(2 * node, (first, middle), (from, to));
        self.take_in(2 * node + 1, (middle, end), (from, to));
        self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]) + self.added[node];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_every_stretch_is_that_of_a_list() {
        for n in [1, 2, 7, 16, 33] {
            let mut list: Vec<i16> = (0..n).map(|k| (k * 7 % 5) as i16).collect();
            let mut room = Room::default();
            room.begin(list.iter().copied());
            for step in 0..40 {
                let (a, b) = (step * 11 % n, step * 5 % n);
                let (from, to) = (a.min(b), a.max(b) + 1);
                room.take(from as u32, to as u32);
                list[from..to].iter_mut().for_each(|n| *n -= 1);
                for from in 0..n {
                    for to in from + 1..=n {
                        assert_eq!(Some(&room.least(from as u32, to as u32)), list[from..to].iter().min());
                    }
                }
            }
        }
    }
}
