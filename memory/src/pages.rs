//! Memory for code that is never writable and executable at once.
//!
//! Small modules share *chunks*: the pages of a chunk's code are mapped twice, once to be run and once, elsewhere, to be written, so
//! that a module is added without a system call and while other threads run code of the same pages. Data lies after the code in the
//! same reservation, within reach. Large modules have a buffer of their own (`dynasmrt`'s), which is written first and then made
//! executable; so has every module where the system refuses a second mapping.

mod free_list;
#[cfg_attr(unix, path = "pages/unix.rs")]
#[cfg_attr(windows, path = "pages/windows.rs")]
mod system;

use std::sync::{Arc, Mutex, PoisonError};

use dynasmrt::mmap::{ExecutableBuffer, MutableBuffer};

use crate::error::MemoryError;
use free_list::FreeList;

/// Bytes of code, and of data, of a chunk. Pages that are not used cost nothing.
const CHUNK: usize = if cfg!(target_pointer_width = "64") { 16 << 20 } else { 1 << 20 };
/// Modules with more code, or more data, have their own buffer.
const SMALL: u64 = CHUNK as u64 / 16;
/// Unit and least alignment of room in chunks.
const GRAIN: u64 = 16;
/// The largest alignment in chunks, whose addresses are aligned to pages.
const PAGE: u64 = 4096;

/// Size and alignment of a region.
pub(crate) type Room = (u64, u64);

/// The memory of all modules.
#[derive(Debug)]
pub(crate) struct Pages {
    chunks: Mutex<Chunks>,
}

#[derive(Debug)]
struct Chunks {
    list: Vec<(Arc<Chunk>, Free)>,
    /// No module shares pages from now on: the system refused a second mapping, or none is wanted.
    own_buffers: bool,
}

/// Code that is mapped twice, and data after it.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// Where code is run.
    code: *mut u8,
    /// Where it is written.
    alias: *mut u8,
}

// SAFETY: the mappings belong to the chunk. Who writes where is decided by the lists of free room.
unsafe impl Send for Chunk {}
// SAFETY: as above.
unsafe impl Sync for Chunk {}

/// What is free in a chunk.
#[derive(Debug)]
struct Free {
    code: FreeList,
    data: FreeList,
}

/// Memory of a module that is being written.
pub(crate) struct Draft {
    kind: Kind,
    fixed: Room,
    written: Room,
}

enum Kind {
    Chunk { number: usize, chunk: Arc<Chunk>, code: u64, data: u64 },
    Own { buffer: MutableBuffer, split: usize },
}

/// Memory of a module. It holds what the memory is part of.
#[derive(Debug)]
#[expect(dead_code, reason = "chunks and buffers are freed when nobody holds them")]
pub(crate) enum Allocation {
    /// In a chunk: its number, and where code and data are, with their sizes.
    Chunk { number: usize, chunk: Arc<Chunk>, code: (u64, u64), data: (u64, u64) },
    /// A buffer of its own, and where data begin.
    Own { buffer: ExecutableBuffer, split: usize },
}

impl Pages {
    /// `own_buffers`: no module shares pages with another.
    pub fn new(own_buffers: bool) -> Pages {
        Pages { chunks: Mutex::new(Chunks { list: Vec::new(), own_buffers }) }
    }

    /// From now on, no module shares pages with another. Debuggers cannot set breakpoints in pages that are mapped twice.
    pub fn want_own_buffers(&self) {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner).own_buffers = true;
    }

    /// Finds room for both regions.
    pub fn draft(&self, fixed: Room, written: Room) -> Result<Draft, MemoryError> {
        let is_small = |(size, align): Room| size <= SMALL && align <= PAGE;
        if is_small(fixed) && is_small(written) {
            let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((number, chunk, code, data)) = chunks.find(fixed, written) {
                return Ok(Draft { kind: Kind::Chunk { number, chunk, code, data }, fixed, written });
            }
        }
        // Buffers are aligned to pages; what is aligned more gets room to be moved.
        let more = |align: u64| if align > PAGE { align as usize } else { 0 };
        let page = system::page_size();
        let split = (fixed.0 as usize + more(fixed.1)).next_multiple_of(page);
        let size = split + (written.0 as usize + more(written.1)).next_multiple_of(page);
        let mut buffer = MutableBuffer::new(size.max(page)).map_err(MemoryError::NoMemory)?;
        buffer.set_len(size.max(page));
        Ok(Draft { kind: Kind::Own { buffer, split }, fixed, written })
    }

    /// Gives memory back.
    pub fn free(&self, allocation: &Allocation) {
        if let Allocation::Chunk { number, code, data, .. } = *allocation {
            let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
            let free = &mut chunks.list[number].1;
            free.code.give(code.0, code.1);
            free.data.give(data.0, data.1);
        }
    }

    /// How many bytes of code and data of chunks are in use.
    pub fn in_use(&self) -> u64 {
        let chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let all = chunks.list.len() as u64 * 2 * CHUNK as u64;
        all - chunks.list.iter().map(|(_, free)| free.code.total() + free.data.total()).sum::<u64>()
    }
}

impl Chunk {
    /// `None` if the system refuses a second mapping.
    fn new() -> Option<Chunk> {
        let (code, alias) = system::map_twice(CHUNK)?;
        Some(Chunk { code, alias })
    }

    /// Where data is.
    fn data(&self) -> *mut u8 {
        self.code.wrapping_add(CHUNK)
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: the mappings are the chunk's own, and the modules in it are gone.
        unsafe { system::unmap_both(self.code, self.alias, CHUNK) };
    }
}

impl Chunks {
    fn find(&mut self, fixed: Room, written: Room) -> Option<(usize, Arc<Chunk>, u64, u64)> {
        if self.own_buffers {
            return None;
        }
        let grains = |(size, _): Room| size.next_multiple_of(GRAIN);
        let take = |free: &mut Free| {
            let code = free.code.take(grains(fixed), fixed.1.max(GRAIN))?;
            let Some(data) = free.data.take(grains(written), written.1.max(GRAIN)) else {
                free.code.give(code, grains(fixed));
                return None;
            };
            Some((code, data))
        };
        for (number, (chunk, free)) in self.list.iter_mut().enumerate().rev() {
            if let Some((code, data)) = take(free) {
                return Some((number, chunk.clone(), code, data));
            }
        }
        let Some(chunk) = Chunk::new() else {
            self.own_buffers = true;
            return None;
        };
        let mut free = Free { code: FreeList::new(CHUNK as u64), data: FreeList::new(CHUNK as u64) };
        let (code, data) = take(&mut free)?;
        let chunk = Arc::new(chunk);
        self.list.push((chunk.clone(), free));
        Some((self.list.len() - 1, chunk, code, data))
    }
}

impl Draft {
    /// The addresses of the fixed and of the written region.
    pub fn addresses(&self) -> (u64, u64) {
        match &self.kind {
            Kind::Chunk { chunk, code, data, .. } => (chunk.code as u64 + code, chunk.data() as u64 + data),
            Kind::Own { buffer, split } => {
                let start = buffer.as_ptr() as u64;
                let at = |from: usize, (_, align): Room| (start + from as u64).next_multiple_of(align.max(1));
                (at(0, self.fixed), at(*split, self.written))
            }
        }
    }

    /// The bytes of both regions, and whether they are zero.
    pub fn bytes(&mut self) -> (&mut [u8], &mut [u8], bool) {
        let (fixed_at, written_at) = self.addresses();
        let (fixed, written) = (self.fixed.0 as usize, self.written.0 as usize);
        match &mut self.kind {
            Kind::Chunk { chunk, code, data, .. } => {
                // SAFETY: both ranges lie in the chunk's mappings, which live as long as the chunk does, and belong to this draft
                // alone: the lists of free room have given them to nobody else.
                let bytes = unsafe {
                    (
                        std::slice::from_raw_parts_mut(chunk.alias.add(*code as usize), fixed),
                        std::slice::from_raw_parts_mut(chunk.data().add(*data as usize), written),
                    )
                };
                (bytes.0, bytes.1, false)
            }
            Kind::Own { buffer, split } => {
                let start = buffer.as_ptr() as u64;
                let (code, data) = buffer.split_at_mut(*split);
                let (code_from, data_from) = ((fixed_at - start) as usize, (written_at - start) as usize - *split);
                (&mut code[code_from..code_from + fixed], &mut data[data_from..data_from + written], true)
            }
        }
    }

    /// Makes the fixed region executable.
    pub fn finish(self) -> Result<Allocation, MemoryError> {
        let (fixed_at, _) = self.addresses();
        let size = self.fixed.0 as usize;
        let grains = |offset: u64, (size, _): Room| (offset, size.next_multiple_of(GRAIN));
        let allocation = match self.kind {
            Kind::Chunk { number, chunk, code, data } => {
                Allocation::Chunk { number, chunk, code: grains(code, self.fixed), data: grains(data, self.written) }
            }
            Kind::Own { buffer, split } => {
                let all = buffer.len();
                let buffer = buffer.make_exec().map_err(MemoryError::ExecutionForbidden)?;
                // SAFETY: the data's pages are part of the buffer, and nothing has run or read them yet.
                unsafe { system::make_writable(buffer.as_ptr().add(split), all - split) }
                    .map_err(MemoryError::NoMemory)?;
                Allocation::Own { buffer, split }
            }
        };
        // SAFETY: the range is mapped and can be read.
        unsafe { system::flush(fixed_at as usize as *const u8, size) };
        Ok(allocation)
    }

    /// Gives the memory back.
    pub fn cancel(self, pages: &Pages) {
        let grains = |offset: u64, (size, _): Room| (offset, size.next_multiple_of(GRAIN));
        if let Kind::Chunk { number, chunk, code, data } = self.kind {
            let (code, data) = (grains(code, self.fixed), grains(data, self.written));
            pages.free(&Allocation::Chunk { number, chunk, code, data });
        }
    }
}
