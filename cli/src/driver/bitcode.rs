//! Compiles the bitcode among the inputs of a link: in parallel, with objects that were made before taken from the cache.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::args::Compile;
use super::super::compile;
use super::super::messages::{Failure, Messages};
use super::cache::{Cache, Key};
use super::inputs::Module;
use super::plugin::Plugin;

/// What has become of the modules.
pub(super) struct Made {
    /// For each its object.
    pub objects: Vec<Result<Vec<u8>, Failure>>,
    /// How many objects were in the cache.
    pub cached: usize,
}

/// Compiles modules; the objects do not depend on the number of threads.
pub(super) fn compile_all(modules: &[Module<'_>], plugin: &Plugin, cache: Option<&Cache>, messages: Messages) -> Made {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = plugin.jobs.unwrap_or_else(available);
    let workers = jobs.min(modules.len()).max(1);
    let compile = Compile {
        files: Vec::new(),
        output: None,
        target: plugin.triple.clone(),
        cpu: plugin.cpu.clone(),
        attributes: Vec::new(),
        // What is left over helps with the functions of each.
        options: plugin.options.clone().threads(jobs / workers),
        time: false,
        remarks: false,
        note_c_signatures: false,
        module: None,
        iree: None,
    };
    // The largest first, so that none is left for the end.
    let mut order: Vec<usize> = (0..modules.len()).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(modules[n].bitcode.len()));
    let (next, cached) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let done: Vec<Mutex<Option<_>>> = modules.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(&n) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let object = object_of(&modules[n], &compile, cache, &cached, messages);
            if let Ok(mut place) = done[n].lock() {
                *place = Some(object);
            }
        }
    };
    std::thread::scope(|scope| {
        (1..workers).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    // Every module has been somebody's work.
    let objects = done.into_iter().filter_map(|place| place.into_inner().ok().flatten()).collect();
    Made { objects, cached: cached.into_inner() }
}

fn object_of(
    module: &Module<'_>,
    compile: &Compile,
    cache: Option<&Cache>,
    cached: &AtomicUsize,
    messages: Messages,
) -> Result<Vec<u8>, Failure> {
    let cache = cache.map(|cache| (cache, Key::new(compile, module.bitcode)));
    if let Some(object) = cache.as_ref().and_then(|(cache, key)| cache.get(key)) {
        cached.fetch_add(1, Ordering::Relaxed);
        return Ok(object);
    }
    let object = compile::bitcode(&module.name, module.bitcode, compile, messages)?;
    if let Some((cache, key)) = &cache {
        cache.put(key, &object);
    }
    Ok(object)
}
