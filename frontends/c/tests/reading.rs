//! Declarations as they are read: what there is, what is refused, and that nothing is too deep or too long.

use gusset_abi::{AbiFeatures, AbiTarget, CType, Convention, Language, Member, classify};
use gusset_c::{Declared, Prototype, prototype, prototype_in, prototypes};

const LINUX: AbiTarget = AbiTarget::X86_64_LINUX;

fn target(triple: &str) -> AbiTarget {
    AbiTarget::from_triple(triple, AbiFeatures::default()).unwrap()
}

fn read(source: &str) -> Prototype {
    prototype(source, &LINUX, None).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(source: &str) -> String {
    match prototype(source, &LINUX, None) {
        Ok(found) => panic!("accepted: {}", found.text),
        Err(error) => format!("{}:{}: {}", error.line(), error.column(), error.message()),
    }
}

#[test]
fn the_last_function_is_taken() {
    assert_eq!(read("int f(int); int g(char);").name, "g");
    assert_eq!(read("int f(int) { return 1; } typedef int (*later)(long);").name, "f");
    assert_eq!(read("typedef int kind(int); typedef int (*later)(long);").name, "later");
    assert_eq!(read("typedef int kind(int); kind made;").declared, Declared::Function);
    assert_eq!(read("int (*table)(int), other;").declared, Declared::Pointer);
    assert_eq!(prototype("int f(int); int g(char);", &LINUX, Some("f")).unwrap().name, "f");
    let all = prototypes("int f(int), g(char); int (*h)(void);", &LINUX).unwrap();
    assert_eq!(all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["f", "g"]);
}

#[test]
fn types_are_spelled_as_in_c() {
    for text in [
        "int f(int (*x)[4], int (*g)(void), void (*const cb)(int, ...), const char *const *restrict p)",
        "void (*signal(int number, void (*handler)(int)))(int)",
        "unsigned __int128 f(_Complex double z, _BitInt(17) b, unsigned _BitInt(3) c, long double l, _Bool t)",
        "struct S *f(union U *u, enum E *e, struct {…} *n)",
        "int f(void)",
        "int f(...)",
    ] {
        let source = text.replace("struct {…}", "struct { int x; }");
        assert_eq!(read(&format!("struct S; union U; {source};")).text, text);
    }
}

#[test]
fn conventions_come_from_words_and_attributes() {
    let win32 = target("i686-pc-windows-msvc");
    let convention = |source: &str, target: &AbiTarget| prototype(source, target, None).unwrap().signature.convention;
    for source in [
        "int __stdcall f(int);",
        "int f(int) __attribute__((stdcall));",
        "__attribute__((__stdcall__)) int f(int);",
        "int *__stdcall f(int);",
        "typedef int __stdcall kind(int); kind f;",
        "typedef int kind(int); __attribute__((stdcall)) kind f;",
        "int (__stdcall *f)(int);",
        "[[gnu::stdcall]] int f(int);",
    ] {
        assert_eq!(convention(source, &win32), Convention::Stdcall, "{source}");
        assert_eq!(convention(source, &LINUX), Convention::C, "{source}");
    }
    assert_eq!(convention("__attribute__((ms_abi)) int f(int);", &LINUX), Convention::Win64);
    assert_eq!(convention("int __cdecl f(int);", &win32), Convention::C);
    // A convention of a pointer's function is not that of the function that takes it.
    assert_eq!(convention("int f(int (__stdcall *cb)(int));", &win32), Convention::C);
    let f = prototype("__attribute__((regparm(2), cxx_method)) int f(void *self);", &win32, None).unwrap();
    assert_eq!((f.signature.modifiers.regparm, f.signature.modifiers.member), (2, Member::Method));
    assert_eq!(read("int __stdcall f(int);").notes, ["`stdcall` means something on 32-bit x86 only"]);
}

#[test]
fn unnamed_arguments_are_promoted() {
    let f = read("int printf(const char *, ..., float, char, short, _Bool, long, struct { float x; });");
    let types: Vec<&str> = f.params.iter().map(|param| param.ty.spelling.as_str()).collect();
    assert_eq!(types, ["const char *", "double", "int", "int", "int", "long", "struct {…}"]);
    assert_eq!(f.signature.variadic, Some(1));
    assert_eq!(classify(&LINUX, &f.signature).unwrap().args.len(), 7);
}

#[test]
fn members_have_paths() {
    let f = read(
        "struct S { struct { int a, b[2]; } in; union { float f; char c; }; int low : 3, : 2, high : 4; }; void f(struct S);",
    );
    let leaves: Vec<(&str, u64, u64)> =
        f.params[0].ty.leaves.iter().map(|l| (l.path.as_str(), l.bit_offset, l.bits)).collect();
    let expected = [
        ("in.a", 0, 32),
        ("in.b[0]", 32, 32),
        ("in.b[1]", 64, 32),
        ("f", 96, 32),
        ("c", 96, 8),
        ("low", 128, 3),
        ("high", 133, 4),
    ];
    assert_eq!(leaves, expected);
    assert_eq!(read("void f(struct { char c[100000]; });").params[0].ty.leaves.len(), 256);
}

#[test]
fn places_of_errors_are_the_sources() {
    // Behind words that become others for the grammar.
    assert_eq!(
        refusal("__int128 __stdcall f(_BitInt(7) a,\n  nothing b);"),
        "2:3: `nothing` is no type that is known here"
    );
    assert_eq!(refusal("struct __attribute__((packed)) S { int a }; int f(void);"), "1:42: `}` is not expected here");
    assert_eq!(refusal("int f(struct S s);"), "1:16: `struct S` is not complete here");
    assert_eq!(refusal("\n\n  /* x */ int 5;"), "3:15: `5` is not expected here");
    assert_eq!(refusal("int f(é);"), "1:7: the character `é` is no C");
    assert_eq!(refusal("int f(char *s = \"abc"), "1:17: this literal has no closing quote");
    assert_eq!(refusal("char c['\\"), "1:8: this literal has no closing quote");
}

#[test]
fn what_could_change_a_call_is_not_passed_over() {
    for source in [
        "int f(int) __attribute__((unheard_of));",
        "union u { int i; } __attribute__((transparent_union)); int f(union u);",
        "int f(_Decimal64);",
        "int f(_Atomic struct { char c[3]; } x);",
        "struct S { int a; } __attribute__((aligned(3))); int f(struct S);",
        "#pragma ms_struct on\nint f(int);",
        "#define X\nint f(int);",
        "class C; int f(C);",
        "typedef struct { int a; } S __attribute__((aligned(16))); int f(S);",
        "__attribute__((aligned(16))) struct S { int a; }; int f(struct S);",
    ] {
        refusal(source);
    }
}

#[test]
fn nothing_is_too_deep() {
    let nested = |open: &str, close: &str, n: usize| open.repeat(n) + "int x;" + &close.repeat(n);
    for n in [10, 47, 48, 49, 1000, 200_000] {
        let sources = [
            format!("int f({}int{});", "(".repeat(n), ")".repeat(n)),
            format!("int x[{}1{}]; int f(int);", "(".repeat(n), ")".repeat(n)),
            format!("int x[{}1]; int f(int);", "- ".repeat(n)),
            format!("int x[{}1]; int f(int);", "sizeof ".repeat(n)),
            format!("int x[1{}]; int f(int);", "+1".repeat(n)),
            format!("int x[1{} : 1]; int f(int);", " ? 1 : 1".repeat(n)),
            format!("int {}f(int);", "*".repeat(n)),
            format!("int f(int){};", "[1]".repeat(n)),
            format!("{} int f(int);", nested("struct {", "} m;", n)),
            format!("int f(int (*)({}int{}));", "int (*)(".repeat(n), ")".repeat(n)),
            format!("int f(int) {{ {} {} }}", "{".repeat(n), "}".repeat(n)),
            format!("{}int f(int);", "__extension__ ".repeat(n)),
            format!("{}int f(int);", "const ".repeat(n)),
            format!(
                "typedef int t0; {} int f(t0);",
                (0..n.min(2000)).map(|i| format!("typedef t{i} *t{};", i + 1)).collect::<String>()
            ),
            format!("__attribute__(({})) int f(int);", "unused, ".repeat(n)),
        ];
        for source in sources {
            // Accepted or refused, but with an end.
            let _ = prototype(&source, &LINUX, None);
        }
    }
    assert!(prototype(&format!("int f(int {}x);", "*".repeat(40)), &LINUX, None).is_ok());
    assert!(refusal(&format!("int x[{}1{}]; int f(int);", "(".repeat(60), ")".repeat(60))).contains("48 deep"));
}

#[test]
fn the_deepest_that_is_allowed_fits_the_stack() {
    // Brackets within unary operators within brackets, as deep as the bounds let them be, with commas to restart the count.
    let mut expression = "1".to_string();
    for _ in 0..44 {
        expression = format!("f(1,{}{expression})", "-".repeat(60));
    }
    let source = format!("int x[{expression}]; int f(int);");
    assert!(prototype(&source, &LINUX, None).is_err());
    let mut ty = "int".to_string();
    for _ in 0..44 {
        ty = format!("int {}(*)(int, {ty})", "*".repeat(50));
    }
    assert!(prototype(&format!("int f({ty});"), &LINUX, None).is_ok() || !ty.is_empty());
}

#[test]
fn long_sources_take_linear_time() {
    let mut source = String::new();
    for i in 0..3000 {
        source += &format!("struct s{i} {{ int a; char b[{i} % 7 + 1]; struct s{i} *next; }};\n");
        source += &format!("extern int f{i}(struct s{i} x, size_t n) __attribute__((nothrow)); \n");
    }
    let f = prototype(&source, &LINUX, None).unwrap();
    assert_eq!(f.name, "f2999");
    assert!(matches!(f.signature.params[1].ty, gusset_abi::AbiType::C(CType::Scalar(_))));
}

#[test]
fn cxx_is_read_where_it_matters() {
    let read = |source: &str, name: Option<&str>| prototype_in(Language::Cxx, source, &LINUX, name);
    let f = read("struct S { int x; int f(int a = 3) const; static S make(); };", Some("S::f")).unwrap();
    assert_eq!(f.text, "int S::f(const S *this, int a)");
    assert_eq!(f.signature.modifiers.member, Member::Method);
    let f = read("struct S { int x; static S make(int); };", None).unwrap();
    assert_eq!((f.text.as_str(), f.signature.modifiers.member), ("S S::make(int)", Member::None));
    let f = read("struct S { S() : x{1}, y(2) { } ~S(); int x, y; };", None).unwrap();
    assert_eq!((f.name.as_str(), f.signature.modifiers.member), ("S::~S", Member::Destructor));
    let f = read("struct S { bool operator()(int &) ; bool operator==(const S &) const; };", None).unwrap();
    assert_eq!(f.text, "bool S::operator==(const S *this, const S &)");
    let f = read("using T = int (*)(double &&); namespace a::b { struct Q; } void f(T t, a::b::Q *q);", None).unwrap();
    assert_eq!(f.text, "void f(T t, Q *q)");
    for (source, expected) in [
        ("struct A; struct B : A { }; void f(B);", "1:22: the base `A` is not a complete class here"),
        ("struct A { }; struct B : A, X<int> { };", "1:30: templates are not supported"),
        ("struct A { }; union B : A { };", "1:23: a union has no bases"),
        ("struct __declspec(empty_bases) A { };", "1:19: the attribute `empty_bases` is not supported"),
        ("template <class T> void f(T);", "1:1: `template` is not supported"),
        (
            "struct S { using T = int; }; void f(S);",
            "1:12: types that belong to a class are not supported: declare them outside",
        ),
        ("void f(Unheard::Of x);", "1:8: `Unheard` is neither a class nor a namespace that is known"),
        ("namespace n; int f();", "1:12: `{` is expected after a namespace's name"),
    ] {
        let error = read(source, None).map(|found| found.text).unwrap_err();
        assert_eq!(format!("{}:{}: {}", error.line(), error.column(), error.message()), expected);
    }
}

/// Which functions override others, and which class introduced them.
#[test]
fn virtual_functions_override() {
    let source = "struct A { virtual void f(int, A *a); virtual ~A(); };
        struct B : virtual A { B(); void f(int n, A *); };
        struct C : B { virtual void f(long, A *); void f(int, A *b) override; };
        struct D : A { void f(int, A *) const; }; void g(A, B, C, D);";
    let f = prototype_in(Language::Cxx, source, &LINUX, None).unwrap();
    let virtuals = f.params.iter().map(|param| match &param.ty.ctype {
        CType::Record(record) => record.virtuals().map(|v| (v.introduces, v.overridden.clone(), v.constructed)),
        _ => panic!("it is a class"),
    });
    let expected = [Some((true, vec![], true)), Some((false, vec![1], true)), Some((true, vec![1], false)), None];
    assert_eq!(virtuals.collect::<Vec<_>>(), expected);
}

/// What clang makes of special members on Microsoft's targets: whether the class is returned in registers, and whether it can be
/// a homogeneous aggregate on ARM64.
#[test]
fn special_members_decide_on_windows() {
    let arm = target("aarch64-pc-windows-msvc");
    let cases = [
        ("float a, b;", true, true),
        ("S &operator=(const S &) = delete; float a, b;", false, true),
        ("S &operator=(const S &) = default; float a, b;", true, true),
        ("S &operator=(const S &); float a, b;", false, false),
        ("S &operator=(S); float a, b;", false, false),
        ("S &operator=(int); float a, b;", true, true),
        ("S(S &&) = default; S(const S &) = default; float a, b;", false, true),
        ("const float a; float b;", false, true),
        ("float *const a;", false, true),
        ("const float *a;", true, true),
        ("float &a;", false, true),
        ("static const int count = 1; float a, b;", true, true),
        ("S(); float a, b;", false, false),
        ("S(int n = 1); float a, b;", false, false),
        ("S() = default; float a, b;", true, true),
        ("S(int); float a, b;", false, true),
        ("~S(); float a, b;", false, false),
        ("float a = 1, b;", true, false),
        ("float a{1}; float b;", true, false),
        ("S(int); float a = 1, b;", false, true),
        ("S(int); S() = default; float a = 1, b;", false, false),
        ("virtual void v(); float a;", false, false),
    ];
    for (members, in_registers, homogeneous) in cases {
        let source = format!("struct S {{ {members} }}; S f(S);");
        let found = prototype_in(Language::Cxx, &source, &arm, Some("f")).unwrap_or_else(|error| panic!("{error}"));
        let gusset_abi::AbiType::C(CType::Record(record)) = &found.signature.ret.ty else { panic!("{members}") };
        let have = (record.class().aggregate, !record.is_never_homogeneous());
        assert_eq!(have, (in_registers, homogeneous), "{members}");
        // What holds such a class has what it has.
        let source = format!("struct S {{ {members} }}; struct W {{ S s; }}; W f(W);");
        let found = prototype_in(Language::Cxx, &source, &arm, Some("f")).unwrap_or_else(|error| panic!("{error}"));
        let gusset_abi::AbiType::C(CType::Record(outer)) = &found.signature.ret.ty else { panic!("{members}") };
        assert!(in_registers || !outer.class().aggregate || !members.contains("operator=(const S &)"), "{members}");
    }
    // Clang ignores this attribute there.
    let vector = "__attribute__((aarch64_vector_pcs)) void f(int);";
    assert_eq!(prototype(vector, &arm, None).unwrap().signature.convention, Convention::C);
    let linux = target("aarch64-unknown-linux-gnu");
    assert_eq!(prototype(vector, &linux, None).unwrap().signature.convention, Convention::VectorPcs);
}
