//! What the reader says of uses far from their definitions is enough to find the ones that are wrong.

use gusset_abi::AbiTarget;
use gusset_codegen::ir::{DominanceCheck, Function};
use gusset_llvm::{BodyReader, read_module};

/// Is every use reached, by the reader's word and by looking at everything?
fn reached(body: &str) -> bool {
    let text = format!("define i32 @f(i1 %c, i32 %n) {{\n{body}\n}}\n");
    let parsed = read_module(text.as_bytes(), "test", &AbiTarget::X86_64_LINUX).expect(body);
    let mut reader = BodyReader::new(&parsed);
    let mut f = Function::new();
    reader.read(&parsed.bodies[0], &mut f).expect(body);
    let mut check = DominanceCheck::default();
    let whole = check.run(&f, None);
    assert_eq!(check.run(&f, reader.far_uses()), whole, "{body}");
    whole.is_ok()
}

#[test]
fn values_of_phis() {
    let join = |left: &str, right: &str| {
        format!(
            "start:\n  br i1 %c, label %l, label %r\nl:\n  %a = add i32 %n, 1\n  br label %m\nm:\n  br label %j\n\
             r:\n  %b = add i32 %n, 2\n  br label %j\nj:\n  %x = phi i32 [ {left}, %m ], [ {right}, %r ]\n  ret i32 %x"
        )
    };
    assert!(reached(&join("%a", "%b")));
    assert!(reached(&join("%n", "3")));
    assert!(!reached(&join("%b", "%a")));
    assert!(!reached(&join("%a", "%a")));
    assert!(!reached(&join("%x", "%b")));
    // Read before it is defined, and carried around.
    let carried = |value: &str| {
        format!(
            "start:\n  br label %head\nhead:\n  %i = phi i32 [ 0, %start ], [ {value}, %back ]\n  \
             br i1 %c, label %one, label %two\none:\n  %p = add i32 %i, 1\n  br label %back\ntwo:\n  \
             %q = add i32 %i, 2\n  br i1 %c, label %back2, label %out\nback2:\n  br label %back\nback:\n  \
             %s = phi i32 [ %p, %one ], [ %q, %back2 ]\n  br label %head\nout:\n  ret i32 %q"
        )
    };
    assert!(reached(&carried("%s")));
    assert!(reached(&carried("%i")));
    assert!(!reached(&carried("%p")));
    assert!(!reached(&carried("%q")));
    // The text may have uses before definitions.
    let early = |value: &str, from: &str| {
        format!(
            "start:\n  br i1 %c, label %l, label %r\nuse:\n  %y = add i32 {value}, %n\n  ret i32 %y\n\
             l:\n  %a = add i32 %n, 1\n  br label %{}\nr:\n  %b = add i32 %n, 2\n  br label %{}\nother:\n  ret i32 0",
            if from == "l" { "use" } else { "other" },
            if from == "r" { "use" } else { "other" },
        )
    };
    assert!(reached(&early("%a", "l")));
    assert!(reached(&early("%b", "r")));
    assert!(!reached(&early("%a", "r")));
    assert!(!reached(&early("%b", "l")));
    assert!(!reached("start:\n  %x = add i32 %y, 1\n  %y = add i32 %n, 1\n  ret i32 %x"));
    assert!(!reached("start:\n  br label %a\na:\n  %x = add i32 %y, 1\n  %y = add i32 %n, 1\n  ret i32 %x"));
    // A phi of one value is that value; what is never reached may use anything.
    let single = |value: &str| {
        format!(
            "start:\n  br i1 %c, label %l, label %r\nl:\n  %a = add i32 %n, 1\n  br label %k\nk:\n  \
             %x = phi i32 [ {value}, %l ]\n  ret i32 %x\nr:\n  %b = add i32 %n, 2\n  ret i32 %b\n\
             never:\n  %u = add i32 %a, %b\n  br label %never"
        )
    };
    assert!(reached(&single("%a")));
    assert!(!reached(&single("%b")));
}
