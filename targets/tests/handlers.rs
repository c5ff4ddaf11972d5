//! Tables of Microsoft's exceptions where functions register their handlers: of a function written by hand in objects, and the same of text.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use gusset_abi::{AbiTarget, classify};
use gusset_codegen::asm::AsmWriter;
use gusset_codegen::buffer::{CodeBuffer, RelocTarget};
use gusset_codegen::compiled::{CallSite, CompiledFunction, Funclet, PadPlace};
use gusset_codegen::ir::{Module, Pad, Personality, parse};
use gusset_codegen::object::{ObjectOptions, ObjectWriter};
use gusset_targets::x86::asm::AttPrinter;
use gusset_targets::x86::code::CODE;
use gusset_targets::x86::encode::{Asm, CodeMode};
use gusset_targets::x86::object::I386_MSVC;
use gusset_targets::x86::reloc;
use gusset_tests::msvc_tables::{Language, Place, Rules, Tables, differences, read};
use gusset_tests::objects::assemble;

/// A block with a destructor in it, and a block in its handler.
const CXX: &str = r#"module "t"
s0 = export function @_f
s1 = import function @_g
s2 = import function @___CxxFrameHandler3
s3 = import data @type
s4 = import function @_filter
function @_f sig0 {
  personality @___CxxFrameHandler3
  pad0 = switch
  pad1 = catch pad0, @type, 8
  pad2 = cleanup
  pad3 = switch pad1
  pad4 = catch pad3, any, 64
  sig0 = () -> () = c () -> void
  ss0 = 4 align 4
b0:
  call @_g sig0()
  invoke b1, b2
b1:
  return
b2:
  cleanup_pad pad2
  cleanup_ret pad2, b3
b3:
  catch_switch pad0, [b4]
b4:
  v0: i32 = catch_pad pad1, ss0
  call @_g sig0() within pad1
  invoke b5, b6
b5:
  catch_ret pad1, b1
b6:
  catch_switch pad3, [b7]
b7:
  v1: i32 = catch_pad pad4, 0:i32
  catch_ret pad4, b5
}
"#;

/// `__except` around `__finally`.
const LEVELS: &str = r#"module "t"
s0 = export function @_f
s1 = import function @_g
s2 = import function @ROUTINE
s3 = import data @type
s4 = import function @_filter
function @_f sig0 {
  personality @ROUTINE
  pad0 = switch
  pad1 = catch pad0, @_filter, 0
  pad2 = cleanup
  sig0 = () -> () = c () -> void
b0:
  call @_g sig0()
  invoke b1, b2
b1:
  return
b2:
  cleanup_pad pad2
  cleanup_ret pad2, b3
b3:
  catch_switch pad0, [b4]
b4:
  v0: i32 = catch_pad pad1, 0:i32
  catch_ret pad1, b1
}
"#;

/// A function that stores what it registers, calls, and stores the address of a place in itself; after it `funclets`, of two bytes each.
fn function(text: &str, routine: Personality, funclets: &[u32]) -> (Module, CompiledFunction) {
    let i386 = AbiTarget::from_triple("i686-pc-windows-msvc", Default::default()).unwrap();
    let (module, mut functions) = parse(text, &mut |s| classify(&i386, s)).unwrap_or_else(|e| panic!("{e}"));
    let ir = &mut functions[0];
    ir.exceptions.routine = routine;
    let mut buf = CodeBuffer::new(&CODE);
    let store = |buf: &mut CodeBuffer, target| {
        // mov dword ptr [eax], TARGET
        buf.put_slice(&[0xc7, 0x00, 0, 0, 0, 0]);
        let at = buf.offset() - 4;
        buf.reloc(at, reloc::ABS32, target, 0);
    };
    store(&mut buf, RelocTarget::SafeSehHandler);
    store(&mut buf, RelocTarget::Symbol(2));
    let label = buf.new_label();
    store(&mut buf, RelocTarget::Label(label));
    let call = buf.offset();
    support::call(&mut Asm::new(&mut buf, CodeMode::BITS_64), RelocTarget::Symbol(1));
    buf.bind(label);
    // nop; ret
    buf.put_slice(&[0x90, 0xc3]);
    let first = buf.offset();
    funclets.iter().for_each(|_| buf.put_slice(&[0x90, 0xc3]));
    buf.finish().unwrap();
    let mut f = CompiledFunction { symbol: ir.symbol, align: 16, unwind: true, ..Default::default() };
    f.fill_from(&buf);
    f.exceptions.copy_from(&ir.exceptions);
    f.states.compute(ir, &ir.layout).unwrap_or_else(|e| panic!("{e}"));
    f.funclets.pads.resize(ir.exceptions.pad_count(), PadPlace::default());
    for (&pad, start) in funclets.iter().zip((first..).step_by(2)) {
        f.funclets.list.push(Funclet { start, end: start + 2, pad: Pad(pad) });
        f.funclets.pads[pad as usize].code = Some(start);
    }
    f.call_sites.push(CallSite { start: call, end: call + 5, landing: Some((call + 5, Pad(2))) });
    (module, f)
}

/// The tables in the function's object, which is also that of its text.
fn tables(module: &Module, f: &CompiledFunction) -> Tables {
    let options = ObjectOptions::default();
    let mut w = ObjectWriter::new(&I386_MSVC, module, options.clone());
    w.function(f).unwrap_or_else(|e| panic!("{e}"));
    let object = w.finish().unwrap_or_else(|e| panic!("{e}"));
    let mut w = AsmWriter::new(&I386_MSVC, module, options, Box::new(AttPrinter::with_bits(32)));
    w.function(f).unwrap_or_else(|e| panic!("{e}"));
    let text = w.finish().unwrap_or_else(|e| panic!("{e}"));
    let judge = assemble("i686-pc-windows-msvc", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = differences(&object, &judge, Rules::EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.is_empty(), "object against text: {}\n{text}", found.join("\n"));
    read(&object).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn of_cxx() {
    let (module, mut f) = function(CXX, Personality::Cxx, &[2, 1, 4]);
    f.funclets.pads[1].object = Some(-28);
    let tables = tables(&module, &f);
    assert_eq!(tables.safe_handlers.iter().collect::<Vec<_>>(), ["__ehhandler$_f"]);
    let [function] = &tables.functions[..] else { panic!("{tables}") };
    let Language::Cxx(info) = &function.language else { panic!("{tables}") };
    let code = |place: &Place| match place {
        Place::Code { region, offset: 0 } => tables.code[*region].name.clone(),
        place => format!("{place:?}"),
    };
    let unwind: Vec<_> = info.unwind.iter().map(|(to, action)| (*to, code(action))).collect();
    let none = || "None".to_string();
    assert_eq!(unwind, [(-1, none()), (0, "?dtor$2@?0?_f@4HA".into()), (-1, none()), (2, none()), (2, none())]);
    assert_eq!((info.flags, info.magic, info.unwind_help, info.ip_to_state.len()), (1, 0x1993_0522, None, 0));
    // The block in the handler comes first.
    let ranges: Vec<_> = info.tries.iter().map(|t| (t.low, t.high, t.catch_high)).collect();
    assert_eq!(ranges, [(3, 3, 4), (0, 1, 4)]);
    let handler = &info.tries[1].handlers[0];
    assert_eq!((handler.adjectives, handler.object, code(&handler.funclet)), (8, -28, "?catch$1@?0?_f@4HA".into()));
    assert_eq!((&handler.exception, handler.parent_frame), (&Place::Symbol("type".into()), None));
}

#[test]
fn of_scopes() {
    for (name, version, outside) in [("__except_handler3", 3, -1), ("__except_handler4", 4, -2)] {
        let (module, mut f) = function(&LEVELS.replace("ROUTINE", name), Personality::TryLevels(version), &[2]);
        // Behind the call.
        f.funclets.pads[1].code = Some(f.call_sites[0].end);
        f.funclets.record_guard = -40;
        let tables = tables(&module, &f);
        assert_eq!(tables.safe_handlers.iter().collect::<Vec<_>>(), [name]);
        let [function] = &tables.functions[..] else { panic!("{tables}") };
        let Language::Levels { cookies, levels } = &function.language else { panic!("{tables}") };
        assert_eq!(*cookies, (version == 4).then_some([-2, 0, -40, 0]));
        let enclosing: Vec<_> = levels.iter().map(|l| (l.enclosing, &l.filter)).collect();
        assert_eq!(enclosing, [(outside, &Place::Symbol("_filter".into())), (0, &Place::None)]);
        assert!(matches!(levels[0].handler, Place::Code { offset: 23, .. }), "{tables}");
    }
}
