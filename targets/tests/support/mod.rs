//! A module with one of everything that objects hold, its functions written with the encoder.

use gusset_codegen::buffer::{CfiOp, CodeBuffer, JumpTableId, RelocTarget};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::ir::{
    AliasData, Comdat, ComdatId, ComdatKind, DataObject, DataReloc, Linkage, Module, RelocBase, Structor, Symbol,
    SymbolId, SymbolKind, TlsModel, Visibility,
};
use gusset_codegen::libcall::LibCall;
use gusset_targets::x86::code::CODE;
use gusset_targets::x86::encode::ops::*;
use gusset_targets::x86::encode::{Asm, CodeMode};
use gusset_targets::x86::reg::*;
use gusset_targets::x86::reloc;

const RCX: Gpr = Gpr(1);
const RDX: Gpr = Gpr(2);
const XMM0: Xmm = Xmm(0);
const XMM1: Xmm = Xmm(1);

/// A module and the functions of it.
#[derive(Default)]
pub struct Fixture {
    pub module: Module,
    pub functions: Vec<CompiledFunction>,
}

impl Fixture {
    pub fn symbol(&mut self, name: &str, kind: SymbolKind, linkage: Linkage) -> SymbolId {
        self.module.add_symbol(Symbol::new(name, kind, linkage))
    }

    pub fn code(&mut self, symbol: SymbolId, write: impl FnOnce(&mut Asm<'_>)) -> &mut CompiledFunction {
        let mut buffer = CodeBuffer::new(&CODE);
        write(&mut Asm::new(&mut buffer, CodeMode::BITS_64));
        buffer.finish().unwrap();
        let mut f = CompiledFunction { symbol, align: 16, unwind: true, ..Default::default() };
        f.fill_from(&buffer);
        self.functions.push(f);
        self.functions.last_mut().unwrap()
    }

    pub fn function(&mut self, name: &str, linkage: Linkage, write: impl FnOnce(&mut Asm<'_>)) -> SymbolId {
        let symbol = self.symbol(name, SymbolKind::Function, linkage);
        self.code(symbol, write);
        symbol
    }

    pub fn data(&mut self, symbol: SymbolId, bytes: &[u8], size: u64, align: u64) -> &mut DataObject {
        let data = DataObject {
            symbol,
            bytes: bytes.to_vec().into(),
            size,
            align,
            constant: false,
            mergeable: false,
            relocs: Vec::new(),
        };
        self.module.data.push(data);
        self.module.data.last_mut().unwrap()
    }

    pub fn text(&mut self, name: &str, text: &[u8]) -> SymbolId {
        let symbol = self.symbol(name, SymbolKind::Data, Linkage::Private);
        let data = self.data(symbol, text, text.len() as u64, 1);
        data.constant = true;
        data.mergeable = true;
        symbol
    }
}

pub fn call(asm: &mut Asm<'_>, target: RelocTarget) {
    asm.buf.put_slice(&[0xe8, 0, 0, 0, 0]);
    let at = asm.buf.offset() - 4;
    asm.buf.reloc(at, reloc::PLT32, target, -4);
}

fn tail(asm: &mut Asm<'_>, target: RelocTarget) {
    asm.buf.put_slice(&[0xe9, 0, 0, 0, 0]);
    let at = asm.buf.offset() - 4;
    asm.buf.reloc(at, reloc::PLT32, target, -4);
}

fn ret(asm: &mut Asm<'_>) {
    asm.buf.put_slice(&[0xc3]);
}

/// A call in a frame of its own.
fn framed(asm: &mut Asm<'_>, target: RelocTarget) {
    asm.push_r(RAX);
    asm.buf.mark_cfi(CfiOp::DefCfaOffset(16));
    call(asm, target);
    asm.pop_r(RCX);
    asm.buf.mark_cfi(CfiOp::DefCfaOffset(8));
    ret(asm);
}

fn sym(s: SymbolId) -> RelocTarget {
    RelocTarget::Symbol(s.0)
}

/// One of everything.
pub fn everything() -> Fixture {
    let mut f = Fixture::default();
    f.module.source_name = "everything.c".into();
    f.module.idents.push("Gusset's tests".into());
    let function = SymbolKind::Function;

    let twice = f.function("twice", Linkage::Local, |a| {
        a.alu(AluOp::Add, Size::B4, RDI, RDI);
        a.mov(Size::B4, RAX, RDI);
        ret(a);
    });
    f.function("call_local", Linkage::Export, |a| framed(a, sym(twice)));
    f.function("tail_local", Linkage::Export, |a| tail(a, sym(twice)));
    let replaceable = f.function("replaceable", Linkage::Weak, |a| {
        a.mov_ri(Size::B4, RAX, 1);
        ret(a);
    });
    f.function("call_weak", Linkage::Export, |a| tail(a, sym(replaceable)));
    let exported = f.function("exported", Linkage::Export, |a| {
        a.mov_ri(Size::B4, RAX, 77);
        ret(a);
    });
    f.function("call_exported", Linkage::Export, |a| tail(a, sym(exported)));
    let hidden = f.function("hidden", Linkage::Export, |a| {
        a.mov_ri(Size::B4, RAX, 78);
        ret(a);
    });
    f.module.symbols[hidden.index()].visibility = Visibility::Hidden;
    f.module.symbols[hidden.index()].dso_local = true;
    f.function("call_hidden", Linkage::Export, |a| tail(a, sym(hidden)));

    let strlen = f.symbol("strlen", function, Linkage::Import);
    f.function("call_strlen", Linkage::Export, |a| framed(a, sym(strlen)));
    f.function("copy", Linkage::Export, |a| framed(a, RelocTarget::LibCall(LibCall::Memcpy)));
    let absent = f.symbol("absent", SymbolKind::Data, Linkage::ImportWeak);
    f.function("get_absent", Linkage::Export, |a| {
        a.mov(Size::B8, RAX, Mem::got(absent.0));
        ret(a);
    });

    let hello = f.text("hello", b"hello\0");
    let tail_of = f.text("tail", b"lo\0");
    f.function("get_hello", Linkage::Export, |a| {
        a.lea(Size::B8, RAX, Mem::symbol(hello.0, 1));
        ret(a);
    });
    f.function("constants", Linkage::Export, |a| {
        let half = a.buf.constant(&0.5f64.to_le_bytes());
        let three = a.buf.constant(&3f32.to_le_bytes());
        let pair = a.buf.constant(&[1; 16]);
        let short = a.buf.constant(&[7, 0]);
        a.sse(CVTSS2SD, XMM0, Mem::constant(three));
        a.sse(MULSD, XMM0, Mem::constant(half));
        a.sse(MOVUPS, XMM1, Mem::constant(pair));
        a.movzx(Size::B2, RAX, Mem::constant(short));
        ret(a);
    });
    f.function("more_constants", Linkage::Export, |a| {
        let half = a.buf.constant(&0.5f64.to_le_bytes());
        a.sse(MOVSD, XMM0, Mem::constant(half));
        ret(a);
    });

    let block = {
        let pick = f.symbol("pick", function, Linkage::Export);
        let block = f.symbol("pick.block", SymbolKind::Block(pick), Linkage::Private);
        let mut at = None;
        f.code(pick, |a| {
            let labels: Vec<_> = (0..4).map(|_| a.buf.new_label()).collect();
            let table = a.buf.jump_table(&labels);
            assert_eq!(table, JumpTableId(0));
            a.mov(Size::B4, RDI, RDI);
            a.lea(Size::B8, RDX, Mem::jump_table(table));
            a.movsx(Size::B8, Size::B4, RAX, Mem::indexed(RDX, RDI, 4, 0));
            a.alu(AluOp::Add, Size::B8, RAX, RDX);
            a.buf.put_slice(&[0xff, 0xe0]);
            let end = a.buf.new_label();
            for (i, &label) in labels.iter().enumerate() {
                a.buf.bind(label);
                a.mov_ri(Size::B4, RAX, 10 + i as i64);
                a.buf.branch(0, 0xe9, end);
            }
            a.buf.bind(end);
            a.buf.put_slice(&[0x0f, 0xae, 0xf0]);
            at = Some(a.buf.offset());
            ret(a);
        });
        let last = f.functions.last_mut().unwrap();
        last.block_symbols.push((block, last.code.len() as u32 - 1));
        block
    };

    // A function in a section of its own, and one in a group.
    let apart = f.function("apart", Linkage::Local, |a| {
        a.mov_ri(Size::B4, RAX, 79);
        ret(a);
    });
    f.module.symbols[apart.index()].section = Some("apart_text".into());
    f.function("call_apart", Linkage::Export, |a| tail(a, sym(apart)));
    f.module.comdats.push(Comdat { name: "shared".into(), kind: ComdatKind::Any });
    f.module.comdats.push(Comdat { name: "nameless".into(), kind: ComdatKind::Any });
    let shared = f.symbol("shared", function, Linkage::Weak);
    f.module.symbols[shared.index()].comdat = Some(ComdatId(0));
    f.code(shared, |a| {
        let end = a.buf.new_label();
        let table = a.buf.jump_table(&[end]);
        a.lea(Size::B8, RDX, Mem::jump_table(table));
        a.buf.bind(end);
        a.mov_ri(Size::B4, RAX, 80);
        ret(a);
    });
    let in_group = f.symbol("in_group", SymbolKind::Data, Linkage::Weak);
    f.module.symbols[in_group.index()].comdat = Some(ComdatId(1));
    f.data(in_group, &[9, 0, 0, 0], 4, 4);

    // Data.
    let counter = f.symbol("counter", SymbolKind::Data, Linkage::Export);
    f.data(counter, &[], 4, 4);
    let bump = f.function("bump", Linkage::Local, |a| {
        a.mov(Size::B8, RAX, Mem::got(counter.0));
        a.alu_m(AluOp::Add, Size::B4, Mem::at(RAX, 0), 5);
        ret(a);
    });
    let structor = |priority| Structor { priority, function: bump, with: None };
    f.module.ctors.extend([structor(65535), structor(200)]);
    f.module.dtors.push(structor(65535));
    let table = f.symbol("table", SymbolKind::Data, Linkage::Export);
    let reloc = |offset, symbol, addend| DataReloc { offset, size: 8, symbol, addend, base: RelocBase::Zero };
    let data = f.data(table, &[], 40, 16);
    data.constant = true;
    data.relocs =
        vec![reloc(0, hello, 0), reloc(8, tail_of, 1), reloc(16, twice, 0), reloc(24, block, 0), reloc(32, strlen, 0)];
    let distance = f.symbol("distance", SymbolKind::Data, Linkage::Export);
    let bytes = f.symbol("bytes", SymbolKind::Data, Linkage::Export);
    let reloc = |offset, symbol, addend, base| DataReloc { offset, size: 4, symbol, addend, base };
    f.data(distance, &[0; 12], 20, 4).relocs = vec![
        reloc(4, distance, 0, RelocBase::Field),
        reloc(8, block, 3, RelocBase::Symbol(bump)),
        reloc(12, strlen, -1, RelocBase::Symbol(bytes)),
        reloc(16, distance, 0, RelocBase::Symbol(bytes)),
    ];
    f.module.symbols[distance.index()].dso_local = true;
    let zeros = f.symbol("zeros", SymbolKind::Data, Linkage::Local);
    f.data(zeros, &[], 100, 32);
    let mut big = vec![0xee; 3];
    big.extend(b"\"quoted\\\n\x01\xff");
    f.data(bytes, &big, 40, 1);
    let numbers = f.symbol("numbers", SymbolKind::Data, Linkage::Private);
    let data = f.data(numbers, &[4; 16], 16, 16);
    (data.constant, data.mergeable) = (true, true);
    let kept = f.symbol("kept", SymbolKind::Data, Linkage::Local);
    f.data(kept, &[1], 1, 1);
    f.module.used.push(kept);
    let mine = f.symbol("mine", SymbolKind::Data, Linkage::Export);
    f.module.symbols[mine.index()].section = Some("mine_data".into());
    f.data(mine, &[], 4, 4);
    let common = f.symbol("common", SymbolKind::Data, Linkage::Common);
    f.data(common, &[], 24, 8);
    let empty = f.symbol("empty", SymbolKind::Data, Linkage::Export);
    f.data(empty, &[], 0, 1);

    // Names that assemblers would read as something else.
    for (i, name) in ["a b", "at@sign", "1digit", "$dollar", "mi-nus", "über", "rax"].iter().enumerate() {
        let symbol = f.symbol(name, SymbolKind::Data, Linkage::Export);
        f.data(symbol, &[i as u8], 1, 1);
        f.module.symbols[symbol.index()].section = Some(format!("section of {name}"));
        f.function(&format!("{name}!"), Linkage::Export, |a| {
            a.mov(Size::B8, RAX, Mem::got(symbol.0));
            a.movzx(Size::B1, RAX, Mem::symbol(symbol.0, 0));
            ret(a);
        });
    }

    // Thread-local data.
    let tls = f.symbol("tls", SymbolKind::Tls(TlsModel::LocalExec), Linkage::Export);
    f.data(tls, &[3, 0, 0, 0], 4, 4);
    let tls_zero = f.symbol("tls_zero", SymbolKind::Tls(TlsModel::LocalExec), Linkage::Local);
    f.data(tls_zero, &[], 8, 8);
    f.function("get_tls", Linkage::Export, |a| {
        let at = |s: SymbolId| Mem::absolute(0).with_reloc(reloc::TPOFF32, sym(s)).in_segment(Segment::Fs);
        a.mov(Size::B4, RAX, at(tls));
        a.alu(AluOp::Add, Size::B4, RAX, at(tls_zero));
        ret(a);
    });
    f.function("get_tls_ie", Linkage::Export, |a| {
        a.mov(Size::B8, RAX, Mem::got_tpoff(tls.0));
        a.mov(Size::B4, RAX, Mem::at(RAX, 0).in_segment(Segment::Fs));
        ret(a);
    });
    f.function("get_tls_gd", Linkage::Export, |a| {
        // The sequence of the general-dynamic model has padding by which linkers know it.
        a.push_r(RAX);
        a.buf.mark_cfi(CfiOp::DefCfaOffset(16));
        a.buf.put_slice(&[0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0]);
        let at = a.buf.offset() - 4;
        a.buf.reloc(at, reloc::TLSGD, sym(tls), -4);
        a.buf.put_slice(&[0x66, 0x66, 0x48]);
        call(a, RelocTarget::LibCall(LibCall::TlsGetAddr));
        a.mov(Size::B4, RAX, Mem::at(RAX, 0));
        a.pop_r(RCX);
        a.buf.mark_cfi(CfiOp::DefCfaOffset(8));
        ret(a);
    });

    // Aliases.
    let alias = f.symbol("alias", SymbolKind::Data, Linkage::Export);
    f.module.aliases.push(AliasData { symbol: alias, target: bytes, offset: 3 });
    let again = f.symbol("alias_of_alias", SymbolKind::Data, Linkage::Weak);
    f.module.aliases.push(AliasData { symbol: again, target: alias, offset: 1 });
    let resolver = f.function("resolver", Linkage::Local, |a| {
        a.lea(Size::B8, RAX, Mem::symbol(twice.0, 0));
        ret(a);
    });
    let chosen = f.symbol("chosen", SymbolKind::Ifunc, Linkage::Export);
    f.module.aliases.push(AliasData { symbol: chosen, target: resolver, offset: 0 });
    f.function("call_chosen", Linkage::Export, |a| framed(a, sym(chosen)));
    f
}
