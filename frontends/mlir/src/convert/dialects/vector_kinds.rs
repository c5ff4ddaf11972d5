//! Combining kinds of the dialect `vector`.

use gusset_codegen::ir::Opcode;

/// A combining kind: how two values are combined to one.
pub(super) struct Kind {
    pub name: &'static str,
    /// The operators on integers and on floating-point numbers, or the intrinsic.
    pub ints: Option<Opcode>,
    pub floats: Option<Opcode>,
    pub intrinsic: &'static str,
    /// The reductions of integers and of floating-point numbers: `llvm.vector.reduce.…`.
    pub reduce_ints: &'static str,
    pub reduce_floats: &'static str,
    /// The neutral element.
    pub neutral: Neutral,
}

/// The value that another one can be combined with without changing it.
#[derive(Clone, Copy)]
pub(super) enum Neutral {
    Number(i8, f64),
    /// The largest, or the least, signed number.
    Largest,
    Least,
}

/// The present name of a kind.
pub(super) fn older_kind(word: &[u8]) -> &[u8] {
    match word {
        b"maxf" => b"maximumf",
        b"minf" => b"minimumf",
        word => word,
    }
}

const fn kind(
    name: &'static str,
    (ints, floats, intrinsic): (Option<Opcode>, Option<Opcode>, &'static str),
    (reduce_ints, reduce_floats): (&'static str, &'static str),
    neutral: Neutral,
) -> Kind {
    Kind { name, ints, floats, intrinsic, reduce_ints, reduce_floats, neutral }
}

pub(super) const KINDS: [Kind; 13] = [
    kind("add", (Some(Opcode::Iadd), Some(Opcode::Fadd), ""), ("add", "fadd"), Neutral::Number(0, -0.0)),
    kind("mul", (Some(Opcode::Imul), Some(Opcode::Fmul), ""), ("mul", "fmul"), Neutral::Number(1, 1.0)),
    kind("and", (Some(Opcode::And), None, ""), ("and", ""), Neutral::Number(-1, 0.0)),
    kind("or", (Some(Opcode::Or), None, ""), ("or", ""), Neutral::Number(0, 0.0)),
    kind("xor", (Some(Opcode::Xor), None, ""), ("xor", ""), Neutral::Number(0, 0.0)),
    kind("minui", (None, None, "umin"), ("umin", ""), Neutral::Number(-1, 0.0)),
    kind("minsi", (None, None, "smin"), ("smin", ""), Neutral::Largest),
    kind("maxui", (None, None, "umax"), ("umax", ""), Neutral::Number(0, 0.0)),
    kind("maxsi", (None, None, "smax"), ("smax", ""), Neutral::Least),
    kind("minnumf", (None, None, "minnum"), ("", "fmin"), Neutral::Number(0, f64::NAN)),
    kind("maxnumf", (None, None, "maxnum"), ("", "fmax"), Neutral::Number(0, f64::NAN)),
    kind("minimumf", (None, None, "minimum"), ("", "fminimum"), Neutral::Number(0, f64::INFINITY)),
    kind("maximumf", (None, None, "maximum"), ("", "fmaximum"), Neutral::Number(0, f64::NEG_INFINITY)),
];
