//! What programs of the text form give.

use gusset_abi::AbiTarget;

use super::*;
use gusset_codegen::ir::{OPCODES, Opcode, parse};

/// Runs `@f`, a function of two `i32` with one such result, whose body is `text`.
fn run(text: &str, a: u32, b: u32) -> Result<Option<u128>, Stop> {
    let head = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i32, i32) -> (i32) = c (i32, i32) -> i32\n  ss0 = 16 align 8\n";
    let all = format!("{head}b0(v0: i32, v1: i32):\n{text}\n}}\n");
    let mut classify = |s: &gusset_abi::Signature| gusset_abi::classify(&AbiTarget::X86_64_LINUX, s);
    let (module, functions) = parse(&all, &mut classify).unwrap_or_else(|e| panic!("{e}"));
    let mut interpreter = Interpreter::new(&module, &functions, &AbiTarget::X86_64_LINUX, 1000);
    Ok(interpreter.call(SymbolId(0), &[Val::of(a as u128), Val::of(b as u128)])?[0].bits())
}

#[test]
fn arithmetic() {
    assert_eq!(run("  v2: i32 = isub v0, v1\n  return v2", 3, 5), Ok(Some(0xffff_fffe)));
    assert_eq!(run("  v2: i32 = sshl_sat v0, v1\n  return v2", 0x4000_0000, 1), Ok(Some(0x7fff_ffff)));
    assert_eq!(run("  v2: i32 = fshr v0, v1, 36:i32\n  return v2", 0xf, 0x80), Ok(Some(0xf000_0008)));
    let flag = "  v2: i32, v3: i1 = smul_ov v0, v1\n  v4: i32 = zext v3\n  return v4";
    assert_eq!(run(flag, 0x1_0000, 0x7fff), Ok(Some(0)));
    assert_eq!(run(flag, 0x1_0000, 0x8000), Ok(Some(1)));
    assert_eq!(run("  v2: i32 = sdiv v0, v1\n  return v2", (-7i32) as u32, 2), Ok(Some((-3i32) as u32 as u128)));
}

#[test]
fn any_value_spreads_and_ends_a_run_that_depends_on_it() {
    assert_eq!(run("  v2: i32 = shl v0, v1\n  v3: i32 = iadd v2, v2\n  return v3", 1, 32), Ok(None));
    assert_eq!(run("  v2: i32 = load ss0, 0, align 4\n  return v2", 1, 2), Ok(None));
    let branch = "  v2: i32 = shl v0, v1\n  v3: i1 = icmp eq i32 v2, 0:i32\n  br v3, b1, b1\nb1:\n  return v0";
    assert!(matches!(run(branch, 1, 32), Err(Stop::Undefined(_))));
    assert_eq!(run(branch, 1, 31), Ok(Some(1)));
    assert!(matches!(run("  v2: i32 = udiv v0, v1\n  return v2", 1, 0), Err(Stop::Undefined(_))));
    assert!(matches!(run("  v2: i32 = load ss0, 13, align 1\n  return v2", 1, 0), Err(Stop::Undefined(_))));
}

#[test]
fn loops_and_memory() {
    let sum = "  jump b1(0:i32, v0)\nb1(v2: i32, v3: i32):\n  v4: i32 = iadd v2, v3\n  v5: i32 = isub v3, 1:i32\n  store i32 v4, ss0, 4, align 4\n  v6: i1 = icmp ne i32 v5, 0:i32\n  br v6, b1(v4, v5), b2\nb2:\n  v7: i32 = load ss0, 4, align 4\n  return v7";
    assert_eq!(run(sum, 10, 0), Ok(Some(55)));
    assert_eq!(run(sum, 100_000, 0), Err(Stop::Limit));
}

#[test]
fn vectors() {
    let text = "  v2: i32x4 = splat v0\n  v3: i32x4 = insert_lane v2, v1, 2:i32\n  v4: i1x4 = icmp ult i32x4 v3, v2\n  v5: i4 = bitcast v4\n  v6: i32 = zext v5\n  v7: i32 = reduce add v3, v3\n  v8: i32 = iadd v6, v7\n  return v8";
    assert_eq!(run(text, 10, 3), Ok(Some(33 + 4)));
}

#[test]
fn addresses_of_32_bits() {
    let target = AbiTarget::from_triple("i686-unknown-linux-gnu", gusset_abi::AbiFeatures::default()).unwrap();
    let text = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i32) -> (i64) = c (i32) -> i64\n  ss0 = 16 align 8\nb0(v0: i32):\n  v1: i32 = iadd ss0, v0\n  store i64 4294967298:i64, v1, -4, align 4\n  v2: i32 = iadd ss0, 4294967292:i32\n  v3: i64 = load v2, 12, align 4\n  return v3\n}\n";
    let mut classify = |s: &gusset_abi::Signature| gusset_abi::classify(&target, s);
    let (module, functions) = parse(text, &mut classify).unwrap_or_else(|e| panic!("{e}"));
    gusset_codegen::ir::verify(&module, &functions[0]).unwrap_or_else(|e| panic!("{e}"));
    let mut interpreter = Interpreter::new(&module, &functions, &target, 1000);
    let result = interpreter.call(SymbolId(0), &[Val::of(12)]);
    assert_eq!(result.unwrap()[0].bits(), Some(0x1_0000_0002));
    assert!(interpreter.address(SymbolId(0)) < 1 << 32);
}

#[test]
fn argument_blocks_are_the_callees() {
    let text = "module \"t\"
s0 = export function @f
s1 = local function @g
function @f sig0 {
  sig0 = (i32) -> (i32) = c (i32) -> i32
  sig1 = (i32, i64) -> (i32) = c (i32, ptr inalloca(12)) -> i32
b0(v0: i32):
  v1: i64 = stack_save
  v2: i64 = block_open 12, 8
  v3: i64 = iadd v2, 8:i64
  store i32 v0, v3, 0, align 4
  v4: i32 = call @g sig1 (v0, v2)
  v5: i32 = load v3, 0, align 4
  stack_restore v1
  v6: i32 = RESULT
  return v6
}
function @g sig0 {
  sig0 = (i32, i64) -> (i32) = c (i32, ptr inalloca(12)) -> i32
b0(v0: i32, v1: i64):
  v2: i32 = load v1, 8, align 4
  v3: i32 = iadd v0, v2
  store i32 0:i32, v1, 8, align 4
  return v3
}
";
    let run = |result: &str| {
        let mut classify = |s: &gusset_abi::Signature| gusset_abi::classify(&AbiTarget::X86_64_LINUX, s);
        let text = text.replace("RESULT", result);
        let (module, functions) = parse(&text, &mut classify).unwrap_or_else(|e| panic!("{e}"));
        let mut interpreter = Interpreter::new(&module, &functions, &AbiTarget::X86_64_LINUX, 1000);
        interpreter.call(SymbolId(0), &[Val::of(21)]).unwrap()[0].bits()
    };
    assert_eq!(run("iadd v4, v4"), Some(84));
    // What the call leaves in the block has no meaning.
    assert_eq!(run("iadd v4, v5"), None);
}

/// What `@g` throws is of the type that its first argument says, and holds the second; of 0 it throws nothing.
const THROWER: &str = "function @g sig0 {
  sig0 = (i64, i32) -> (i32) = c (i64, i32) -> i32
  sig1 = (i64, i32) -> () = c (i64, i32) -> void
b0(v0: i64, v1: i32):
  v2: i1 = icmp eq i32 v1, 0:i32
  br v2, b1, b2
b1:
  return 7:i32
b2:
  call @fuzz_throw sig1 (v0, v1)
  return 8:i32
}
";

#[test]
fn exceptions_find_their_pads() {
    let text = "module \"t\"
s0 = export function @f
s1 = local function @g
s2 = local data @int
s3 = local data @char
s4 = import function @fuzz_throw
s5 = import function @personality
s6 = import function @fuzz_caught
data @int size 8 align 8 = \"\"
data @char size 8 align 8 = \"\"
THROWERfunction @f sig0 {
  personality @personality types @int, @char
  sig0 = (i64, i32) -> (i32) = c (i64, i32) -> i32
  sig1 = (i64) -> (i32) = c (i64) -> i32
b0(v0: i64, v1: i32):
  v2: i32 = call @g sig0 (v0, v1)
  invoke b1(v2), b2(v1)
b1(v3: i32):
  return v3
b2(v4: i32):
  v5: i64, v6: i32 = landing_pad CLAUSES
  v7: i1 = icmp eq i32 v6, 0:i32
  br v7, b3, b4
b3:
  resume v5
b4:
  v8: i32 = imul v6, 100:i32
  v9: i32 = call @fuzz_caught sig1 (v5)
  v10: i32 = iadd v8, v9
  return v10
}
";
    let text = text.replace("THROWER", THROWER);
    let run = |clauses: &str, ty: u32, throws: u128| {
        let mut classify = |s: &gusset_abi::Signature| gusset_abi::classify(&AbiTarget::X86_64_LINUX, s);
        let text = text.replace("CLAUSES", clauses);
        let (module, functions) = parse(&text, &mut classify).unwrap_or_else(|e| panic!("{e}"));
        let mut interpreter = Interpreter::new(&module, &functions, &AbiTarget::X86_64_LINUX, 1000);
        let ty = interpreter.address(SymbolId(ty)).into();
        Ok(interpreter.call(SymbolId(0), &[Val::of(ty), Val::of(throws)])?[0].bits().map(|n| n as i32))
    };
    let (int, char) = (2, 3);
    assert_eq!(run("catch @int", int, 0), Ok(Some(7)));
    assert_eq!(run("catch @int", int, 5), Ok(Some(105)));
    assert!(matches!(run("catch @int", char, 5), Err(Stop::Raised(_))));
    assert!(matches!(run("cleanup, catch @int", char, 5), Err(Stop::Raised(_))));
    assert_eq!(run("catch @int, catch @char", char, 5), Ok(Some(205)));
    assert_eq!(run("catch @int, catch any", char, 5), Ok(Some(305)));
    assert_eq!(run("filter [@int]", char, 5), Ok(Some(-95)));
    assert!(matches!(run("filter [@int]", int, 5), Err(Stop::Raised(_))));
    assert_eq!(run("filter []", int, 5), Ok(Some(-95)));
}

/// What `@f` gives, whose second block is `b2`, to which exceptions of `@g` come; what `@g` throws is of the type, and holds the number, that `@f` gets.
fn run_funclets(pads: &str, blocks: &str, ty: u32, number: u128) -> Result<Option<u128>, Stop> {
    let text = format!(
        "module \"t\"
s0 = export function @f
s1 = local function @g
s2 = import data @fuzz_type_int
s3 = import data @fuzz_type_char
s4 = import function @fuzz_throw
s5 = import function @\"__CxxFrameHandler3\"
s6 = import function @_CxxThrowException
s7 = local data @log
data @log size 4 align 4 = \"\"
{THROWER}function @f sig0 {{
  personality @\"__CxxFrameHandler3\"
{pads}
  sig0 = (i64, i32) -> (i32) = c (i64, i32) -> i32
  sig1 = (i64, i64) -> () = c (i64, i64) -> void
  ss0 = 8 align 8
b0(v0: i64, v1: i32):
  store i32 -1:i32, ss0, 0, align 4
  v2: i32 = call @g sig0 (v0, v1)
  invoke b1(v2), b2
b1(v3: i32):
  v4: i32 = load @log:i64, 0, align 4
  v5: i32 = iadd v3, v4
  return v5
{blocks}
}}
"
    );
    let mut classify = |s: &gusset_abi::Signature| gusset_abi::classify(&AbiTarget::X86_64_LINUX, s);
    let (module, functions) = parse(&text, &mut classify).unwrap_or_else(|e| panic!("{e}\n{text}"));
    functions.iter().for_each(|f| gusset_codegen::ir::verify(&module, f).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let mut interpreter = Interpreter::new(&module, &functions, &AbiTarget::X86_64_LINUX, 1000);
    let ty = interpreter.address(SymbolId(ty)).into();
    let result = interpreter.call(SymbolId(0), &[Val::of(ty), Val::of(number)])?;
    Ok(result[0].bits())
}

const INT: u32 = 2;
const CHAR: u32 = 3;

#[test]
fn handlers_take_what_is_theirs() {
    let run = |by: &str, object: &str, load: &str, ty: u32, number: u128| {
        let pads = format!("  pad0 = switch\n  pad1 = catch pad0, {by}\n  pad2 = catch pad0, any, 64");
        let blocks = format!(
            "b2:
  catch_switch pad0, [b3, b4]
b3:
  v10: i32 = catch_pad pad1, {object}
{load}
  catch_ret pad1, b1(v20)
b4:
  v11: i32 = catch_pad pad2, 0:i64
  catch_ret pad2, b1(1000:i32)"
        );
        run_funclets(&pads, &blocks, ty, number)
    };
    let load = "  v20: i32 = load ss0, 0, align 4";
    assert_eq!(run("@fuzz_type_int, 0", "ss0", load, INT, 0), Ok(Some(7)), "nothing is thrown");
    assert_eq!(run("@fuzz_type_int, 0", "ss0", load, INT, 0x1234), Ok(Some(0x1234)));
    assert_eq!(run("@fuzz_type_int, 0", "0:i64", load, INT, 5), Ok(Some(0xffff_ffff)), "no object is wanted");
    assert_eq!(run("@fuzz_type_int, 0", "ss0", load, CHAR, 5), Ok(Some(1000)), "the second handler");
    assert_eq!(run("@fuzz_type_char, 0", "ss0", load, CHAR, 0x1234), Ok(Some(0xffff_ff34)), "one byte");
    let through = "  v12: i64 = load ss0, 0, align 8\n  v20: i32 = load v12, 0, align 4";
    assert_eq!(run("@fuzz_type_int, 8", "ss0", through, INT, 0x1234), Ok(Some(0x1234)), "by reference");
}

#[test]
fn the_object_ends_with_its_last_handler() {
    let pads = "  pad0 = switch\n  pad1 = catch pad0, @fuzz_type_int, 8";
    let blocks = "b2:
  catch_switch pad0, [b3]
b3:
  v10: i32 = catch_pad pad1, ss0
  catch_ret pad1, b4
b4:
  v11: i64 = load ss0, 0, align 8
  v12: i32 = load v11, 0, align 4
  return v12";
    assert!(
        matches!(run_funclets(pads, blocks, INT, 5), Err(Stop::Undefined(why)) if why.contains("where nothing is"))
    );
}

/// In a handler the exception is thrown again, or another one is thrown, which a handler in it takes, or one around it, after a cleanup.
#[test]
fn exceptions_leave_handlers_by_cleanups() {
    let run = |again: &str, way: &str| {
        let pads = "  pad0 = switch
  pad1 = catch pad0, @fuzz_type_int, 0
  pad2 = cleanup pad1
  pad3 = cleanup
  pad4 = switch
  pad5 = catch pad4, any, 64
  pad6 = switch pad1
  pad7 = catch pad6, @fuzz_type_char, 8";
        let blocks = format!(
            "b2:
  catch_switch pad0, [b3], b6
b3:
  v10: i32 = catch_pad pad1, ss0
  {again} within pad1
  invoke b4, {way}
b4:
  unreachable
b5:
  cleanup_pad pad2
  v12: i32 = load @log:i64, 0, align 4
  v13: i32 = iadd v12, 10:i32
  store i32 v13, @log:i64, 0, align 4
  cleanup_ret pad2, b6
b6:
  cleanup_pad pad3
  v14: i32 = load @log:i64, 0, align 4
  v15: i32 = imul v14, 100:i32
  store i32 v15, @log:i64, 0, align 4
  cleanup_ret pad3, b7
b7:
  catch_switch pad4, [b8]
b8:
  v16: i32 = catch_pad pad5, 0:i64
  v17: i32 = load ss0, 0, align 4
  catch_ret pad5, b1(v17)
b9:
  catch_switch pad6, [b10], b5
b10:
  v18: i32 = catch_pad pad7, ss0
  v19: i64 = load ss0, 0, align 8
  v20: i8 = load v19, 0, align 1
  v21: i32 = zext v20
  catch_ret pad7, b11
b11:
  catch_ret pad1, b1(v21)"
        );
        run_funclets(pads, &blocks, INT, 5)
    };
    let again = "call @_CxxThrowException sig1 (0:i64, 0:i64)";
    let char = "v30: i32 = call @g sig0 (@fuzz_type_char:i64, 6:i32)";
    assert_eq!(run(again, "b6"), Ok(Some(5)), "the outer cleanup alone");
    assert_eq!(run(again, "b5"), Ok(Some(1005)), "both cleanups, from the inside");
    assert_eq!(run(again, "b9"), Ok(Some(1005)), "past the handler of another type");
    assert_eq!(run(char, "b9"), Ok(Some(6)), "by the handler in the handler");
    assert_eq!(run(char, "b5"), Ok(Some(1005)));
}

#[test]
fn what_funclets_leave_undefined() {
    let undefined = |pads: &str, blocks: &str, why: &str| match run_funclets(pads, blocks, INT, 5) {
        Err(Stop::Undefined(said)) => assert!(said.contains(why), "{said}"),
        other => panic!("{other:?}"),
    };
    let cleanup = "b2:\n  cleanup_pad pad0\n  v9: i32 = call @g sig0 (v0, v1) within pad0\n  cleanup_ret pad0";
    undefined("  pad0 = cleanup", cleanup, "an exception leaves a cleanup");
    let other = cleanup.replace(" within pad0", "");
    undefined("  pad0 = cleanup", &other, "another funclet than it says");
    let pads = "  pad0 = switch\n  pad1 = catch pad0, any, 64\n  pad2 = cleanup";
    let blocks = "b2:
  catch_switch pad0, [b3], b4
b3:
  v10: i32 = catch_pad pad1, 0:i64
  v11: i32 = call @g sig0 (v0, v1) within pad1
  catch_ret pad1, b1(v11)
b4:
  cleanup_pad pad2
  cleanup_ret pad2";
    undefined(pads, blocks, "by another way than its switch");
    let rethrown = "b2:\n  cleanup_pad pad0\n  call @_CxxThrowException sig1 (0:i64, 0:i64) within pad0\n  unreachable";
    undefined("  pad0 = cleanup", rethrown, "none is handled");
    let caught = run_funclets("  pad0 = cleanup", "b2:\n  cleanup_pad pad0\n  cleanup_ret pad0", INT, 5);
    assert!(matches!(caught, Err(Stop::Raised(_))));
}

#[test]
fn constants_fold_to_what_the_interpreter_computes() {
    use gusset_codegen::ir::{fold_binary, fold_conversion, fold_unary};
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // Small numbers and those near the ends are more likely.
        let n = (u128::from(state) << 64 | u128::from(state.rotate_left(23))) >> (state >> 57);
        if state & 4096 == 0 { n } else { !n }
    };
    let (mut folded, mut undefined) = (0, 0);
    for round in 0..40_000u32 {
        let bits = [1, 7, 8, 16, 31, 32, 64, 65, 128][round as usize % 9];
        let mask = u128::MAX >> (128 - bits);
        let (x, y) = (random() & mask, random() & if round % 2 == 0 { mask } else { mask & 127 });
        for &op in OPCODES {
            if let Some(n) = fold_binary(op, bits, x, y) {
                assert_eq!(scalar::binary(op, bits, x, y).ok().flatten(), Some(n), "{op:?} {bits} {x:#x} {y:#x}");
                folded += 1;
            } else if scalar::binary(op, bits, x, y).is_ok_and(|n| n.is_none()) {
                undefined += 1;
            }
            if let Some(n) = fold_unary(op, bits, x).filter(|_| op != Opcode::Freeze) {
                assert_eq!(scalar::unary(op, bits, x).ok(), Some(n), "{op:?} {bits} {x:#x}");
            }
            for to in [1, 8, 32, 64, 128] {
                let (from, to) = (Type::int(bits).unwrap(), Type::int(to).unwrap());
                if let Some(n) = fold_conversion(op, from, to, x) {
                    assert_eq!(scalar::convert(op, from, to, x).ok().flatten(), Some(n), "{op:?} {bits} {to} {x:#x}");
                }
            }
        }
    }
    assert!(folded > 100_000 && undefined > 1000, "{folded} {undefined}");
}
