//! Functions in the memory of the process.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use gusset::memory::{Memory, Module};

use crate::compile::Request;
use crate::error::{Failure, guard};
use crate::options::COptions;
use crate::owned::free;
use crate::target::CTarget;
use crate::{text, value};

/// Addresses by the names of symbols.
type Symbols = Arc<Mutex<HashMap<String, usize>>>;

/// Memory: `gusset_memory` of `gusset.h`.
#[derive(Debug)]
pub struct CMemory {
    memory: Memory,
    symbols: Symbols,
}

/// A module in memory: `gusset_module` of `gusset.h`.
#[derive(Debug)]
pub struct CModule(Module);

/// Memory that modules are added to.
#[unsafe(no_mangle)]
pub extern "C" fn gusset_memory_new() -> *mut CMemory {
    let symbols = Symbols::default();
    let known = Arc::clone(&symbols);
    let find = move |name: &str| {
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(name).map(|&address| std::ptr::without_provenance(address))
    };
    Box::into_raw(Box::new(CMemory { memory: Memory::options().symbols(find).build(), symbols }))
}

/// Says where a symbol is that no module defines. Gives 1, or 0 if the name is not one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_memory_define(
    memory: *const CMemory,
    name: *const c_char,
    address: *const c_void,
) -> c_int {
    // SAFETY: C's word.
    let (Ok(memory), Ok(name)) = (unsafe { value(memory, "the memory") }, unsafe { text(name, "the name") }) else {
        return 0;
    };
    let mut symbols = memory.symbols.lock().unwrap_or_else(PoisonError::into_inner);
    symbols.insert(name.to_string(), address.expose_provenance());
    1
}

/// Compiles a text for the host and adds it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_memory_add(
    memory: *const CMemory,
    target: *const CTarget,
    options: *const COptions,
    name: *const c_char,
    source: *const c_char,
    size: usize,
    error: *mut *mut Failure,
) -> *mut CModule {
    // SAFETY: C's word.
    unsafe {
        guard(error, || {
            let memory = value(memory, "the memory")?;
            let image = Request::new(target, options, name, source, size)?.image()?;
            Ok(CModule(memory.memory.add(image)?))
        })
    }
}

/// The address of a function or variable of a module; null if it has none of the name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_module_address(module: *const CModule, name: *const c_char) -> *const c_void {
    // SAFETY: C's word.
    let (Ok(module), Ok(name)) = (unsafe { value(module, "the module") }, unsafe { text(name, "the name") }) else {
        return std::ptr::null();
    };
    module.0.address(name).map_or(std::ptr::null(), <*const ()>::cast)
}

/// Frees a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_module_free(module: *mut CModule) {
    // SAFETY: C's word.
    unsafe { free(module) };
}

/// Frees the memory, when all its modules are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gusset_memory_free(memory: *mut CMemory) {
    // SAFETY: C's word.
    unsafe { free(memory) };
}
