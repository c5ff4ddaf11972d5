//! The text form reads back to the same text; the verifier finds what is wrong.

use gusset_abi::{AbiError, Arch, Decoration, FnAbi, Layout, PassMode, RegSet, RetAbi, Signature};

use super::*;

/// An ABI without places: these tests look at types only.
fn no_abi(_: &Signature) -> Result<FnAbi, AbiError> {
    Ok(FnAbi {
        arch: Arch::X86_64,
        args: Vec::new(),
        ret: RetAbi { mode: PassMode::Ignore, layout: Layout::NOTHING },
        stack_arg_bytes: 0,
        callee_pop_bytes: 0,
        stack_align: 16,
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

#[track_caller]
fn refuses(text: &str, why: &str) {
    match body(text) {
        Ok(()) => panic!("accepted"),
        Err(e) => assert!(e.contains(why), "the reason is: {e}"),
    }
}

#[test]
fn verifier_names_the_fault() {
    let ok = "b0(v0: i64, v1: i32):\n  return v1";
    assert_eq!(body(ok), Ok(()));
    refuses(
        "b0(v0: i64, v1: i32):\n  v2: i32 = iadd v1, v0\n  return v2",
        "`v2: i32 = iadd v1, v0`: the operand has type i64 instead of i32",
    );
    refuses("b0(v0: i64):\n  return 0:i32", "the entry block has 1 parameters, the signature 2");
    refuses("b0(v0: i64, v1: i32):\n  return v0", "result 0 has type i64 instead of i32");
    refuses("b0(v0: i64, v1: i32):\n  return", "there are 0 results instead of 1");
    refuses(
        "b0(v0: i64, v1: i32):\n  v2: i32 = iadd v3, v1\n  v3: i32 = iadd v1, v1\n  return v2",
        "does not reach this use",
    );
    refuses(
        "b0(v0: i64, v1: i32):\n  v2: i1 = icmp eq i32 v1, 0:i32\n  br v2, b1, b2\nb1:\n  v3: i32 = iadd v1, v1\n  jump b2\nb2:\n  return v3",
        "does not reach this use",
    );
    refuses("b0(v0: i64, v1: i32):\n  jump b1(v0)\nb1:\n  return v1", "1 arguments instead of 0");
    refuses("b0(v0: i64, v1: i32):\n  jump b1(v0)\nb1(v2: i32):\n  return v2", "has type i64 instead of i32");
    refuses("b0(v0: i64, v1: i32):\n  jump b0(v0, v1)", "it branches to the entry block");
    refuses("b0(v0: i64, v1: i32):\n  jump b7", "it branches to b7, which is not filled");
    refuses("b0(v0: i64, v1: i32):\n  v2: i32 = iadd v1, v1", "does not end in a terminator");
    refuses(
        "b0(v0: i64, v1: i32):\n  switch i32 v1, [1:i32 => b1, 1:i32 => b1], b1\nb1:\n  return v1",
        "the case 1 occurs twice",
    );
    refuses("b0(v0: i64, v1: i32):\n  v2: i32 = call @f sig0 (v1)\n  return v2", "there are 1 arguments instead of 2");
    refuses("b0(v0: i64, v1: i32):\n  v2: i32 = load v1, 0, align 4\n  return v2", "the address has type i32");
    refuses("b0(v0: i64, v1: i32):\n  v2: i16 = zext v1\n  return v1", "no such conversion from i32 to i16");
    refuses("b0(v0: i64, v1: i32):\n  v2: i32 = fadd v1, v1\n  return v1", "the type i32 is not a float");
    refuses(
        "b0(v0: i64, v1: i32):\n  v2: i32x4 = splat v1\n  v3: i32x2 = shuffle v2, v2, [0, 8]\n  return v1",
        "a lane that does not exist",
    );
    refuses(
        "b0(v0: i64, v1: i32):\n  v2: i32 = call @f sig0 (v0, v1) musttail\n  return v1",
        "no return of its results",
    );
    refuses("b0(v0: i64, v1: i32):\n  v2: i64 = tls_addr @f\n  return v1", "not thread-local");
}

#[test]
fn exceptions_go_from_calls_to_pads() {
    let text = |first: &str, pad: &str| {
        format!(
            "  personality @f\nb0(v0: i64, v1: i32):\n  {first}\nb1:\n  return v1\nb2:\n  {pad}\nb3:\n  return v1\n\
             b4(v9: i32):\n  v7: i64, v8: i32 = landing_pad cleanup\n  return v9"
        )
    };
    let (call, pad) = ("v2: i32 = call @f sig0 (v0, v1)", "v3: i64, v4: i32 = landing_pad catch any");
    let invoke = format!("{call}\n  invoke b1, b2");
    let caught = format!("{pad}\n  return v4");
    assert_eq!(body(&text(&invoke, &caught)), Ok(()));
    assert_eq!(body(&text(&format!("{call}\n  v5: i32 = iadd v2, v2\n  invoke b1, b2"), &caught)), Ok(()));
    refuses(&text(&invoke, &caught).replace("personality @f", ""), "no personality routine");
    refuses(&text("invoke b1, b2", &caught), "no call stands before it");
    refuses(
        &text(&format!("{call}\n  barrier 0\n  invoke b1, b2"), &caught),
        "`barrier` stands between it and its call",
    );
    refuses(
        &text(&format!("{call}\n  invoke b1, b3"), &caught),
        "leads to b3, which does not begin with `landing_pad`",
    );
    refuses(&text(&format!("{call}\n  invoke b2, b2"), &caught), "it branches to b2, where only exceptions come");
    refuses(&text("jump b2", &caught), "it branches to b2, where only exceptions come");
    refuses(&text(&invoke, &format!("barrier 0\n  {pad}\n  return v4")), "leads to b2, which does not begin");
    refuses(&text(&invoke, &format!("{pad}\n  return v2")), "does not reach this use");
    refuses(
        &text(&invoke, &format!("{pad}\n  jump b3")).replace("b3:\n  return v1", "b3:\n  return v2"),
        "does not reach",
    );
    refuses(&text(&format!("{call}\n  invoke b1, b4(v2)"), &caught), "an argument that its call gives");
    refuses(&text(&invoke, &format!("{pad}\n  resume v4")), "the address has type i32");
    refuses(&text(&invoke, "v3: i64, v4: i64 = landing_pad cleanup\n  return v1"), "result 1 has type i64");
    refuses(&text(&invoke, &format!("{caught} catch")), "expected");
    // A loop behind the return, from which no exception leads back in, knows the result.
    let around = "b0(v0: i64, v1: i32):\n  v2: i32 = call @f sig0 (v0, v1)\n  invoke b1, b2\nb1:\n  br v5, b1, b3\n\
                  b2:\n  v3: i64, v4: i32 = landing_pad cleanup\n  resume v3\nb3:\n  return v2";
    let around = format!("  personality @f\n{}", around.replace("br v5", "br 0:i1"));
    assert_eq!(body(&around), Ok(()));
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
        let succs: Vec<Vec<usize>> =
            (0..n).map(|_| (0..random(4).min(2)).map(|_| 1 + random(n)).filter(|&t| t < n).collect()).collect();
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

#[test]
fn both_operands_of_a_reduction_are_one() {
    let text = |b: &str| {
        format!(
            "b0(v0: i64, v1: i32):\n  v2: i32 = reduce smin <1:i32, -2:i32>:i32x2, <1:i32, {b}:i32>:i32x2\n  return v2"
        )
    };
    assert_eq!(body(&text("-2")), Ok(()));
    refuses(&text("2"), "is not the first");
}
