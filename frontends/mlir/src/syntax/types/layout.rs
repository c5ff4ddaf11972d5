//! Layouts of memrefs: `strided<…>`, and affine maps that are linear.
//!
//! MLIR Language Reference, "MemRef Type", "Layout".

use gusset_text::Result;

use crate::syntax::lexer::Cursor;
use crate::syntax::types::ty::{DYNAMIC, Ty};

/// A ranked memref: sizes and strides of its dimensions, beginning with the slowest.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Memref {
    pub element: Ty,
    pub sizes: Vec<i64>,
    pub strides: Vec<i64>,
    pub offset: i64,
    pub space: u32,
    /// The type has no layout, or one that is the default: dense in row-major order.
    pub identity: bool,
}

impl Memref {
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Whether its elements are dense in row-major order.
    pub fn is_gapless(&self) -> bool {
        self.identity || !self.strides.contains(&DYNAMIC) && self.strides == natural_strides(&self.sizes)
    }

    /// Whether it is laid out like a memref without a layout: dense in row-major order from the first element on. The
    /// type alone determines this.
    pub fn is_row_major(&self) -> bool {
        self.identity || self.offset == 0 && self.is_gapless()
    }

    /// Whether all sizes, strides and the offset are known.
    pub fn is_static(&self) -> bool {
        self.offset != DYNAMIC && self.sizes.iter().chain(&self.strides).all(|&n| n != DYNAMIC)
    }
}

/// Strides of a dense row-major layout.
pub(crate) fn natural_strides(sizes: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; sizes.len()];
    for i in (0..sizes.len().saturating_sub(1)).rev() {
        strides[i] = match (strides[i + 1], sizes[i + 1]) {
            (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
            (stride, size) => stride.saturating_mul(size),
        };
    }
    strides
}

/// What is in the place of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Layout {
    /// None: the memory space.
    Absent,
    /// Strides and an offset.
    Linear,
    /// No layout.
    Other,
}

/// Reads a layout into `memref`, if one is next.
pub(crate) fn parse(c: &mut Cursor, memref: &mut Memref) -> Result<Layout> {
    match c.peek_word() {
        b"strided" => {
            strided(c, memref)?;
            memref.identity = false;
        }
        b"affine_map" => {
            let linear = map(c, memref)?;
            let mut next = *c;
            let several = next.eat(b',') && next.peek_word() == b"affine_map";
            if several || !linear {
                return Ok(Layout::Other);
            }
        }
        // An old spelling: `offset: ?, strides: [?, 1]`.
        b"offset" => {
            c.bump(6);
            c.expect(b':')?;
            memref.offset = size(c)?;
            if c.eat(b',') {
                c.expect_word("strides")?;
                c.expect(b':')?;
                strides(c, memref)?;
            }
            memref.identity = false;
        }
        _ => return Ok(Layout::Absent),
    }
    Ok(Layout::Linear)
}

/// Reads a number or `?`.
fn size(c: &mut Cursor) -> Result<i64> {
    if c.eat(b'?') {
        return Ok(DYNAMIC);
    }
    let negative = c.eat(b'-');
    let at = c.pos;
    let n = i64::try_from(c.number()?).map_err(|_| c.error_at(at, "the number does not fit 64 bits"))?;
    Ok(if negative { -n } else { n })
}

fn strides(c: &mut Cursor, memref: &mut Memref) -> Result<()> {
    let pos = c.pos;
    c.expect(b'[')?;
    let mut all = Vec::new();
    let mut more = !c.eat(b']');
    while more {
        all.push(size(c)?);
        more = c.more(b']')?;
    }
    c.refuse_if(all.len() != memref.rank(), pos, "the layout has not as many strides as the type dimensions")?;
    c.refuse_if(all.contains(&0), pos, "no stride is zero")?;
    memref.strides = all;
    Ok(())
}

fn strided(c: &mut Cursor, memref: &mut Memref) -> Result<()> {
    c.bump(b"strided".len());
    c.expect(b'<')?;
    strides(c, memref)?;
    if c.eat(b',') {
        c.expect_word("offset")?;
        c.expect(b':')?;
        memref.offset = size(c)?;
    }
    c.expect(b'>')
}

/// Reads a map; returns whether it is a sum of the dimensions, each multiplied by a constant or a symbol, and a
/// constant or a symbol.
fn map(c: &mut Cursor, memref: &mut Memref) -> Result<bool> {
    let map = crate::syntax::types::affine::Map::parse(c)?;
    let rank = memref.rank();
    // `(d0, d1) -> (d0, d1)`.
    if map.symbols == 0 && map.projection().is_some_and(|dims| dims.iter().copied().eq(0..rank)) {
        return Ok(true);
    }
    memref.identity = false;
    let Some(linear) = map.linear().filter(|_| map.dims == rank) else { return Ok(false) };
    memref.strides = linear.strides;
    memref.offset = linear.offset;
    Ok(true)
}
