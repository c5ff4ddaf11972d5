//! Intrinsics that become instructions of their own: a table of names and of functions that make them.

use gusset_codegen::ir::{Opcode, Ordering, RmwOp, Type};
use gusset_codegen::libcall::LibCall;
use gusset_program::{I64, PTR, Result, TypeId, Val};

use crate::function::FunctionLowering;
use crate::masked::Lanes as Masked;

/// How an intrinsic is expanded: by a function that makes its instructions.
#[derive(Clone, Copy)]
pub(crate) enum Expansion {
    /// There is no result.
    Effect(fn(&mut FunctionLowering<'_>) -> Result<()>),
    /// It works on whole vectors of any lanes; the function gets the type of the result.
    Whole(fn(&mut FunctionLowering<'_>, TypeId) -> Result<Val>),
    /// It does the same to each lane. The result is a scalar or vector, whose type the function gets.
    Value(fn(&mut FunctionLowering<'_>, TypeId, Type) -> Result<gusset_codegen::ir::Value>),
}

/// The expansion with the number of an [`Intrinsic::Expansion`](gusset_program::Intrinsic::Expansion).
pub(crate) fn expansion(row: u8) -> Expansion {
    EXPANSIONS[usize::from(row)].1
}

/// The row of an intrinsic's name, without `@llvm.` and without the types at its end.
pub(crate) fn row(name: &str) -> Option<u8> {
    EXPANSIONS.iter().position(|(names, _)| names.contains(&name)).map(|row| row as u8)
}

static EXPANSIONS: &[(&[&str], Expansion)] = {
    use Expansion::{Effect, Value, Whole};
    &[
        (&["memcpy", "memcpy.inline"], Effect(|l| l.block_op(Opcode::Memcpy))),
        (&["memset", "memset.inline"], Effect(|l| l.block_op(Opcode::Memset))),
        (&["memmove"], Effect(|l| l.block_op(Opcode::Memmove))),
        (
            &[
                "expect",
                "expect.with.probability",
                "annotation",
                "ptr.annotation",
                "ssa.copy",
                "arithmetic.fence",
                "launder.invariant.group",
                "strip.invariant.group",
                "threadlocal.address",
            ],
            Whole(|l, ty| l.s.first_operand(ty)),
        ),
        (&["smul.fix"], Value(|l, _, _| l.fixed_point(false, true, false))),
        (&["umul.fix"], Value(|l, _, _| l.fixed_point(false, false, false))),
        (&["sdiv.fix"], Value(|l, _, _| l.fixed_point(true, true, false))),
        (&["udiv.fix"], Value(|l, _, _| l.fixed_point(true, false, false))),
        (&["smul.fix.sat"], Value(|l, _, _| l.fixed_point(false, true, true))),
        (&["umul.fix.sat"], Value(|l, _, _| l.fixed_point(false, false, true))),
        (&["sdiv.fix.sat"], Value(|l, _, _| l.fixed_point(true, true, true))),
        (&["udiv.fix.sat"], Value(|l, _, _| l.fixed_point(true, false, true))),
        (&["ucmp"], Value(|l, _, ir| l.three_way(false, ir))),
        (&["scmp"], Value(|l, _, ir| l.three_way(true, ir))),
        (&["is.constant"], Whole(|l, ty| l.is_constant(ty))),
        (&["x86.tbm.bextri.u32", "x86.tbm.bextri.u64"], Value(|l, _, ir| l.extract_bits(ir))),
        (&["x86.addcarry", "x86.addcarryx"], Whole(|l, ty| l.add_carry(false, ty))),
        (&["x86.subborrow"], Whole(|l, ty| l.add_carry(true, ty))),
        (&["aarch64.prefetch"], Effect(|l| l.prefetch_level())),
        (&["arm.cls", "arm.cls64"], Whole(|l, _| l.sign_bits())),
        (&["minimumnum"], Value(|l, _, _| l.extreme_number(Opcode::Fminimum))),
        (&["maximumnum"], Value(|l, _, _| l.extreme_number(Opcode::Fmaximum))),
        (&["memcpy.element.unordered.atomic"], Effect(|l| l.copy_elements(false))),
        (&["memmove.element.unordered.atomic"], Effect(|l| l.copy_elements(true))),
        (&["memset.element.unordered.atomic"], Effect(|l| l.set_elements())),
        (&["experimental.vector.histogram.add"], Effect(|l| l.histogram(Opcode::Iadd))),
        (&["experimental.vector.histogram.uadd.sat"], Effect(|l| l.histogram(Opcode::UaddSat))),
        (&["experimental.vector.histogram.umax"], Effect(|l| l.histogram(Opcode::Umax))),
        (&["experimental.vector.histogram.umin"], Effect(|l| l.histogram(Opcode::Umin))),
        (
            &["vector.partial.reduce.add", "experimental.vector.partial.reduce.add"],
            Whole(|l, ty| l.partial_reduction(Opcode::Iadd, ty)),
        ),
        (&["vector.partial.reduce.fadd"], Whole(|l, ty| l.partial_reduction(Opcode::Fadd, ty))),
        (&["experimental.constrained.fcmp"], Value(|l, _, _| l.compare_floats())),
        (&["fmuladd"], Value(|l, _, _| l.multiply_add())),
        (&["canonicalize"], Value(|l, _, ir| l.canonicalize(ir))),
        (&["convert.to.fp16"], Value(|l, _, ir| l.half_bits(true, ir))),
        (&["convert.from.fp16"], Value(|l, _, ir| l.half_bits(false, ir))),
        (&["fptosi.sat"], Value(|l, ty, _| l.saturated(Opcode::FptosiSat, ty))),
        (&["fptoui.sat"], Value(|l, ty, _| l.saturated(Opcode::FptouiSat, ty))),
        (&["is.fpclass"], Value(|l, ty, _| l.fp_class(ty))),
        (&["objectsize"], Value(|l, _, ir| l.object_size(ir))),
        // A check that may be omitted; it is not.
        (&["allow.runtime.check", "allow.ubsan.check"], Value(|l, _, _| Ok(l.b.iconst(Type::I1, 1)))),
        (&["prefetch"], Effect(|l| l.prefetch())),
        (&["load.relative"], Value(|l, _, _| l.load_relative())),
        (&["ptrmask"], Value(|l, _, _| l.pointer_mask())),
        (&["arm.gnu.eabi.mcount"], Effect(|l| l.profiler())),
        (&["xray.customevent"], Effect(|l| l.event(LibCall::XrayCustomEvent, &[PTR, I64]))),
        (&["xray.typedevent"], Effect(|l| l.event(LibCall::XrayTypedEvent, &[I64, PTR, I64]))),
        (&["localescape"], Effect(|l| l.local_escape())),
        (&["localaddress"], Value(|l, _, _| l.local_address())),
        (&["localrecover"], Value(|l, _, _| l.local_recover())),
        // The second is its name before LLVM 10.
        (&["eh.recoverfp", "x86.seh.recoverfp"], Value(|l, _, _| l.recover_frame())),
        (&["eh.typeid.for"], Value(|l, _, _| l.type_number())),
        (&["va_start"], Effect(|l| l.stack_operation(Opcode::VaStart))),
        (&["va_end"], Effect(|l| l.va_end())),
        (&["va_copy"], Effect(|l| l.stack_operation(Opcode::VaCopy))),
        (&["stackrestore"], Effect(|l| l.stack_operation(Opcode::StackRestore))),
        (&["stacksave"], Value(|l, _, _| Ok(l.b.push1(Opcode::StackSave, 0, l.ptr, [0; 3], l.ptr)))),
        (&["get.dynamic.area.offset"], Value(|l, _, ir| l.dynamic_area_offset(ir))),
        (&["returnaddress"], Value(|l, _, _| l.frame_part(Opcode::ReturnAddr))),
        (&["sponentry"], Value(|l, _, _| Ok(l.entry_sp()))),
        (&["frameaddress"], Value(|l, _, _| l.frame_part(Opcode::FrameAddr))),
        (&["addressofreturnaddress"], Value(|l, _, _| l.caller_frame(1))),
        (&["eh.sjlj.setjmp"], Whole(|l, ty| l.set_jump(ty))),
        (&["eh.sjlj.longjmp"], Effect(|l| l.long_jump())),
        (&["eh.unwind.init"], Effect(|l| l.unwind_init())),
        (&["eh.return"], Effect(|l| l.eh_return())),
        (&["asan.check.memaccess"], Effect(|l| l.check_access())),
        (&["eh.dwarf.cfa"], Value(|l, _, _| l.caller_frame(2))),
        (
            &["readcyclecounter", "x86.rdtsc"],
            Value(|l, _, _| Ok(l.b.push1(Opcode::ReadCycles, 0, Type::I64, [0; 3], Type::I64))),
        ),
        // A full fence for each, which is too strong for the two that order only loads or only stores.
        (
            &["x86.sse2.mfence", "x86.sse2.lfence", "x86.sse.sfence"],
            Effect(|l| {
                l.fence(Ordering::SeqCst, false);
                Ok(())
            }),
        ),
        (&["get.active.lane.mask"], Value(|l, _, ir| l.active_lane_mask(ir))),
        (&["vector.insert", "experimental.vector.insert"], Whole(|l, ty| l.insert_vector(ty))),
        (&["vector.extract", "experimental.vector.extract"], Whole(|l, ty| l.extract_vector(ty))),
        (&["vector.reverse", "experimental.vector.reverse"], Whole(|l, ty| l.reverse_vector(ty))),
        (&["vector.splice", "experimental.vector.splice"], Whole(|l, ty| l.splice_vectors(ty))),
        (
            &[
                "vector.interleave2",
                "vector.interleave3",
                "vector.interleave4",
                "vector.interleave5",
                "vector.interleave6",
                "vector.interleave7",
                "vector.interleave8",
                "experimental.vector.interleave2",
            ],
            Whole(|l, ty| l.interleave_vectors(ty)),
        ),
        (
            &[
                "vector.deinterleave2",
                "vector.deinterleave3",
                "vector.deinterleave4",
                "vector.deinterleave5",
                "vector.deinterleave6",
                "vector.deinterleave7",
                "vector.deinterleave8",
                "experimental.vector.deinterleave2",
            ],
            Whole(|l, ty| l.deinterleave_vector(ty)),
        ),
        (&["stepvector", "experimental.stepvector"], Whole(|l, ty| l.step_vector(ty))),
        (&["experimental.cttz.elts"], Whole(|l, ty| l.count_elements(ty))),
        (&["x86.sse2.pmovmskb.128", "x86.sse2.movmsk.pd", "x86.sse.movmsk.ps"], Value(|l, _, ir| l.move_mask(ir))),
        (&["masked.load"], Whole(|l, ty| l.masked_load(Masked::All, ty))),
        (&["masked.gather"], Whole(|l, ty| l.masked_load(Masked::Scattered, ty))),
        (&["masked.expandload"], Whole(|l, ty| l.masked_load(Masked::Dense, ty))),
        (&["masked.store"], Effect(|l| l.masked_store(Masked::All))),
        (&["masked.scatter"], Effect(|l| l.masked_store(Masked::Scattered))),
        (&["masked.compressstore"], Effect(|l| l.masked_store(Masked::Dense))),
        (&["stackprotector"], Effect(|l| l.store_guard())),
        (&["x86.atomic.add.cc"], Value(|l, ret, _| l.atomic_condition(RmwOp::Add, Opcode::Iadd, ret))),
        (&["x86.atomic.sub.cc"], Value(|l, ret, _| l.atomic_condition(RmwOp::Sub, Opcode::Isub, ret))),
        (&["x86.atomic.and.cc"], Value(|l, ret, _| l.atomic_condition(RmwOp::And, Opcode::And, ret))),
        (&["x86.atomic.or.cc"], Value(|l, ret, _| l.atomic_condition(RmwOp::Or, Opcode::Or, ret))),
        (&["x86.atomic.xor.cc"], Value(|l, ret, _| l.atomic_condition(RmwOp::Xor, Opcode::Xor, ret))),
        (&["x86.atomic.bts"], Value(|l, ret, _| l.atomic_bit(RmwOp::Or, ret))),
        (&["x86.atomic.btc"], Value(|l, ret, _| l.atomic_bit(RmwOp::Xor, ret))),
        (&["x86.atomic.btr"], Value(|l, ret, _| l.atomic_bit(RmwOp::And, ret))),
        (&["x86.atomic.bts.rm"], Value(|l, ret, _| l.atomic_variable_bit(RmwOp::Or, ret))),
        (&["x86.atomic.btc.rm"], Value(|l, ret, _| l.atomic_variable_bit(RmwOp::Xor, ret))),
        (&["x86.atomic.btr.rm"], Value(|l, ret, _| l.atomic_variable_bit(RmwOp::And, ret))),
    ]
};
