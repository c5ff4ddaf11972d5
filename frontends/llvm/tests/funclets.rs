//! Windows' own exceptions: handlers and cleanups are funclets, whatever order their blocks have; what contradicts itself is an error with its
//! place.

use gusset_abi::{AbiFeatures, AbiTarget};
use gusset_codegen::ir::{DominanceCheck, Function, Printer, verify};
use gusset_llvm::{BodyReader, ReadError, read_module};

const DECLARATIONS: &str = "
declare void @f()
declare i32 @filter(ptr, ptr)
declare void @g() nounwind
@type = external global i8
declare i32 @__CxxFrameHandler3(...)
declare i32 @__C_specific_handler(...)
declare i32 @__gxx_wasm_personality_v0(...)
declare void @llvm.seh.scope.begin()
declare void @llvm.seh.scope.end()
declare void @llvm.seh.try.begin()
declare void @llvm.seh.try.end()
declare i32 @llvm.eh.exceptioncode(token)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
";

/// The module and its last function as text of Gusset's IR.
fn read(source: &str) -> Result<String, ReadError> {
    let target = AbiTarget::from_triple("x86_64-pc-windows-msvc", AbiFeatures::default()).expect("the triple is known");
    let parsed = read_module(source.as_bytes(), "t.ll", &target)?;
    let mut reader = BodyReader::new(&parsed);
    let mut func = Function::new();
    for body in &parsed.bodies {
        reader.read(body, &mut func)?;
        verify(&parsed.module, &func).unwrap_or_else(|e| panic!("{e}"));
        let mut check = DominanceCheck::default();
        let whole = check.run(&func, None);
        assert_eq!(whole, Ok(()));
        assert_eq!(check.run(&func, reader.far_uses()), whole);
    }
    Ok(Printer::new(&parsed.module).function(&func))
}

/// A function with this personality routine and body.
fn function(personality: &str, body: &str) -> String {
    format!("{DECLARATIONS}define i32 @h(i32 %n) personality ptr @{personality} {{\n{body}\n}}\n")
}

/// The IR without what does not matter here: its lines from the first that begins with a word.
fn from(ir: &str, word: &str) -> String {
    let lines = ir.lines().map(str::trim).skip_while(|line| !line.starts_with(word));
    lines.collect::<Vec<_>>().join("\n")
}

const CATCHES: &str = "
  %o = alloca ptr
  invoke void @f() to label %done unwind label %switch
handler:
  %c = catchpad within %s [ptr @type, i32 8, ptr %o]
  %v = load i32, ptr %o
  invoke void @f() [ \"funclet\"(token %c) ] to label %ret unwind label %cleanup
ret:
  call void @llvm.memset.p0.i64(ptr %o, i8 0, i64 8, i1 false) [ \"funclet\"(token %c) ]
  catchret from %c to label %done
all:
  %a = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %a to label %done
cleanup:
  %k = cleanuppad within %c []
  call void @g() [ \"funclet\"(token %k) ]
  cleanupret from %k unwind to caller
switch:
  %p = phi i32 [ 7, %0 ]
  %s = catchswitch within none [label %handler, label %all] unwind to caller
done:
  %r = phi i32 [ 0, %0 ], [ %v, %ret ], [ %p, %all ]
  ret i32 %r";

#[test]
fn blocks_may_stand_in_any_order() {
    let ir = read(&function("__CxxFrameHandler3", CATCHES)).unwrap_or_else(|e| panic!("{e}"));
    let pads = "\
personality @__CxxFrameHandler3
pad0 = catch pad3, @type, 8
pad1 = catch pad3, any, 64
pad2 = cleanup pad0
pad3 = switch";
    assert!(from(&ir, "personality").starts_with(pads), "{ir}");
    for line in [
        "catch_pad pad0, ss0",
        "call @f sig1 () within pad0",
        "catch_switch pad3, [b3, b6]",
        "catch_ret pad1, b1(",
        "cleanup_ret pad2\n",
        "call @g sig1 () within pad2 nounwind",
    ] {
        assert!(ir.contains(line), "{line}:\n{ir}");
    }
}

#[test]
fn except_has_filters_and_codes() {
    // The code is asked for in front of the handler's block.
    let body = "
  invoke void @f() to label %done unwind label %switch
after:
  %code = call i32 @llvm.eh.exceptioncode(token %c)
  ret i32 %code
switch:
  %s = catchswitch within none [label %handler] unwind label %finally
handler:
  %c = catchpad within %s [ptr @filter]
  catchret from %c to label %after
finally:
  %k = cleanuppad within none []
  cleanupret from %k unwind to caller
done:
  ret i32 0";
    let ir = read(&function("__C_specific_handler", body)).unwrap_or_else(|e| panic!("{e}"));
    assert!(ir.contains("catch pad0, @filter, 0"), "{ir}");
    let code = ir.lines().find_map(|line| line.trim().strip_suffix(": i32 = catch_pad pad1, 0:i64"));
    assert!(code.is_some_and(|code| ir.contains(&format!("return {code}\n"))), "{ir}");
}

#[test]
fn scopes_of_faults_stay_where_they_are_asked_for() {
    let body = "
  invoke void @llvm.seh.scope.begin() to label %a unwind label %cleanup
a:
  invoke void @llvm.seh.try.begin() to label %b unwind label %switch
b:
  invoke void @llvm.seh.try.end() to label %c unwind label %switch
c:
  invoke void @llvm.seh.scope.end() to label %d unwind label %cleanup
d:
  ret i32 0
switch:
  %s = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %h = catchpad within %s [OPERANDS]
  catchret from %h to label %d
cleanup:
  %k = cleanuppad within none []
  call void @llvm.seh.scope.end() [ \"funclet\"(token %k) ]
  cleanupret from %k unwind to caller";
    let flag = "!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"eh-asynch\", i32 1}\n";
    let cxx = function("__CxxFrameHandler3", &body.replace("OPERANDS", "ptr null, i32 0, ptr null"));
    let scopes = |source: &str| {
        let ir = read(source).unwrap_or_else(|e| panic!("{e}"));
        let counted = ["scope_begin b", "scope_end b", " asynchronous"].map(|word| ir.matches(word).count());
        (counted, ir)
    };
    let (counted, ir) = scopes(&(cxx.clone() + flag));
    assert_eq!(counted, [2, 2, 1], "{ir}");
    // Nobody asked.
    let (counted, ir) = scopes(&cxx);
    assert_eq!(counted, [0, 0, 0], "{ir}");
    // The lives of objects are no scopes of `__try`.
    let seh = function("__C_specific_handler", &body.replace("OPERANDS", "ptr null"));
    let (counted, ir) = scopes(&(seh + flag));
    assert_eq!(counted, [1, 1, 1], "{ir}");
}

#[test]
fn variables_are_found_by_a_table() {
    let host = "
declare void @llvm.localescape(...)
declare ptr @llvm.localaddress()
declare ptr @llvm.localrecover(ptr, ptr, i32 immarg)
declare ptr @llvm.eh.recoverfp(ptr, ptr)
define void @before(ptr %frame) {
  %v = call ptr @llvm.localrecover(ptr @host, ptr %frame, i32 NUMBER)
  store i32 7, ptr %v
  ret void
}
define i32 @host() {
  %a = alloca i32
  %b = alloca i64
  call void (...) @llvm.localescape(ptr %b, ptr null, ptr %a)
  %here = call ptr @llvm.localaddress()
  call void @before(ptr %here)
  %n = load i32, ptr %a
  ret i32 %n
}
define void @after(ptr %frame) {
  %f = call ptr @llvm.eh.recoverfp(ptr @HOST, ptr %frame)
  %v = call ptr @llvm.localrecover(ptr @HOST, ptr %f, i32 0)
  store i64 7, ptr %v
  ret void
}
";
    let source = host.replace("NUMBER", "2").replace("HOST", "host");
    let target = AbiTarget::from_triple("x86_64-pc-windows-msvc", AbiFeatures::default()).expect("the triple is known");
    let parsed = read_module(source.as_bytes(), "t.ll", &target).unwrap_or_else(|e| panic!("{e}"));
    let mut reader = BodyReader::new(&parsed);
    let texts = parsed.bodies.iter().map(|body| {
        let mut func = Function::new();
        reader.read(body, &mut func).unwrap_or_else(|e| panic!("{e}"));
        verify(&parsed.module, &func).unwrap_or_else(|e| panic!("{e}"));
        Printer::new(&parsed.module).function(&func)
    });
    let texts: Vec<String> = texts.collect();
    assert!(texts[0].contains("i32 = load @host.frame:i64, 20, align 4"), "{}", texts[0]);
    assert!(texts[1].contains("  escapes @host.frame ss1, ss1, none, ss0\n"), "{}", texts[1]);
    assert!(texts[1].contains("call @before sig1 (ss1)"), "{}", texts[1]);
    for line in
        ["load @host.frame:i64, 0, align 4", "load @host.frame:i64, 4, align 4", "load @host.frame:i64, 8, align 4"]
    {
        assert!(texts[2].contains(line), "{}", texts[2]);
    }
    for (number, named, why) in [
        ("3", "host", "3 variables of that function escape"),
        ("%n", "host", "argument 2 must be a constant"),
        ("2", "after", "0 variables of that function escape"),
    ] {
        let error = read(&host.replace("NUMBER", number).replace("HOST", named)).expect_err(why);
        assert!(error.message().contains(why), "{error}");
    }
    for (old, new, why) in [
        ("ptr null, ptr %a)", "ptr %here, ptr %a)", "`alloca` of the first block"),
        ("ptr null, ptr %a)\n", "ptr %a)\n  call void (...) @llvm.localescape(ptr %a)\n", "once in a function"),
        ("  call void (...)", "  br label %b2\nb2:\n  call void (...)", "the first block alone"),
    ] {
        let source = host.replace("NUMBER", "0").replace("HOST", "host");
        assert!(source.contains(old));
        let error = read(&source.replacen(old, new, 1)).expect_err(why);
        assert!(error.message().contains(why), "{error}");
    }
}

/// What is wrong in `CATCHES` when one text stands for another.
#[test]
fn what_is_wrong_is_named() {
    let mut wrong = String::new();
    for (old, new, line, why) in [
        ("[ptr @type, i32 8, ptr %o]", "[ptr @type]", 6, "a type, adjectives and the place"),
        ("[ptr @type, i32 8, ptr %o]", "[ptr @type, i32 %n, ptr %o]", 6, "adjectives must be a constant"),
        ("[ptr @type, i32 8, ptr %o]", "[ptr %o, i32 8, ptr %o]", 6, "must be a symbol or `null`"),
        ("[ptr @type, i32 8, ptr %o]", "[{ i32 } zeroinitializer, i32 8, ptr %o]", 6, "a scalar or a vector"),
        ("[ptr @type, i32 8, ptr %o]", "[ptr @type, i32 8, ptr @type]", 5, "in no slot"),
        ("catchpad within %s [ptr @type", "catchpad within none [ptr @type", 6, "is none of a `catchpad`"),
        ("catchpad within %s [ptr @type", "catchpad within %a [ptr @type", 5, "within what is no funclet"),
        ("catchpad within %s [ptr @type", "catchpad within %nothing [ptr @type", 6, "`%nothing` is not defined"),
        ("catchpad within %s [ptr @type", "catchpad within %v [ptr @type", 6, "is a value of another type"),
        ("cleanuppad within %c []", "cleanuppad within %c [i32 1]", 16, "takes no operands"),
        ("cleanuppad within %c []", "cleanuppad within %k []", 8, "stands within itself"),
        ("cleanuppad within %c []", "cleanuppad within %s []", 8, "within what is no funclet"),
        ("catchret from %a to", "catchret from %k to", 12, "none of its kind"),
        ("catchret from %a to", "catchret from none to", 14, "is none of a `catchpad`"),
        ("cleanupret from %k unwind to caller", "cleanupret from %k unwind label %handler", 8, "does not begin with"),
        (
            "cleanupret from %k unwind to caller",
            "cleanupret from %k unwind label %cleanup",
            8,
            "takes exceptions of its own",
        ),
        ("[ \"funclet\"(token %c) ] to", "to", 5, "into a funclet that it does not begin in"),
        ("[ \"funclet\"(token %c) ] to", "[ \"funclet\"(token none) ] to", 8, "is none of a `catchpad`"),
        ("[ \"funclet\"(token %c) ] to", "[ \"funclet\"(token %c), \"funclet\"(token %c) ] to", 8, "has one `funclet`"),
        ("[ \"funclet\"(token %c) ] to", "[ \"deopt\"() ] to", 8, "`deopt` is not supported"),
        ("[label %handler, label %all]", "[]", 4, "has 0 edges"),
        ("[label %handler, label %all]", "[label %ret, label %all]", 4, "no handler of"),
        ("done:\n", "done:\n  %l = landingpad { ptr, i32 } cleanup\n", 23, "enters no landing pads"),
    ] {
        assert!(CATCHES.contains(old), "{old}");
        let error = read(&function("__CxxFrameHandler3", &CATCHES.replacen(old, new, 1)));
        let error = error.map_err(|e| (e.line() - DECLARATIONS.lines().count(), e.message().to_string()));
        let right = matches!(&error, Err((at, message)) if *at == line && message.contains(why));
        wrong += &if right { String::new() } else { format!("{new}: {why} at {line}, not {error:?}\n") };
    }
    assert!(wrong.is_empty(), "{wrong}");
    for personality in ["__gxx_wasm_personality_v0", "f"] {
        let error = read(&function(personality, CATCHES)).expect_err(personality);
        assert!(error.message().contains("`__CxxFrameHandler3`, `__C_specific_handler`"), "{error}");
    }
    let without = function("f", CATCHES).replace(" personality ptr @f", "");
    let error = read(&without).expect_err("no personality routine");
    assert!(error.message().contains("alone"), "{error}");
    let code = "  %c = call i32 @llvm.eh.exceptioncode(token none)\n  ret i32 %c";
    let error = read(&function("__C_specific_handler", code)).expect_err("no handler");
    assert!(error.message().contains("is none of a `catchpad`"), "{error}");
}

#[test]
fn what_leaves_a_funclet_goes_one_way() {
    let body = |first: &str, second: &str, inner: &str| {
        format!(
            "  invoke void @f() to label %done unwind label %in
in:
  %k = cleanuppad within none []
  invoke void @f() [ \"funclet\"(token %k) ] to label %next unwind label %{first}
next:
  cleanupret from %k unwind {second}
a:
  %pa = cleanuppad within none []
  cleanupret from %pa unwind to caller
b:
  %pb = cleanuppad within none []
  cleanupret from %pb unwind label %a
inner:
  %i = cleanuppad within %k []
  cleanupret from %i unwind {inner}
done:
  ret i32 0"
        )
    };
    let read = |first, second, inner| read(&function("__CxxFrameHandler3", &body(first, second, inner)));
    for (first, second) in [("a", "label %a"), ("b", "label %b"), ("inner", "label %a"), ("inner", "to caller")] {
        read(first, second, second).unwrap_or_else(|e| panic!("{e}"));
    }
    for (first, second, why) in [
        ("a", "label %b", "leaves pad0 both to pad1 and to pad2"),
        ("a", "to caller", "leaves pad0 both to pad1 and to the caller"),
        ("inner", "label %inner", "into a funclet that it does not begin in"),
        ("in", "label %a", "pad0 takes exceptions of its own"),
    ] {
        let error = read(first, second, second).expect_err(why);
        assert!(error.message().contains(why), "{error}");
    }
    let error = read("inner", "label %b", "label %a").expect_err("two ways");
    assert!(error.message().contains("leaves pad0 both to"), "{error}");
}
