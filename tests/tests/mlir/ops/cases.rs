//! The operations of `arith`, `math`, `index`, `complex` and `ub`, each with the types that it is tried on.

use super::module::{Case, Group};

const INTS: &[&str] = &[
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "index",
    "vector<4xi32>",
    "vector<2x3xi16>",
    "vector<3xindex>",
    "vector<i8>",
];
const FLOATS: &[&str] =
    &["f16", "bf16", "f32", "f64", "vector<4xf32>", "vector<2x3xf64>", "vector<f32>", "vector<3xf16>"];

/// The type of lanes in place of another.
fn with_lane(ty: &str, lane: &str) -> String {
    match ty.strip_prefix("vector<") {
        None => lane.into(),
        Some(rest) => {
            let dims = rest.split('x').take_while(|d| d.parse::<u32>().is_ok());
            let dims: String = dims.map(|d| format!("{d}x")).collect();
            format!("vector<{dims}{lane}>")
        }
    }
}

fn binary(op: &str, ty: &str, kinds: [char; 2]) -> Case {
    let body = format!("%r0 = {op} %a0, %a1 : {ty}");
    Case::new(&format!("{op}_{ty}"), &[(ty, kinds[0]), (ty, kinds[1])], &[ty], &body)
}

fn unary(op: &str, ty: &str) -> Case {
    Case::new(&format!("{op}_{ty}"), &[(ty, '.')], &[ty], &format!("%r0 = {op} %a0 : {ty}"))
}

fn cast(op: &str, from: &str, to: &str, kind: char) -> Case {
    let body = format!("%r0 = {op} %a0 : {from} to {to}");
    Case::new(&format!("{op}_{from}_{to}"), &[(from, kind)], &[to], &body)
}

fn integers() -> Vec<Case> {
    let mut all = Vec::new();
    for ty in INTS {
        for op in ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "maxui", "minsi", "minui"] {
            all.push(binary(&format!("arith.{op}"), ty, ['i', 'i']));
        }
        for op in ["shli", "shrsi", "shrui"] {
            all.push(binary(&format!("arith.{op}"), ty, ['i', 's']));
        }
        for op in ["divui", "remui"] {
            all.push(binary(&format!("arith.{op}"), ty, ['i', 'n']));
        }
        all.push(binary("arith.ceildivui", ty, ['i', 'n']).in_group(Group::Expand));
        // Of one bit, every signed quotient but 0 / -1 overflows.
        if *ty != "i1" {
            for op in ["divsi", "remsi"] {
                all.push(binary(&format!("arith.{op}"), ty, ['m', 'n']));
            }
            // That of 128 bits extends a constant by zeros.
            for op in ["ceildivsi", "floordivsi"].into_iter().filter(|_| *ty != "i128") {
                // MLIR's own lowering overflows for the largest and the least numbers, or traps: wider ones judge of these.
                let case = binary(&format!("arith.{op}"), ty, ['l', 'n']).in_group(Group::Expand);
                if matches!(*ty, "i8" | "i16" | "i32") {
                    let theirs = format!(
                        "%x = arith.extsi %a0 : {ty} to i64\n%y = arith.extsi %a1 : {ty} to i64
                         %q = arith.{op} %x, %y : i64\n%r0 = arith.trunci %q : i64 to {ty}"
                    );
                    let mut extremes = case.clone().judged_by(&theirs);
                    extremes.operands[0].1 = 'm';
                    extremes.name += "_extremes";
                    all.push(extremes);
                }
                all.push(case);
            }
        }
        let flags = with_lane(ty, "i1");
        for p in ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"] {
            let body = format!("%r0 = arith.cmpi {p}, %a0, %a1 : {ty}");
            all.push(Case::new(&format!("cmpi_{p}_{ty}"), &[(ty, 'i'), (ty, 'i')], &[&flags], &body));
        }
        let body = format!("%r0, %r1 = arith.addui_extended %a0, %a1 : {ty}, {flags}");
        let case = Case::new(&format!("addui_extended_{ty}"), &[(ty, 'i'), (ty, 'i')], &[ty, &flags], &body);
        // MLIR's own lowering fails for `index` and vectors of none or several dimensions.
        let theirs = format!("%r0 = arith.addi %a0, %a1 : {ty}\n%r1 = arith.cmpi ult, %r0, %a0 : {ty}");
        all.push(case.judged_by(&theirs));
        for (op, extend) in [("mulsi_extended", "extsi"), ("mului_extended", "extui")] {
            let body = format!("%r0, %r1 = arith.{op} %a0, %a1 : {ty}");
            let case = Case::new(&format!("{op}_{ty}"), &[(ty, 'i'), (ty, 'i')], &[ty, ty], &body);
            let wide = with_lane(ty, "i32");
            let theirs = format!(
                "%r0 = arith.muli %a0, %a1 : {ty}
                 %x = arith.{extend} %a0 : {ty} to {wide}\n%y = arith.{extend} %a1 : {ty} to {wide}
                 %p = arith.muli %x, %y : {wide}\n%d = arith.constant dense<16> : {wide}
                 %s = arith.shrui %p, %d : {wide}\n%r1 = arith.trunci %s : {wide} to {ty}"
            );
            all.push(if ty.contains("3xi16") { case.judged_by(&theirs) } else { case });
        }
        for op in ["absi", "ctlz", "cttz", "ctpop"] {
            // MLIR's own lowering fails for some.
            if op == "ctpop" || !(ty.ends_with("index") || ty.ends_with("index>") || *ty == "vector<i8>") {
                all.push(unary(&format!("math.{op}"), ty));
            }
        }
    }
    for ty in ["i8", "i16", "i32", "i64", "vector<4xi32>", "vector<2x3xi16>"] {
        all.push(binary("math.ipowi", ty, ['n', 'e']).in_group(Group::Powers));
    }
    all
}

fn floats() -> Vec<Case> {
    let mut all = Vec::new();
    for ty in FLOATS {
        for op in ["addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf"] {
            all.push(binary(&format!("arith.{op}"), ty, ['.', '.']));
        }
        for op in ["maxnumf", "minnumf"] {
            // Of two zeros, either.
            let zeros = Case { zeros: true, ..binary(&format!("arith.{op}"), ty, ['.', '.']) };
            all.push(zeros);
        }
        all.push(unary("arith.negf", ty));
        let flags = with_lane(ty, "i1");
        for p in [
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno",
            "true",
        ] {
            let body = format!("%r0 = arith.cmpf {p}, %a0, %a1 : {ty}");
            all.push(Case::new(&format!("cmpf_{p}_{ty}"), &[(ty, '.'), (ty, '.')], &[&flags], &body));
        }
        for op in [
            "absf",
            "ceil",
            "cos",
            "exp",
            "exp2",
            "floor",
            "log",
            "log10",
            "log2",
            "round",
            "roundeven",
            "sin",
            "sqrt",
            "trunc",
            "rsqrt",
        ] {
            all.push(unary(&format!("math.{op}"), ty));
        }
        for op in ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cosh", "erf", "sinh", "tan", "tanh"] {
            // Of one lane without a dimension, MLIR's own lowering fails.
            if *ty != "vector<f32>" {
                all.push(unary(&format!("math.{op}"), ty));
            }
        }
        for op in ["copysign", "powf", "atan2"] {
            if *ty != "vector<f32>" || op != "atan2" {
                all.push(binary(&format!("math.{op}"), ty, ['.', '.']));
            }
        }
        // MLIR's own code rounds that of `bf16` twice.
        if !ty.contains("bf16") {
            let body = format!("%r0 = math.fma %a0, %a1, %a2 : {ty}");
            all.push(Case::new(&format!("fma_{ty}"), &[(ty, '.'), (ty, '.'), (ty, '.')], &[ty], &body));
        }
        // Later versions have them.
        let abs = format!("%b = math.absf %a0 : {ty}\n%i = arith.constant ");
        let inf =
            |hex: &str| if ty.starts_with('v') { format!("dense<{hex}> : {ty}") } else { format!("{hex} : {ty}") };
        let inf = inf(match ty {
            t if t.contains("bf16") => "0x7F80",
            t if t.contains("f16") => "0x7C00",
            t if t.contains("f32") => "0x7F800000",
            _ => "0x7FF0000000000000",
        });
        for (op, judge) in [("isnan", "uno"), ("isinf", "oeq"), ("isfinite", "one")] {
            let body = format!("%r0 = math.{op} %a0 : {ty}");
            let theirs = format!("{abs}{inf}\n%r0 = arith.cmpf {judge}, %b, %i : {ty}");
            all.push(Case::new(&format!("{op}_{ty}"), &[(ty, '.')], &[&flags], &body).judged_by(&theirs));
        }
    }
    for ty in ["f32", "f64"] {
        for op in ["expm1", "log1p"] {
            all.push(unary(&format!("math.{op}"), ty).in_group(Group::Library));
        }
        let body = format!("%r0 = math.fpowi %a0, %a1 : {ty}, i32");
        all.push(Case::new(&format!("fpowi_{ty}"), &[(ty, '.'), ("i32", 'e')], &[ty], &body));
    }
    all
}

fn casts() -> Vec<Case> {
    let mut all = Vec::new();
    let wider = [
        ("i1", "i8"),
        ("i1", "i64"),
        ("i8", "i16"),
        ("i8", "i64"),
        ("i16", "i32"),
        ("i32", "i64"),
        ("i64", "i128"),
        ("vector<4xi8>", "vector<4xi32>"),
        ("vector<2x3xi1>", "vector<2x3xi16>"),
    ];
    for (narrow, wide) in wider {
        all.push(cast("arith.extui", narrow, wide, '.'));
        all.push(cast("arith.extsi", narrow, wide, '.'));
        all.push(cast("arith.trunci", wide, narrow, '.'));
    }
    let wider = [
        ("f16", "f32"),
        ("f16", "f64"),
        ("bf16", "f32"),
        ("f32", "f64"),
        ("vector<2x3xf32>", "vector<2x3xf64>"),
        ("vector<4xbf16>", "vector<4xf32>"),
    ];
    for (narrow, wide) in wider {
        all.push(cast("arith.extf", narrow, wide, '.'));
        all.push(cast("arith.truncf", wide, narrow, '.'));
    }
    for float in ["f16", "bf16", "f32", "f64", "vector<4xf32>", "vector<2x3xf64>"] {
        for int in ["i1", "i8", "i16", "i32", "i64"] {
            let int = with_lane(float, int);
            all.push(cast("arith.sitofp", &int, float, '.'));
            all.push(cast("arith.uitofp", &int, float, '.'));
            if !int.contains("i1>") && int != "i1" {
                all.push(cast("arith.fptosi", float, &int, 'S'));
                all.push(cast("arith.fptoui", float, &int, 'S').positive());
            }
        }
    }
    let alike = [
        ("i32", "f32"),
        ("i64", "f64"),
        ("i16", "f16"),
        ("i16", "bf16"),
        ("vector<4xi32>", "vector<4xf32>"),
        ("vector<2x3xi16>", "vector<2x3xf16>"),
    ];
    for (int, float) in alike {
        all.push(cast("arith.bitcast", int, float, '.'));
        all.push(cast("arith.bitcast", float, int, 'S'));
    }
    for int in ["i1", "i8", "i16", "i32", "i64", "i128", "vector<3xi32>", "vector<2x3xi64>"] {
        let index = with_lane(int, "index");
        for op in ["arith.index_cast", "arith.index_castui"] {
            all.push(cast(op, int, &index, '.'));
            all.push(cast(op, &index, int, '.'));
        }
        if !int.starts_with('v') {
            for op in ["index.casts", "index.castu"] {
                all.push(cast(op, int, "index", '.'));
                all.push(cast(op, "index", int, '.'));
            }
        }
    }
    all
}

fn choices() -> Vec<Case> {
    let mut all = Vec::new();
    for ty in INTS.iter().chain(FLOATS).chain(&["complex<f32>"]) {
        let body = format!("%r0 = arith.select %a0, %a1, %a2 : {ty}");
        all.push(Case::new(&format!("select_{ty}"), &[("i1", '.'), (ty, '.'), (ty, '.')], &[ty], &body));
        if ty.starts_with('v') {
            let flags = with_lane(ty, "i1");
            let body = format!("%r0 = arith.select %a0, %a1, %a2 : {flags}, {ty}");
            let name = format!("select_lanes_{ty}");
            all.push(Case::new(&name, &[(&flags, '.'), (ty, '.'), (ty, '.')], &[ty], &body));
        }
    }
    all
}

fn indices() -> Vec<Case> {
    let mut all = Vec::new();
    let index = |op: &str, kinds: [char; 2]| {
        let body = format!("%r0 = index.{op} %a0, %a1");
        Case::new(&format!("index_{op}"), &[("index", kinds[0]), ("index", kinds[1])], &["index"], &body)
    };
    for op in ["add", "sub", "mul", "and", "or", "xor", "maxs", "maxu", "mins", "minu"] {
        all.push(index(op, ['i', 'i']));
    }
    for op in ["ceildivs", "floordivs"] {
        all.push(index(op, ['l', 'n']));
    }
    for op in ["divs", "rems"] {
        all.push(index(op, ['m', 'n']));
    }
    for op in ["divu", "remu", "ceildivu"] {
        all.push(index(op, ['i', 'n']));
    }
    for op in ["shl", "shrs", "shru"] {
        all.push(index(op, ['i', 's']));
    }
    for p in ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"] {
        let body = format!("%r0 = index.cmp {p}(%a0, %a1)");
        all.push(Case::new(&format!("index_cmp_{p}"), &[("index", 'i'), ("index", 'i')], &["i1"], &body));
    }
    let body = "%r0 = index.constant -7\n%r1 = index.sizeof\n%r2 = index.bool.constant true";
    all.push(Case::new("index_constants", &[], &["index", "index", "i1"], body));
    all
}

fn complex() -> Vec<Case> {
    let mut all = Vec::new();
    for part in ["f32", "f64"] {
        let ty = &format!("complex<{part}>");
        for op in ["add", "sub", "mul", "div", "pow", "atan2"] {
            all.push(binary(&format!("complex.{op}"), ty, ['.', '.']));
        }
        for op in ["conj", "cos", "exp", "expm1", "log", "log1p", "neg", "rsqrt", "sign", "sin", "sqrt", "tan", "tanh"]
        {
            let calls = matches!(op, "log1p" | "tan" | "tanh");
            let group = if calls { Group::Library } else { Group::Plain };
            all.push(unary(&format!("complex.{op}"), ty).in_group(group));
        }
        for op in ["abs", "angle", "re", "im"] {
            let body = format!("%r0 = complex.{op} %a0 : {ty}");
            all.push(Case::new(&format!("complex_{op}_{part}"), &[(ty, '.')], &[part], &body));
        }
        for op in ["eq", "neq"] {
            let body = format!("%r0 = complex.{op} %a0, %a1 : {ty}");
            all.push(Case::new(&format!("complex_{op}_{part}"), &[(ty, '.'), (ty, '.')], &["i1"], &body));
        }
        let body = format!(
            "%r0 = complex.create %a0, %a1 : {ty}\n%r1 = complex.constant [1.5 : {part}, -0.0 : {part}] : {ty}"
        );
        all.push(Case::new(&format!("complex_create_{part}"), &[(part, '.'), (part, '.')], &[ty, ty], &body));
    }
    let theirs = "%x = complex.re %a0 : complex<f32>\n%y = complex.im %a0 : complex<f32>
        %i = arith.bitcast %x : f32 to i32\n%j = arith.bitcast %y : f32 to i32
        %k = arith.extui %i : i32 to i64\n%l = arith.extui %j : i32 to i64\n%w = arith.constant 32 : i64
        %h = arith.shli %l, %w : i64\n%r0 = arith.ori %h, %k : i64";
    all.push(cast("complex.bitcast", "complex<f32>", "i64", 'S').judged_by(theirs));
    let theirs = "%w = arith.constant 32 : i64\n%h = arith.shrui %a0, %w : i64
        %i = arith.trunci %a0 : i64 to i32\n%j = arith.trunci %h : i64 to i32
        %x = arith.bitcast %i : i32 to f32\n%y = arith.bitcast %j : i32 to f32\n%r0 = complex.create %x, %y : complex<f32>";
    all.push(cast("complex.bitcast", "i64", "complex<f32>", '.').judged_by(theirs));
    all
}

/// What has no meaning does no harm where nobody asks for it.
fn undefined() -> Vec<Case> {
    let mut all = Vec::new();
    for ty in ["i32", "index", "vector<2x3xf32>", "complex<f32>"] {
        let body = format!(
            "%p = ub.poison : {ty}\n%t = arith.constant true\n%s = arith.select %t, %a0, %p : {ty}
             %r0 = arith.select %a1, %s, %a0 : {ty}"
        );
        all.push(Case::new(&format!("poison_{ty}"), &[(ty, '.'), ("i1", '.')], &[ty], &body));
    }
    let body = "%z = arith.constant 0 : i32\n%c = arith.cmpi ne, %a0, %z : i32\ncf.cond_br %c, ^good, ^bad
        ^bad:\nub.unreachable\n^good:\n%r0 = arith.divui %a0, %a0 : i32";
    let theirs = body.replace("ub.", "llvm.");
    all.push(Case::new("unreachable", &[("i32", 'n')], &["i32"], body).judged_by(&theirs));
    all
}

/// Constants in every spelling.
fn constants() -> Vec<Case> {
    let spelled = [
        ("5 : i32", "i32"),
        ("-5 : i8", "i8"),
        ("255 : i8", "i8"),
        ("0x1F : i16", "i16"),
        ("5", "i64"),
        ("true", "i1"),
        ("{note = \"before\"} false", "i1"),
        ("-1 : index", "index"),
        ("-170141183460469231731687303715884105728 : i128", "i128"),
        ("1.5", "f64"),
        ("-0.0 : f32", "f32"),
        ("1.0e+10 : f64", "f64"),
        ("0x7F800000 : f32", "f32"),
        ("0xFC00 : f16", "f16"),
        ("3.14159 : bf16", "bf16"),
        ("dense<7> : vector<4xi32>", "vector<4xi32>"),
        ("dense<[[1, 2, 3], [4, -5, 6]]> : vector<2x3xi16>", "vector<2x3xi16>"),
        ("dense<[[1.5, 2.0, 3.0], [0.1, -5.0, 0x7FF0000000000000]]> : vector<2x3xf64>", "vector<2x3xf64>"),
        ("dense<[true, false, true]> : vector<3xi1>", "vector<3xi1>"),
        ("dense<\"0x01000000FFFFFFFF\"> : vector<2xi32>", "vector<2xi32>"),
        ("dense<[1, 2, 3]> : vector<3xindex>", "vector<3xindex>"),
        ("dense<2.5> : vector<f32>", "vector<f32>"),
    ];
    let case = |(k, (text, ty)): (usize, &(&str, &str))| {
        Case::new(&format!("constant_{k}"), &[], &[ty], &format!("%r0 = arith.constant {text}"))
    };
    spelled.iter().enumerate().map(case).collect()
}

/// Everything.
pub fn all() -> Vec<Case> {
    [integers(), floats(), casts(), choices(), indices(), complex(), undefined(), constants()].concat()
}
