//! Memory: whatever a file says, reading it takes a small multiple of its size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use gusset_abi::AbiTarget;
use gusset_bitcode::{BodyImporter, BodyReader, Choices, import_module, read_module};

/// Counts the bytes that are allocated, and the most of them at a time.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator; the counters are beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Reads a file for code and for translation, whatever comes of it; returns the most bytes that this took at a time.
fn read(file: &[u8]) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    if let Ok(module) = read_module(file, "file", &AbiTarget::X86_64_LINUX, Choices::default()) {
        let mut reader = BodyReader::new(&module);
        let mut func = gusset_codegen::ir::Function::new();
        module.bodies.iter().for_each(|body| _ = reader.read(body, &mut func));
    }
    if let Ok(module) = import_module(file, "file") {
        let mut importer = BodyImporter::new(&module);
        let mut func = gusset_program::Function::default();
        module.bodies.iter().for_each(|body| _ = importer.read(body, &mut func));
    }
    MOST.load(Ordering::Relaxed) - before
}

#[test]
fn damaged_files_take_no_more_memory() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/bitcode");
    for name in ["calls.bc", "memory.bc", "debug.bc", "clang-13.bc", "clang-16.bc"] {
        let file = std::fs::read(folder.join(name)).unwrap();
        let whole = read(&file);
        // Tables of types and names take some hundred KB, whatever the file.
        let bound = (256 << 10) + 64 * file.len();
        assert!(whole < bound, "{name}: {whole} bytes for {}", file.len());
        // `GUSSET_DAMAGED=all` asks for every bit, which takes minutes.
        let step = if std::env::var_os("GUSSET_DAMAGED").is_some() { 1 } else { (8 * file.len() / 300) | 1 };
        for at in (0..8 * file.len()).step_by(step) {
            let mut damaged = file.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            let taken = read(&damaged);
            assert!(taken < 2 * bound, "{name}, bit {at}: {taken} bytes for {}", file.len());
        }
    }
}
