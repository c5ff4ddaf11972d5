//! Panics that unwind, of every kind, and what is destroyed on their ways, in order. With an argument: panics that end the program.

mod calls;
mod collections;
mod numbers;
mod threads;

use std::any::Any;
use std::future::Future;
use std::panic::{Location, panic_any, resume_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use throws::{Bouncer, Loud, Visitor, annotate, apply, caught, stop_at, text};

/// Locals, temporaries, parts and elements, some of them moved or not.
fn order(stop: u32) -> usize {
    let _first = Loud("first");
    let (left, _right) = (Loud("left"), Loud("right"));
    let list = vec![Loud("one"), Loud("two"), Loud("three")];
    let boxed: Box<dyn Any> = Box::new([Loud("boxed a"), Loud("boxed b")]);
    stop_at(stop, 1);
    if stop.is_multiple_of(2) {
        drop(left);
    }
    stop_at(stop, 2);
    let array = [Loud("made"), made(stop, 3), made(stop, 4), made(stop, 5)];
    let moved = (list, array);
    let length = Loud("temporary").0.len() + moved.0.len() + consume(moved, stop);
    let _last = match stop_at(stop, 9) {
        n if n > 100 => None,
        n => Some((n, boxed)),
    };
    length
}

fn made(stop: u32, here: u32) -> Loud {
    stop_at(stop, here);
    Loud("made again")
}

fn consume((mut list, [a, b, c, d]): (Vec<Loud>, [Loud; 4]), stop: u32) -> usize {
    let kept = list.pop();
    stop_at(stop, 6);
    drop((b, list));
    stop_at(stop, 7);
    arguments(Loud("argument"), kept, stop_at(stop, 8), [a, c, d])
}

#[inline(never)]
fn arguments(_one: Loud, two: Option<Loud>, n: u32, three: [Loud; 3]) -> usize {
    two.map_or(0, |loud| loud.0.len()) + n as usize + three.len()
}

/// Panics while it is destroyed, in depths that it catches itself.
struct Nested(u32);

impl Drop for Nested {
    fn drop(&mut self) {
        let depth = self.0;
        println!("  nested {depth}, {}", if std::thread::panicking() { "unwound" } else { "dropped" });
        if depth > 0 {
            caught("  within a destructor", || {
                let _inner = (Nested(depth - 1), Loud("beside it"));
                panic!("at depth {depth}");
            });
        }
    }
}

/// Panics when it is destroyed, but for the first time.
struct Bad(u32);

impl Drop for Bad {
    fn drop(&mut self) {
        println!("  bad {}", self.0);
        if self.0 > 0 {
            panic!("destructor {}", self.0);
        }
    }
}

struct Around {
    _before: Loud,
    _bad: Bad,
    _behind: Vec<Loud>,
}

fn destructors() {
    for depth in 0..4 {
        caught("nested", || {
            let _nested = Nested(depth);
            let _loud = Loud("after nested");
            if depth > 1 {
                panic!("outside at {depth}");
            }
        });
    }
    for n in 0..2 {
        caught("a field's destructor", || {
            let _outer = Loud("outer");
            drop(Around { _before: Loud("before"), _bad: Bad(n), _behind: vec![Loud("after"), Loud("last")] });
            let _replaced = Loud("not there if it panics");
        });
    }
    caught("an assignment", || {
        let mut bad = Bad(5);
        println!("  {}", bad.0);
        bad = Bad(0);
        println!("  {}", bad.0);
    });
}

#[repr(align(64))]
#[derive(Clone, Debug, PartialEq)]
struct Aligned([u16; 40]);

struct Nothing;

fn payloads() {
    let ended = |run: fn()| std::panic::catch_unwind(run).expect_err("it panics");
    println!("{:?}", ended(|| panic_any(-7i32)).downcast_ref::<i32>());
    println!("{}", ended(|| panic_any(Nothing)).is::<Nothing>());
    println!("{}", text(&*ended(|| panic!("a text"))));
    println!("{}", text(&*ended(|| panic!("{}", std::hint::black_box("a made text")))));
    let aligned = Aligned(std::array::from_fn(|k| k as u16 * 3));
    let sent = ended(|| panic_any(Aligned(std::array::from_fn(|k| k as u16 * 3))));
    println!("{:?} {}", sent.downcast_ref::<Aligned>() == Some(&aligned), text(&*sent));
    let loud = ended(|| panic_any((Loud("payload"), 5u8)));
    println!("kept {}", loud.is::<(Loud, u8)>());
    drop(loud);
    // Silently, without the hook.
    let again = ended(|| resume_unwind(Box::new(Loud("resumed"))));
    println!("{}", caught("passed on", move || resume_unwind(again)).is_none());
    caught("annotated", || annotate(|| annotate(|| panic!("{} things", std::hint::black_box(3)))));
    caught("not annotated", || annotate(|| annotate(|| std::hint::black_box(3))));
    let place = std::panic::catch_unwind(|| panic_any(*Location::caller())).expect_err("it panics");
    println!("{:?}", place.downcast_ref::<Location>().map(|place| (place.line(), place.column())));
}

/// The other crate's counterpart.
struct Here<'a>(&'a str);

impl Visitor for Here<'_> {
    fn visit(&mut self, depth: u32, other: &mut dyn Visitor) -> u64 {
        let name = format!("{} {depth}", self.0);
        let guard = Loud("here");
        let value = if depth == 4 {
            let inner = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| other.visit(depth + 1, self)));
            inner.unwrap_or_else(|payload| {
                println!("  {name} caught {:?}", payload.downcast_ref::<Vec<u32>>());
                1 << 40
            })
        } else {
            other.visit(depth + 1, self)
        };
        drop(guard);
        println!("  {name}: {value:#x}");
        value + name.len() as u64
    }
}

fn crates() {
    for until in [1, 3, 5, 7] {
        let mut bouncer = Bouncer { until, seen: Vec::new() };
        caught("between crates", || Here("main").visit(0, &mut bouncer));
        println!("{:?}", bouncer.seen);
    }
    let name = String::from("owned");
    caught("applied", || {
        apply("outer", (name, Loud("given")), |(name, loud)| apply("inner", loud, |l| l.0.len() + name.len()))
    });
    caught("applied", || {
        apply("outer", vec![Loud("given"), Loud("too")], |list| {
            apply("inner", list.into_iter(), |mut list| list.next().filter(|l| l.0.len() > 50).expect("a long name").0)
        })
    });
}

/// Suspended functions whose variables live in the future.
fn futures() {
    async fn step(n: u32, stop: u32) -> u32 {
        let _step = Loud("a step's");
        let mut waited = false;
        std::future::poll_fn(|_| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending })
            .await;
        stop_at(stop, n)
    }
    for stop in 1..4 {
        caught("a future", || {
            let work = async {
                let _outer = Loud("the future's");
                let first = step(1, stop).await;
                let list = vec![Loud("between")];
                let second = step(2, stop).await;
                first + second + list.len() as u32
            };
            let mut work = pin!(work);
            let mut polled = 0;
            loop {
                polled += 1;
                if let Poll::Ready(sum) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    return (sum, polled);
                }
            }
        });
    }
}

/// Panics that nothing catches, or that must not get out.
fn end(how: &str) {
    let _loud = Loud("at the end");
    println!("{how}");
    match how {
        "uncaught" => {
            let _twice = Nested(2);
            panic!("uncaught");
        }
        "stopped" => println!("{}", throws::never_unwinds(std::hint::black_box(3))),
        "twice" => {
            let _bad = Bad(1);
            let _loud = Loud("in front of it");
            panic!("the first");
        }
        "aborted" => std::process::abort(),
        _ => println!("no such end"),
    }
}

fn main() {
    std::panic::set_hook(Box::new(|info| {
        let thread = std::thread::current();
        let line = info.location().map_or(0, Location::line);
        println!("  line {line} of {}: {}", thread.name().unwrap_or("a thread"), text(info.payload()));
    }));
    if let Some(how) = std::env::args().nth(1) {
        return end(&how);
    }
    for stop in 0..11 {
        caught("order", || order(stop));
    }
    destructors();
    payloads();
    crates();
    futures();
    calls::all();
    collections::all();
    numbers::all();
    threads::all();
    println!("done");
}
