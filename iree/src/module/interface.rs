//! The interface of a module: the functions that the host calls, and the tables from which they answer.
//!
//! A module object is an [`Interface`](crate::host::Interface), followed by the host's allocator, the number of
//! contexts that contain the module, whether their imports differ, a lock for these two, and the imports of the first
//! context. A context's state is a table of its imports.

use crate::host::{self, code};
use gusset_abi::{CType, Signature};
use gusset_codegen::ir::{IntCc, Ordering, Type, Value};

use super::emit::{Calls, Steps, signature};
use super::parts::{Parts, failure};
use super::thunk::Export;
use gusset_compiler::{Body, Data, Error, Func, Global, Linkage};

/// An exported function with its attributes.
pub(super) struct Row {
    pub name: String,
    pub export: Export,
    pub attributes: Vec<(String, String)>,
}

/// Fields of a row of the table of exports, in words.
mod row {
    pub const THUNK: i32 = 0;
    pub const NAME: i32 = 1;
    pub const CONVENTION: i32 = 3;
    pub const ARGS: i32 = 5;
    pub const RESULTS: i32 = 7;
    pub const ATTRS: i32 = 9;
    pub const NEEDS_IMPORTS: i32 = 11;
    pub const WORDS: i32 = 12;
}

/// Fields of a row of the table of imports, in words.
mod import_row {
    pub const NAME: i32 = 0;
    pub const CONVENTION: i32 = 2;
    pub const WORDS: i32 = 4;
}

/// Offsets of a module object's fields after the interface, in bytes.
#[derive(Clone, Copy)]
struct Object {
    allocator: i32,
    contexts: i32,
    mixed: i32,
    lock: i32,
    table: i32,
}

/// Commands of an allocator: allocating zeroed memory, and freeing it.
const ALLOCATE: i128 = 1;
const FREE: i128 = 3;
/// The version of the interface, which the host must support.
const VERSION: i64 = 1;

/// Tables and constants from which the functions answer.
struct Tables {
    name: (Global, usize),
    exports: Global,
    export_count: usize,
    imports: Global,
    import_count: usize,
    dependencies: Global,
    dependency_count: usize,
}

/// Bytes of constant data of words, with the addresses in it.
struct Words {
    word: usize,
    bytes: Vec<u8>,
    addresses: Vec<(u64, gusset_compiler::Item, i64)>,
}

impl Words {
    fn new(word: i32) -> Words {
        Words { word: word as usize, bytes: Vec::new(), addresses: Vec::new() }
    }

    fn number(&mut self, n: u64) {
        self.bytes.extend_from_slice(&n.to_le_bytes()[..self.word]);
    }

    fn address(&mut self, of: impl Into<gusset_compiler::Item>, addend: usize) {
        self.addresses.push((self.bytes.len() as u64, of.into(), addend as i64));
        self.number(0);
    }

    fn data(self) -> Data {
        Data {
            size: self.bytes.len().max(self.word) as u64,
            align: 8,
            constant: true,
            addresses: self.addresses,
            bytes: self.bytes,
            ..Data::default()
        }
    }
}

impl Parts<'_, '_> {
    /// Makes the tables, the functions of the interface, and the one by which the host creates the module.
    pub fn interface(&mut self, name: &str, symbol: &str, rows: &[Row], needed: &[String]) -> Result<(), Error> {
        let tables = self.tables(name, rows, needed)?;
        let word = self.word_bytes();
        let base = self.host.interface.size as i32;
        let at = |n: i32| base + n * word;
        let object = Object { allocator: at(0), contexts: at(2), mixed: at(3), lock: at(4), table: at(5) };
        let size = i64::from(object.table) + tables.import_count as i64 * i64::from(self.host.function.size);
        let functions = self.functions(&tables, object)?;
        let template = self.template(&functions)?;
        self.create(symbol, object, template, size)
    }

    fn tables(&mut self, name: &str, rows: &[Row], needed: &[String]) -> Result<Tables, Error> {
        let word = self.word_bytes();
        // All texts that tables point to, as one data object.
        let mut texts = Vec::new();
        let mut add = |text: &str| {
            texts.extend_from_slice(text.as_bytes());
            (texts.len() - text.len(), text.len())
        };
        let own_name = add(name);
        // Texts first, because the tables need their offsets.
        let mut views = Vec::new();
        for row in rows {
            views.push((add(&row.name), add(&row.export.convention)));
        }
        let pairs: Vec<Vec<_>> =
            rows.iter().map(|row| row.attributes.iter().map(|(k, v)| [add(k), add(v)]).collect()).collect();
        let imports: Vec<_> = self.imports.iter().map(|i| [add(&i.name), add(&i.convention)]).collect();
        let modules: Vec<_> = needed.iter().map(|module| add(module)).collect();
        let text = self.constant("texts", Data::constant(texts))?;
        let view = |words: &mut Words, (at, len): (usize, usize)| {
            words.address(text, at);
            words.number(len as u64);
        };
        let mut attributes = Words::new(word);
        let mut starts = Vec::new();
        for pairs in &pairs {
            starts.push(attributes.bytes.len());
            pairs.iter().flatten().for_each(|&part| view(&mut attributes, part));
        }
        let attributes = self.constant("attributes", attributes.data())?;
        let mut exports = Words::new(word);
        for (((row, (name, convention)), start), pairs) in rows.iter().zip(views).zip(starts).zip(&pairs) {
            let export = &row.export;
            exports.address(export.thunk, 0);
            view(&mut exports, name);
            view(&mut exports, convention);
            for block in [&export.args, &export.results] {
                exports.number(block.size.into());
                exports.number(block.packed_size.into());
            }
            exports.address(attributes, start);
            exports.number(pairs.len() as u64);
            exports.number(export.needs_imports.into());
        }
        let mut import_rows = Words::new(word);
        imports.iter().flatten().for_each(|&part| view(&mut import_rows, part));
        let mut dependencies = Words::new(word);
        for &name in &modules {
            view(&mut dependencies, name);
            // The oldest version is 0, and the module is required: two 32-bit numbers.
            dependencies.bytes.extend_from_slice(&0u32.to_le_bytes());
            dependencies.bytes.extend_from_slice(&1u32.to_le_bytes());
        }
        let (exports, imports) =
            (self.constant("exports", exports.data())?, self.constant("imports", import_rows.data())?);
        Ok(Tables {
            name: (text, own_name.1),
            exports,
            export_count: rows.len(),
            imports,
            import_count: self.imports.len(),
            dependencies: self.constant("dependencies", dependencies.data())?,
            dependency_count: needed.len(),
        })
    }

    /// The functions of the interface with their offsets.
    fn functions(&mut self, tables: &Tables, object: Object) -> Result<Vec<(i32, Func)>, Error> {
        let at = self.host.interface;
        Ok(vec![
            (at.destroy, self.destroy(object)?),
            (at.name, self.name(tables)?),
            (at.signature, self.signature(tables)?),
            (at.enumerate_dependencies, self.enumerate_dependencies(tables)?),
            (
                at.get_module_attr,
                self.answer("get_module_attr", &[CType::PTR, self.word(), CType::PTR], code::OUT_OF_RANGE)?,
            ),
            (at.lookup_function, self.lookup_function(tables)?),
            (at.get_function, self.get_function(tables)?),
            (at.get_function_attr, self.get_function_attr(tables)?),
            (at.alloc_state, self.alloc_state(tables, object)?),
            (at.free_state, self.free_state(tables, object)?),
            (at.fork_state, self.fork_state(tables, object)?),
            (at.resolve_import, self.resolve_import(tables, object)?),
            (at.notify, self.answer("notify", &[CType::PTR, CType::PTR, CType::U32], 0)?),
            (at.begin_call, self.begin_call(tables, object)?),
            (
                at.resume_call,
                self.answer("resume_call", &[CType::PTR, CType::PTR, self.view_type()], code::UNIMPLEMENTED)?,
            ),
        ])
    }

    fn view_type(&self) -> CType {
        host::View::c_type(self.converter.target())
    }

    fn allocator_type(&self) -> CType {
        host::Allocator::c_type(self.converter.target())
    }

    /// The interface of a module that is not created yet.
    fn template(&mut self, functions: &[(i32, Func)]) -> Result<Global, Error> {
        let size = self.host.interface.size.into();
        let mut data = Data { constant: true, ..Data::zeroed(size, 8) };
        // The count is one: the creator's reference.
        data.bytes = vec![0; size as usize];
        data.bytes[self.host.interface.count as usize] = 1;
        for &(at, func) in functions {
            data = data.address(at as u64, func, 0);
        }
        self.constant("interface", data)
    }

    /// A function that always returns the same answer.
    fn answer(&mut self, name: &str, params: &[CType], status: u32) -> Result<Func, Error> {
        self.function(name, self.word(), params, |b| b.ret_code(status))
    }

    /// `status create(u32 version, instance *, word count, const pair *params, allocator, module **out)`.
    fn create(&mut self, symbol: &str, object: Object, template: Global, size: i64) -> Result<(), Error> {
        let (word, allocator_type) = (self.word(), self.allocator_type());
        let params = [CType::U32, CType::PTR, word.clone(), CType::PTR, allocator_type.clone(), CType::PTR];
        let func = self.object.declare(symbol, signature(word, &params), Linkage::Export)?;
        let (fail, allocate) = (self.fail()?, self.allocate_memory()?);
        let interface = self.host.interface;
        self.object.define(func, |b| {
            let (version, wanted) = (b.param(0), b.iconst(Type::I32, VERSION.into()));
            let old = b.icmp(IntCc::Ult, version, wanted);
            b.return_if(old, |b| {
                let text = "%s: the runtime knows interfaces of modules up to version %lld alone, not %lld";
                failure(b, fail, code::INCOMPATIBLE, text, "create", &[version, wanted])
            });
            let count = b.param(2);
            let some = b.is_not(count, 0);
            b.return_if(some, |b| {
                failure(b, fail, code::INVALID_ARGUMENT, "%s: the module has no parameters", "create", &[])
            });
            let (allocator, out, bytes) = (b.param(4), b.param(5), b.word(size));
            b.checked(allocate, &[allocator, bytes, out]);
            let (module, template) = (b.load_word(out, 0), b.address(template));
            let bytes = b.word(interface.size.into());
            b.copy_bytes(module, template, bytes);
            b.store(module, module, interface.this);
            let own = b.offset(module, object.allocator);
            b.copy(own, allocator, &allocator_type);
            b.ok();
        })
    }

    /// `status allocate_memory(const allocator *, word bytes, void **out)`: allocates zeroed memory.
    fn allocate_memory(&mut self) -> Result<Func, Error> {
        let word = self.word();
        let params = [CType::PTR, word.clone(), CType::PTR];
        let allocator = self.host.allocator;
        let control = signature(word.clone(), &[CType::PTR, CType::U32, CType::PTR, CType::PTR]);
        self.shared("allocate_memory", word, &params, |parts, func| {
            parts.object.define(func, |b| {
                let (from, bytes, out) = (b.param(0), b.param(1), b.param(2));
                let none = b.word(0);
                b.store(none, out, 0);
                let params = b.local(&CType::PTR);
                b.store(bytes, params, 0);
                let (this, ctl) = (b.load_word(from, allocator.this), b.load_word(from, allocator.ctl));
                let command = b.iconst(Type::I32, ALLOCATE);
                let status = b.call_address(ctl, control, &[this, command, params, out]);
                b.ret(status);
            })
        })
    }

    /// `void free_memory(const allocator *, void *)`. The memory may contain the allocator.
    fn free_memory(&mut self) -> Result<Func, Error> {
        let allocator = self.host.allocator;
        let control = signature(self.word(), &[CType::PTR, CType::U32, CType::PTR, CType::PTR]);
        self.shared("free_memory", CType::Void, &[CType::PTR; 2], |parts, func| {
            parts.object.define(func, |b| {
                let (from, memory) = (b.param(0), b.local(&CType::PTR));
                let given = b.param(1);
                b.store(given, memory, 0);
                let (this, ctl) = (b.load_word(from, allocator.this), b.load_word(from, allocator.ctl));
                let (command, none) = (b.iconst(Type::I32, FREE), b.word(0));
                b.call_address(ctl, control, &[this, command, none, memory]);
                b.ret(None);
            })
        })
    }

    fn destroy(&mut self, object: Object) -> Result<Func, Error> {
        let func = self.local("destroy", CType::Void, &[CType::PTR])?;
        let free = self.free_memory()?;
        self.object.define(func, |b| {
            let module = b.param(0);
            let allocator = b.offset(module, object.allocator);
            b.call(free, &[allocator, module]);
            b.ret(None);
        })?;
        Ok(func)
    }

    fn name(&mut self, tables: &Tables) -> Result<Func, Error> {
        let ty = self.view_type();
        let (view, (text, len)) = (self.host.view, tables.name);
        self.function("name", ty.clone(), &[CType::PTR], |b| {
            let result = b.local(&ty);
            let (data, len) = (b.address(text), b.word(len as i64));
            b.store(data, result, view.data);
            b.store(len, result, view.len);
            b.ret(Some(result));
        })
    }

    fn signature(&mut self, tables: &Tables) -> Result<Func, Error> {
        let ty = host::ModuleSignature::c_type(self.converter.target());
        let signature = self.host.signature;
        let counts = (tables.import_count as i64, tables.export_count as i64);
        self.function("signature", ty.clone(), &[CType::PTR], |b| {
            let result = b.local(&ty);
            b.zero(result, signature.size.into());
            let (imports, exports) = (b.word(counts.0), b.word(counts.1));
            b.store(imports, result, signature.imports);
            b.store(exports, result, signature.exports);
            b.ret(Some(result));
        })
    }

    fn enumerate_dependencies(&mut self, tables: &Tables) -> Result<Func, Error> {
        let callback = signature(self.word(), &[CType::PTR, CType::PTR]);
        let (size, table, count) = (self.host.dependency.size as i32, tables.dependencies, tables.dependency_count);
        self.function("enumerate_dependencies", self.word(), &[CType::PTR; 3], |b| {
            let count = b.word(count as i64);
            b.count(count, |b, i| {
                let table = b.address(table);
                let dependency = b.index(table, i, size);
                let (function, user) = (b.param(1), b.param(2));
                let status = b.result_of(function, callback, &[user, dependency]);
                b.check(status);
            });
            b.ok();
        })
    }

    /// Looks up a function by name; only exported functions have names.
    fn lookup_function(&mut self, tables: &Tables) -> Result<Func, Error> {
        let view = self.view_type();
        let params = [CType::PTR, CType::U32, view, CType::PTR, CType::PTR];
        let func = self.local("lookup_function", self.word(), &params)?;
        let compare = self.library("memcmp", signature(CType::I32, &[CType::PTR, CType::PTR, self.word()]))?;
        let (host, word) = (self.host, self.word_bytes());
        let (table, count) = (tables.exports, tables.export_count);
        let fill = self.fill_function()?;
        self.object.define(func, |b| {
            let linkage = b.param(1);
            let other = b.is_not(linkage, host::linkage::EXPORT.into());
            b.return_if(other, |b| b.word(code::NOT_FOUND.into()));
            let name = b.param(2);
            let (data, len) = (b.load_word(name, host.view.data), b.load_word(name, host.view.len));
            let count = b.word(count as i64);
            b.count(count, |b, i| {
                let table = b.address(table);
                let at = b.index(table, i, row::WORDS * word);
                let own_len = b.load_word(at, row::NAME * word + host.view.len);
                let as_long = b.icmp(IntCc::Eq, own_len, len);
                b.when(as_long, |b| {
                    let own = b.load_word(at, row::NAME * word + host.view.data);
                    let Some(order) = b.call(compare, &[own, data, len]) else { return };
                    let same = b.is(order, 0);
                    b.when(same, |b| {
                        let (module, out) = (b.param(0), b.param(4));
                        let linkage = b.iconst(Type::I32, host::linkage::EXPORT.into());
                        b.call(fill, &[out, module, linkage, i]);
                        b.ok();
                    });
                });
            });
            b.ret_code(code::NOT_FOUND);
        })?;
        Ok(func)
    }

    /// `void fill_function(function *out, module *, u32 linkage, word ordinal)`.
    fn fill_function(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, CType::U32, self.word()];
        let function = self.host.function;
        self.shared("fill_function", CType::Void, &params, |parts, func| {
            parts.object.define(func, |b| {
                let (out, module, linkage, ordinal) = (b.param(0), b.param(1), b.param(2), b.param(3));
                b.zero(out, function.size.into());
                let (linkage, ordinal) = (b.resized(linkage, Type::I16), b.resized(ordinal, Type::I16));
                b.store(module, out, function.module);
                b.store(linkage, out, function.linkage);
                b.store(ordinal, out, function.ordinal);
                b.ret(None);
            })
        })
    }

    fn get_function(&mut self, tables: &Tables) -> Result<Func, Error> {
        let params = [CType::PTR, CType::U32, self.word(), CType::PTR, CType::PTR, CType::PTR];
        let func = self.local("get_function", self.word(), &params)?;
        let (word, view) = (self.word_bytes(), self.view_type());
        let fill = self.fill_function()?;
        let kinds = [
            (host::linkage::EXPORT, tables.exports, tables.export_count, row::WORDS, row::NAME, row::CONVENTION),
            (
                host::linkage::IMPORT,
                tables.imports,
                tables.import_count,
                import_row::WORDS,
                import_row::NAME,
                import_row::CONVENTION,
            ),
        ];
        self.object.define(func, |b| {
            for (kind, table, count, words, name, convention) in kinds {
                let (linkage, ordinal) = (b.param(1), b.param(2));
                let it = b.is(linkage, kind.into());
                b.when(it, |b| {
                    let count = b.word(count as i64);
                    b.limit(ordinal, count, code::OUT_OF_RANGE);
                    let table = b.address(table);
                    let at = b.index(table, ordinal, words * word);
                    let (module, out) = (b.param(0), b.param(3));
                    let wanted = b.is_not(out, 0);
                    b.when(wanted, |b| {
                        b.call(fill, &[out, module, linkage, ordinal]);
                    });
                    for (field, param) in [(name, 4), (convention, 5)] {
                        let out = b.param(param);
                        let wanted = b.is_not(out, 0);
                        b.when(wanted, |b| {
                            let from = b.offset(at, field * word);
                            b.copy(out, from, &view);
                        });
                    }
                    b.ok();
                });
            }
            b.ret_code(code::NOT_FOUND);
        })?;
        Ok(func)
    }

    fn get_function_attr(&mut self, tables: &Tables) -> Result<Func, Error> {
        let params = [CType::PTR, CType::U32, self.word(), self.word(), CType::PTR];
        let (word, pair) = (self.word_bytes(), host::Pair::c_type(self.converter.target()));
        let (size, table, count) = (self.host.pair.size as i32, tables.exports, tables.export_count);
        self.function("get_function_attr", self.word(), &params, |b| {
            let (linkage, ordinal, index) = (b.param(1), b.param(2), b.param(3));
            let other = b.is_not(linkage, host::linkage::EXPORT.into());
            b.return_if(other, |b| b.word(code::OUT_OF_RANGE.into()));
            let count = b.word(count as i64);
            b.limit(ordinal, count, code::OUT_OF_RANGE);
            let table = b.address(table);
            let at = b.index(table, ordinal, row::WORDS * word);
            let attrs = b.load_word(at, (row::ATTRS + 1) * word);
            b.limit(index, attrs, code::OUT_OF_RANGE);
            let pairs = b.load_word(at, row::ATTRS * word);
            let (from, out) = (b.index(pairs, index, size), b.param(4));
            b.copy(out, from, &pair);
            b.ok();
        })
    }

    /// Bytes of a state: the table of imports, at least one byte.
    fn state_bytes(&self, tables: &Tables) -> i64 {
        (tables.import_count as i64 * i64::from(self.host.function.size)).max(self.word_bytes().into())
    }

    fn alloc_state(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let params = [CType::PTR, self.allocator_type(), CType::PTR];
        let func = self.local("alloc_state", self.word(), &params)?;
        let (allocate, bytes) = (self.allocate_memory()?, self.state_bytes(tables));
        self.object.define(func, |b| {
            let (module, out) = (b.param(0), b.param(2));
            // From the module's allocator, so that it can be freed without the context.
            let (allocator, bytes) = (b.offset(module, object.allocator), b.word(bytes));
            b.checked(allocate, &[allocator, bytes, out]);
            locked(b, module, object, |b| {
                count_contexts(b, module, object, 1);
            });
            b.ok();
        })?;
        Ok(func)
    }

    fn free_state(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let func = self.local("free_state", CType::Void, &[CType::PTR; 2])?;
        let free = self.free_memory()?;
        let table_bytes = tables.import_count as i64 * i64::from(self.host.function.size);
        self.object.define(func, |b| {
            let (module, state) = (b.param(0), b.param(1));
            locked(b, module, object, |b| {
                let left = count_contexts(b, module, object, -1);
                let last = b.is(left, 0);
                b.when(last, |b| {
                    // The next context will be the first again.
                    let (none, table) = (b.word(0), b.offset(module, object.table));
                    b.store(none, module, object.mixed);
                    b.zero(table, table_bytes);
                });
            });
            let allocator = b.offset(module, object.allocator);
            b.call(free, &[allocator, state]);
            b.ret(None);
        })?;
        Ok(func)
    }

    fn fork_state(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, self.allocator_type(), CType::PTR];
        let func = self.local("fork_state", self.word(), &params)?;
        let (allocate, bytes) = (self.allocate_memory()?, self.state_bytes(tables));
        self.object.define(func, |b| {
            let (module, parent, out) = (b.param(0), b.param(1), b.param(3));
            let (allocator, size) = (b.offset(module, object.allocator), b.word(bytes));
            b.checked(allocate, &[allocator, size, out]);
            let state = b.load_word(out, 0);
            b.copy_bytes(state, parent, size);
            locked(b, module, object, |b| {
                count_contexts(b, module, object, 1);
            });
            b.ok();
        })?;
        Ok(func)
    }

    /// Stores an import in the state, and in the table of all contexts until another context has another function for
    /// it.
    fn resolve_import(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, self.word(), CType::PTR, CType::PTR];
        let (count, size) = (tables.import_count as i64, self.host.function.size as i32);
        let (ty, function_at) = (host::FunctionRef::c_type(self.converter.target()), self.host.function);
        self.function("resolve_import", self.word(), &params, |b| {
            let (module, state, ordinal, function) = (b.param(0), b.param(1), b.param(2), b.param(3));
            let count = b.word(count);
            b.limit(ordinal, count, code::OUT_OF_RANGE);
            let own = b.index(state, ordinal, size);
            b.copy(own, function, &ty);
            locked(b, module, object, |b| {
                let table = b.offset(module, object.table);
                let common = b.index(table, ordinal, size);
                let known = b.load_word(common, function_at.module);
                let word = b.ptr_type();
                let first = b.is(known, 0);
                let (one, differs, behind) = (b.create_block(), b.create_block(), b.create_block());
                b.br(first, one, &[], differs, &[]);
                b.switch_to(one);
                b.copy(common, function, &ty);
                b.jump(behind, &[]);
                b.switch_to(differs);
                // The bytes after the fields are undefined.
                for (at, ty) in
                    [(function_at.module, word), (function_at.linkage, Type::I16), (function_at.ordinal, Type::I16)]
                {
                    let (a, c) = (b.load(ty, common, at), b.load(ty, function, at));
                    let other = b.icmp(IntCc::Ne, a, c);
                    b.when(other, |b| {
                        let one = b.word(1);
                        b.store(one, module, object.mixed);
                    });
                }
                b.jump(behind, &[]);
                b.switch_to(behind);
            });
            b.ok();
        })
    }

    /// `status begin_call(this, stack, call)`.
    fn begin_call(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let (host, word, word_type) = (self.host, self.word_bytes(), self.word());
        let call_type = host::Call::c_type(self.converter.target());
        let func = self.local("begin_call", word_type.clone(), &[CType::PTR, CType::PTR, call_type])?;
        let fail = self.fail()?;
        let state = self.state_of(object)?;
        let thunk = signature(word_type, &[CType::PTR; 4]);
        let (table, count) = (tables.exports, tables.export_count);
        self.object.define(func, |b| {
            let (module, stack, call) = (b.param(0), b.param(1), b.param(2));
            let ordinal = b.load(Type::I16, call, host.call.function + host.function.ordinal);
            let (ordinal, count) = (b.to_word(ordinal), b.word(count as i64));
            b.limit(ordinal, count, code::OUT_OF_RANGE);
            let table = b.address(table);
            let at = b.index(table, ordinal, row::WORDS * word);
            for (field, block) in [(row::ARGS, host.call.args), (row::RESULTS, host.call.results)] {
                let len = b.load_word(call, block + host.view.len);
                let (wanted, packed) = (b.load_word(at, field * word), b.load_word(at, (field + 1) * word));
                let other = b.icmp(IntCc::Ne, len, wanted);
                b.when(other, |b| {
                    let old = b.icmp(IntCc::Eq, len, packed);
                    b.return_if(old, |b| {
                        let text = "%s: the runtime packs values (%lld bytes, not %lld): versions before 3.10 are not supported";
                        failure(b, fail, code::INCOMPATIBLE, text, "call", &[len, wanted])
                    });
                    let text = "%s: a block of %lld bytes, not %lld";
                    let status = failure(b, fail, code::INVALID_ARGUMENT, text, "call", &[len, wanted]);
                    b.ret(Some(status));
                });
            }
            let imports = b.local(&CType::PTR);
            let none = b.word(0);
            b.store(none, imports, 0);
            let needs = { let needs = b.load_word(at, row::NEEDS_IMPORTS * word); b.is_not(needs, 0) };
            b.when(needs, |b| {
                b.checked(state, &[module, stack, call, imports]);
            });
            let (function, imports) = (b.load_word(at, row::THUNK * word), b.load_word(imports, 0));
            let (args, results) = (
                b.load_word(call, host.call.args + host.view.data),
                b.load_word(call, host.call.results + host.view.data),
            );
            let status = b.call_address(function, thunk, &[stack, imports, args, results]);
            b.ret(status);
        })?;
        Ok(func)
    }

    /// `status state_of(module *, stack *, const call *, const function **table)`: the imports of the context that
    /// calls. The call does not name the context. If contexts differ, the stack does, whose layout is private: it is
    /// taken to be the known one if the context's allocator is where it should be.
    fn state_of(&mut self, object: Object) -> Result<Func, Error> {
        let func = self.local("state_of", self.word(), &[CType::PTR; 4])?;
        let (host, fail) = (self.host, self.fail()?);
        let query: Signature = signature(self.word(), &[CType::PTR, CType::PTR, CType::PTR]);
        self.object.define(func, |b| {
            let (module, stack, call, out) = (b.param(0), b.param(1), b.param(2), b.param(3));
            let table = b.offset(module, object.table);
            b.store(table, out, 0);
            let mixed = b.load_word(module, object.mixed);
            let alike = b.is(mixed, 0);
            b.when(alike, Steps::ok);
            for at in [host.allocator.this, host.allocator.ctl] {
                let (own, its) = (b.load_word(module, object.allocator + at), b.load_word(stack, host.stack.allocator + at));
                let other = b.icmp(IntCc::Ne, own, its);
                b.return_if(other, |b| {
                    let text = "%s: a module can be in two contexts whose imports differ only where the runtime's stack is known";
                    failure(b, fail, code::FAILED_PRECONDITION, text, "call", &[])
                });
            }
            let (this, function) = (b.load_word(stack, host.stack.resolver), b.load_word(stack, host.stack.query));
            let wrapper = b.load_word(call, host.call.function + host.function.module);
            let status = b.call_address(function, query, &[this, wrapper, out]);
            b.ret(status);
        })?;
        Ok(func)
    }
}

/// Emits `body` to run with the module's lock held. It takes few instructions.
fn locked(b: &mut Body<'_, '_>, module: Value, object: Object, work: impl FnOnce(&mut Body<'_, '_>)) {
    let (again, inside) = (b.create_block(), b.create_block());
    b.jump(again, &[]);
    b.switch_to(again);
    let (at, free, taken) = (b.offset(module, object.lock), b.iconst(Type::I32, 0), b.iconst(Type::I32, 1));
    let (_, got) = b.cmpxchg(at, free, taken, Ordering::Acquire, Ordering::Monotonic);
    b.br(got, inside, &[], again, &[]);
    b.switch_to(inside);
    work(b);
    let (at, free) = (b.offset(module, object.lock), b.iconst(Type::I32, 0));
    b.atomic_store(free, at, gusset_codegen::ir::AtomicInfo::new(Ordering::Release, 4, false));
}

/// Adds `by`, one or minus one, to the number of contexts; returns the new number.
fn count_contexts(b: &mut Body<'_, '_>, module: Value, object: Object, by: i32) -> Value {
    let contexts = b.load_word(module, object.contexts);
    let now = b.offset(contexts, by);
    b.store(now, module, object.contexts);
    now
}
