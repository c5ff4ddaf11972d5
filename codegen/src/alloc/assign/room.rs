//! How many registers are left at each position, as a tree of minima.

/// What stands where no position is.
const NOWHERE: i32 = i32::MAX / 2;

/// Numbers by position: the least of a stretch is found, and a stretch is changed, in logarithmic time. Both walk from the leaves on either
/// side of the stretch to the root.
#[derive(Default)]
pub(super) struct Room {
    /// Number of leaves, a power of two. The first leaf and the last ones stand for no position.
    size: usize,
    /// For each node, the least number below it, without what nodes above add.
    least: Vec<i32>,
    /// For each node, what is added to all below it.
    added: Vec<i32>,
}

impl Room {
    /// Starts with these numbers.
    pub fn begin(&mut self, numbers: impl ExactSizeIterator<Item = i16>) {
        self.size = (numbers.len() + 2).next_power_of_two();
        self.least.clear();
        self.least.resize(2 * self.size, NOWHERE);
        self.added.clear();
        self.added.resize(2 * self.size, 0);
        for (leaf, n) in self.least[self.size + 1..].iter_mut().zip(numbers) {
            *leaf = i32::from(n);
        }
        for node in (1..self.size).rev() {
            self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]);
        }
    }

    /// The least number from a position to before another one.
    pub fn least(&self, from: u32, to: u32) -> i32 {
        let (mut left, mut right) = (self.size + from as usize, self.size + to as usize + 1);
        let mut least = [NOWHERE; 2];
        while left ^ right != 1 {
            if left % 2 == 0 {
                least[0] = least[0].min(self.least[left + 1]);
            }
            if right % 2 == 1 {
                least[1] = least[1].min(self.least[right - 1]);
            }
            (left, right) = (left / 2, right / 2);
            least[0] += self.added[left];
            least[1] += self.added[right];
        }
        let mut least = least[0].min(least[1]);
        while left > 1 {
            left /= 2;
            least += self.added[left];
        }
        least
    }

    /// Takes one from each number from a position to before another one.
    pub fn take(&mut self, from: u32, to: u32) {
        let (mut left, mut right) = (self.size + from as usize, self.size + to as usize + 1);
        while left ^ right != 1 {
            if left % 2 == 0 {
                self.take_below(left + 1);
            }
            if right % 2 == 1 {
                self.take_below(right - 1);
            }
            (left, right) = (left / 2, right / 2);
            self.find_least(left);
            self.find_least(right);
        }
        while left > 1 {
            left /= 2;
            self.find_least(left);
        }
    }

    fn take_below(&mut self, node: usize) {
        self.least[node] -= 1;
        self.added[node] -= 1;
    }

    fn find_least(&mut self, node: usize) {
        self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]) + self.added[node];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_every_stretch_is_that_of_a_list() {
        for n in [1, 2, 7, 16, 33] {
            let mut list: Vec<i32> = (0..n).map(|k| (k * 7 % 5) as i32).collect();
            let mut room = Room::default();
            room.begin(list.iter().map(|&n| n as i16));
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
