//! Unwinding through code in memory: tells the process's unwinder of a module's tables.

use crate::layout::{Extent, Layout};
use gusset_codegen::object::ImageSectionKind;

/// A module's tables as the unwinder knows them; they are forgotten when this goes.
#[derive(Debug)]
pub(crate) struct Registration {
    tables: system::Tables,
}

impl Registration {
    /// Registers the tables of a module whose fixed region is at an address; `None` if it has none.
    pub fn new(layout: &Layout<'_>, fixed: u64) -> Option<Registration> {
        let table = layout.extent(|kind| {
            matches!(kind, ImageSectionKind::Unwind | ImageSectionKind::FunctionTable | ImageSectionKind::Index { .. })
        })?;
        let code = layout.extent(|kind| kind == ImageSectionKind::Code).unwrap_or_default();
        let at = |extent: Extent| Extent { offset: fixed + extent.offset, ..extent };
        Some(Registration { tables: system::Tables::new(fixed, at(code), at(table))? })
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.tables.forget();
    }
}

/// `.eh_frame`, for libgcc's unwinder and LLVM's.
#[cfg(any(all(unix, not(target_arch = "arm")), all(windows, target_arch = "x86", target_env = "gnu")))]
mod system {
    use std::ffi::c_void;

    use super::Extent;
    use crate::process;

    // Of the unwinder that Rust programs have.
    unsafe extern "C" {
        fn __register_frame(table: *const c_void);
        fn __deregister_frame(table: *const c_void);
    }

    type Function = unsafe extern "C" fn(*const c_void);

    /// An unwinder's functions.
    #[derive(Clone, Copy, Debug)]
    struct Unwinder {
        register: Function,
        deregister: Function,
        /// LLVM's takes single descriptions of functions, libgcc's a whole table.
        single: bool,
    }

    /// The unwinder that is part of this program or that its library has.
    #[cfg(unix)]
    fn unwinders() -> [Option<Unwinder>; 1] {
        use std::sync::OnceLock;
        static SINGLE: OnceLock<bool> = OnceLock::new();
        let is_single = || cfg!(target_env = "musl") || process::find("__unw_add_dynamic_fde").is_some();
        let single = *SINGLE.get_or_init(is_single);
        [Some(Unwinder { register: __register_frame, deregister: __deregister_frame, single })]
    }

    /// The unwinder that is part of this program, and that of programs in C++ with shared libraries, if it is there.
    #[cfg(windows)]
    fn unwinders() -> [Option<Unwinder>; 2] {
        let own = Unwinder { register: __register_frame, deregister: __deregister_frame, single: false };
        let shared = ["__register_frame", "__deregister_frame"].map(process::exported);
        let shared = match shared {
            [Some(register), Some(deregister)] if register != own.register as usize as u64 => {
                // SAFETY: libgcc's functions of these names are such functions.
                let function =
                    |at: u64| unsafe { std::mem::transmute::<*const (), Function>(at as usize as *const ()) };
                Some(Unwinder { register: function(register), deregister: function(deregister), single: false })
            }
            _ => None,
        };
        [Some(own), shared]
    }

    #[derive(Debug)]
    pub(super) struct Tables {
        table: Extent,
        unwinders: [Option<Unwinder>; if cfg!(windows) { 2 } else { 1 }],
    }

    impl Tables {
        pub fn new(_: u64, _: Extent, table: Extent) -> Option<Tables> {
            let unwinders = unwinders();
            for unwinder in unwinders.iter().flatten() {
                each(unwinder, table, unwinder.register);
            }
            Some(Tables { table, unwinders })
        }

        pub fn forget(&mut self) {
            for unwinder in self.unwinders.iter().flatten() {
                each(unwinder, self.table, unwinder.deregister);
            }
        }
    }

    /// Calls a function with the table, or with each description of a function in it.
    fn each(unwinder: &Unwinder, table: Extent, call: Function) {
        let (mut at, end) = (table.offset as usize, (table.offset + table.size) as usize);
        if !unwinder.single {
            // SAFETY: a table that ends with a length of zero, and stays as long as it is registered.
            unsafe { call(at as *const c_void) };
            return;
        }
        while at + 8 <= end {
            // SAFETY: within the table. Every entry begins with its length, and with zero if it is no function's.
            let (length, kind) =
                unsafe { ((at as *const u32).read_unaligned(), ((at + 4) as *const u32).read_unaligned()) };
            if length == 0 {
                break;
            }
            if kind != 0 {
                // SAFETY: a function's description.
                unsafe { call(at as *const c_void) };
            }
            at += 4 + length as usize;
        }
    }
}

/// ARM's index, which the unwinder asks the C library for: this crate's function of the same name answers for code in memory.
#[cfg(all(unix, target_arch = "arm"))]
mod system {
    use std::collections::BTreeMap;
    use std::ffi::c_void;
    use std::sync::{OnceLock, PoisonError, RwLock};

    use super::Extent;

    /// End of the code and the index, by the start of the code.
    static TABLES: RwLock<BTreeMap<u64, (u64, Extent)>> = RwLock::new(BTreeMap::new());

    #[derive(Debug)]
    pub(super) struct Tables {
        code: u64,
    }

    impl Tables {
        pub fn new(_: u64, code: Extent, table: Extent) -> Option<Tables> {
            let mut tables = TABLES.write().unwrap_or_else(PoisonError::into_inner);
            tables.insert(code.offset, (code.offset + code.size, table));
            Some(Tables { code: code.offset })
        }

        pub fn forget(&mut self) {
            TABLES.write().unwrap_or_else(PoisonError::into_inner).remove(&self.code);
        }
    }

    type Find = unsafe extern "C" fn(usize, *mut i32) -> *const c_void;

    /// The index for a place in code, and the number of its entries (Exception Handling ABI for the Arm Architecture, section 4.4.1).
    ///
    /// # Safety
    /// The pointer is to a number.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __gnu_Unwind_Find_exidx(at: usize, entries: *mut i32) -> *const c_void {
        if let Ok(tables) = TABLES.read()
            && let Some((_, &(end, table))) = tables.range(..=at as u64).next_back()
            && (at as u64) < end
        {
            // SAFETY: the caller's word.
            unsafe { *entries = (table.size / 8) as i32 };
            return table.offset as usize as *const c_void;
        }
        static NEXT: OnceLock<Option<Find>> = OnceLock::new();
        let next = NEXT.get_or_init(|| {
            // SAFETY: the C library's function of this name is such a function.
            unsafe {
                let at = libc::dlsym(libc::RTLD_NEXT, c"__gnu_Unwind_Find_exidx".as_ptr());
                (!at.is_null()).then(|| std::mem::transmute::<*mut c_void, Find>(at))
            }
        });
        match next {
            // SAFETY: the caller's word.
            Some(next) => unsafe { next(at, entries) },
            None => std::ptr::null(),
        }
    }
}

/// Windows' table of functions.
#[cfg(all(windows, not(target_arch = "x86")))]
mod system {
    use std::ffi::c_void;

    use super::Extent;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn RtlAddFunctionTable(table: *const c_void, entries: u32, base: u64) -> u8;
        fn RtlDeleteFunctionTable(table: *const c_void) -> u8;
    }

    const ENTRY: u64 = if cfg!(target_arch = "x86_64") { 12 } else { 8 };

    #[derive(Debug)]
    pub(super) struct Tables {
        table: Extent,
    }

    impl Tables {
        pub fn new(base: u64, _: Extent, table: Extent) -> Option<Tables> {
            // SAFETY: a table that stays as long as it is registered.
            let added =
                unsafe { RtlAddFunctionTable(table.offset as *const c_void, (table.size / ENTRY) as u32, base) };
            (added != 0).then_some(Tables { table })
        }

        pub fn forget(&mut self) {
            // SAFETY: it was registered.
            unsafe { RtlDeleteFunctionTable(self.table.offset as *const c_void) };
        }
    }
}

/// 32-bit Windows needs no tables: functions register their handlers while they run.
#[cfg(all(windows, target_arch = "x86", not(target_env = "gnu")))]
mod system {
    use super::Extent;

    #[derive(Debug)]
    pub(super) struct Tables;

    impl Tables {
        pub fn new(_: u64, _: Extent, _: Extent) -> Option<Tables> {
            None
        }

        pub fn forget(&mut self) {}
    }
}
