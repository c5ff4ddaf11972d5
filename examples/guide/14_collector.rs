//! A copying collector: every allocation moves all objects, and the stack maps say where references to them are.

use std::cell::RefCell;
use std::collections::HashMap;

use gusset::abi::{CType, Signature};
use gusset::ir::{IntCc, Type};
use gusset::memory::{StackMapLocation, StackMapRecord};
use gusset::{BuilderOptions, Func, Linkage, Memory, ObjectBuilder, Target};

use crate::Result;

/// A cell of a list, as the compiled code sees it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Cell {
    next: *mut Cell,
    number: i64,
}

#[derive(Default)]
struct Heap {
    cells: Vec<Cell>,
    safepoints: HashMap<usize, StackMapRecord>,
    collections: usize,
}

thread_local! {
    static HEAP: RefCell<Heap> = RefCell::default();
}

/// The frame pointer in DWARF's numbers.
const FRAME_POINTER: u16 = if cfg!(target_arch = "x86_64") { 6 } else { 29 };
/// The bytes that a call pushes.
const PUSHED: usize = if cfg!(target_arch = "x86_64") { 8 } else { 0 };

impl Heap {
    /// Copies all cells that the frames refer to, and what these refer to, to new memory.
    ///
    /// # Safety
    /// `frame` is the frame pointer of a function that compiled code has called.
    unsafe fn collect(&mut self, frame: *const usize) {
        let mut old = std::mem::take(&mut self.cells);
        self.cells.reserve(old.len() + 1);
        self.collections += 1;
        // SAFETY: the stack maps say that all of this is there.
        unsafe {
            let (mut frame, mut address) = (*frame as *const usize, *frame.add(1));
            while let Some(safepoint) = self.safepoints.get(&address) {
                let stack = frame as usize + 16 - PUSHED - safepoint.frame_size.unwrap_or(0) as usize;
                for (_, reference) in safepoint.pairs() {
                    let StackMapLocation::Indirect { register, offset, .. } = reference else { continue };
                    let base = if register == FRAME_POINTER { frame as usize } else { stack };
                    let slot = base.wrapping_add_signed(offset as isize) as *mut *mut Cell;
                    *slot = moved(&mut self.cells, *slot);
                }
                (frame, address) = (*frame as *const usize, *frame.add(1));
            }
        }
        let mut k = 0;
        while k < self.cells.len() {
            let next = self.cells[k].next;
            self.cells[k].next = moved(&mut self.cells, next);
            k += 1;
        }
        // Whoever still has an old address reads this.
        old.iter_mut().for_each(|cell| *cell = Cell { next: std::ptr::null_mut(), number: i64::MIN });
    }
}

/// The new place of a cell; the old one keeps it, with a mark.
fn moved(cells: &mut Vec<Cell>, cell: *mut Cell) -> *mut Cell {
    const MARK: i64 = i64::MAX;
    let new = cells.as_ptr_range();
    if cell.is_null() || new.contains(&cell.cast_const()) {
        return cell;
    }
    // SAFETY: it is a cell of the old memory, which is still there.
    let old = unsafe { &mut *cell };
    if old.number != MARK {
        // There is room for all cells, so that they stay where they are.
        cells.push(*old);
        let last = cells.len() - 1;
        *old = Cell { next: &raw mut cells[last], number: MARK };
    }
    old.next
}

/// What compiled code allocates by; `frame` is the frame pointer of the compiled function that calls this.
unsafe extern "C" fn make(frame: *const usize, number: i64) -> *mut Cell {
    HEAP.with_borrow_mut(|heap| {
        // SAFETY: the compiled function keeps a frame pointer.
        unsafe { heap.collect(frame) };
        heap.cells.push(Cell { next: std::ptr::null_mut(), number });
        let last = heap.cells.len() - 1;
        &raw mut heap.cells[last]
    })
}

/// `fn sum(n) { let list = nil; while n > 0 { n -= 1; list = cell(n, list); } … }`: a list of the numbers below `n`, and their sum.
fn define_sum(object: &ObjectBuilder<'_>, allocate: Func, sum: Func) -> Result {
    object.define(sum, |b| {
        let (pointer, n) = (b.ptr_type(), b.param(0));
        let (list, count, total) = (b.declare_var(pointer), b.declare_var(Type::I64), b.declare_var(Type::I64));
        b.reference_var(list);
        let (null, zero, one) = (b.ptr_const(0), b.i64_const(0), b.i64_const(1));
        [(list, null), (count, n), (total, zero)].into_iter().for_each(|(var, v)| b.def_var(var, v));
        let [grow, add, check, end] = [0; 4].map(|_| b.create_block());
        b.jump(grow, &[]);

        b.switch_to(grow);
        let number = b.use_var(count);
        let number = b.isub(number, one);
        b.def_var(count, number);
        let cell = b.call_safepoint(allocate, &[number], 1).ok_or("it returns a cell")?;
        let rest = b.use_var(list);
        b.store(rest, cell, 0);
        b.def_var(list, cell);
        let more = b.icmp(IntCc::Ne, number, zero);
        b.br(more, grow, &[], check, &[]);
        b.seal(grow);

        b.switch_to(check);
        let cell = b.use_var(list);
        let more = b.icmp(IntCc::Ne, cell, null);
        b.br(more, add, &[], end, &[]);
        b.seal(add);
        b.seal(end);

        b.switch_to(add);
        // Its only purpose is to move the list.
        b.call_safepoint(allocate, &[zero], 2);
        let cell = b.use_var(list);
        let (number, so_far) = (b.load_i64(cell, 8), b.use_var(total));
        let so_far = b.iadd(so_far, number);
        b.def_var(total, so_far);
        let next = b.load_pointer(cell, 0);
        b.def_var(list, next);
        b.jump(check, &[]);
        b.seal(check);

        b.switch_to(end);
        let total = b.use_var(total);
        b.ret(Some(total));
        Ok(())
    })
}

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new().frame_pointers(true));
    let make_cell = object.declare_c("void *make(void *frame, long long number);")?;
    let signature = object.c_signature("void *allocate(long long number);")?;
    let allocate = object.declare("allocate", signature, Linkage::Local)?;
    let sum = object.declare("sum", Signature::c(CType::I64).param(CType::I64), Linkage::Export)?;
    object.define(allocate, |b| {
        let (frame, number) = (b.frame_address(0), b.param(0));
        let cell = b.call(make_cell, &[frame, number]);
        b.ret(cell);
    })?;
    define_sum(&object, allocate, sum)?;

    let memory = Memory::options().symbols(|name| (name == "make").then_some(make as *const ())).build();
    let module = memory.add(object.finish_image()?)?;
    let safepoints = module.stack_maps()?.into_iter().map(|record| (record.address, record));
    HEAP.with_borrow_mut(|heap| heap.safepoints = safepoints.collect());
    // SAFETY: the function has this type.
    let sum = unsafe { module.function::<unsafe extern "C" fn(i64) -> i64>("sum")? };
    let result = unsafe { sum(100) };
    println!("sum(100) = {result}, after {} collections", HEAP.with_borrow(|heap| heap.collections));
    Ok(())
}
