//! Closures of every shape, called through C function pointers.

use gusset_runtime::Closure;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};

#[test]
fn nothing_in_and_out() {
    let called = Cell::new(0);
    let count = Closure::<unsafe extern "C" fn()>::new(|| called.set(called.get() + 1)).expect("memory");
    let pointer = count.pointer();
    // SAFETY: the closure lives.
    (0..3).for_each(|_| unsafe { pointer() });
    assert_eq!(called.get(), 3);
}

#[test]
fn eight_integers_of_every_width() {
    type F = unsafe extern "C" fn(i8, u16, i32, u64, i64, u8, i16, u32) -> i64;
    let factor = 3;
    let f = Closure::<F>::new(move |a: i8, b: u16, c: i32, d: u64, e: i64, f: u8, g: i16, h: u32| {
        factor
            * (i64::from(a) + i64::from(b) + i64::from(c) + d as i64 + e + i64::from(f) + i64::from(g) + i64::from(h))
    })
    .expect("memory");
    // SAFETY: the closure lives.
    let sum = unsafe { (f.pointer())(-1, 65_535, -70_000, 1 << 40, -(1 << 50), 255, -32_768, u32::MAX) };
    let expected = -1 + 65_535 - 70_000 + (1 << 40) - (1 << 50) + 255 - 32_768 + i64::from(u32::MAX);
    assert_eq!(sum, 3 * expected);
}

#[test]
fn integers_and_floats_in_turn() {
    type F = unsafe extern "C" fn(f32, i32, f64, i64, f64, f32, *const u8, f64) -> f64;
    let seen = RefCell::new(Vec::new());
    let f = Closure::<F>::new(|a: f32, b: i32, c: f64, d: i64, e: f64, f: f32, g: *const u8, h: f64| {
        seen.borrow_mut().push(format!("{a} {b} {c} {d} {e} {f} {} {h}", g as usize));
        a as f64 + c + e
    })
    .expect("memory");
    // SAFETY: the closure lives.
    let result = unsafe { (f.pointer())(0.5, -7, 1.25, i64::MIN, -3.0, 8.5, std::ptr::without_provenance(77), 1e300) };
    assert_eq!(result, -1.25);
    assert_eq!(*seen.borrow(), [format!("0.5 -7 1.25 {} -3 8.5 77 {}", i64::MIN, 1e300)]);
}

#[test]
fn many_of_a_kind_reach_the_stack() {
    type Floats = unsafe extern "C" fn(f64, f64, f64, f64, f64, f64, f64, f64) -> f32;
    let one = 1.0;
    let f = Closure::<Floats>::new(|a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64| {
        (((((((a * 2.0 + b) * 2.0 + c) * 2.0 + d) * 2.0 + e) * 2.0 + f) * 2.0 + g) * 2.0 + h + one) as f32
    })
    .expect("memory");
    // SAFETY: the closure lives.
    assert_eq!(unsafe { (f.pointer())(1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0) }, 179.0);
    type Ints = unsafe extern "C" fn(c_int, c_int, c_int, c_int, c_int, c_int, c_int, c_int) -> *mut c_void;
    let base = 0x1000usize;
    let f = Closure::<Ints>::new(|a: c_int, b: c_int, c: c_int, d: c_int, e: c_int, f: c_int, g: c_int, h: c_int| {
        let index = [a, b, c, d, e, f, g, h].iter().fold(0, |index, digit| index * 10 + digit);
        std::ptr::without_provenance_mut(base + index as usize)
    })
    .expect("memory");
    // SAFETY: the closure lives.
    assert_eq!(unsafe { (f.pointer())(1, 2, 3, 4, 5, 6, 7, 8) } as usize, 0x1000 + 12_345_678);
}

#[test]
fn closures_call_each_other() {
    type F = unsafe extern "C" fn(u64) -> u64;
    struct Walk<'a>(&'a Cell<Option<F>>);
    let to_itself = Cell::new(None);
    let walk = Walk(&to_itself);
    let factorial = Closure::<F>::new(|n: u64| match n {
        0 => 1,
        // SAFETY: the closure lives as long as it is called from itself.
        _ => n * walk.0.get().map_or(0, |f| unsafe { f(n - 1) }),
    })
    .expect("memory");
    to_itself.set(Some(factorial.pointer()));
    // SAFETY: the closure lives.
    assert_eq!(unsafe { (factorial.pointer())(20) }, (1..=20).product());
}

#[test]
fn what_a_closure_owns_is_dropped_with_it() {
    let shared = std::rc::Rc::new(5);
    let owned = shared.clone();
    let f = Closure::<unsafe extern "C" fn(i32) -> i32>::new(move |x: i32| x + *owned).expect("memory");
    // SAFETY: the closure lives.
    assert_eq!(unsafe { (f.pointer())(1) }, 6);
    assert_eq!(std::rc::Rc::strong_count(&shared), 2);
    drop(f);
    assert_eq!(std::rc::Rc::strong_count(&shared), 1);
}

#[test]
fn c_calls_a_closure_from_the_middle_of_its_work() {
    unsafe extern "C" {
        fn qsort(
            base: *mut c_void,
            count: usize,
            size: usize,
            compare: unsafe extern "C" fn(*const i32, *const i32) -> c_int,
        );
    }
    let comparisons = Cell::new(0);
    let descending = true;
    let compare =
        Closure::<unsafe extern "C" fn(*const i32, *const i32) -> c_int>::new(|a: *const i32, b: *const i32| {
            comparisons.set(comparisons.get() + 1);
            // SAFETY: qsort passes elements of the array.
            let order = unsafe { (*a).cmp(&*b) } as c_int;
            if descending { -order } else { order }
        })
        .expect("memory");
    let mut numbers: Vec<i32> = (0..1000).map(|i| i * 7919 % 1009).collect();
    let mut expected = numbers.clone();
    expected.sort_by(|a, b| b.cmp(a));
    // SAFETY: a whole array, and a closure that lives.
    unsafe { qsort(numbers.as_mut_ptr().cast(), numbers.len(), size_of::<i32>(), compare.pointer()) };
    assert_eq!(numbers, expected);
    assert!(comparisons.get() >= 999);
}

#[test]
fn a_closure_that_is_sync_runs_on_many_threads() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let sum = AtomicU32::new(0);
    let add = Closure::<unsafe extern "C" fn(u32)>::new(|x: u32| {
        sum.fetch_add(x, Ordering::Relaxed);
    })
    .expect("memory");
    let pointer = add.pointer();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            // SAFETY: the closure lives until the scope ends, and is Sync.
            scope.spawn(move || (0..1000).for_each(|_| unsafe { pointer(thread) }));
        }
    });
    assert_eq!(sum.load(Ordering::Relaxed), 6000);
}
