//! The text form reads back to the same text; the verifier finds what is wrong.

use gusset_abi::{AbiError, Arch, Decoration, FnAbi, Layout, PassMode, RegSet, RetAbi, Signature};

use super::*;

/// An ABI without places: these tests look at types only.
fn no_abi(_: &Signature) -> Result<FnAbi, AbiError> {
    Ok(FnAbi {
        arch: Arch::X86_64,
        args: Vec::new(),
        ret: RetAbi { mode: PassMode::Ignore, layout: Layout::NOTHING, offsets: Vec::new() },
        stack_arg_bytes: 0,
        callee_pop_bytes: 0,
        stack_align: 16,
        entry_align: 16,
        entry_bias: 8,
        sret_return_reg: None,
        sret_param: None,
        returns_this: None,
        static_chain: None,
        vector_count: None,
        variadic: None,
        arg_block: None,
        clobbers: RegSet::EMPTY,
        preserved: RegSet::EMPTY,
        preserved_low64: RegSet::EMPTY,
        home_space: 0,
        red_zone: 0,
        decoration: Decoration::None,
    })
}

pub(crate) fn read(text: &str) -> Result<(Module, Vec<Function>), ParseError> {
    parse(text, &mut no_abi)
}

const SAMPLE: &str = include_str!("sample.gir");

#[test]
fn text_reads_back() {
    let (module, functions) = read(SAMPLE).unwrap_or_else(|e| panic!("{e}"));
    let once = print(&module, &functions);
    assert_eq!(once, SAMPLE, "printing is not the inverse of parsing");
    let printer = Printer::new(&module).raw();
    let raw: String = functions.iter().map(|f| printer.function(f)).collect();
    let (module2, functions2) = read(&(printer.module() + &raw)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&module2, &functions2), SAMPLE, "table numbers read back too");
}

#[test]
fn no_prefix_or_damaged_byte_panics() {
    for end in 0..SAMPLE.len() {
        let _ = read(&SAMPLE[..end]);
    }
    let mut bytes = SAMPLE.as_bytes().to_vec();
    for at in 0..bytes.len() {
        let old = bytes[at];
        for new in *b"0v(:\"9@ \nx" {
            bytes[at] = new;
            if let Ok(text) = std::str::from_utf8(&bytes) {
                let _ = read(text);
            }
        }
        bytes[at] = old;
    }
}

/// A module with one function of this body, `(i64, i32) -> (i32)`.
fn body(text: &str) -> Result<(), String> {
    let head = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i64, i32) -> (i32) = c (i64, i32) -> i32\n";
    read(&format!("{head}{text}\n}}\n")).map(|_| ()).map_err(|e| e.reason)
}

#[test]
fn verifier_names_the_fault() {
    let cases = include_str!("verify.gir").split("\n;; ").skip(1);
    for case in cases {
        let (why, text) = case.split_once('\n').expect("a reason and a body");
        match body(text) {
            Ok(()) => assert_eq!(why, "fine", "accepted:\n{text}"),
            Err(reason) => assert!(why != "fine" && reason.contains(why), "{reason}, where {why} was meant:\n{text}"),
        }
    }
}

#[test]
fn errors_have_a_place() {
    let e = read(
        "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = () -> () = c () -> void\nb0:\n  frob v1\n}\n",
    );
    assert_eq!(e.err().map(|e| (e.line, e.column, e.reason)), Some((6, 3, "there is no instruction `frob`".into())));
    let deep = format!(
        "module \"t\"\ns0 = export function @f\nfunction @f sig0 {{\n sig0 = () -> () = c ({}",
        "array(1, ".repeat(100_000)
    );
    assert!(read(&deep).is_err_and(|e| e.line == 4));
}

/// Registers were given to what the signature passes; values of another kind have none.
#[test]
fn both_views_of_a_signature_say_the_same() {
    let head = |sig: &str| {
        format!(
            "module \"t\"\ns0 = import function @f\ns1 = export function @g\nfunction @g sig0 {{\n  sig0 = () -> () = c () -> void\n  sig1 = {sig}\nb0:\n  return\n}}\n"
        )
    };
    let cases = include_str!("views.txt").lines();
    for case in cases.filter(|line| !line.starts_with('#')) {
        let (sig, why) = case.split_once("; ").unwrap_or((case, ""));
        match read(&head(sig)) {
            Ok(_) => assert_eq!(why, "", "accepted: {sig}"),
            Err(e) => assert_eq!((e.line, e.reason.as_str()), (6, why), "{sig}"),
        }
    }
}

/// The builder's functions have no text.
#[test]
fn the_verifier_knows_signatures_too() {
    let text = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i64) -> () = c (ptr) -> void\nb0(v0: i64):\n  return\n}\n";
    let (module, mut functions) = read(text).unwrap_or_else(|e| panic!("{e}"));
    let sig = std::sync::Arc::make_mut(&mut functions[0].sigs[0]);
    sig.source.params[0] = gusset_abi::CType::F64.into();
    let why = verify(&module, &functions[0]).expect_err("the parameter is no float");
    assert_eq!(why.reason, "sig0: a parameter of type i64 does not hold what the signature after `=` passes");
}

#[test]
fn dominators_of_a_diamond_in_a_loop() {
    let text = "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i1) -> () = c (i1) -> void\nb0(v0: i1):\n  jump b1\nb1:\n  br v0, b2, b3\nb2:\n  jump b4\nb3:\n  jump b4\nb4:\n  br v0, b1, b5\nb5:\n  return\nb6:\n  jump b6\n}\n";
    let (_, functions) = read(text).unwrap_or_else(|e| panic!("{e}"));
    let dom = Dominators::new(&functions[0]);
    let b = Block;
    for (child, parent) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 4)] {
        assert_eq!(dom.immediate(b(child)), Some(b(parent)));
    }
    assert!(dom.dominates(b(1), b(5)) && dom.dominates(b(4), b(4)) && !dom.dominates(b(2), b(4)));
    assert!(!dom.is_reachable(b(6)) && !dom.dominates(b(0), b(6)));
}

/// By definition: `a` dominates `b` if no way leads from the entry to `b` once `a` is closed.
#[test]
fn dominators_of_random_graphs_are_as_defined() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut dom = Dominators::default();
    for round in 0..400 {
        let n = 1 + random(14);
        // In half of them most edges lead down, as in what front ends write.
        let down = round % 2 == 1;
        let succs: Vec<Vec<usize>> = (0..n)
            .map(|b| {
                let all = (0..random(4).min(2))
                    .map(|_| if down && random(5) > 0 { b + 1 + random(3) } else { 1 + random(n) });
                all.filter(|&t| t < n).collect()
            })
            .collect();
        let mut text = String::from(
            "module \"t\"\ns0 = export function @f\nfunction @f sig0 {\n  sig0 = (i1) -> () = c (i1) -> void\n",
        );
        for (b, to) in succs.iter().enumerate() {
            text += &if b == 0 { "b0(v0: i1):\n".to_string() } else { format!("b{b}:\n") };
            text += &match to[..] {
                [] => "  return\n".to_string(),
                [a] => format!("  jump b{a}\n"),
                [a, b, ..] => format!("  br v0, b{a}, b{b}\n"),
            };
        }
        let (_, functions) = read(&(text + "}\n")).unwrap_or_else(|e| panic!("{e}"));
        dom.compute(&functions[0]);
        let reached = |closed: usize| {
            let (mut seen, mut list) = (vec![false; n], vec![0]);
            while let Some(b) = list.pop() {
                if b != closed && !std::mem::replace(&mut seen[b], true) {
                    list.extend(&succs[b]);
                }
            }
            seen
        };
        let all = reached(n);
        for a in 0..n {
            let without = reached(a);
            for b in 0..n {
                let (x, y) = (Block(a as u32), Block(b as u32));
                assert_eq!(dom.is_reachable(y), all[b], "round {round}");
                assert_eq!(dom.dominates(x, y), all[a] && all[b] && !without[b], "round {round}: {a} over {b}");
                if dom.immediate(y) == Some(x) {
                    assert!(a != b && dom.dominates(x, y));
                    assert!(
                        (0..n)
                            .all(|c| c == b || !dom.dominates(Block(c as u32), y) || dom.dominates(Block(c as u32), x))
                    );
                }
            }
        }
    }
}

#[test]
fn a_variable_in_a_circle_that_control_never_enters() {
    let mut f = Function::new();
    let mut b = FunctionBuilder::new(&mut f, Type::I64);
    let (first, second) = (b.create_block(), b.create_block());
    let x = b.declare_var(Type::I32);
    b.switch_to(first);
    b.jump(second, &[]);
    b.seal(second);
    b.switch_to(second);
    b.edge(first, &[]);
    b.seal(first);
    let v = b.use_var(x);
    assert_eq!(b.func.constant(v), Some(ConstData::Poison));
}

/// A `try` block in a function that cleans up, with a handler by reference and one of everything.
const FUNCLETS: &str = "module \"t\"
s0 = export function @f
s1 = import function @g
s2 = import function @\"__CxxFrameHandler3\"
s3 = import data @type
s4 = import data @table
function @f sig0 {
  personality @\"__CxxFrameHandler3\"
  pad0 = switch
  pad1 = catch pad0, @type, 8
  pad2 = catch pad0, any, 64
  pad3 = cleanup pad1
  sig0 = () -> () = c () -> void
  ss0 = 8 align 8
  escapes @table ss0, none, ss0
b0:
  call @g sig0()
  invoke b1, b2
b1:
  return
b2:
  catch_switch pad0, [b3, b4]
b3:
  v0: i32 = catch_pad pad1, ss0
  call @g sig0() within pad1
  invoke b5, b6
b4:
  v1: i32 = catch_pad pad2, 0:i64
  catch_ret pad2, b1
b5:
  catch_ret pad1, b1
b6:
  cleanup_pad pad3
  cleanup_ret pad3
}
";

const STACK_MAPS: &str = "\
module \"\"
s0 = export function @f
s1 = import function @g
function @f sig0 {
  sig0 = (i64) -> (i64) = c (ptr) -> ptr
  ss0 = 8 align 8
  sm0 = 18446744073709551615 bytes 4 [operand, 5, ss0]
  sm1 = 7 bytes 16 omits_call at_start [contents ss0 8, -9]
  sm2 = 8 references [0, 0, 0]
  reference v0
  reference v2 in v0
b0(v0: i64):
  stack_map sm0 v0
  v1: i64 = call @g sig0(v0) stack_map sm1
  v2: i64 = iadd v0, 8:i64
  v3: i64 = call @g sig0(v1) stack_map sm2
  return v2
}
";

#[test]
fn stack_maps_are_read_and_printed() {
    let (module, functions) = read(STACK_MAPS).unwrap_or_else(|e| panic!("{e}"));
    let printed = print(&module, &functions);
    let (module, functions) = read(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(print(&module, &functions), printed);
    for (from, to, why) in [
        ("stack_map sm0 v0", "stack_map sm0 1:i128", "is no integer in one register"),
        ("stack_map sm0 v0", "stack_map sm0 v0, v0", "2 operands instead of 1"),
        ("(v1) stack_map sm2", "(v1) stack_map sm1", "two instructions share sm1"),
        ("(v1) stack_map sm2", "(v1) stack_map sm3", "out of range"),
        ("sm1 = 7 bytes 16 omits_call at_start [contents", "sm1 = 7 [operand, contents", "lists operands"),
        ("contents ss0 8", "contents ss0 16", "names 16 bytes of ss0"),
        ("[contents ss0 8", "[contents ss1 8", "names 8 bytes of ss1"),
        ("reference v0", "reference v9", "v9 is not defined"),
    ] {
        let text = STACK_MAPS.replacen(from, to, 1);
        let error = read(&text).err().unwrap_or_else(|| panic!("{to} is accepted"));
        assert!(error.reason.contains(why), "{to}: {error}");
    }
}

#[test]
fn funclets_are_read_and_printed() {
    let (module, functions) = read(FUNCLETS).unwrap_or_else(|e| panic!("{e}"));
    let printed = print(&module, &functions);
    let (module, functions) = read(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(print(&module, &functions), printed);
    for (from, to, why) in [
        ("invoke b1, b2", "invoke b1, b3", "does not begin with"),
        ("pad0, [b3, b4]", "pad0, [b3, b5]", "no handler of pad0"),
        ("catch_ret pad2, b1", "catch_ret pad0, b1", "none of its kind"),
        ("pad3 = cleanup pad1", "pad3 = cleanup pad3", "stands within itself"),
        ("pad3 = cleanup pad1", "pad3 = cleanup pad0", "no funclet"),
        ("cleanup_ret pad3", "cleanup_ret pad3, b5", "does not begin with"),
        ("cleanup_ret pad3", "jump b3", "where only exceptions come"),
        ("escapes @table ss0", "escapes @table ss1", "ss1, which does not exist, escapes"),
        ("pad1, ss0", "pad1, 8:i64", "in no slot"),
        ("pad3 = cleanup pad1", "pad3 = cleanup", "leaves pad1 to another place than pad0"),
        ("catch_switch pad0, [b3, b4]", "catch_switch pad0, [b3, b4], b6", "into a funclet that it does not begin in"),
        ("call @g sig0() within pad1", "call @g sig0()", "into a funclet that it does not begin in"),
        ("invoke b1, b2", "scope_begin b1, b4", "does not begin with"),
    ] {
        let text = FUNCLETS.replacen(from, to, 1);
        let error = read(&text).err().unwrap_or_else(|| panic!("{to} is accepted"));
        assert!(error.reason.contains(why), "{to}: {error}");
    }
}
