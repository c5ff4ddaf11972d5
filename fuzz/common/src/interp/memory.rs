//! Memory as separate regions of bytes, each byte known or of any value.

use super::Stop;

/// Where stack slots begin, by whether pointers have 32 bits.
const STACK: [u64; 2] = [0x7000_0000_0000, 0xa000_0000];
/// Where the module's symbols begin.
const SYMBOLS: [u64; 2] = [0x0010_0000_0000, 0x4000_0000];
/// Distance between regions at least: an access that leaves one does not fall into the next.
const GAP: u64 = 64;

struct Region {
    base: u64,
    bytes: Vec<u8>,
    /// Whether the byte has one value.
    known: Vec<bool>,
    constant: bool,
}

impl Region {
    fn at(&self, addr: u64, len: u64) -> Option<usize> {
        let at = addr.checked_sub(self.base)?;
        (at <= self.bytes.len() as u64 && len <= self.bytes.len() as u64 - at).then_some(at as usize)
    }
}

/// The memory of a run.
pub(super) struct Memory {
    fixed: Vec<Region>,
    stack: Vec<Region>,
    next_fixed: u64,
    next_stack: u64,
    /// Bytes of any value get this one.
    pub any: Option<u8>,
}

/// What a frame gives back when its function returns.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    regions: usize,
    next: u64,
}

impl Memory {
    /// Of a machine with pointers of so many bytes.
    pub fn new(pointer_bytes: u32) -> Memory {
        let narrow = usize::from(pointer_bytes == 4);
        Memory {
            fixed: Vec::new(),
            stack: Vec::new(),
            next_fixed: SYMBOLS[narrow],
            next_stack: STACK[narrow],
            any: None,
        }
    }

    /// Known bytes at an address of the caller's choice.
    pub fn map(&mut self, base: u64, bytes: Vec<u8>, constant: bool) {
        let known = vec![true; bytes.len()];
        self.fixed.push(Region { base, bytes, known, constant });
    }

    /// The end of what was mapped at `base`.
    pub fn unmap(&mut self, base: u64) {
        self.fixed.retain(|r| r.base != base);
    }

    /// The bytes of the region at `base`, and which of them have one value.
    pub fn region(&self, base: u64) -> Option<(&[u8], &[bool])> {
        self.fixed.iter().find(|r| r.base == base).map(|r| (&r.bytes[..], &r.known[..]))
    }

    /// Address space for a symbol.
    pub fn reserve(&mut self, size: u64, align: u64) -> u64 {
        let base = self.next_fixed.next_multiple_of(align.max(16));
        self.next_fixed = base + size + GAP;
        base
    }

    pub fn mark(&self) -> Mark {
        Mark { regions: self.stack.len(), next: self.next_stack }
    }

    pub fn release(&mut self, mark: Mark) {
        self.stack.truncate(mark.regions);
        self.next_stack = mark.next;
    }

    /// New bytes of any value on the stack.
    pub fn push(&mut self, size: u64, align: u64) -> Result<u64, Stop> {
        if size > 1 << 24 {
            return Err(Stop::Limit);
        }
        let base = self.next_stack.next_multiple_of(align.max(16));
        self.next_stack = base + size + GAP;
        let (bytes, known) = (vec![self.any.unwrap_or(0); size as usize], vec![self.any.is_some(); size as usize]);
        self.stack.push(Region { base, bytes, known, constant: false });
        Ok(base)
    }

    fn find(&mut self, addr: u64, len: u64) -> Result<(&mut Region, usize), Stop> {
        let regions = self.stack.iter_mut().rev().chain(self.fixed.iter_mut());
        for r in regions {
            if let Some(at) = r.at(addr, len) {
                return Ok((r, at));
            }
        }
        Err(Stop::Undefined(format!("an access of {len} bytes at {addr:#x}, where nothing is")))
    }

    /// Reads bytes; `None` is a byte of any value.
    pub fn read(&mut self, addr: u64, len: u64) -> Result<Vec<Option<u8>>, Stop> {
        if len == 0 {
            return Ok(Vec::new());
        }
        let (r, at) = self.find(addr, len)?;
        Ok((at..at + len as usize).map(|k| r.known[k].then_some(r.bytes[k])).collect())
    }

    pub fn write(&mut self, addr: u64, bytes: &[Option<u8>]) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        let any = self.any;
        let (r, at) = self.find(addr, bytes.len() as u64)?;
        if r.constant {
            return Err(Stop::Undefined(format!("a store to constant data at {addr:#x}")));
        }
        for (k, b) in bytes.iter().enumerate() {
            let b = b.or(any);
            r.known[at + k] = b.is_some();
            r.bytes[at + k] = b.unwrap_or(0);
        }
        Ok(())
    }
}
