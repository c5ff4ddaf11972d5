//! Independent jobs on all processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs `job` for every number below `count` on as many threads as there are processors; the results are in order.
pub fn map<T: Send>(count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(count);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        break;
                    }
                    let result = job(i);
                    results.lock().expect("no job panics while it holds the lock")[i] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no job panics while it holds the lock");
    results.into_iter().map(|r| r.expect("every job ran")).collect()
}
