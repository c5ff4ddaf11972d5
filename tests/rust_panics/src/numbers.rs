//! Values on both sides of a panic: what was computed before it is there afterwards.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use throws::{Loud, stop_at};

/// State that a loop carries over panics, of every size.
#[derive(Clone, Copy, Debug)]
struct State {
    byte: u8,
    word: i16,
    long: i64,
    wide: u128,
    single: f32,
    double: f64,
    list: [i32; 3],
    some: Option<char>,
}

fn step(state: &mut State, k: u32) -> Result<u32, char> {
    state.byte = state.byte.wrapping_mul(7).wrapping_add(k as u8);
    state.wide = state.wide.wrapping_mul(0x1_0000_0000_0000_0003_0000_0001) ^ u128::from(k);
    stop_at(k % 5, 2);
    state.word = state.word.wrapping_sub(k as i16).rotate_left(3);
    state.single = state.single.mul_add(0.5, k as f32);
    if k % 7 == 3 {
        return Err('r');
    }
    stop_at(k % 6, 4);
    state.list[k as usize % 3] += i32::from(state.word);
    state.double = state.double / 3.0 + f64::from(state.single);
    state.long = state.long.wrapping_add(state.double as i64);
    state.some = char::from_u32(0x60 + k).filter(|c| c.is_alphabetic());
    Ok(k)
}

fn carried() {
    let mut state =
        State { byte: 1, word: -2, long: 3, wide: 4, single: 5.0, double: -6.0, list: [7, 8, 9], some: None };
    let (mut panics, mut errors, mut sum) = (0u32, Vec::new(), 0u64);
    for k in 0..60 {
        let copy = state;
        let guard = (k % 20 == 0).then(|| Loud("twentieth"));
        match catch_unwind(AssertUnwindSafe(|| step(&mut state, black_box(k)))) {
            Ok(Ok(3)) => continue,
            Ok(Ok(n)) => sum += u64::from(n) << (k % 40),
            Ok(Err(c)) => errors.push((k, c)),
            Err(payload) => {
                panics += 1;
                sum ^= payload.downcast_ref::<String>().map_or(0, String::len) as u64;
                if k > 55 {
                    drop(guard);
                    break;
                }
                state.long = copy.long ^ i64::from(k);
            }
        }
    }
    println!("{state:?}\n{panics} {errors:?} {sum}");
}

/// What a closure changed before it panicked is seen after it.
fn changed() {
    for stop in 0..5 {
        let (mut a, mut b, mut c) = (black_box(1.25f64), black_box(2u64), black_box([3i8; 5]));
        let (before, mut text) = (a + b as f64, String::from("text"));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            a *= 3.0;
            stop_at(stop, 1);
            b = b.wrapping_sub(9);
            text.push_str(" and more");
            stop_at(stop, 2);
            c[stop as usize % 5] = a as i8;
            stop_at(stop, 3);
            (a + before, b)
        }));
        println!("{:?} {a} {b} {c:?} {before} {text}", ended.ok());
    }
}

/// Panics in a function whose result travels by address, or in two registers.
fn results() {
    #[inline(never)]
    fn large(stop: u32) -> [u64; 12] {
        std::array::from_fn(|k| u64::from(stop_at(stop, k as u32)) * 0x101)
    }
    #[inline(never)]
    fn pair(stop: u32) -> (f64, u64) {
        (f64::from(stop_at(stop, 2)), u64::from(stop) << 33)
    }
    #[inline(never)]
    fn wide(stop: u32) -> i128 {
        -(i128::from(stop_at(stop, 3)) << 70)
    }
    for stop in [2, 3, 20] {
        let mut kept = [9; 12];
        let first = catch_unwind(AssertUnwindSafe(|| kept = large(stop))).is_ok();
        println!("{first} {kept:?} {:?}", catch_unwind(|| (pair(stop), wide(stop))).ok());
    }
}

pub fn all() {
    carried();
    changed();
    results();
}
