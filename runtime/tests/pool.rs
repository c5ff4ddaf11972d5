//! The pool from Rust: growth, reuse, threads.

use gusset_runtime::{Trampoline, mapped_blocks};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

/// Tests that count blocks run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

extern "C" fn callee() {}

fn make(chain: usize) -> Trampoline {
    Trampoline::new(callee as *const (), std::ptr::without_provenance(chain)).expect("memory")
}

#[test]
fn freed_trampolines_live_again_after_a_while() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut recent = std::collections::VecDeque::new();
    let before = mapped_blocks();
    for round in 0..100_000 {
        let code = make(round).code();
        assert!(!recent.contains(&code), "round {round}: used again at once");
        recent.push_back(code);
        if recent.len() > 60 {
            recent.pop_front();
        }
    }
    assert!(mapped_blocks() - before <= 1, "{} blocks for one trampoline at a time", mapped_blocks() - before);
}

#[test]
fn all_that_was_freed_is_used_again() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let make_all = || (0..30_000).map(make).collect::<Vec<_>>();
    let mut all = make_all();
    let codes: std::collections::HashSet<_> = all.iter().map(Trampoline::code).collect();
    assert_eq!(codes.len(), all.len(), "two live trampolines at one address");
    let peak = mapped_blocks();
    for _ in 0..5 {
        drop(std::mem::take(&mut all));
        all = make_all();
    }
    assert!(mapped_blocks() <= peak + 1, "{} blocks more", mapped_blocks() - peak);
}

#[test]
fn trampolines_freed_on_another_thread_come_back() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, receiver) = mpsc::sync_channel::<Vec<Trampoline>>(4);
    let freeing = std::thread::spawn(move || receiver.into_iter().map(|some| some.len()).sum::<usize>());
    let before = mapped_blocks();
    for _ in 0..1000 {
        sender.send((0..100).map(make).collect()).expect("the other thread listens");
    }
    drop(sender);
    assert_eq!(freeing.join().expect("no panic"), 100_000);
    // Alive or on the way there are less than 2,000 at a time, and each thread keeps about 1,000 at most.
    assert!(mapped_blocks() - before <= 10, "{} blocks", mapped_blocks() - before);
}

#[test]
fn threads_give_back_what_they_have() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = mapped_blocks();
    for _ in 0..200 {
        std::thread::spawn(|| drop((0..700).map(make).collect::<Vec<_>>())).join().expect("no panic");
    }
    assert!(mapped_blocks() - before <= 2, "{} blocks", mapped_blocks() - before);
}

// On Windows the pool's own end may come first, and the block of such a destructor is then lost.
#[cfg(not(windows))]
#[test]
fn destructors_of_a_thread_may_still_use_trampolines() {
    struct Late(std::cell::RefCell<Vec<Trampoline>>);
    impl Drop for Late {
        fn drop(&mut self) {
            self.0.borrow_mut().extend((0..10).map(make));
            self.0.borrow_mut().drain(..5);
        }
    }
    thread_local!(static LATE: Late = const { Late(std::cell::RefCell::new(Vec::new())) });
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for first in [true, false] {
        // Destructors run in some order of first use: both orders.
        let before = mapped_blocks();
        for _ in 0..50 {
            std::thread::spawn(move || {
                if first {
                    drop(make(1));
                }
                LATE.with(|late| late.0.borrow_mut().push(make(2)));
            })
            .join()
            .expect("no panic");
        }
        assert!(mapped_blocks() - before <= 2, "{} blocks", mapped_blocks() - before);
    }
}

/// Every mapping of the process is either writable or executable, also while the pool grows.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_writable_and_executable() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = Vec::new();
    for round in 0..20 {
        all.extend((0..1000).map(|i| make(round * 1000 + i)));
        let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
        let bad: Vec<_> = maps.lines().filter(|line| line.contains("wx")).collect();
        assert!(bad.is_empty(), "{bad:?}");
        let code = all.last().map_or(0, |last| last.code() as usize);
        let inside = |line: &&str| {
            let range = line.split_whitespace().next()?.split_once('-')?;
            let [from, to] = [range.0, range.1].map(|text| usize::from_str_radix(text, 16).unwrap_or(0));
            (from..to).contains(&code).then_some(())
        };
        let mapping = maps.lines().find(|line| inside(line).is_some()).expect("the code is somewhere");
        assert!(mapping.contains(" r-xp "), "{mapping}");
    }
}
