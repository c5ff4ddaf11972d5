//! Compiles functions on several threads, and passes them on in source order.
//!
//! Threads take runs of functions from a common queue. The calling thread works, too, and takes the results in order; who
//! gets too far ahead waits, so that memory stays bounded. Results that were taken are used again for other runs. The order
//! does not depend on the scheduling.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Stack size of a worker: deeply nested input must not exhaust it earlier than the main thread's.
const STACK_BYTES: usize = 16 << 20;

/// How many runs a thread may be ahead of the consumer: those that others finish while the consumer's thread compiles a long one.
const RUNS_AHEAD: usize = 16;

struct State<R, E> {
    /// The next run to take.
    next: usize,
    /// The run that the consumer takes next.
    wanted: usize,
    /// The consumer waits for it.
    consumer_waits: bool,
    /// Workers that wait for the consumer.
    waiting: usize,
    /// Finished runs.
    done: BTreeMap<usize, Result<R, E>>,
    /// Results that were taken.
    spare: Vec<R>,
    stop: bool,
}

struct Queue<R, E> {
    state: Mutex<State<R, E>>,
    /// Number of runs.
    runs: usize,
    /// How far the runs that are taken may be ahead of the consumer.
    ahead: usize,
    /// The wanted run is finished.
    ready: Condvar,
    /// The consumer has taken a result.
    taken: Condvar,
}

/// What there is to do for the consumer's thread.
enum Turn<R, E> {
    Consume(Result<R, E>),
    Compile(usize, R),
    Stop,
}

impl<R: Default, E> Queue<R, E> {
    fn lock(&self) -> MutexGuard<'_, State<R, E>> {
        // A worker that panicked ends the program when its scope ends; the state is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next run, with room for its result, unless it is too far ahead.
    fn next(&self, state: &mut State<R, E>) -> Option<(usize, R)> {
        if state.next >= self.runs || state.next >= state.wanted + self.ahead {
            return None;
        }
        state.next += 1;
        Some((state.next - 1, state.spare.pop().unwrap_or_default()))
    }

    /// Waits for a run.
    fn take(&self) -> Option<(usize, R)> {
        let mut state = self.lock();
        loop {
            if state.stop || state.next >= self.runs {
                return None;
            }
            if let Some(run) = self.next(&mut state) {
                return Some(run);
            }
            state.waiting += 1;
            state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn put(&self, run: usize, result: Result<R, E>) {
        let mut state = self.lock();
        state.done.insert(run, result);
        if state.consumer_waits && state.wanted == run {
            self.ready.notify_one();
        }
    }

    /// Finds what the consumer's thread does next: the wanted run comes first, another one second.
    fn turn(&self) -> Turn<R, E> {
        let mut state = self.lock();
        loop {
            let wanted = state.wanted;
            if let Some(result) = state.done.remove(&wanted) {
                return Turn::Consume(result);
            }
            if state.stop {
                return Turn::Stop;
            }
            if let Some((run, room)) = self.next(&mut state) {
                return Turn::Compile(run, room);
            }
            state.consumer_waits = true;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.consumer_waits = false;
        }
    }

    /// Says that the wanted run has been consumed, and whether that went well.
    fn consumed(&self, result: Option<R>) {
        let mut state = self.lock();
        state.wanted += 1;
        state.stop |= result.is_none();
        state.spare.extend(result);
        if state.waiting > 0 {
            self.taken.notify_all();
        }
    }
}

/// Stops the queue when a thread ends in any way, so that no other waits for it forever.
struct StopOnPanic<'q, R: Default, E>(&'q Queue<R, E>);

impl<R: Default, E> Drop for StopOnPanic<'_, R, E> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().stop = true;
            self.0.ready.notify_all();
            self.0.taken.notify_all();
        }
    }
}

/// Works through `runs` on `threads` threads, each with a worker of its own, and passes the results to `consume` in
/// order. A worker gets a result that was consumed before, or a new one, and fills it anew.
///
/// # Errors
/// The first error in order, from a worker or from `consume`.
pub(crate) fn in_order<R: Send + Default, E: Send, W: FnMut(Range<usize>, &mut R) -> Result<(), E>>(
    runs: &[Range<usize>],
    threads: usize,
    worker: impl Fn() -> W + Sync,
    mut consume: impl FnMut(&R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.clamp(1, runs.len().max(1));
    let (done, spare) = (BTreeMap::new(), Vec::new());
    let state = State { next: 0, wanted: 0, consumer_waits: false, waiting: 0, done, spare, stop: false };
    let (ready, taken, ahead) = (Condvar::new(), Condvar::new(), RUNS_AHEAD * threads);
    let queue = Queue { state: Mutex::new(state), runs: runs.len(), ahead, ready, taken };
    let compile = |step: &mut W, (run, mut result): (usize, R)| {
        let done = step(runs[run].clone(), &mut result);
        queue.put(run, done.map(|()| result));
    };
    let work = || {
        let _guard = StopOnPanic(&queue);
        let mut step = worker();
        while let Some(run) = queue.take() {
            compile(&mut step, run);
        }
    };
    thread::scope(|scope| {
        let _guard = StopOnPanic(&queue);
        for _ in 1..threads {
            // What the system gives no threads for, this one does.
            if thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        let mut step = None;
        for _ in 0..runs.len() {
            let result = loop {
                match queue.turn() {
                    Turn::Consume(result) => break result,
                    Turn::Compile(run, room) => compile(step.get_or_insert_with(&worker), (run, room)),
                    Turn::Stop => return Ok(()),
                }
            };
            let consumed = result.and_then(|result| consume(&result).map(|()| result));
            match consumed {
                Ok(result) => queue.consumed(Some(result)),
                Err(error) => {
                    queue.consumed(None);
                    return Err(error);
                }
            }
        }
        Ok(())
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
                |run: Range<usize>, result: &mut Range<usize>| {
                    thread::sleep(std::time::Duration::from_micros(run.start as u64 * 37 % 100));
                    *result = run;
                    Ok::<_, ()>(())
                }
            };
            in_order(&all, threads, worker, |run| {
                seen.push(run.clone());
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
            let worker = || {
                |run: Range<usize>, result: &mut usize| {
                    *result = run.start;
                    if run.start % 100 == 77 { Err(run.start) } else { Ok(()) }
                }
            };
            let mut last = 0;
            let outcome = in_order(&all, 3, worker, |i| {
                last = *i;
                Ok(())
            });
            assert_eq!((outcome, last), (Err(77), 76));
        }
    }
}
