//! Panics in threads, one at a time, so that what they print is in order.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock, mpsc};
use std::thread;

use throws::{DONE, Loud, caught, stop_at, text};

fn done(what: &str) {
    DONE.with_borrow_mut(|done| done.0.push(what.into()));
}

pub fn all() {
    for stop in 0..4 {
        let thread = thread::Builder::new().name(format!("number {stop}"));
        let thread = thread.spawn(move || {
            done("begun");
            let _loud = Loud("the thread's");
            stop_at(stop, 1);
            caught("in a thread", || stop_at(stop, 2));
            done("half done");
            stop_at(stop, 3)
        });
        match thread.expect("a thread").join() {
            Ok(n) => println!("joined: {n}"),
            Err(payload) => println!("joined: {}", text(&*payload)),
        }
    }

    // Several at once, which say nothing; the panic goes on here.
    let sum = AtomicU32::new(0);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8u32)
                .map(|k| {
                    let sum = &sum;
                    scope.spawn(move || {
                        for n in 0..50 {
                            let ended = catch_unwind(|| if n % 2 == 0 { resume_unwind(Box::new(n)) } else { n });
                            sum.fetch_add(ended.map_or(1000, |n| n), Ordering::Relaxed);
                        }
                        if k == 5 {
                            resume_unwind(Box::new("the fifth"));
                        }
                    })
                })
                .collect();
            let ends: Vec<bool> = threads.into_iter().map(|t| t.join().is_err()).collect();
            println!("{ends:?}");
            stop_at(ends.len() as u32, 8)
        })
    }));
    println!("{:?} {}", ended.map_err(|p| text(&*p)), sum.load(Ordering::Relaxed));

    let shared = Arc::new((Mutex::new(vec![1]), RwLock::new(2)));
    let other = Arc::clone(&shared);
    let ended = thread::spawn(move || {
        let mut list = other.0.lock().expect("not poisoned yet");
        let _read = other.1.read();
        list.push(2);
        panic!("locked");
    });
    println!("{}", ended.join().is_err());
    println!("{:?} {:?} {}", shared.0.is_poisoned(), shared.1.is_poisoned(), Arc::strong_count(&shared));
    println!("{:?}", shared.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));

    let (sender, receiver) = mpsc::channel();
    let ended = thread::spawn(move || {
        for k in 0..5 {
            sender.send((k, Loud("sent"))).expect("somebody receives");
            stop_at(k, 2);
        }
    });
    println!("{}", ended.join().is_err());
    println!("{:?}", receiver.iter().map(|(k, _)| k).collect::<Vec<_>>());

    static ONCE: OnceLock<u32> = OnceLock::new();
    for stop in [5, 0] {
        println!("{:?}", catch_unwind(|| *ONCE.get_or_init(|| stop_at(stop, 5))).ok());
    }
}
