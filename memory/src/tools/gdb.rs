//! `gdb`'s interface (GDB's manual, "JIT Compilation Interface"): a list of symbol files in memory, and a function in which `gdb` sets a
//! breakpoint.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use object::elf;
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};

use super::CodeModule;

#[repr(C)]
struct CodeEntry {
    next: *mut CodeEntry,
    previous: *mut CodeEntry,
    file: *const u8,
    size: u64,
}

#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut CodeEntry,
    first: *mut CodeEntry,
}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

/// The list, which `gdb` knows by this name.
#[unsafe(no_mangle)]
static mut __jit_debug_descriptor: Descriptor =
    Descriptor { version: 1, action: 0, relevant: ptr::null_mut(), first: ptr::null_mut() };

/// `gdb` stops here and looks at the list.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn __jit_debug_register_code() {
    // It must not vanish.
    std::hint::black_box(());
}

/// Changes of the list come one after another.
static CHANGING: Mutex<()> = Mutex::new(());

/// A symbol file in the list.
#[derive(Debug)]
pub(super) struct Registered {
    entry: *mut CodeEntry,
    #[expect(dead_code, reason = "the list refers to it")]
    file: Vec<u8>,
}

// SAFETY: the entry is changed only while `CHANGING` is held.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

impl Registered {
    pub fn new(module: &CodeModule<'_>) -> Option<Registered> {
        let file = symbol_file(module)?;
        let entry = Box::into_raw(Box::new(CodeEntry {
            next: ptr::null_mut(),
            previous: ptr::null_mut(),
            file: file.as_ptr(),
            size: file.len() as u64,
        }));
        let _one = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the list is changed by one thread at a time, and its entries live until they leave it.
        unsafe {
            let list = &raw mut __jit_debug_descriptor;
            (*entry).next = (*list).first;
            if let Some(next) = (*entry).next.as_mut() {
                next.previous = entry;
            }
            (*list).first = entry;
            tell(entry, REGISTER);
        }
        Some(Registered { entry, file })
    }
}

/// # Safety
/// `CHANGING` is held, and the entry is in use.
unsafe fn tell(entry: *mut CodeEntry, action: u32) {
    // SAFETY: the caller's word.
    unsafe {
        let list = &raw mut __jit_debug_descriptor;
        (*list).relevant = entry;
        (*list).action = action;
        __jit_debug_register_code();
        (*list).action = 0;
        (*list).relevant = ptr::null_mut();
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let _one = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as when it was added; nobody refers to the entry afterwards.
        unsafe {
            let entry = Box::from_raw(self.entry);
            match entry.previous.as_mut() {
                Some(previous) => previous.next = entry.next,
                None => __jit_debug_descriptor.first = entry.next,
            }
            if let Some(next) = entry.next.as_mut() {
                next.previous = entry.previous;
            }
            tell(self.entry, UNREGISTER);
        }
    }
}

/// An ELF file with the module's functions, its unwind table and its debug information at their addresses.
fn symbol_file(module: &CodeModule<'_>) -> Option<Vec<u8>> {
    let is_64 = cfg!(target_pointer_width = "64");
    let mut bytes = Vec::new();
    let mut w = Writer::new(object::Endianness::Little, is_64, &mut bytes);
    w.reserve_file_header();
    let text_name = w.add_section_name(b".text");
    let text = w.reserve_section_index();
    let frame_name = w.add_section_name(b".eh_frame");
    // Name, flags, address, contents, place in the file.
    let mut sections = Vec::new();
    if let Some((address, size)) = module.unwind {
        // SAFETY: the module's table, which has been placed there.
        let table = unsafe { std::slice::from_raw_parts(address as usize as *const u8, size as usize) };
        sections.push((frame_name, elf::SHF_ALLOC, address, table, w.reserve(table.len(), 8)));
    }
    for (name, bytes) in module.debug.iter().filter(|section| !section.1.is_empty()) {
        sections.push((w.add_section_name(name.as_bytes()), 0, 0, bytes, w.reserve(bytes.len(), 8)));
    }
    sections.iter().for_each(|_| _ = w.reserve_section_index());
    w.reserve_null_symbol_index();
    let names: Vec<_> = module.functions.iter().map(|f| w.add_string(f.name.as_bytes())).collect();
    names.iter().for_each(|_| {
        w.reserve_symbol_index(Some(text));
    });
    w.reserve_symtab_section_index();
    w.reserve_symtab();
    w.reserve_strtab_section_index();
    w.reserve_strtab();
    w.reserve_shstrtab_section_index();
    w.reserve_shstrtab();
    w.reserve_section_headers();

    let header = FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_REL,
        e_machine: module.machine,
        e_entry: 0,
        e_flags: if module.machine == elf::EM_ARM { elf::EF_ARM_EABI_VER5 } else { 0 },
    };
    w.write_file_header(&header).ok()?;
    for &(.., bytes, at) in &sections {
        w.pad_until(at);
        w.write(bytes);
    }
    w.write_null_symbol();
    for (function, name) in module.functions.iter().zip(names) {
        w.write_symbol(&Sym {
            name: Some(name),
            section: Some(text),
            st_info: elf::STB_GLOBAL << 4 | elf::STT_FUNC,
            st_other: 0,
            st_shndx: 0,
            // Of a relocatable file, values count from the section.
            st_value: (function.address - module.code.0) | u64::from(module.function_bit),
            st_size: function.size,
        });
    }
    w.write_strtab();
    w.write_shstrtab();
    w.write_null_section_header();
    let section = |name, sh_type, flags: u32, address, offset: usize, size| SectionHeader {
        name: Some(name),
        sh_type,
        sh_flags: flags.into(),
        sh_addr: address,
        sh_offset: offset as u64,
        sh_size: size,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 1,
        sh_entsize: 0,
    };
    let executable = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
    w.write_section_header(&section(text_name, elf::SHT_NOBITS, executable, module.code.0, 0, module.code.1));
    for (name, flags, address, bytes, at) in sections {
        w.write_section_header(&section(name, elf::SHT_PROGBITS, flags, address, at, bytes.len() as u64));
    }
    w.write_symtab_section_header(1);
    w.write_strtab_section_header();
    w.write_shstrtab_section_header();
    Some(bytes)
}
