//! Modules in the memory of this process: added, called, replaced, freed.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, Weak};

use gusset_codegen::object::{ImageBinding, ImageSectionKind, ImageSymbol, ImageSymbolKind, ObjectFormat, ObjectImage};

use crate::error::MemoryError;
use crate::layout::{Layout, Meaning, Resolved};
use crate::lazy::Record;
use crate::link::Addresses;
use crate::pages::{Allocation, Draft, Pages};
use crate::stack_maps::{StackMapError, StackMapRecord, read_stack_maps};
use crate::thread_local::{Control, ThreadLocals};
use crate::tools::{CodeModule, CodeSymbol, Tools};
use crate::unwind::Registration;
use crate::{process, thread_local, tools};

/// Finds symbols that modules do not define.
type SymbolsFn = dyn Fn(&str) -> Option<*const ()> + Send + Sync;
/// Chooses functions by their names.
type ChoiceFn = dyn Fn(&str) -> bool + Send + Sync;

/// Code and data in the memory of this process.
///
/// Modules are added one after another, by any thread, and refer to each other and to the process's symbols by name. All methods
/// take `&self`; a clone is the same memory.
///
/// ```
/// # fn add(image: gusset_memory::ObjectImage) -> Result<(), gusset_memory::MemoryError> {
/// let memory = gusset_memory::Memory::new();
/// let module = memory.add(image)?;
/// // SAFETY: the function has this signature.
/// let add = unsafe { module.function::<extern "C" fn(i32, i32) -> i32>("add")? };
/// assert_eq!(add(2, 3), 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

/// Choices for a [`Memory`].
///
/// ```
/// # use gusset_memory::Memory;
/// extern "C" fn report(n: i32) {
///     println!("{n}");
/// }
///
/// let memory = Memory::options()
///     .symbols(|name| (name == "report").then_some(report as *const ()))
///     .replaceable(|name| name.starts_with("hot_"))
///     .build();
/// assert_eq!(memory.bytes_in_use(), 0);
/// ```
#[derive(Default)]
pub struct MemoryOptions {
    own_buffers: bool,
    symbols: Option<Box<SymbolsFn>>,
    replaceable: Option<Box<ChoiceFn>>,
    without_process: bool,
}

/// How a module is added.
enum Mode<'m> {
    Add,
    /// Its functions take the place of replaceable ones.
    Replace,
    /// The same for the function that this module has the thunk of. It keeps the new module, which so must not keep it.
    TakeOver(&'m Arc<Loaded>),
    /// It is the thunk of such a function.
    Lazy(Box<Record>),
}

/// What all modules of a memory share.
struct Shared {
    pages: Pages,
    options: MemoryOptions,
    names: RwLock<HashMap<String, Definition>>,
    tools: Tools,
}

/// A symbol that modules see.
struct Definition {
    address: u64,
    kind: ImageSymbolKind,
    weak: bool,
    /// The cell by which a replaceable function is called.
    cell: Option<u64>,
    owner: Weak<Loaded>,
}

/// A module in memory. Its code stays as long as this exists, or another module refers to it. When it goes, destructors run.
/// An example is at [`Memory`].
#[derive(Clone, Debug)]
pub struct Module {
    loaded: Arc<Loaded>,
}

/// A function in memory, which cannot outlive its module's handle. An example is at [`Memory`].
#[derive(Clone, Copy)]
pub struct Function<'m, F> {
    pointer: F,
    module: PhantomData<&'m Module>,
}

impl<F> Deref for Function<'_, F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.pointer
    }
}

impl<F: fmt::Debug> fmt::Debug for Function<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pointer.fmt(f)
    }
}

pub(crate) struct Loaded {
    shared: Arc<Shared>,
    /// What its code refers to.
    #[expect(dead_code, reason = "it keeps these modules")]
    uses: Vec<Arc<Loaded>>,
    /// Its symbols, and their addresses as code sees them.
    symbols: Vec<(ImageSymbol, u64)>,
    /// What runs when it goes, once its constructors have run.
    destructors: OnceLock<Vec<u64>>,
    /// What its code registers functions for the end of the program with, if it does.
    handle: Option<u64>,
    /// Address and size of its stack maps.
    stack_maps: Option<(usize, usize)>,
    /// The function that it has compiled at its first call.
    lazy: Option<Box<Record>>,
    tool: Option<tools::Entry>,
    unwind: Option<Registration>,
    thread_locals: Option<Box<ThreadLocals>>,
    allocation: Allocation,
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("allocation", &self.allocation).finish_non_exhaustive()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("pages", &self.shared.pages).finish_non_exhaustive()
    }
}

impl MemoryOptions {
    /// Finds symbols that no module defines, before the process's are looked at. Names are those of objects: 32-bit Windows' begin
    /// with an underscore.
    #[must_use]
    pub fn symbols(mut self, find: impl Fn(&str) -> Option<*const ()> + Send + Sync + 'static) -> Self {
        self.symbols = Some(Box::new(find));
        self
    }

    /// The functions that can be replaced while they are called: they are reached by a stub and a cell. By default there are none.
    #[must_use]
    pub fn replaceable(mut self, choose: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.replaceable = Some(Box::new(choose));
        self
    }

    /// Symbols of the process are not used.
    #[must_use]
    pub fn without_process(mut self) -> Self {
        self.without_process = true;
        self
    }

    /// Every module has pages of its own, which are written before they become executable. By default, small modules share pages that
    /// are mapped twice; emulators may not see that code has changed in them (QEMU before version 8 in its user mode, for ARM and
    /// AArch64), and a child process that `fork` makes shares them.
    #[must_use]
    pub fn own_buffers(mut self) -> Self {
        self.own_buffers = true;
        self
    }

    /// The memory.
    pub fn build(self) -> Memory {
        let shared = Shared {
            pages: Pages::new(self.own_buffers),
            options: self,
            names: RwLock::default(),
            tools: Tools::default(),
        };
        Memory { shared: Arc::new(shared) }
    }
}

impl fmt::Debug for MemoryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryOptions").finish_non_exhaustive()
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// A memory whose modules see the process's symbols.
    pub fn new() -> Memory {
        MemoryOptions::default().build()
    }

    /// Choices for one.
    pub fn options() -> MemoryOptions {
        MemoryOptions::default()
    }

    /// Adds a module and runs its constructors.
    ///
    /// # Errors
    /// Symbols that are defined nowhere or twice; code for another machine; the system has no memory, or forbids executable
    /// memory.
    pub fn add(&self, image: ObjectImage) -> Result<Module, MemoryError> {
        self.shared.load(image, Mode::Add)
    }

    /// Adds a finished object of Gusset's, in the format of the process's system.
    ///
    /// # Errors
    /// As [`Memory::add`]; the object cannot be read.
    pub fn add_object(&self, format: &'static ObjectFormat, object: &[u8]) -> Result<Module, MemoryError> {
        self.add(crate::read_object(format, object)?)
    }

    /// Adds a module. Its definitions of functions that were declared replaceable and that other modules define take the place of
    /// these, atomically: who calls them from now on calls the new ones.
    ///
    /// # Safety
    /// The new module must stay until the functions are replaced again or no longer called, and the old ones until no thread runs
    /// them.
    ///
    /// # Errors
    /// As [`Memory::add`].
    pub unsafe fn replace(&self, image: ObjectImage) -> Result<Module, MemoryError> {
        self.shared.load(image, Mode::Replace)
    }

    /// Adds a function that `compile` makes when it is first called, once, in whichever thread calls it first: the image has to
    /// define `name`, as objects call it. The function is called and referred to like any other. Without an image the program ends,
    /// with the error's text. `compile` must not call the function, nor unwind.
    ///
    /// # Errors
    /// As [`Memory::add`].
    pub fn add_lazy(
        &self,
        format: &'static ObjectFormat,
        name: &str,
        compile: impl FnOnce() -> Result<ObjectImage, Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
    ) -> Result<Module, MemoryError> {
        let record = Record::new(name, Box::new(compile));
        self.shared.load(record.image(format), Mode::Lazy(record))
    }

    /// The address of a symbol that a module defines, as other modules see it. The name is C's or that of the object.
    pub fn address(&self, name: &str) -> Option<*const ()> {
        let names = self.shared.names();
        in_objects(name).find_map(|name| names.get(&*name)).map(|d| d.address as usize as *const ())
    }

    /// Bytes of shared pages that modules take.
    pub fn bytes_in_use(&self) -> u64 {
        self.shared.pages.in_use()
    }

    /// Tells `gdb` of every module that is added from now on (GDB's manual, "JIT Compilation Interface"): its functions and, if it was
    /// compiled with debug information, its lines, variables and types. These modules have pages of their own, in which there can be
    /// breakpoints.
    pub fn tell_gdb(&self) {
        self.shared.tools.tell_gdb();
        self.shared.pages.want_own_buffers();
    }

    /// Writes the names of functions that are added from now on to `/tmp/perf-PID.map`, where `perf` looks for them.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_perf_map(&self) -> Result<(), MemoryError> {
        self.shared.tools.write_perf_map().map_err(MemoryError::Tool)
    }

    /// Writes functions that are added from now on, with their code, to `jit-PID.dump` in a folder, for `perf record -k mono` and `perf
    /// inject --jit`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_jit_dump(&self, folder: &Path) -> Result<(), MemoryError> {
        self.shared.tools.write_jit_dump(folder).map_err(MemoryError::Tool)
    }
}

impl Module {
    /// A function, as a pointer of the type `F`, such as `extern "C" fn(i32) -> i32`. The name is C's or that of the object.
    ///
    /// # Safety
    /// `F` is a function pointer, and the function is called as it says.
    ///
    /// # Errors
    /// The module has no such function.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<Function<'_, F>, MemoryError> {
        const { assert!(size_of::<F>() == size_of::<*const ()>(), "a function pointer") };
        let address = self.address(name).ok_or_else(|| MemoryError::NotFound { symbol: name.to_string() })?;
        // SAFETY: the caller's word.
        let pointer = unsafe { std::mem::transmute_copy::<*const (), F>(&address) };
        Ok(Function { pointer, module: PhantomData })
    }

    /// The address of a function or variable, also of one that other modules do not see. Of thread-local data, it is the calling
    /// thread's. The name is C's or that of the object.
    pub fn address(&self, name: &str) -> Option<*const ()> {
        let symbols = &self.loaded.symbols;
        let find = |name: &str| symbols.iter().find(|(s, _)| s.place.is_some() && s.name == name);
        let Some((symbol, address)) = in_objects(name).find_map(|name| find(&name)) else {
            let control = format!("__emutls_v.{name}");
            let (_, control) = in_objects(&control).find_map(|name| find(&name))?;
            // SAFETY: the control variable of an emulated variable of this module.
            return Some(unsafe { thread_local::emulated(*control as usize as *const Control) }.cast_const().cast());
        };
        let at = match (symbol.kind, &self.loaded.thread_locals) {
            (ImageSymbolKind::ThreadLocal, Some(data)) => {
                data.block().wrapping_add(*address as usize).cast_const().cast()
            }
            _ => *address as usize as *const (),
        };
        Some(at)
    }

    /// Names and addresses of what the module defines.
    pub fn symbols(&self) -> impl Iterator<Item = (&str, *const ())> {
        let defined = self.loaded.symbols.iter().filter(|(s, _)| s.place.is_some());
        defined.map(|(s, address)| (s.name.as_str(), *address as usize as *const ()))
    }

    /// What its stack maps say: where references are at the safepoints of its functions. Without stack maps there are no records.
    ///
    /// # Errors
    /// The module is an object of others, and its section of this name is not what LLVM writes.
    pub fn stack_maps(&self) -> Result<Vec<StackMapRecord>, StackMapError> {
        let (address, size) = self.loaded.stack_maps.unwrap_or((std::ptr::dangling::<u64>() as usize, 0));
        // SAFETY: the section stays in memory as long as the module, and is only written before the module is there.
        let table = unsafe { std::slice::from_raw_parts(address as *const u8, size) };
        read_stack_maps(table)
    }

    /// Gives the module up, like dropping it: its destructors run, and its memory is used again, unless other modules refer to it.
    ///
    /// # Safety
    /// No thread runs its code or uses its data, and no pointer into it is used any more.
    pub unsafe fn free(self) {}

    /// Keeps the module until the program ends.
    pub fn keep(self) {
        std::mem::forget(self.loaded);
    }
}

/// The names that objects may have for a name: 32-bit Windows puts an underscore before C's.
fn in_objects(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let decorated = cfg!(all(windows, target_arch = "x86")).then(|| Cow::Owned(format!("_{name}")));
    std::iter::once(Cow::Borrowed(name)).chain(decorated)
}

/// The section of stack maps.
const STACK_MAPS: &str = ".llvm_stackmaps";

/// The format of objects for the machine that runs this, by which images for others are told.
fn is_native(format: &ObjectFormat) -> bool {
    let machine = match () {
        () if cfg!(target_arch = "x86_64") => 62,
        () if cfg!(target_arch = "x86") => 3,
        () if cfg!(target_arch = "aarch64") => 183,
        () if cfg!(target_arch = "arm") => 40,
        () => 0,
    };
    let same_order = format.code.endian.is_big() == cfg!(target_endian = "big");
    format.elf_machine == machine && same_order && format.coff.is_some() == cfg!(windows)
}

impl Shared {
    fn names(&self) -> RwLockReadGuard<'_, HashMap<String, Definition>> {
        self.names.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a symbol for a module, and notes what that then refers to.
    fn resolve(&self, symbol: &ImageSymbol, uses: &mut Vec<Arc<Loaded>>, mode: &Mode<'_>) -> Option<Resolved> {
        let replace = matches!(mode, Mode::Replace | Mode::TakeOver(_));
        let is_own = symbol.place.is_some();
        if let Some(own) = thread_local::function(&symbol.name).filter(|_| !is_own) {
            return Some(Resolved::Address(own));
        }
        if let Some(known) = self.names().get(&symbol.name)
            && let Some(owner) = known.owner.upgrade()
        {
            // Of two weak definitions the first stays.
            let takes = !is_own || symbol.binding == ImageBinding::Weak || replace && known.cell.is_some();
            if takes {
                let address = known.address;
                let found = match (known.kind, &owner.thread_locals) {
                    (ImageSymbolKind::ThreadLocal, Some(data)) => {
                        Resolved::ThreadLocal { module: &raw const **data as u64, offset: address }
                    }
                    _ => Resolved::Address(address),
                };
                let is_host = matches!(mode, Mode::TakeOver(host) if Arc::ptr_eq(host, &owner));
                if !is_host && !uses.iter().any(|used| Arc::ptr_eq(used, &owner)) {
                    uses.push(owner);
                }
                return Some(found);
            }
        }
        if is_own {
            return None;
        }
        let chosen = self.options.symbols.as_ref().and_then(|find| find(&symbol.name)).map(|at| at as usize as u64);
        match (chosen, symbol.kind) {
            (Some(address), _) => Some(Resolved::Address(address)),
            _ if self.options.without_process => None,
            (None, ImageSymbolKind::ThreadLocal) => thread_local::of_library(&symbol.name),
            _ => process::find(&symbol.name).map(Resolved::Address),
        }
    }

    fn load(self: &Arc<Self>, image: ObjectImage, mode: Mode<'_>) -> Result<Module, MemoryError> {
        if !is_native(image.format) {
            return Err(MemoryError::WrongMachine);
        }
        let (mut uses, mut uses_handle) = (Vec::new(), false);
        let resolve = |symbol: &ImageSymbol| {
            if symbol.place.is_none() && symbol.name == MODULE_HANDLE {
                uses_handle = true;
                return Some(Resolved::Module);
            }
            self.resolve(symbol, &mut uses, &mode)
        };
        let is_lazy = matches!(mode, Mode::Lazy(_));
        let by_cell = |symbol: &ImageSymbol| {
            let choose = self.options.replaceable.as_ref();
            symbol.kind == ImageSymbolKind::Function
                && symbol.binding != ImageBinding::Local
                && (is_lazy || choose.is_some_and(|choose| choose(&symbol.name)))
        };
        let layout = Layout::new(&image, resolve, by_cell)?;
        let draft = self.pages.draft(layout.fixed(), layout.written())?;
        let (allocation, thread_locals, at) = self.link(&layout, draft)?;
        let lists = Lists::of(&layout, &at);
        call_ifuncs(&layout, &at);
        let (places, unwind) = (Places::of(&layout, &at), Registration::new(&layout, at.fixed));
        let tool = self.tools.added(|| told(&layout, &at, &places));
        let mut sections = image.sections.iter().zip(0..);
        let stack_maps = sections.find(|(section, _)| section.name == STACK_MAPS);
        let stack_maps =
            stack_maps.map(|(section, number)| (layout.address(&at, number, 0) as usize, section.bytes.len() as usize));
        let handle = uses_handle.then_some(at.fixed + layout.table);
        let symbols =
            image.symbols.into_iter().zip(&places.symbols).map(|(symbol, &address)| (symbol, address)).collect();
        let mut loaded = Loaded {
            shared: Arc::clone(self),
            uses,
            symbols,
            // They do not run for a module that is refused.
            destructors: OnceLock::new(),
            handle,
            stack_maps,
            lazy: None,
            tool,
            unwind,
            thread_locals,
            allocation,
        };
        if let Mode::Lazy(record) = mode {
            loaded.lazy = Some(record);
        }
        let loaded = Arc::new(loaded);
        if let Some(record) = &loaded.lazy {
            let _ = record.owner.set(Arc::downgrade(&loaded));
        }
        self.publish(&loaded, &places)?;
        lists.constructors.into_iter().for_each(call);
        let _ = loaded.destructors.set(lists.destructors);
        Ok(Module { loaded })
    }

    /// Writes a module to its memory, and makes that executable.
    fn link(&self, layout: &Layout<'_>, mut draft: Draft) -> Result<Linked, MemoryError> {
        let (fixed, written) = draft.addresses();
        let (size, align, template) = layout.thread_local();
        let thread_locals = (size > 0).then(|| {
            let template = (fixed + template.offset) as usize as *const u8;
            // SAFETY: the template is in the module's memory, which stays longer than this.
            unsafe { ThreadLocals::new(size as usize, align as usize, template) }.map(Box::new)
        });
        let thread_locals = thread_locals.flatten();
        let owner = thread_locals.as_deref().map_or(0, |data| &raw const *data as u64);
        let at = Addresses { fixed, written, image: fixed, thread_local: [owner, thread_local::descriptor()] };
        let (fixed, written, zeroed) = draft.bytes();
        if let Err(error) = layout.link_into(&at, fixed, written, zeroed) {
            draft.cancel(&self.pages);
            return Err(error.into());
        }
        Ok((draft.finish()?, thread_locals, at))
    }

    /// Makes a module's symbols visible to those that are added later, and replaces functions.
    fn publish(&self, loaded: &Arc<Loaded>, places: &Places) -> Result<(), MemoryError> {
        let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
        let exported = || {
            let all = loaded.symbols.iter().enumerate();
            all.filter(|(i, (s, _))| s.binding != ImageBinding::Local && places.own[*i].is_some())
        };
        for (i, (symbol, _)) in exported() {
            if let Some(known) = names.get(&symbol.name)
                && !places.is_outside[i]
                && !known.weak
                && symbol.binding != ImageBinding::Weak
                && known.owner.strong_count() > 0
            {
                return Err(MemoryError::Defined { symbol: symbol.name.clone() });
            }
        }
        for (i, (symbol, address)) in exported() {
            match names.get(&symbol.name) {
                Some(known) if places.is_outside[i] => {
                    if let (Some(cell), Some(own)) = (known.cell, places.own[i])
                        && symbol.binding != ImageBinding::Weak
                    {
                        // SAFETY: the cell is in the written region of a module that this one refers to.
                        unsafe { (*(cell as usize as *const AtomicUsize)).store(own as usize, Ordering::Release) };
                    }
                }
                _ => {
                    let definition = Definition {
                        address: *address,
                        kind: symbol.kind,
                        weak: symbol.binding == ImageBinding::Weak,
                        cell: places.cells[i],
                        owner: Arc::downgrade(loaded),
                    };
                    names.insert(symbol.name.clone(), definition);
                }
            }
        }
        Ok(())
    }
}

/// A module's memory, its thread-local data, and the addresses that it is linked for.
type Linked = (Allocation, Option<Box<ThreadLocals>>, Addresses);

/// The symbol that stands for the module where its code registers functions for the end of the program (Itanium C++ ABI, section 3.3.6).
const MODULE_HANDLE: &str = "__dso_handle";

/// Where the symbols of a module are.
struct Places {
    /// As code sees them.
    symbols: Vec<u64>,
    /// Their definitions in the module, if there are any.
    own: Vec<Option<u64>>,
    /// Another module's definition takes the place of its own.
    is_outside: Vec<bool>,
    /// The cells by which they are called.
    cells: Vec<Option<u64>>,
}

impl Places {
    fn of(layout: &Layout<'_>, at: &Addresses) -> Places {
        let symbols = &layout.image.symbols;
        let bit = |symbol: &ImageSymbol| match symbol.kind {
            ImageSymbolKind::Function => u64::from(layout.image.format.function_bit),
            _ => 0,
        };
        let own = symbols
            .iter()
            .map(|symbol| symbol.place.map(|(section, offset)| layout.address(at, section, offset) | bit(symbol)));
        let is_outside = |(symbol, meaning): (&ImageSymbol, &Meaning)| {
            symbol.place.is_some() && !matches!(meaning, Meaning::Own { .. })
        };
        Places {
            symbols: (0..symbols.len() as u32).map(|i| layout.symbol_address(at, i)).collect(),
            own: own.collect(),
            is_outside: symbols.iter().zip(&layout.meanings).map(is_outside).collect(),
            cells: layout.helpers.iter().map(|h| h.written_cell.map(|cell| at.written + cell)).collect(),
        }
    }
}

/// The functions that run when a module comes and goes, in order.
struct Lists {
    constructors: Vec<u64>,
    destructors: Vec<u64>,
}

impl Lists {
    fn of(layout: &Layout<'_>, at: &Addresses) -> Lists {
        let mut found: [Vec<(u32, u64)>; 2] = Default::default();
        let word = size_of::<usize>() as u64;
        for (number, section) in layout.image.sections.iter().enumerate() {
            let (list, priority) = match section.kind {
                ImageSectionKind::Constructors { priority } => (0, priority),
                ImageSectionKind::Destructors { priority } => (1, u32::MAX - priority),
                _ => continue,
            };
            for offset in (0..section.bytes.len() / word).map(|i| i * word) {
                let address = layout.address(at, number as u32, offset) as usize as *const usize;
                // SAFETY: the section is in the module's memory, which has been written.
                let function = unsafe { address.read_unaligned() };
                // Zero and -1 mark the ends of lists.
                if function != 0 && function != usize::MAX {
                    found[list].push((priority, function as u64));
                }
            }
        }
        let [constructors, destructors] = found.map(|mut list| {
            list.sort_by_key(|(priority, _)| *priority);
            list.into_iter().map(|(_, function)| function).collect()
        });
        Lists { constructors, destructors }
    }
}

/// Calls a constructor or destructor.
fn call(function: u64) {
    // SAFETY: the module's list of such functions has it. On Linux constructors get the program's arguments, which are none here.
    unsafe {
        let function = std::mem::transmute::<usize, extern "C" fn(i32, *const (), *const ())>(function as usize);
        function(0, std::ptr::null(), std::ptr::null());
    }
}

/// Asks a module's ifuncs for the functions that they stand for, and stores these in the cells by which they are called.
fn call_ifuncs(layout: &Layout<'_>, at: &Addresses) {
    for (symbol, helpers) in layout.image.symbols.iter().zip(&layout.helpers) {
        let (ImageSymbolKind::Ifunc, Some(cell)) = (symbol.kind, helpers.written_cell) else { continue };
        let cell = (at.written + cell) as usize as *mut usize;
        // SAFETY: the cell is the module's, and holds the address of a function without arguments that gives one.
        unsafe {
            let resolver = std::mem::transmute::<usize, extern "C" fn() -> usize>(*cell);
            *cell = resolver();
        }
    }
}

/// What debuggers and profilers are told of a module.
fn told<'l>(layout: &'l Layout<'_>, at: &'l Addresses, places: &Places) -> CodeModule<'l> {
    let extent = |kind| {
        let extent = layout.extent(|k| k == kind)?;
        Some((at.fixed + extent.offset, extent.size))
    };
    let functions = layout.image.symbols.iter().zip(&places.own).filter_map(|(symbol, own)| {
        let address = (*own)? & !u64::from(layout.image.format.function_bit);
        let is_code = symbol.kind == ImageSymbolKind::Function && symbol.size > 0;
        is_code.then(|| CodeSymbol { name: &symbol.name, address, size: symbol.size })
    });
    CodeModule {
        machine: layout.image.format.elf_machine,
        code: extent(ImageSectionKind::Code).unwrap_or_default(),
        unwind: extent(ImageSectionKind::Unwind),
        function_bit: layout.image.format.function_bit,
        functions: functions.collect(),
        debug: LazyCell::new(Box::new(|| layout.debug_sections(at))),
    }
}

impl Loaded {
    /// Adds the module of a function that this one has the thunk of; its address.
    pub fn take_over(self: &Arc<Self>, name: &str, image: ObjectImage) -> Result<(usize, Module), MemoryError> {
        let module = self.shared.load(image, Mode::TakeOver(self))?;
        let own = module.loaded.symbols.iter().any(|(s, _)| s.name == name && s.place.is_some());
        let cell = self.shared.names().get(name).and_then(|known| known.cell).filter(|_| own);
        let cell = cell.ok_or_else(|| MemoryError::NotFound { symbol: name.to_string() })?;
        // SAFETY: the cell is in this module, whose symbol has just been replaced.
        let address = unsafe { (*(cell as usize as *const AtomicUsize)).load(Ordering::Acquire) };
        Ok((address, module))
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.destructors.take().into_iter().flatten().for_each(call);
        if let Some(handle) = self.handle {
            finalize(std::ptr::with_exposed_provenance(handle as usize));
        }
        let mut names = self.shared.names.write().unwrap_or_else(PoisonError::into_inner);
        for (symbol, _) in self.symbols.iter().filter(|(s, _)| s.place.is_some() && s.binding != ImageBinding::Local) {
            if names.get(&symbol.name).is_some_and(|known| known.owner.strong_count() == 0) {
                names.remove(&symbol.name);
            }
        }
        drop(names);
        // What was compiled for it is no longer called.
        self.lazy = None;
        if let Some(tool) = &mut self.tool {
            tool.forget();
        }
        self.unwind = None;
        self.shared.pages.free(&self.allocation);
    }
}

/// Calls what a module's code has registered for the end of the program.
fn finalize(handle: *const u8) {
    if let Some(function) = process::find("__cxa_finalize") {
        // SAFETY: the C library's function takes the handle.
        unsafe { std::mem::transmute::<usize, extern "C" fn(*const u8)>(function as usize)(handle) };
    }
}
