//! Reads what objects for Windows tell Microsoft's exception handling about functions, in C++ and with `__try`, on
//! x86-64, ARM64 and 32-bit x86, and compares two compilers' objects up to numbering.
//!
//! Everything is found by relocations: a field is the address of what its relocation's symbol and the bytes in
//! place say.
//!
//! # 64-bit: from the table of functions to the handler's data
//!
//! `.pdata` lists every stretch of code with a frame, funclets among them (begin, end and unwind information on
//! x86-64, begin and unwind information on ARM64, where a second word with its two low bits set has the
//! information itself and no handler). Unwind information in `.xdata` may name a handler (flags 1 and 2 on x86-64,
//! bit 20 on ARM64), and what follows the handler's address is the handler's own:
//!
//! - `__CxxFrameHandler3` (C++): the address of a FuncInfo. The host and all of its *catch* funclets have the same
//!   one; *cleanup* funclets have no handler, and are known by the unwind map alone.
//! - `__C_specific_handler` (`__try`): the scope table itself, of the host alone: a count, then that many entries.
//! - With stack cookies, `__GSHandlerCheck_EH` and `__GSHandlerCheck_SEH` stand before them; the data begin alike.
//! - `__CxxFrameHandler4` has a packed form, which LLVM does not write and this does not read.
//!
//! The formats: Microsoft's "x64 exception handling" and "ARM64 exception handling".
//!
//! # 32-bit x86: from the registration record to the handler's data
//!
//! Nothing lists functions. A function with handlers links a record into the chain at `fs:[0]` in its prologue and
//! out of it in its epilogue. Every handler must be listed in `.sxdata` (symbol numbers, by `.safeseh`; `@feat.00`
//! bit 0 says that the list is complete), else the system does not call it in images linked with `/safeseh`.
//!
//! - C++: saved `esp`, then next record, handler, state. The handler is a thunk of the function's own,
//!   `__ehhandler$f`, which puts the address of the FuncInfo into `eax` and jumps to `__CxxFrameHandler3`. The
//!   runtime takes the record's end (its address + 12) for the function's `ebp`, calls funclets with that in
//!   `ebp`, and counts catch objects' offsets from it: a frame with its record elsewhere than at `ebp - 12` adds
//!   the difference to `ebp` in every funclet, and where handlers return to.
//! - `_except_handler3`: saved `esp`, exception pointers, then next record, handler, scope table, state (called
//!   level). The runtime takes the record's end (the address of `next` + 16) for `ebp`. `_except_handler4` is
//!   alike, but the stored address of the scope table is that xor `__security_cookie`, and the table has a head of
//!   four offsets: of a cookie of the frame (-2: none) and what it is xored with, the same of the record's cookie.
//!
//! The state is what code stored last in the record; the IP-to-state map is empty.
//!
//! # FuncInfo
//!
//! Magic (29 bits: 0x19930520 first, ..21 with a list of exception specifications, ..22 with flags), number of
//! states, unwind map, number of try blocks, try map, number of IP-to-state entries, IP-to-state map, on 64-bit
//! targets the offset of the unwind help, exception specification, flags (1: only C++'s own exceptions are caught
//! by `catch (...)` and unwound, `/EHs`; without it hardware faults, too, `/EHa`).
//!
//! - *Unwind map*: for every state the one that leaving it leads to (-1: none; always less than the state itself)
//!   and the cleanup funclet that is run then, if any.
//! - *Try map*: states from low to high are those of the block, those after high up to catch-high are those of its
//!   handlers. A block stands before those whose `try` part it lies in. One inside of a *handler* of another
//!   stands after that on 64-bit targets, before it on 32-bit x86.
//! - *Handlers*: adjectives (1 const, 2 volatile, 4 unaligned, 8 by reference, 0x40 `catch (...)`), the thrown
//!   type's descriptor (none for `...`), where the object is copied to (0: nowhere), the catch funclet, and on
//!   64-bit targets the parent frame offset.
//! - *IP to state*: in order of address, the state from each position on, for the host and its catch funclets. On
//!   x86-64 the system looks up return addresses as they are, so that a range after a call begins one byte late
//!   (LLVM adds 1 to all but functions' and funclets' begins); on ARM64 it subtracts 4 first, and positions are
//!   exact.
//!
//! Offsets in frames of 64-bit functions count from the *establisher frame*: the value of `rsp` after the
//! prologue's fixed allocation on x86-64 (whatever `rbp` is), that of `sp` at entry on ARM64 (hence they are
//! negative). A catch funclet's own establisher frame is its own: at its parent frame offset there, on x86-64, it
//! has kept the host's, which it was called with in `rdx` and stores to `16(rsp)` before it pushes anything. The
//! unwind help is an 8-byte word of the host's frame that the prologue sets to -2.
//!
//! # Scope tables
//!
//! 64-bit: begin, end (exclusive), filter, target. The filter is a function's address or 1 (always handled) with
//! the block of the host to continue at as target; for `__finally` it is the funclet, and the target 0. Entries
//! are tried in order: inner ones first. LLVM writes a group of entries for every stretch of calls rather than
//! nested ones. 32-bit: for every level the enclosing one (-1, or -2 with `_except_handler4`), filter (0 for
//! `__finally`), and the block or funclet.
//!
//! Facts are LLVM's (`WinException.cpp` writes the tables, `WinEHPrepare.cpp` numbers states, `X86WinEHState.cpp`
//! has the record and its stores, `X86FrameLowering.cpp` and `AArch64FrameLowering.cpp` the frames of funclets),
//! ReactOS' and Wine's (`cppexcept.h`, `except_i386.c`, `except_x86_64.c`: who reads them).

mod canonical;
mod code;
mod object;
mod text;

use std::collections::BTreeSet;

use crate::tools::Failure;
use object::{Field, Object, Region};

pub use canonical::{Rules, canonical, differences};

/// A processor whose tables are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// x86 in 64-bit mode.
    X86_64,
    /// AArch64.
    Arm64,
    /// x86 in 32-bit mode.
    I686,
}

/// What a field of a table refers to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// Nothing: zero.
    None,
    /// A number that is no address.
    Constant(u32),
    /// A symbol, in this object or not, that is not one of the functions and funclets of [`Tables::code`].
    Symbol(String),
    /// A position in a function or funclet.
    Code {
        /// Its number in [`Tables::code`].
        region: usize,
        /// Bytes from its begin.
        offset: u32,
    },
}

/// A call in code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The return address: bytes from the begin of the function or funclet. None of a jump to another function, which leaves the frame
    /// before.
    pub returns_to: Option<u32>,
    /// The symbol of the callee, or of the pointer that is called by; none when the pointer is no symbol.
    pub to: Option<String>,
    /// The states that the call may be in by the IP-to-state map (one) or the stores into the registration record, in which none is one that the code does not
    /// tell. Empty where the tables have no states.
    pub states: BTreeSet<Option<i32>>,
}

/// A function or funclet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Its symbol.
    pub name: String,
    /// In bytes.
    pub length: u32,
    /// In order of address, for those that belong to a function with tables.
    pub calls: Vec<Call>,
}

/// A handler of a try block of C++.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handler {
    /// 1 const, 2 volatile, 4 unaligned, 8 by reference, 0x40 of everything.
    pub adjectives: u32,
    /// The type descriptor.
    pub exception: Place,
    /// Where the exception is copied to, in the frame; 0: nowhere.
    pub object: i32,
    /// Its code.
    pub funclet: Place,
    /// Where a funclet of a 64-bit target keeps the host's establisher frame, from its own.
    pub parent_frame: Option<i32>,
}

/// A try block of C++.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Try {
    /// Its first state.
    pub low: i32,
    /// Its last state.
    pub high: i32,
    /// The last state of its handlers.
    pub catch_high: i32,
    /// In the order in which they are tried.
    pub handlers: Vec<Handler>,
}

/// The tables of a function in C++.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FuncInfo {
    /// The version.
    pub magic: u32,
    /// For each state where leaving it leads to, and what is run then.
    pub unwind: Vec<(i32, Place)>,
    /// Try blocks.
    pub tries: Vec<Try>,
    /// From where on code is in which state, on 64-bit targets.
    pub ip_to_state: Vec<(Place, i32)>,
    /// Where a 64-bit function's frame has the word for the runtime.
    pub unwind_help: Option<i32>,
    /// The exception specification.
    pub specification: Place,
    /// 1: synchronous exceptions only.
    pub flags: u32,
}

/// An entry of the scope table of a 64-bit function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The first position.
    pub begin: Place,
    /// The position after the last.
    pub end: Place,
    /// The filter, 1, or the funclet of a `__finally`.
    pub filter: Place,
    /// Where the host continues; none for a `__finally`.
    pub target: Place,
}

/// An entry of the scope table of a function of 32-bit x86.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// The level around it.
    pub enclosing: i32,
    /// None for a `__finally`.
    pub filter: Place,
    /// Where the host continues, or the funclet of a `__finally`.
    pub handler: Place,
}

/// What a function's handler is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Language {
    /// C++.
    Cxx(FuncInfo),
    /// `__try` on 64-bit targets.
    Scopes(Vec<Scope>),
    /// `__try` on 32-bit x86.
    Levels {
        /// With `_except_handler4`: offset and xor offset of the frame's cookie, those of the record's.
        cookies: Option<[i32; 4]>,
        /// By number.
        levels: Vec<Level>,
    },
    /// The data of a handler that is none of Microsoft's.
    Other,
}

/// A function with a handler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The number of its code in [`Tables::code`].
    pub host: usize,
    /// Numbers of its funclets, in the order in which the tables reach them.
    pub funclets: Vec<usize>,
    /// The handler's symbol.
    pub handler: String,
    /// What the handler is given.
    pub language: Language,
}

/// What an object says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    /// The processor.
    pub machine: Machine,
    /// Functions and funclets: with frames on 64-bit targets, all on 32-bit x86.
    pub code: Vec<Code>,
    /// Functions with handlers, by name.
    pub functions: Vec<Function>,
    /// The symbols that `.sxdata` lists, sorted.
    pub safe_handlers: Vec<String>,
}

/// More entries than that are a damaged object's.
const MOST_ENTRIES: u32 = 1 << 16;

/// Reads an object.
///
/// # Errors
/// It is no object of a processor that is known here, a table is cut or names what is not there, or contradicts itself.
pub fn read(bytes: &[u8]) -> Result<Tables, Failure> {
    let mut object = Object::read(bytes)?;
    let mut functions = if object.machine == Machine::I686 {
        object.regions_by_symbols();
        registered(&object)?
    } else {
        let handlers = handlers(&mut object)?;
        described(&object, handlers)?
    };
    let mut code: Vec<Code> = Vec::new();
    for r in &object.regions {
        code.push(Code { name: r.name.clone(), length: r.end - r.begin, calls: Vec::new() });
    }
    for function in &mut functions {
        function.funclets = funclets(function);
        let name = &object.regions[function.host].name;
        call_states(&object, function, &mut code).map_err(|e| e.at(name))?;
    }
    functions.sort_by_key(|f| code[f.host].name.clone());
    let mut safe_handlers = Vec::new();
    for (number, section) in object.sections.iter().enumerate().filter(|(_, s)| s.name == ".sxdata") {
        for at in (0..section.data.len()).step_by(4) {
            let symbol = object.word(number, u32::try_from(at).unwrap_or(u32::MAX))?;
            safe_handlers.push(object.symbol(symbol as usize)?.name.clone());
        }
    }
    safe_handlers.sort();
    Ok(Tables { machine: object.machine, code, functions, safe_handlers })
}

/// The funclets of a function.
fn funclets(function: &Function) -> Vec<usize> {
    let mut places: Vec<&Place> = Vec::new();
    match &function.language {
        Language::Cxx(info) => {
            places.extend(info.unwind.iter().map(|(_, action)| action));
            places.extend(info.tries.iter().flat_map(|t| &t.handlers).map(|h| &h.funclet));
        }
        Language::Scopes(scopes) => places.extend(scopes.iter().filter(|s| s.target == Place::None).map(|s| &s.filter)),
        Language::Levels { levels, .. } => {
            places.extend(levels.iter().filter(|l| l.filter == Place::None).map(|l| &l.handler));
        }
        Language::Other => {}
    }
    let mut found = Vec::new();
    for place in places {
        if let Place::Code { region, .. } = place
            && *region != function.host
            && !found.contains(region)
        {
            found.push(*region);
        }
    }
    found
}

/// Fills in the calls of a function and its funclets, with their states.
fn call_states(object: &Object, function: &Function, code: &mut [Code]) -> Result<(), Failure> {
    for &part in std::iter::once(&function.host).chain(&function.funclets) {
        code[part].calls = match (&function.language, object.machine) {
            (Language::Other, _) => Vec::new(),
            (Language::Cxx(_) | Language::Levels { .. }, Machine::I686) => {
                let (after, entries) = match &function.language {
                    Language::Levels { levels, .. } => (8, entries(levels, part)),
                    Language::Cxx(info) => (4, caught(info, part)),
                    _ => (4, Vec::new()),
                };
                let thunk = object.regions.iter().position(|r| r.name == function.handler);
                let symbol = || Place::Symbol(function.handler.clone());
                let handler = thunk.map_or_else(symbol, |region| Place::Code { region, offset: 0 });
                let record = code::record(object, function.host, &handler, after)?;
                code::calls_by_stores(object, part, record, &entries)?
            }
            (Language::Cxx(info), _) => {
                let mut calls = code::calls(object, part)?;
                // Cleanup funclets have no handler.
                let looked_up = part == function.host || is_catch(info, part);
                for call in calls.iter_mut().filter(|_| looked_up) {
                    let state = call.returns_to.map_or(-1, |at| state_at(object, info, part, at));
                    call.states.insert(Some(state));
                }
                calls
            }
            (Language::Scopes(_) | Language::Levels { .. }, _) => code::calls(object, part)?,
        };
    }
    Ok(())
}

/// The blocks of a part of a function that the runtime continues at, in the level around that of the block.
fn entries(levels: &[Level], part: usize) -> Vec<(u32, i32)> {
    let block = |l: &Level| match l.handler {
        Place::Code { region, offset } if region == part && l.filter != Place::None => Some((offset, l.enclosing)),
        _ => None,
    };
    levels.iter().filter_map(block).collect()
}

/// The begin of a handler, in the state that the runtime stores before it is called.
fn caught(info: &FuncInfo, part: usize) -> Vec<(u32, i32)> {
    let is = |h: &Handler| h.funclet == Place::Code { region: part, offset: 0 };
    let of = info.tries.iter().filter(|t| t.handlers.iter().any(is));
    of.map(|t| (0, t.high + 1)).collect()
}

/// Whether a funclet is a handler.
fn is_catch(info: &FuncInfo, part: usize) -> bool {
    let is = |h: &Handler| h.funclet == Place::Code { region: part, offset: 0 };
    info.tries.iter().flat_map(|t| &t.handlers).any(is)
}

/// The state that the runtime finds for a call.
fn state_at(object: &Object, info: &FuncInfo, part: usize, returns_to: u32) -> i32 {
    let r = &object.regions[part];
    let address = r.begin + returns_to - if object.machine == Machine::Arm64 { 4 } else { 0 };
    let before = |(place, _): &&(Place, i32)| match *place {
        Place::Code { region, offset } => {
            let of = &object.regions[region];
            of.section == r.section && of.begin + offset <= address
        }
        _ => false,
    };
    info.ip_to_state.iter().rfind(before).map_or(-1, |(_, state)| *state)
}

/// What `.pdata` and `.xdata` say of a region: the handler's symbol and where its data are.
struct Described {
    region: usize,
    handler: String,
    data: (usize, u32),
}

/// Reads the tables of functions of a 64-bit target: all regions, and those with handlers.
fn handlers(object: &mut Object) -> Result<Vec<Described>, Failure> {
    let entry = if object.machine == Machine::Arm64 { 8 } else { 12 };
    let mut information = Vec::new();
    for (number, section) in object.sections.iter().enumerate().filter(|(_, s)| s.name.starts_with(".pdata")) {
        for at in (0..section.data.len()).step_by(entry) {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            let (code, begin) = object.table(number, at)?;
            let (end, xdata) = if object.machine == Machine::X86_64 {
                let (_, end) = object.table(number, at + 4)?;
                (end, Some(object.table(number, at + 8)?))
            } else {
                match object.field(number, at + 4)? {
                    // Packed.
                    Field::Number(word) => (begin + (word >> 2 & 0x7ff) * 4, None),
                    _ => {
                        let (xdata, offset) = object.table(number, at + 4)?;
                        (begin + (object.word(xdata, offset)? & 0x3_ffff) * 4, Some((xdata, offset)))
                    }
                }
            };
            if end <= begin || end as usize > object.section(code)?.data.len() {
                return Err(Failure::new(format!("{}+{at:#x}: code from {begin:#x} to {end:#x}", section.name)));
            }
            information.push((Region { name: String::new(), section: code, begin, end }, xdata));
        }
    }
    let mut found = Vec::new();
    for (region, (_, xdata)) in information.iter().enumerate() {
        let Some((section, offset)) = *xdata else { continue };
        let at = if object.machine == Machine::Arm64 {
            handler_of_arm64(object, section, offset)?
        } else {
            handler_of_x86_64(object, section, offset)?
        };
        let Some(at) = at else { continue };
        let handler = match object.field(section, at)? {
            Field::External(name, 0) => name,
            Field::Local(section, at) => object.name(section, at),
            _ => return Err(Failure::new(format!("unwind information {offset:#x} has no handler's address"))),
        };
        found.push(Described { region, handler, data: (section, at + 4) });
    }
    object.regions = information.into_iter().map(|(region, _)| region).collect();
    object.name_regions();
    Ok(found)
}

/// Where unwind information of x86-64 has the handler's address, if it has one.
fn handler_of_x86_64(object: &Object, section: usize, offset: u32) -> Result<Option<u32>, Failure> {
    let head = object.word(section, offset)?;
    let (flags, codes) = (head >> 3 & 0x1f, head >> 16 & 0xff);
    if flags & 4 != 0 {
        return Err(Failure::new(format!("unwind information {offset:#x} is chained, which is not read here")));
    }
    Ok((flags & 3 != 0).then(|| offset + 4 + (codes + (codes & 1)) * 2))
}

/// The same of ARM64.
fn handler_of_arm64(object: &Object, section: usize, offset: u32) -> Result<Option<u32>, Failure> {
    let head = object.word(section, offset)?;
    let (mut epilogues, mut words, mut at) = (head >> 22 & 0x1f, head >> 27, offset + 4);
    if epilogues == 0 && words == 0 {
        let more = object.word(section, at)?;
        (epilogues, words, at) = (more & 0xffff, more >> 16 & 0xff, at + 4);
    }
    // With bit 21 there is one epilogue and the number is where its codes begin.
    let scopes = if head >> 21 & 1 == 1 { 0 } else { epilogues };
    Ok((head >> 20 & 1 == 1).then(|| at + (scopes + words) * 4))
}

/// The functions of a 64-bit target with handlers.
fn described(object: &Object, handlers: Vec<Described>) -> Result<Vec<Function>, Failure> {
    let mut functions: Vec<Function> = Vec::new();
    let mut infos: Vec<((usize, u32), Vec<Described>)> = Vec::new();
    for d in handlers {
        let name = &object.regions[d.region].name;
        let (section, at) = d.data;
        let language = match d.handler.as_str() {
            "__CxxFrameHandler3" | "__GSHandlerCheck_EH" => {
                let table = object.table(section, at).map_err(|e| e.at(name))?;
                match infos.iter_mut().find(|(t, _)| *t == table) {
                    Some((_, parts)) => parts.push(d),
                    None => infos.push((table, vec![d])),
                }
                continue;
            }
            "__C_specific_handler" | "__GSHandlerCheck_SEH" => {
                Language::Scopes(scopes(object, section, at).map_err(|e| e.at(name))?)
            }
            "__CxxFrameHandler4" => return Err(Failure::new("tables are packed, which are not read here").at(name)),
            _ => Language::Other,
        };
        functions.push(Function { host: d.region, funclets: Vec::new(), handler: d.handler, language });
    }
    for ((section, at), parts) in infos {
        let info = func_info(object, section, at).map_err(|e| e.at(object.name(section, at)))?;
        let mut hosts = parts.into_iter().filter(|p| !is_catch(&info, p.region));
        let host = hosts.next().ok_or_else(|| Failure::new("only handlers have this FuncInfo"))?;
        if let Some(second) = hosts.next() {
            let names = (&object.regions[host.region].name, &object.regions[second.region].name);
            return Err(Failure::new(format!("{} and {} have the same FuncInfo", names.0, names.1)));
        }
        let language = Language::Cxx(info);
        functions.push(Function { host: host.region, funclets: Vec::new(), handler: host.handler, language });
    }
    Ok(functions)
}

/// A count in a table, or an error when no real one is as large.
fn count(object: &Object, section: usize, at: u32) -> Result<u32, Failure> {
    let count = object.word(section, at)?;
    if count > MOST_ENTRIES { Err(Failure::new(format!("{count} entries"))) } else { Ok(count) }
}

/// Reads a FuncInfo.
fn func_info(object: &Object, section: usize, at: u32) -> Result<FuncInfo, Failure> {
    let number = |at: u32| object.word(section, at);
    let wide = object.machine != Machine::I686;
    let magic = number(at)? & 0x1fff_ffff;
    if !(0x1993_0520..=0x1993_0522).contains(&magic) {
        return Err(Failure::new(format!("a FuncInfo does not begin with {magic:#x}")));
    }
    let mut info = FuncInfo {
        magic,
        unwind: Vec::new(),
        tries: Vec::new(),
        ip_to_state: Vec::new(),
        unwind_help: wide.then(|| number(at + 28)).transpose()?.map(u32::cast_signed),
        specification: Place::None,
        flags: 0,
    };
    let last = at + if wide { 32 } else { 28 };
    if magic >= 0x1993_0521 {
        info.specification = object.place(section, last)?;
    }
    if magic >= 0x1993_0522 {
        info.flags = number(last + 4)?;
    }
    let map = |at: u32| Ok::<_, Failure>((count(object, section, at)?, at + 4));
    let (states, unwind) = map(at + 4)?;
    for i in 0..states {
        let (section, table) = object.table(section, unwind)?;
        let to = object.word(section, table + i * 8)?.cast_signed();
        info.unwind.push((to, object.place(section, table + i * 8 + 4)?));
    }
    let (tries, try_map) = map(at + 12)?;
    for i in 0..tries {
        let (section, table) = object.table(section, try_map)?;
        info.tries.push(try_block(object, section, table + i * 20)?);
    }
    let (positions, ip_map) = map(at + 20)?;
    for i in 0..positions {
        let (section, table) = object.table(section, ip_map)?;
        let state = object.word(section, table + i * 8 + 4)?.cast_signed();
        info.ip_to_state.push((object.position(section, table + i * 8)?, state));
    }
    check(object, &info)?;
    Ok(info)
}

/// Reads an entry of a try map.
fn try_block(object: &Object, section: usize, at: u32) -> Result<Try, Failure> {
    let number = |at: u32| Ok::<_, Failure>(object.word(section, at)?.cast_signed());
    let mut block = Try { low: number(at)?, high: number(at + 4)?, catch_high: number(at + 8)?, handlers: Vec::new() };
    let wide = object.machine != Machine::I686;
    for i in 0..count(object, section, at + 12)? {
        let (section, array) = object.table(section, at + 16)?;
        let at = array + i * if wide { 20 } else { 16 };
        block.handlers.push(Handler {
            adjectives: object.word(section, at)?,
            exception: object.place(section, at + 4)?,
            object: object.word(section, at + 8)?.cast_signed(),
            funclet: object.place(section, at + 12)?,
            parent_frame: wide.then(|| object.word(section, at + 16)).transpose()?.map(u32::cast_signed),
        });
    }
    Ok(block)
}

/// Whether the maps of a function agree with each other.
fn check(object: &Object, info: &FuncInfo) -> Result<(), Failure> {
    let states = i32::try_from(info.unwind.len()).unwrap_or(i32::MAX);
    for (state, (to, _)) in (0..).zip(&info.unwind) {
        if !(-1..state).contains(to) {
            return Err(Failure::new(format!("state {state} leads to {to}")));
        }
    }
    for (i, t) in info.tries.iter().enumerate() {
        if !(0 <= t.low && t.low <= t.high && t.high <= t.catch_high && t.catch_high < states) {
            let ranges = (t.low, t.high, t.catch_high);
            return Err(Failure::new(format!("try block {i} has the states {ranges:?} of {states}")));
        }
        let inside = |inner: &Try| t.low <= inner.low && inner.catch_high <= t.high;
        if let Some(later) = info.tries[i + 1..].iter().position(inside) {
            return Err(Failure::new(format!("try block {} lies in {i}, but comes after it", i + 1 + later)));
        }
    }
    let mut last = None;
    for (place, state) in &info.ip_to_state {
        let Place::Code { region, offset } = *place else {
            return Err(Failure::new(format!("state {state} begins at {place:?}, where no code is")));
        };
        let address = (object.regions[region].section, object.regions[region].begin + offset);
        // Two at the same place: nothing is in the first.
        if last > Some(address) || !(-1..states).contains(state) {
            return Err(Failure::new(format!("state {state} of {states} begins at {address:x?}, after {last:x?}")));
        }
        last = Some(address);
    }
    Ok(())
}

/// Reads the scope table of a 64-bit function.
fn scopes(object: &Object, section: usize, at: u32) -> Result<Vec<Scope>, Failure> {
    let mut scopes = Vec::new();
    for i in 0..count(object, section, at)? {
        let at = at + 4 + i * 16;
        scopes.push(Scope {
            begin: object.place(section, at)?,
            end: object.end_place(section, at + 4)?,
            filter: object.place(section, at + 8)?,
            target: object.place(section, at + 12)?,
        });
    }
    Ok(scopes)
}

/// The functions of 32-bit x86 with handlers: who stores the address of a handler.
fn registered(object: &Object) -> Result<Vec<Function>, Failure> {
    let mut functions = Vec::new();
    let mut references = Vec::new();
    for region in 0..object.regions.len() {
        references.push(code::references(object, region)?);
    }
    let external =
        |field: &Field, names: &[&str]| matches!(field, Field::External(n, 0) if names.contains(&n.as_str()));
    for (thunk, uses) in references.iter().enumerate() {
        // Behind it may be functions without symbols.
        let [(first, Field::Local(section, at)), (second, to), ..] = uses.as_slice() else { continue };
        // mov eax, TABLES; jmp ROUTINE; or clang's, which is more when it does not optimize.
        let begin = object.regions[thunk].begin;
        let is_thunk = uses.len() == 2 || (*first, *second) == (begin + 1, begin + 6);
        if !is_thunk || !external(to, &["___CxxFrameHandler3"]) {
            continue;
        }
        let (name, r) = (&object.regions[thunk].name, &object.regions[thunk]);
        let info = func_info(object, *section, *at).map_err(|e| e.at(name))?;
        let here = |(_, f): &(u32, Field)| matches!(f, Field::Local(s, at) if (*s, *at) == (r.section, r.begin));
        let host = references.iter().position(|uses| uses.iter().any(here));
        let host = host.ok_or_else(|| Failure::new("no function has this handler").at(name))?;
        let language = Language::Cxx(info);
        functions.push(Function { host, funclets: Vec::new(), handler: name.clone(), language });
    }
    let names = ["__except_handler3", "__except_handler4"];
    let mut tables = Vec::new();
    for (host, uses) in references.iter().enumerate() {
        let Some((stored, Field::External(handler, _))) = uses.iter().find(|(_, f)| external(f, &names)) else {
            continue;
        };
        let table = |(at, f): &(u32, Field)| match f {
            Field::Local(s, offset) if object.sections[*s].name.starts_with(".xdata") => {
                (!object.name(*s, *offset).starts_with("__TI")).then_some((at.abs_diff(*stored), *s, *offset))
            }
            _ => None,
        };
        let nearest = uses.iter().filter_map(table).min();
        let missing = || Failure::new("its scope table is not in .xdata").at(&object.regions[host].name);
        let (_, section, offset) = nearest.ok_or_else(missing)?;
        tables.push((host, handler.clone(), section, offset));
    }
    for (host, handler, section, offset) in &tables {
        let next = tables.iter().filter(|t| t.2 == *section && t.3 > *offset).map(|t| t.3).min();
        let language = levels(object, handler.ends_with('4'), *section, *offset, next.unwrap_or(u32::MAX));
        let language = language.map_err(|e| e.at(&object.regions[*host].name))?;
        functions.push(Function { host: *host, funclets: Vec::new(), handler: handler.clone(), language });
    }
    Ok(functions)
}

/// Reads a scope table of 32-bit x86, whose length is not written anywhere: it ends before `next`, or where no entry can be.
fn levels(object: &Object, cookies: bool, section: usize, offset: u32, next: u32) -> Result<Language, Failure> {
    let number = |at: u32| Ok::<_, Failure>(object.word(section, at)?.cast_signed());
    let (mut at, mut head, outermost) = (offset, None, if cookies { -2 } else { -1 });
    if cookies {
        head = Some([number(at)?, number(at + 4)?, number(at + 8)?, number(at + 12)?]);
        at += 16;
    }
    let end = u32::try_from(object.section(section)?.data.len()).unwrap_or(u32::MAX).min(next);
    let mut levels = Vec::new();
    while at + 12 <= end {
        let enclosing = number(at)?;
        let handler = object.place(section, at + 8)?;
        let around =
            enclosing == outermost || (0..levels.len()).contains(&usize::try_from(enclosing).unwrap_or(usize::MAX));
        if !around || !matches!(handler, Place::Code { .. }) {
            break;
        }
        levels.push(Level { enclosing, filter: object.place(section, at + 4)?, handler });
        at += 12;
    }
    if levels.is_empty() {
        Err(Failure::new("its scope table is empty"))
    } else {
        Ok(Language::Levels { cookies: head, levels })
    }
}
