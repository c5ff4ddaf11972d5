//! Masks of shuffles.

use gusset_codegen::ir::{ConstData, Function, Value};

use super::Node;
use super::constants::vector_bits;

/// An undefined result lane.
pub(crate) const ANY: i8 = -1;
/// A result lane of zeros.
pub(crate) const ZERO: i8 = -2;

/// A mask of `n` lanes: [`ANY`], [`ZERO`], a lane of `a` from 0, or a lane of `b` from `n`.
#[derive(Clone, Copy)]
pub(crate) struct Mask {
    pub(crate) lane: [i8; 16],
    pub(crate) n: usize,
}

impl Mask {
    /// The mask of a shuffle of at most 16 lanes, as wide as possible and with lanes of its first operand, and the
    /// operands. Lanes of poison are undefined.
    pub(crate) fn of(f: &Function, d: &Node) -> (Value, Value, Mask) {
        let (a, b, n) = (d.a, d.b, d.ty.lanes() as usize);
        let mut m = Mask { lane: [ANY; 16], n };
        for k in 0..n {
            let l = f.pool[d.c.0 as usize + k];
            m.lane[k] = if l < 2 * n as u32 { l as i8 } else { ANY };
        }
        if a == b {
            m = m.map(|l| if l >= n as i8 { l - n as i8 } else { l });
        }
        for (v, first) in [(a, 0), (b, n as i8)] {
            let inside = |l: i8| l >= first && l < first + n as i8;
            match f.constant(v) {
                Some(ConstData::Poison) => m = m.map(|l| if inside(l) { ANY } else { l }),
                Some(c) if vector_bits(f, d.ty, c) == Some(0) => m = m.map(|l| if inside(l) { ZERO } else { l }),
                _ => {}
            }
        }
        let exchange = !m.any(|l| (0..n as i8).contains(&l));
        if exchange {
            m = m.swapped();
        }
        while m.n > 2
            && let Some(wide) = m.widened()
        {
            m = wide;
        }
        if exchange { (b, a, m) } else { (a, b, m) }
    }

    pub(crate) fn lanes(&self) -> &[i8] {
        &self.lane[..self.n]
    }

    /// Does `f` hold for every lane that is not undefined, given its number and what it takes?
    pub(crate) fn all(&self, f: impl Fn(usize, i8) -> bool) -> bool {
        self.lanes().iter().enumerate().all(|(k, &l)| l == ANY || f(k, l))
    }

    pub(crate) fn any(&self, f: impl Fn(i8) -> bool) -> bool {
        self.lanes().iter().any(|&l| f(l))
    }

    /// Does each lane `k` take lane `of(k)`?
    pub(crate) fn is(&self, of: impl Fn(usize) -> usize) -> bool {
        self.all(|k, l| l == of(k) as i8)
    }

    pub(crate) fn map(&self, f: impl Fn(i8) -> i8) -> Mask {
        let mut m = *self;
        m.lane[..self.n].iter_mut().for_each(|l| *l = f(*l));
        m
    }

    /// The same mask on the operands exchanged.
    pub(crate) fn swapped(&self) -> Mask {
        let n = self.n as i8;
        self.map(|l| if l < 0 { l } else { (l + n) % (2 * n) })
    }

    /// The same mask on lanes twice as wide, if there is one.
    pub(crate) fn widened(&self) -> Option<Mask> {
        let mut m = Mask { lane: [ANY; 16], n: self.n / 2 };
        for k in 0..m.n {
            m.lane[k] = match (self.lane[2 * k], self.lane[2 * k + 1]) {
                (ANY, ANY) => ANY,
                (ZERO | ANY, ZERO | ANY) => ZERO,
                (l, h) if l >= 0 && l % 2 == 0 && (h == ANY || h == l + 1) => l / 2,
                (ANY, h) if h >= 0 && h % 2 == 1 => h / 2,
                _ => return None,
            };
        }
        Some(m)
    }

    /// The same mask on lanes half as wide.
    pub(crate) fn halved(&self) -> Mask {
        let mut m = Mask { lane: [ANY; 16], n: self.n * 2 };
        for k in 0..m.n {
            let l = self.lane[k / 2];
            m.lane[k] = if l < 0 { l } else { 2 * l + (k % 2) as i8 };
        }
        m
    }

    pub(crate) fn bytes(&self) -> Mask {
        let mut m = *self;
        while m.n < 16 {
            m = m.halved();
        }
        m
    }
}
