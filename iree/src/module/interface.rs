//! The interface of a module: the functions that the host calls, and the tables from which they answer.
//!
//! A module object is an [`Interface`](crate::host::Interface), followed by the host's allocator, the number of
//! contexts that contain the module, whether their imports differ, a lock for these two, and the imports of the first
//! context. A context's state is a table of its imports.

use crate::host::linkage::{EXPORT, IMPORT};
use crate::host::{self, code};
use crate::table::Table;
use gusset_abi::CType;
use gusset_codegen::ir::{IntCc, Ordering, Type, Value};

use super::emit::{Code, build_function, signature};
use super::parts::Parts;
use super::thunk::Export;
use gusset_compiler::{Data, Error, Func, Global, Linkage};

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

/// Tables and constants from which the functions answer, with the number of their rows or bytes.
struct Tables {
    name: (Global, usize),
    exports: (Global, usize),
    imports: (Global, usize),
    dependencies: (Global, usize),
}

/// Constant data of words, some of which are addresses.
struct Words {
    word: usize,
    data: Data,
}

impl Words {
    fn new(word: i32) -> Words {
        Words { word: word as usize, data: Data::constant([]).aligned(8) }
    }

    fn number(&mut self, n: u64) {
        self.data.append(&n.to_le_bytes()[..self.word]);
    }

    fn address(&mut self, of: impl Into<gusset_compiler::Item>, addend: usize) {
        let offset = self.data.size();
        self.number(0);
        self.data.add_address(offset, of, addend as i64);
    }

    fn data(self) -> Data {
        let size = self.data.size().max(self.word as u64);
        self.data.sized(size)
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
        let size = i64::from(object.table) + tables.imports.1 as i64 * i64::from(self.host.function.size);
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
            starts.push(attributes.data.size() as usize);
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
            dependencies.data.append(&[0u32, 1].map(u32::to_le_bytes).concat());
        }
        let (exports, imports) =
            (self.constant("exports", exports.data())?, self.constant("imports", import_rows.data())?);
        Ok(Tables {
            name: (text, own_name.1),
            exports: (exports, rows.len()),
            imports: (imports, self.imports.len()),
            dependencies: (self.constant("dependencies", dependencies.data())?, needed.len()),
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
        let mut table = Table::new(self.host.interface.size.into());
        // The count is one: the creator's reference.
        table.set(self.host.interface.count, [1]);
        for &(at, func) in functions {
            table.point(at, func);
        }
        self.constant("interface", table.data())
    }

    /// A function that always returns the same answer.
    fn answer(&mut self, name: &str, params: &[CType], status: u32) -> Result<Func, Error> {
        let func = self.local(name, self.word(), params)?;
        build_function(self.object, func, |b, []| b.ret_code(status))
    }

    /// `status create(u32 version, instance *, word count, const pair *params, allocator, module **out)`.
    fn create(&mut self, symbol: &str, object: Object, template: Global, size: i64) -> Result<(), Error> {
        let (word, allocator_type) = (self.word(), self.allocator_type());
        let params = [CType::U32, CType::PTR, word.clone(), CType::PTR, allocator_type.clone(), CType::PTR];
        let func = self.object.declare(symbol, signature(word, &params), Linkage::Export)?;
        let (fail, allocate) = (self.fail()?, self.allocate_memory()?);
        build_function(self.object, func, |b, [version, _, count, _, allocator, out]| {
            let wanted = b.iconst(Type::I32, VERSION.into());
            b.return_if(b.icmp(IntCc::Ult, version, wanted), || {
                let text = "%s: the runtime knows interfaces of modules up to version %lld alone, not %lld";
                fail.status(b, code::INCOMPATIBLE, text, b.text("create"), &[version, wanted])
            });
            b.return_if(b.is_not(count, 0), || {
                let text = "%s: the module has no parameters";
                fail.status(b, code::INVALID_ARGUMENT, text, b.text("create"), &[])
            });
            b.checked(allocate, &[allocator, b.word(size), out]);
            let module = b.load_word(out, 0);
            b.copy_bytes(module, b.address(template), b.word(self.host.interface.size.into()));
            b.store(module, module, self.host.interface.this);
            b.copy(b.offset(module, object.allocator), allocator, &allocator_type);
        })?;
        Ok(())
    }

    /// `status allocate_memory(const allocator *, word bytes, void **out)`: allocates zeroed memory.
    fn allocate_memory(&mut self) -> Result<Func, Error> {
        let word = self.word();
        let params = [CType::PTR, word.clone(), CType::PTR];
        let allocator = self.host.allocator;
        let control = signature(word.clone(), &[CType::PTR, CType::U32, CType::PTR, CType::PTR]);
        self.shared("allocate_memory", word, &params, |parts, func| {
            build_function(parts.object, func, |b, [from, bytes, out]| {
                b.store(b.word(0), out, 0);
                let params = b.local(&CType::PTR);
                b.store(bytes, params, 0);
                let (this, ctl) = (b.load_word(from, allocator.this), b.load_word(from, allocator.ctl));
                b.ret(b.result_of(ctl, control, &[this, b.iconst(Type::I32, ALLOCATE), params, out]));
            })
        })
    }

    /// `void free_memory(const allocator *, void *)`. The memory may contain the allocator.
    fn free_memory(&mut self) -> Result<Func, Error> {
        let allocator = self.host.allocator;
        let control = signature(self.word(), &[CType::PTR, CType::U32, CType::PTR, CType::PTR]);
        self.shared("free_memory", CType::Void, &[CType::PTR; 2], |parts, func| {
            build_function(parts.object, func, |b, [from, given]| {
                let memory = b.local(&CType::PTR);
                b.store(given, memory, 0);
                let (this, ctl) = (b.load_word(from, allocator.this), b.load_word(from, allocator.ctl));
                b.result_of(ctl, control, &[this, b.iconst(Type::I32, FREE), b.word(0), memory]);
            })
        })
    }

    fn destroy(&mut self, object: Object) -> Result<Func, Error> {
        let func = self.local("destroy", CType::Void, &[CType::PTR])?;
        let free = self.free_memory()?;
        build_function(self.object, func, |b, [module]| {
            b.call(free, &[b.offset(module, object.allocator), module]);
        })
    }

    fn name(&mut self, tables: &Tables) -> Result<Func, Error> {
        let ty = self.view_type();
        let (view, (text, len)) = (self.host.view, tables.name);
        let func = self.local("name", ty.clone(), &[CType::PTR])?;
        build_function(self.object, func, |b, [_]| {
            let result = b.local(&ty);
            b.store(b.address(text), result, view.data);
            b.store(b.word(len as i64), result, view.len);
            b.ret(result);
        })
    }

    fn signature(&mut self, tables: &Tables) -> Result<Func, Error> {
        let ty = host::ModuleSignature::c_type(self.converter.target());
        let func = self.local("signature", ty.clone(), &[CType::PTR])?;
        build_function(self.object, func, |b, [_]| {
            let result = b.local(&ty);
            b.zero(result, b.word(self.host.signature.size.into()));
            b.store(b.word(tables.imports.1 as i64), result, self.host.signature.imports);
            b.store(b.word(tables.exports.1 as i64), result, self.host.signature.exports);
            b.ret(result);
        })
    }

    fn enumerate_dependencies(&mut self, tables: &Tables) -> Result<Func, Error> {
        let callback = signature(self.word(), &[CType::PTR, CType::PTR]);
        let size = self.host.dependency.size as i32;
        let func = self.local("enumerate_dependencies", self.word(), &[CType::PTR; 3])?;
        build_function(self.object, func, |b, [_, function, user]| {
            b.count(b.word(tables.dependencies.1 as i64), |i| {
                let dependency = b.index(b.address(tables.dependencies.0), i, size);
                b.check(b.result_of(function, callback, &[user, dependency]));
            });
        })
    }

    /// Looks up a function by name; only exported functions have names.
    fn lookup_function(&mut self, tables: &Tables) -> Result<Func, Error> {
        let params = [CType::PTR, CType::U32, self.view_type(), CType::PTR, CType::PTR];
        let func = self.local("lookup_function", self.word(), &params)?;
        let compare = self.library("memcmp", signature(CType::I32, &[CType::PTR, CType::PTR, self.word()]))?;
        let (host, word) = (self.host, self.word_bytes());
        let fill = self.fill_function()?;
        build_function(self.object, func, |b, [module, linkage, name, _, out]| {
            b.when(b.is_not(linkage, EXPORT.into()), || b.ret_code(code::NOT_FOUND));
            let (data, len) = (b.load_word(name, host.view.data), b.load_word(name, host.view.len));
            b.count(b.word(tables.exports.1 as i64), |i| {
                let at = b.index(b.address(tables.exports.0), i, row::WORDS * word);
                let own_len = b.load_word(at, row::NAME * word + host.view.len);
                b.when(b.icmp(IntCc::Eq, own_len, len), || {
                    let own = b.load_word(at, row::NAME * word + host.view.data);
                    let order = b.result(compare, &[own, data, len]);
                    b.when(b.is(order, 0), || {
                        b.call(fill, &[out, module, b.iconst(Type::I32, EXPORT.into()), i]);
                        b.ret_code(0);
                    });
                });
            });
            b.ret_code(code::NOT_FOUND);
        })
    }

    /// `void fill_function(function *out, module *, u32 linkage, word ordinal)`.
    fn fill_function(&mut self) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, CType::U32, self.word()];
        let function = self.host.function;
        self.shared("fill_function", CType::Void, &params, |parts, func| {
            build_function(parts.object, func, |b, [out, module, linkage, ordinal]| {
                b.zero(out, b.word(function.size.into()));
                let (linkage, ordinal) = (b.resized(linkage, Type::I16), b.resized(ordinal, Type::I16));
                b.store(module, out, function.module);
                b.store(linkage, out, function.linkage);
                b.store(ordinal, out, function.ordinal);
            })
        })
    }

    fn get_function(&mut self, tables: &Tables) -> Result<Func, Error> {
        let params = [CType::PTR, CType::U32, self.word(), CType::PTR, CType::PTR, CType::PTR];
        let func = self.local("get_function", self.word(), &params)?;
        let (word, view) = (self.word_bytes(), self.view_type());
        let fill = self.fill_function()?;
        let kinds = [
            (EXPORT, tables.exports, [row::WORDS, row::NAME, row::CONVENTION]),
            (IMPORT, tables.imports, [import_row::WORDS, import_row::NAME, import_row::CONVENTION]),
        ];
        build_function(self.object, func, |b, [module, linkage, ordinal, out, name_out, convention_out]| {
            for (kind, (table, count), [words, name, convention]) in kinds {
                b.when(b.is(linkage, kind.into()), || {
                    b.limit(ordinal, b.word(count as i64), code::OUT_OF_RANGE);
                    let at = b.index(b.address(table), ordinal, words * word);
                    b.when(b.is_not(out, 0), || {
                        b.call(fill, &[out, module, linkage, ordinal]);
                    });
                    for (field, out) in [(name, name_out), (convention, convention_out)] {
                        b.when(b.is_not(out, 0), || b.copy(out, b.offset(at, field * word), &view));
                    }
                    b.ret_code(0);
                });
            }
            b.ret_code(code::NOT_FOUND);
        })
    }

    fn get_function_attr(&mut self, tables: &Tables) -> Result<Func, Error> {
        let params = [CType::PTR, CType::U32, self.word(), self.word(), CType::PTR];
        let (word, pair) = (self.word_bytes(), host::Pair::c_type(self.converter.target()));
        let size = self.host.pair.size as i32;
        let func = self.local("get_function_attr", self.word(), &params)?;
        build_function(self.object, func, |b, [_, linkage, ordinal, index, out]| {
            b.when(b.is_not(linkage, EXPORT.into()), || b.ret_code(code::OUT_OF_RANGE));
            b.limit(ordinal, b.word(tables.exports.1 as i64), code::OUT_OF_RANGE);
            let at = b.index(b.address(tables.exports.0), ordinal, row::WORDS * word);
            b.limit(index, b.load_word(at, (row::ATTRS + 1) * word), code::OUT_OF_RANGE);
            let pairs = b.load_word(at, row::ATTRS * word);
            b.copy(out, b.index(pairs, index, size), &pair);
        })
    }

    /// Bytes of a state: the table of imports, at least one byte.
    fn state_bytes(&self, tables: &Tables) -> i64 {
        (tables.imports.1 as i64 * i64::from(self.host.function.size)).max(self.word_bytes().into())
    }

    fn alloc_state(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let params = [CType::PTR, self.allocator_type(), CType::PTR];
        let func = self.local("alloc_state", self.word(), &params)?;
        let (allocate, bytes) = (self.allocate_memory()?, self.state_bytes(tables));
        build_function(self.object, func, |b, [module, _, out]| {
            // From the module's allocator, so that it can be freed without the context.
            b.checked(allocate, &[b.offset(module, object.allocator), b.word(bytes), out]);
            locked(b, module, object, || {
                count_contexts(b, module, object, 1);
            });
        })
    }

    fn free_state(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let func = self.local("free_state", CType::Void, &[CType::PTR; 2])?;
        let free = self.free_memory()?;
        let table_bytes = tables.imports.1 as i64 * i64::from(self.host.function.size);
        build_function(self.object, func, |b, [module, state]| {
            locked(b, module, object, || {
                let left = count_contexts(b, module, object, -1);
                b.when(b.is(left, 0), || {
                    // The next context will be the first again.
                    let table = b.offset(module, object.table);
                    b.store(b.word(0), module, object.mixed);
                    b.zero(table, b.word(table_bytes));
                });
            });
            b.call(free, &[b.offset(module, object.allocator), state]);
        })
    }

    fn fork_state(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, self.allocator_type(), CType::PTR];
        let func = self.local("fork_state", self.word(), &params)?;
        let (allocate, bytes) = (self.allocate_memory()?, self.state_bytes(tables));
        build_function(self.object, func, |b, [module, parent, _, out]| {
            let (allocator, size) = (b.offset(module, object.allocator), b.word(bytes));
            b.checked(allocate, &[allocator, size, out]);
            b.copy_bytes(b.load_word(out, 0), parent, size);
            locked(b, module, object, || {
                count_contexts(b, module, object, 1);
            });
        })
    }

    /// Stores an import in the state, and in the table of all contexts until another context has another function for
    /// it.
    fn resolve_import(&mut self, tables: &Tables, object: Object) -> Result<Func, Error> {
        let params = [CType::PTR, CType::PTR, self.word(), CType::PTR, CType::PTR];
        let (count, size) = (tables.imports.1 as i64, self.host.function.size as i32);
        let (ty, function_at) = (host::FunctionRef::c_type(self.converter.target()), self.host.function);
        let func = self.local("resolve_import", self.word(), &params)?;
        build_function(self.object, func, |b, [module, state, ordinal, function, _]| {
            b.limit(ordinal, b.word(count), code::OUT_OF_RANGE);
            b.copy(b.index(state, ordinal, size), function, &ty);
            locked(b, module, object, || {
                let common = b.index(b.offset(module, object.table), ordinal, size);
                let first = b.is(b.load_word(common, function_at.module), 0);
                let (one, differs, after) = (b.block(), b.block(), b.block());
                b.br(first, one, differs);
                b.switch_to(one);
                b.copy(common, function, &ty);
                b.jump(after, &[]);
                b.switch_to(differs);
                // The bytes after the fields are undefined.
                let (word, half) = (b.word_type(), Type::I16);
                for (at, ty) in [(function_at.module, word), (function_at.linkage, half), (function_at.ordinal, half)] {
                    let other = b.icmp(IntCc::Ne, b.load(ty, common, at), b.load(ty, function, at));
                    b.when(other, || b.store(b.word(1), module, object.mixed));
                }
                b.jump(after, &[]);
                b.switch_to(after);
            });
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
        build_function(self.object, func, |b, [module, stack, call]| {
            let ordinal = b.to_word(b.load(Type::I16, call, host.call.function + host.function.ordinal));
            b.limit(ordinal, b.word(tables.exports.1 as i64), code::OUT_OF_RANGE);
            let at = b.index(b.address(tables.exports.0), ordinal, row::WORDS * word);
            for (field, block) in [(row::ARGS, host.call.args), (row::RESULTS, host.call.results)] {
                let len = b.load_word(call, block + host.view.len);
                let (wanted, packed) = (b.load_word(at, field * word), b.load_word(at, (field + 1) * word));
                b.when(b.icmp(IntCc::Ne, len, wanted), || {
                    b.return_if(b.icmp(IntCc::Eq, len, packed), || {
                        let text = "%s: the runtime packs values (%lld bytes, not %lld): versions before 3.10 are not supported";
                        fail.status(b, code::INCOMPATIBLE, text, b.text("call"), &[len, wanted])
                    });
                    let text = "%s: a block of %lld bytes, not %lld";
                    b.ret(fail.status(b, code::INVALID_ARGUMENT, text, b.text("call"), &[len, wanted]));
                });
            }
            let imports = b.local(&CType::PTR);
            b.store(b.word(0), imports, 0);
            b.when(b.is_not(b.load_word(at, row::NEEDS_IMPORTS * word), 0), || {
                b.checked(state, &[module, stack, call, imports]);
            });
            let (function, imports) = (b.load_word(at, row::THUNK * word), b.load_word(imports, 0));
            let data = |block: i32| b.load_word(call, block + host.view.data);
            let (args, results) = (data(host.call.args), data(host.call.results));
            b.ret(b.result_of(function, thunk, &[stack, imports, args, results]));
        })
    }

    /// `status state_of(module *, stack *, const call *, const function **table)`: the imports of the context that
    /// calls. The call does not name the context. If contexts differ, the stack does, whose layout is private: it is
    /// taken to be the known one if the context's allocator is where it should be.
    fn state_of(&mut self, object: Object) -> Result<Func, Error> {
        let func = self.local("state_of", self.word(), &[CType::PTR; 4])?;
        let (host, fail) = (self.host, self.fail()?);
        let query = signature(self.word(), &[CType::PTR, CType::PTR, CType::PTR]);
        build_function(self.object, func, |b, [module, stack, call, out]| {
            b.store(b.offset(module, object.table), out, 0);
            b.when(b.is(b.load_word(module, object.mixed), 0), || b.ret_code(0));
            for at in [host.allocator.this, host.allocator.ctl] {
                let its = |holder, allocator: i32| b.load_word(holder, allocator + at);
                let other = b.icmp(IntCc::Ne, its(module, object.allocator), its(stack, host.stack.allocator));
                b.return_if(other, || {
                    let text = "%s: a module can be in two contexts whose imports differ only where the runtime's stack is known";
                    fail.status(b, code::FAILED_PRECONDITION, text, b.text("call"), &[])
                });
            }
            let (this, function) = (b.load_word(stack, host.stack.resolver), b.load_word(stack, host.stack.query));
            let wrapper = b.load_word(call, host.call.function + host.function.module);
            b.ret(b.result_of(function, query, &[this, wrapper, out]));
        })
    }
}

/// Emits `work` to run with the module's lock held. It takes few instructions.
fn locked(b: &Code<'_, '_, '_>, module: Value, object: Object, work: impl FnOnce()) {
    let (again, inside) = (b.block(), b.block());
    b.jump(again, &[]);
    b.switch_to(again);
    let (at, free, taken) = (b.offset(module, object.lock), b.iconst(Type::I32, 0), b.iconst(Type::I32, 1));
    let (_, got) = b.with(|b| b.cmpxchg(at, free, taken, Ordering::Acquire, Ordering::Monotonic));
    b.br(got, inside, again);
    b.switch_to(inside);
    work();
    let (at, free) = (b.offset(module, object.lock), b.iconst(Type::I32, 0));
    b.with(|b| b.atomic_store(free, at, gusset_codegen::ir::AtomicInfo::new(Ordering::Release, 4, false)));
}

/// Adds `by`, one or minus one, to the number of contexts; returns the new number.
fn count_contexts(b: &Code<'_, '_, '_>, module: Value, object: Object, by: i32) -> Value {
    let now = b.offset(b.load_word(module, object.contexts), by);
    b.store(now, module, object.contexts);
    now
}
