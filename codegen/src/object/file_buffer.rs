//! The bytes of an object file while it is written; repetitions in sections stay repetitions.

use std::cell::Cell;

use object::write::WritableBuffer;

use super::{ObjectError, ObjectWriter, Result, SectionType};
use crate::sparse::{OutOfMemory, SparseBytes};

/// Connects a file's writer, which only knows slices, with its buffer.
#[derive(Default)]
pub(super) struct Feed<'b> {
    /// The bytes that the writer is about to write.
    next: Cell<Option<&'b SparseBytes>>,
    failed: Cell<Option<OutOfMemory>>,
}

/// Where a file is written.
pub(super) struct FileBuffer<'f, 'b> {
    bytes: SparseBytes,
    /// How many bytes will be held elsewhere.
    elsewhere: u64,
    feed: &'f Feed<'b>,
}

impl<'b> Feed<'b> {
    /// Writes bytes by reserving room for them, from their offset in the file to the offset after them.
    pub fn write(&self, bytes: &'b SparseBytes, at: usize, pad_until: impl FnOnce(usize)) {
        self.next.set(Some(bytes));
        pad_until(at + bytes.len() as usize);
    }

    /// The error from which the writer's own error was made.
    pub fn error(&self, error: &dyn std::fmt::Display) -> ObjectError {
        match self.failed.get() {
            Some(wanted) => ObjectError::OutOfMemory { wanted },
            None => ObjectError::Format { message: error.to_string() },
        }
    }
}

impl<'f, 'b> FileBuffer<'f, 'b> {
    pub fn new(object: &ObjectWriter<'_>, feed: &'f Feed<'b>) -> Self {
        let in_file = object.sections.iter().filter(|s| s.spec.ty != SectionType::Zeros);
        FileBuffer { bytes: SparseBytes::new(), elsewhere: in_file.map(|s| s.bytes.elsewhere()).sum(), feed }
    }

    /// The file.
    pub fn finish(self) -> Result<SparseBytes> {
        match self.feed.failed.get() {
            Some(wanted) => Err(ObjectError::OutOfMemory { wanted }),
            None => Ok(self.bytes),
        }
    }

    fn note(&mut self, result: Result<(), OutOfMemory>) {
        if let Err(error) = result {
            self.feed.failed.set(Some(error));
        }
    }
}

impl WritableBuffer for FileBuffer<'_, '_> {
    fn len(&self) -> usize {
        self.bytes.len() as usize
    }

    fn reserve(&mut self, size: usize) -> Result<(), ()> {
        let held = size.saturating_sub(self.elsewhere as usize);
        self.bytes.tail().try_reserve_exact(held).map_err(|_| {
            self.feed.failed.set(Some(OutOfMemory { bytes: held as u64 }));
        })
    }

    fn resize(&mut self, new_len: usize) {
        let done = match self.feed.next.take() {
            Some(bytes) => self.bytes.append(bytes, 0..bytes.len()),
            None => self.bytes.fill_to(new_len as u64),
        };
        self.note(done);
    }

    fn write_bytes(&mut self, val: &[u8]) {
        let done = self.bytes.extend(val);
        self.note(done);
    }
}
