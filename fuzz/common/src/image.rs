//! A module's machine code and data in executable memory.

use std::collections::HashMap;
use std::ffi::{CString, c_void};

use gusset_codegen::buffer::{Field, Origin, Referent, RelocKind, RelocTarget};
use gusset_codegen::compiled::{CompiledFunction, LibCall};
use gusset_codegen::ir::{Module, RelocBase, SymbolId};
use gusset_targets::x86::reloc;

/// Bytes for code, and bytes for data, of the largest module.
const CODE: usize = 1 << 20;
const DATA: usize = 1 << 18;
/// Bytes of a jump to an address that is stored behind it.
const THUNK: usize = 16;

/// Code and data in memory, low enough that absolute addresses of 32 bits reach it.
pub struct Image {
    base: *mut u8,
    symbols: HashMap<SymbolId, usize>,
}

impl Image {
    /// Puts functions and the module's data into memory and resolves everything between them.
    ///
    /// # Errors
    /// What cannot be resolved, or does not fit.
    pub fn new(module: &Module, functions: &[CompiledFunction]) -> Result<Image, String> {
        // SAFETY: a new mapping, not on top of another.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                CODE + DATA,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err("no memory for the code".into());
        }
        let mut image = Image { base: base.cast(), symbols: HashMap::new() };
        Linker { image: &mut image, code: 0, data: CODE, thunks: HashMap::new(), got: HashMap::new(), module }
            .link(functions)?;
        // SAFETY: the first part of the mapping above; nothing writes there any more.
        if unsafe { libc::mprotect(base, CODE, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
            return Err("the code cannot be made executable".into());
        }
        Ok(image)
    }

    /// The address of a function or of data.
    pub fn address(&self, symbol: SymbolId) -> Option<usize> {
        self.symbols.get(&symbol).copied()
    }

    /// The bytes of data as they are now.
    pub fn data(&self, symbol: SymbolId, len: usize) -> Option<Vec<u8>> {
        let at = self.address(symbol)?;
        let inside = at >= self.base as usize + CODE && at + len <= self.base as usize + CODE + DATA;
        // SAFETY: within the mapping, which is readable.
        inside.then(|| unsafe { std::slice::from_raw_parts(at as *const u8, len) }.to_vec())
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the mapping is this image's own.
        unsafe { libc::munmap(self.base.cast(), CODE + DATA) };
    }
}

struct Linker<'a> {
    image: &'a mut Image,
    /// Where the next code and the next data go, from the base.
    code: usize,
    data: usize,
    thunks: HashMap<usize, usize>,
    got: HashMap<usize, usize>,
    module: &'a Module,
}

impl Linker<'_> {
    fn link(mut self, functions: &[CompiledFunction]) -> Result<(), String> {
        let mut places = Vec::new();
        for f in functions {
            let code = self.put_code(&f.code, f.align.max(16) as usize)?;
            let constants = (f.constants.iter())
                .map(|c| self.put_code(&c.bits.to_le_bytes()[..c.size as usize], c.size as usize))
                .collect::<Result<Vec<_>, _>>()?;
            let mut tables = Vec::new();
            for table in f.jump_tables() {
                let at = self.put_code(&vec![0; 4 * table.len()], 4)?;
                for (k, &to) in table.iter().enumerate() {
                    let distance = (code + to as usize).wrapping_sub(at) as u32;
                    self.write(at + 4 * k, &distance.to_le_bytes());
                }
                tables.push(at);
            }
            self.image.symbols.insert(f.symbol, code);
            for &(symbol, at) in &f.block_symbols {
                self.image.symbols.insert(symbol, code + at as usize);
            }
            places.push((code, constants, tables));
        }
        for d in &self.module.data {
            let at = self.take_data(d.size as usize, d.align as usize)?;
            self.write(at, &d.bytes);
            self.image.symbols.insert(d.symbol, at);
        }
        for d in &self.module.data {
            let at = self.image.symbols[&d.symbol];
            for r in &d.relocs {
                let field = at + r.offset as usize;
                let from = match r.base {
                    RelocBase::Zero => 0,
                    RelocBase::Field => field,
                    RelocBase::Symbol(s) => self.symbol(s)?,
                };
                let value = self.symbol(r.symbol)?.wrapping_add_signed(r.addend as isize).wrapping_sub(from);
                self.write(field, &value.to_le_bytes()[..r.size as usize]);
            }
        }
        for (f, (code, constants, tables)) in functions.iter().zip(places) {
            for r in &f.relocs {
                let field = code + r.offset as usize;
                let target = match r.target {
                    RelocTarget::Symbol(s) => self.symbol(SymbolId(s))?,
                    RelocTarget::Constant(c) => constants[c.0 as usize],
                    RelocTarget::JumpTable(t) => tables[t.0 as usize],
                    RelocTarget::LibCall(call) => library(call.symbol())?,
                    RelocTarget::Label(l) => return Err(format!("a relocation against the label {}", l.0)),
                };
                self.settle(field, r.kind, target, r.addend)?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, field: usize, kind: RelocKind, target: usize, addend: i64) -> Result<(), String> {
        let target = match kind.of {
            Referent::Address => target,
            Referent::Stub if self.is_own(target) => target,
            Referent::Stub => self.thunk(target)?,
            Referent::GotEntry => self.got_entry(target)?,
            _ => return Err(format!("{kind:?} is for linkers")),
        };
        let origin = match kind.from {
            Origin::Zero => 0,
            Origin::Field => field as i64,
            _ => return Err(format!("{kind:?} is for linkers")),
        };
        let mut bytes = [0; 8];
        if !reloc::patch(kind, &mut bytes, (target as i64).wrapping_add(addend) - origin) {
            return Err(format!("{kind:?} does not reach"));
        }
        self.write(field, &bytes[..if kind.field == Field::WORD8 { 8 } else { 4 }]);
        Ok(())
    }

    fn got_entry(&mut self, target: usize) -> Result<usize, String> {
        if let Some(&at) = self.got.get(&target) {
            return Ok(at);
        }
        let at = self.take_data(8, 8)?;
        self.write(at, &target.to_le_bytes());
        self.got.insert(target, at);
        Ok(at)
    }

    fn is_own(&self, at: usize) -> bool {
        (self.image.base as usize..self.image.base as usize + CODE + DATA).contains(&at)
    }

    fn thunk(&mut self, target: usize) -> Result<usize, String> {
        if let Some(&at) = self.thunks.get(&target) {
            return Ok(at);
        }
        // jmp *2(%rip); two bytes of padding; the address.
        let mut code = [0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc, 0, 0, 0, 0, 0, 0, 0, 0];
        code[8..].copy_from_slice(&target.to_le_bytes());
        let at = self.put_code(&code, THUNK)?;
        self.thunks.insert(target, at);
        Ok(at)
    }

    fn symbol(&self, symbol: SymbolId) -> Result<usize, String> {
        match self.image.symbols.get(&symbol) {
            Some(&at) => Ok(at),
            None => library(&self.module.symbol(symbol).name),
        }
    }

    fn put_code(&mut self, bytes: &[u8], align: usize) -> Result<usize, String> {
        let at = self.code.next_multiple_of(align.max(1));
        self.code = at + bytes.len();
        if self.code > CODE {
            return Err("too much code".into());
        }
        let at = self.image.base as usize + at;
        self.write(at, bytes);
        Ok(at)
    }

    fn take_data(&mut self, size: usize, align: usize) -> Result<usize, String> {
        let at = self.data.next_multiple_of(align.max(1));
        self.data = at + size;
        if self.data > CODE + DATA {
            return Err("too much data".into());
        }
        Ok(self.image.base as usize + at)
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        assert!(self.is_own(at) && self.is_own(at + bytes.len()), "a write outside the image");
        // SAFETY: within the mapping, which is writable as long as a linker has it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
    }
}

/// The address of a function of the C library, of libm, libgcc or libatomic.
fn library(name: &str) -> Result<usize, String> {
    let symbol = CString::new(name).map_err(|e| e.to_string())?;
    // SAFETY: looks a name up; the libraries stay loaded.
    let found = unsafe {
        let mut at: *mut c_void = libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr());
        for file in [c"libm.so.6", c"libgcc_s.so.1", c"libatomic.so.1"] {
            if at.is_null() {
                let handle = libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
                if !handle.is_null() {
                    at = libc::dlsym(handle, symbol.as_ptr());
                }
            }
        }
        at as usize
    };
    if found == 0 { Err(format!("no library has `{name}`")) } else { Ok(found) }
}

/// Is there a function of that name to be called?
pub fn has_library(call: LibCall) -> bool {
    library(call.symbol()).is_ok()
}
