//! Compiles functions on several threads, and passes them on in source order.
//!
//! Threads take runs of functions from a common queue. The calling thread takes the results in order; workers that get
//! too far ahead wait, so that memory stays bounded. The result does not depend on the scheduling.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Stack size of a worker: deeply nested input must not exhaust it earlier than the main thread's.
const STACK_BYTES: usize = 16 << 20;

struct State<R, E> {
    /// The next run to take.
    next: usize,
    /// The run that the consumer waits for.
    wanted: usize,
    /// Finished runs ahead of that.
    done: BTreeMap<usize, Result<R, E>>,
    stop: bool,
}

struct Queue<R, E> {
    state: Mutex<State<R, E>>,
    changed: Condvar,
}

impl<R, E> Queue<R, E> {
    fn lock(&self) -> MutexGuard<'_, State<R, E>> {
        // A worker that panicked ends the program when its scope ends; the state is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something changes.
    fn wait<'a>(&self, state: MutexGuard<'a, State<R, E>>) -> MutexGuard<'a, State<R, E>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops the queue when a thread ends in any way, so that no other waits for it forever.
struct StopOnPanic<'q, R, E>(&'q Queue<R, E>);

impl<R, E> Drop for StopOnPanic<'_, R, E> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().stop = true;
            self.0.changed.notify_all();
        }
    }
}

/// Works through `runs` on `threads` threads, each with a worker of its own, and passes the results to `consume` in
/// order.
///
/// # Errors
/// The first error in order, from a worker or from `consume`.
pub(crate) fn in_order<R: Send, E: Send, W: FnMut(Range<usize>) -> Result<R, E>>(
    runs: &[Range<usize>],
    threads: usize,
    worker: impl Fn() -> W + Sync,
    mut consume: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.min(runs.len());
    if threads <= 1 {
        let mut step = worker();
        return runs.iter().try_for_each(|run| step(run.clone()).and_then(&mut consume));
    }
    let ahead = 4 * threads;
    let state = State { next: 0, wanted: 0, done: BTreeMap::new(), stop: false };
    let queue = Queue { state: Mutex::new(state), changed: Condvar::new() };
    let work = |queue: &Queue<R, E>| {
        let _guard = StopOnPanic(queue);
        let mut step = worker();
        loop {
            let run = {
                let mut state = queue.lock();
                while !state.stop && state.next >= state.wanted + ahead && state.next < runs.len() {
                    state = queue.wait(state);
                }
                if state.stop || state.next >= runs.len() {
                    return;
                }
                state.next += 1;
                state.next - 1
            };
            let result = step(runs[run].clone());
            let mut state = queue.lock();
            state.done.insert(run, result);
            queue.changed.notify_all();
        }
    };
    thread::scope(|scope| {
        let spawn = || thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || work(&queue)).is_ok();
        if !(0..threads).fold(false, |any, _| spawn() || any) {
            // The system provides no threads, so this one does everything.
            let mut step = worker();
            return runs.iter().try_for_each(|run| step(run.clone()).and_then(&mut consume));
        }
        let mut outcome = Ok(());
        let _guard = StopOnPanic(&queue);
        for run in 0..runs.len() {
            let result = {
                let mut state = queue.lock();
                loop {
                    if let Some(result) = state.done.remove(&run) {
                        break Some(result);
                    }
                    if state.stop {
                        break None;
                    }
                    state = queue.wait(state);
                }
            };
            outcome = match result {
                Some(result) => result.and_then(&mut consume),
                None => break,
            };
            let mut state = queue.lock();
            state.wanted = run + 1;
            state.stop = outcome.is_err();
            queue.changed.notify_all();
            if outcome.is_err() {
                break;
            }
        }
        outcome
    })
}

/// Splits `costs` into runs of about `target` each, in order; an item that costs more is a run of its own.
pub(crate) fn runs(costs: impl Iterator<Item = usize>, target: usize) -> Vec<Range<usize>> {
    let (mut runs, mut start, mut sum, mut count) = (Vec::new(), 0, 0usize, 0);
    for (i, cost) in costs.enumerate() {
        if sum > 0 && sum.saturating_add(cost) > target {
            runs.push(start..i);
            (start, sum) = (i, 0);
        }
        sum = sum.saturating_add(cost);
        count = i + 1;
    }
    if start < count {
        runs.push(start..count);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_everything_once() {
        assert_eq!(runs([].into_iter(), 10), []);
        assert_eq!(runs([3, 3, 3, 3, 50, 1, 0].into_iter(), 10), [0..3, 3..4, 4..5, 5..7]);
    }

    #[test]
    fn results_come_in_order() {
        let all: Vec<Range<usize>> = runs((0..1000).map(|i| i % 7 + 1), 9);
        for threads in [1, 2, 5] {
            let mut seen = Vec::new();
            let worker = || {
                |run: Range<usize>| {
                    thread::sleep(std::time::Duration::from_micros(run.start as u64 * 37 % 100));
                    Ok::<_, ()>(run)
                }
            };
            in_order(&all, threads, worker, |run| {
                seen.push(run);
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn the_first_error_wins_and_ends_the_work() {
        let all: Vec<Range<usize>> = (0..500).map(|i| i..i + 1).collect();
        for _ in 0..20 {
            let worker = || |run: Range<usize>| if run.start % 100 == 77 { Err(run.start) } else { Ok(run.start) };
            let mut last = 0;
            let outcome = in_order(&all, 3, worker, |i| {
                last = i;
                Ok(())
            });
            assert_eq!((outcome, last), (Err(77), 76));
        }
    }
}
