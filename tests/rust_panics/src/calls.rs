//! Closures, pointers, conventions: whatever a panic may come through.

use std::hint::black_box;

use throws::{Loud, caught, stop_at, through_c};

unsafe extern "C-unwind" fn called_by_c(n: i32, x: f64, m: u64) -> f64 {
    let _loud = Loud("called by C");
    assert!(n < 5, "{n} {x} {m}");
    x * 2.0 + (m % 1000) as f64
}

#[repr(C)]
struct Big([u32; 5]);

#[repr(C)]
#[derive(Debug)]
struct Sums(u64, u64, u64);

/// Functions of every convention that may be unwound through, each with a guard, integers, floats and results by address.
macro_rules! conventions {
    ($($abi:literal $name:ident)*) => {
        $(
            #[inline(never)]
            extern $abi fn $name(a: u8, b: u64, x: f64, c: i16, big: Big, d: u64, y: f32, stop: u32) -> Sums {
                let _loud = Loud($abi);
                let sum = b.wrapping_mul(u64::from(a)) ^ d ^ c as u64 ^ big.0.iter().map(|&n| u64::from(n)).sum::<u64>();
                let n = stop_at(stop, u32::from(a));
                Sums(sum, (x + f64::from(y)).to_bits(), u64::from(n))
            }
        )*
        fn conventions() {
            $(
                for stop in [0, 3] {
                    // Values in whatever registers the convention keeps, or does not.
                    let (a, b, x, y) = black_box((3u8, 0x1234_5678_9abc_def0u64, 1.5f64, -0.25f32));
                    let (p, q, r, s) = black_box((b ^ 1, b ^ 2, x + 1.0, y * 8.0));
                    let guard = Loud("around the call");
                    let got = caught($abi, || $name(a, b, x, -5, Big([1, 2, 3, 4, black_box(5)]), b >> 7, y, stop));
                    drop(guard);
                    println!("{got:?} {:#x} {:#x} {r} {s} {x} {y} {a}", p.wrapping_add(q), b);
                }
            )*
        }
    };
}

#[cfg(target_arch = "x86")]
conventions! {
    "Rust" by_rust "C-unwind" by_c "cdecl-unwind" by_cdecl "system-unwind" by_system
    "stdcall-unwind" by_stdcall "fastcall-unwind" by_fastcall "thiscall-unwind" by_thiscall
}
#[cfg(target_arch = "x86_64")]
conventions! {
    "Rust" by_rust "C-unwind" by_c "system-unwind" by_system "win64-unwind" by_win64 "sysv64-unwind" by_sysv64
}

/// Every registers' worth of values that live across a call that panics.
#[inline(never)]
fn registers(stop: u32, seed: u64) -> u64 {
    let ints: [u64; 9] = std::array::from_fn(|k| seed.wrapping_mul(k as u64 * 2 + 3).rotate_left(k as u32 * 7));
    let floats: [f64; 9] = std::array::from_fn(|k| seed as f64 / (k as f64 + 0.75));
    let [a, b, c, d, e, f, g, h, i] = ints;
    let [p, q, r, s, t, u, v, w, x] = floats;
    let got = std::panic::catch_unwind(|| stop_at(black_box(stop), 2)).unwrap_or(77);
    let sum = (((a ^ b).wrapping_add(c) ^ d).wrapping_add(e) ^ f).wrapping_mul(g) ^ h.wrapping_sub(i);
    let product = ((p - q) * r - s * t) / (u + v) - w * x;
    sum ^ product.to_bits() ^ u64::from(got)
}

fn closures() {
    let mut count = 0;
    let mut grow = |by: u32| {
        count += by;
        stop_at(count, 6)
    };
    caught("a closure", || (1..9).map(&mut grow).sum::<u32>());
    println!("{count}");
    let boxed: Vec<Box<dyn FnOnce(u32) -> usize>> = vec![
        Box::new(|n| n as usize),
        {
            let loud = Loud("captured");
            Box::new(move |n| stop_at(n, 2) as usize + loud.0.len())
        },
        {
            let (list, loud) = (vec![1, 2, 3], Loud("captured, too"));
            Box::new(move |n| {
                let _moved = loud;
                list[n as usize]
            })
        },
    ];
    for (n, call) in (1..).zip(boxed) {
        caught("boxed", move || call(n));
    }
    let pointer: fn(u32, u32) -> u32 = black_box(stop_at);
    caught("by a pointer", || pointer(4, 4));
    let mut numbers: Vec<u32> = (0..40).map(|k| k * 37 % 41).collect();
    let mut compared = 0;
    caught("sorted", || {
        numbers.sort_by(|a, b| {
            compared += 1;
            stop_at(compared, 50);
            a.cmp(b)
        });
    });
    numbers.sort_unstable();
    println!("{compared} {}", numbers.windows(2).all(|w| w[0] < w[1]));
    let found = caught("found", || (1..).map(|k: u32| (k, stop_at(k * k, 144))).find(|&(k, _)| k == 20));
    println!("{found:?}");
}

/// Frames of many kinds: large, aligned more, of a size that is known late; each looks at itself while it is unwound.
#[repr(align(128))]
struct Far([u8; 9000]);

struct Looks<'a>(&'a Far, usize);

impl Drop for Looks<'_> {
    fn drop(&mut self) {
        let aligned = std::ptr::from_ref(self.0).addr().is_multiple_of(128);
        println!("  looks {aligned} {} {}", self.0.0[self.1], self.0.0[8999 - self.1]);
    }
}

#[inline(never)]
fn deep(depth: usize, stop: usize) -> usize {
    let far = black_box(Far(std::array::from_fn(|k| (k * depth) as u8)));
    let looks = Looks(&far, depth);
    if depth == stop {
        panic!("at the bottom");
    }
    let below = if depth % 4 == 3 {
        caught("half way", || deep(depth + 1, stop)).unwrap_or(1000)
    } else {
        deep(depth + 1, stop)
    };
    below + looks.1 + usize::from(far.0[depth * 3])
}

pub fn all() {
    for n in [1, 3, 4, 5] {
        // SAFETY: it is a function of that type.
        caught("C", || unsafe { through_c(black_box(called_by_c), n) });
    }
    conventions();
    for stop in 1..4 {
        println!("{:#x}", registers(stop, black_box(0xfedc_ba98_7654_3211)));
    }
    closures();
    for stop in [2, 6] {
        caught("deep", || deep(0, stop));
    }
    // Often: nothing is left on the stack.
    let caught_ones = (0..3000).filter(|&k| {
        std::panic::catch_unwind(|| {
            if k % 3 == 0 {
                std::panic::resume_unwind(Box::new(k));
            }
        })
        .is_err_and(|payload| payload.downcast_ref() == Some(&k))
    });
    println!("{}", caught_ones.count());
}
