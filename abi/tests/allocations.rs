//! Classification takes no heap memory for scalars: a signature costs one block, the list of its arguments, however long it is,
//! and a signature that a cache knows none.

use gusset_abi::{AbiCache, AbiFeatures, AbiTarget, CType, Signature, classify};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the blocks that each thread asks for.
struct Counting;

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BLOCKS.with(|blocks| blocks.set(blocks.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many blocks `run` asks for.
fn blocks<R>(run: impl FnOnce() -> R) -> usize {
    let before = BLOCKS.with(Cell::get);
    let result = run();
    let after = BLOCKS.with(Cell::get);
    drop(result);
    after - before
}

#[test]
fn scalars_need_no_memory_of_their_own() {
    let scalars = [CType::I32, CType::PTR, CType::F64, CType::I64, CType::U8, CType::F32, CType::BOOL];
    for triple in [
        "x86_64-unknown-linux-gnu",
        "x86_64-pc-windows-msvc",
        "i686-unknown-linux-gnu",
        "i686-pc-windows-msvc",
        "aarch64-unknown-linux-gnu",
        "aarch64-apple-darwin",
        "aarch64-pc-windows-msvc",
        "armv7-unknown-linux-gnueabihf",
        "armv7-unknown-linux-gnueabi",
    ] {
        let target = AbiTarget::from_triple(triple, AbiFeatures::default()).unwrap();
        let mut cache = AbiCache::new(target);
        for count in [1, 4, 30] {
            let signature =
                (0..count).fold(Signature::c(CType::I32), |s, i| s.param(scalars[i % scalars.len()].clone()));
            assert_eq!(blocks(|| classify(&target, &signature)), 1, "{triple}, {count} arguments");
            cache.classify(&signature).unwrap();
            assert_eq!(blocks(|| cache.classify(&signature)), 0, "{triple}, {count} arguments, known");
        }
        let none = Signature::c(CType::F64);
        assert_eq!(blocks(|| classify(&target, &none)), 0, "{triple}, no arguments");
    }
}
