//! Properties of loops, which annotations of MLIR's have by name and nodes of LLVM's as operands.
//!
//! MLIR, "'llvm' Dialect", `LoopAnnotationAttr`; LLVM LangRef, "`llvm.loop`".

/// How LLVM expresses a property of a loop.
#[derive(Clone, Copy)]
pub(crate) enum Property {
    /// By its presence if it holds.
    Flag,
    /// By its presence, or by that of another property if it does not hold.
    Either(&'static str),
    /// By an `i1`, or by its opposite.
    Bool,
    Not,
    /// By an `i1` if MLIR writes it. What LLVM writes has no operand.
    FlagOrBool,
    /// By an `i32` that is a number, or 0 or 1.
    Number,
    BoolAsNumber,
    /// By the properties of the loop that results.
    Followup,
}

/// A property: the parameter of the annotation that is the attribute with the property's parameter, empty for the annotation
/// itself; the property's parameter; LLVM's name; how LLVM expresses it.
pub(crate) type LoopProperty = (&'static str, &'static str, &'static str, Property);

/// All properties, in the order in which `mlir-translate` writes LLVM's operands.
pub(crate) const LOOPS: &[LoopProperty] = &[
    ("", "disableNonforced", "llvm.loop.disable_nonforced", Property::Flag),
    ("", "mustProgress", "llvm.loop.mustprogress", Property::Flag),
    ("", "isVectorized", "llvm.loop.isvectorized", Property::BoolAsNumber),
    ("vectorize", "disable", "llvm.loop.vectorize.enable", Property::Not),
    ("vectorize", "predicateEnable", "llvm.loop.vectorize.predicate.enable", Property::Bool),
    ("vectorize", "scalableEnable", "llvm.loop.vectorize.scalable.enable", Property::Bool),
    ("vectorize", "width", "llvm.loop.vectorize.width", Property::Number),
    ("vectorize", "followupVectorized", "llvm.loop.vectorize.followup_vectorized", Property::Followup),
    ("vectorize", "followupEpilogue", "llvm.loop.vectorize.followup_epilogue", Property::Followup),
    ("vectorize", "followupAll", "llvm.loop.vectorize.followup_all", Property::Followup),
    ("interleave", "count", "llvm.loop.interleave.count", Property::Number),
    ("unroll", "disable", "llvm.loop.unroll.disable", Property::Either("llvm.loop.unroll.enable")),
    ("unroll", "count", "llvm.loop.unroll.count", Property::Number),
    ("unroll", "runtimeDisable", "llvm.loop.unroll.runtime.disable", Property::FlagOrBool),
    ("unroll", "full", "llvm.loop.unroll.full", Property::Flag),
    ("unroll", "followupUnrolled", "llvm.loop.unroll.followup_unrolled", Property::Followup),
    ("unroll", "followupRemainder", "llvm.loop.unroll.followup_remainder", Property::Followup),
    ("unroll", "followupAll", "llvm.loop.unroll.followup_all", Property::Followup),
    (
        "unrollAndJam",
        "disable",
        "llvm.loop.unroll_and_jam.disable",
        Property::Either("llvm.loop.unroll_and_jam.enable"),
    ),
    ("unrollAndJam", "count", "llvm.loop.unroll_and_jam.count", Property::Number),
    ("unrollAndJam", "followupOuter", "llvm.loop.unroll_and_jam.followup_outer", Property::Followup),
    ("unrollAndJam", "followupInner", "llvm.loop.unroll_and_jam.followup_inner", Property::Followup),
    ("unrollAndJam", "followupRemainderOuter", "llvm.loop.unroll_and_jam.followup_remainder_outer", Property::Followup),
    ("unrollAndJam", "followupRemainderInner", "llvm.loop.unroll_and_jam.followup_remainder_inner", Property::Followup),
    ("unrollAndJam", "followupAll", "llvm.loop.unroll_and_jam.followup_all", Property::Followup),
    ("licm", "disable", "llvm.licm.disable", Property::Flag),
    ("licm", "versioningDisable", "llvm.loop.licm_versioning.disable", Property::Flag),
    ("distribute", "disable", "llvm.loop.distribute.enable", Property::Not),
    ("distribute", "followupCoincident", "llvm.loop.distribute.followup_coincident", Property::Followup),
    ("distribute", "followupSequential", "llvm.loop.distribute.followup_sequential", Property::Followup),
    ("distribute", "followupFallback", "llvm.loop.distribute.followup_fallback", Property::Followup),
    ("distribute", "followupAll", "llvm.loop.distribute.followup_all", Property::Followup),
    ("pipeline", "disable", "llvm.loop.pipeline.disable", Property::Bool),
    ("pipeline", "initiationinterval", "llvm.loop.pipeline.initiationinterval", Property::Number),
    ("peeled", "count", "llvm.loop.peeled.count", Property::Number),
    ("unswitch", "partialDisable", "llvm.loop.unswitch.partial.disable", Property::Flag),
];
