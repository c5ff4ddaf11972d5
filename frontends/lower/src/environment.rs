//! The floating-point environment as a whole, its modes, and the rounding mode: `llvm.get.fpenv` and its kin (LangRef,
//! "Floating-Point Environment Manipulation Intrinsics").
//!
//! The bits and the calls are those of LLVM 19. On x86 the environment is what `fnstenv` stores (Intel SDM volume 1,
//! "x87 FPU Control and Status"), then MXCSR; on ARM it is FPSCR, and on AArch64 the modes are FPCR (Arm Architecture
//! Reference Manual), if the type has 32 bits. All else is as the C library has it.

use gusset_abi::Arch;
use gusset_codegen::ir::{MemFlags, Opcode, SymbolId, Type, Value};
use gusset_program::{I32, Intrinsic, Kind, PTR, Refusal, Result, TypeId, VOID, Val, mismatch_if};

use crate::function::FunctionLowering;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Get,
    Set,
    Reset,
}

/// The part of the environment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Rounding,
    All,
    Modes,
}

static INTRINSICS: [(&str, Action, Part); 8] = [
    ("get.rounding", Action::Get, Part::Rounding),
    ("set.rounding", Action::Set, Part::Rounding),
    ("get.fpenv", Action::Get, Part::All),
    ("set.fpenv", Action::Set, Part::All),
    ("reset.fpenv", Action::Reset, Part::All),
    ("get.fpmode", Action::Get, Part::Modes),
    ("set.fpmode", Action::Set, Part::Modes),
    ("reset.fpmode", Action::Reset, Part::Modes),
];

/// The environment of x86 in memory, in bytes.
const X86_BYTES: u32 = 32;
/// It after a reset: all exceptions masked, extended precision, the x87 registers empty; MXCSR.
const X86_DEFAULT: [(i32, i128); 8] =
    [(0, 0x37f), (4, 0), (8, 0xffff), (12, 0), (16, 0), (20, 0), (24, 0), (28, 0x1f80)];
/// Where the rounding mode is in the control registers.
const X87_ROUNDING: i128 = 3 << 10;
const MXCSR_ROUNDING: i128 = 3 << 13;
const ARM_ROUNDING: i128 = 3 << 22;
/// Bits of FPSCR that are no mode: flags, exceptions.
const FPSCR_STATUS: i128 = 0xf800_009f;
/// Bits of FPSCR and of FPCR that a reset of the modes leaves alone.
const FPSCR_KEPT: i128 = FPSCR_STATUS | 0x6060;
const FPCR_KEPT: i128 = !0x07ff_bf07;

/// The intrinsic of this name, and the function of the C library that it calls. `machine` returns the number of a
/// machine operation by its name.
pub(crate) fn find(
    name: &str,
    arch: Arch,
    mut machine: impl FnMut(&str) -> Option<u8>,
) -> Option<(Intrinsic, Option<&'static str>)> {
    let (row, ty) = INTRINSICS.iter().enumerate().find_map(|(row, known)| {
        let ty = name.strip_prefix(known.0)?;
        (ty.is_empty() || ty.starts_with(".i")).then_some((row as u8, ty))
    })?;
    let (_, action, part) = INTRINSICS[usize::from(row)];
    let one_register = action == Action::Reset || ty == ".i32";
    let names = match (arch, part) {
        (Arch::X86 | Arch::X86_64, Part::Rounding) => Some(["read.fpcontrol", "write.fpcontrol"]),
        (Arch::X86 | Arch::X86_64, Part::All) => Some(["read.fpenv", "write.fpenv"]),
        (Arch::Aarch64, Part::Rounding) => Some(["aarch64.get.fpcr", "aarch64.set.fpcr"]),
        (Arch::Aarch64, Part::Modes) if one_register => Some(["aarch64.get.fpcr", "aarch64.set.fpcr"]),
        (Arch::Arm, Part::Rounding) => Some(["arm.get.fpscr", "arm.set.fpscr"]),
        (Arch::Arm, Part::All | Part::Modes) if one_register => Some(["arm.get.fpscr", "arm.set.fpscr"]),
        _ => None,
    };
    let function = match (part, action) {
        // Functions of x86 without floating-point registers ask the library for the environment.
        _ if names.is_some() && !(part == Part::All && matches!(arch, Arch::X86 | Arch::X86_64)) => None,
        (Part::Modes, Action::Get) => Some("fegetmode"),
        (Part::Modes, _) => Some("fesetmode"),
        (_, Action::Get) => Some("fegetenv"),
        _ => Some("fesetenv"),
    };
    let operations = match names {
        Some([read, write]) => Some([machine(read)?, machine(write)?]),
        None => None,
    };
    Some((Intrinsic::FloatEnvironment { row, operations }, function))
}

impl FunctionLowering<'_> {
    /// An intrinsic of the table; the value of those that get something.
    pub(crate) fn float_environment(
        &mut self,
        row: u8,
        operations: Option<[u8; 2]>,
        function: Option<SymbolId>,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let (_, action, part) = INTRINSICS[usize::from(row)];
        let operand = match action {
            Action::Set => Some(self.operand(0)?),
            _ => None,
        };
        let ty = operand.map_or(ret, |operand| operand.0);
        let fits = match action {
            Action::Reset => ty == VOID,
            _ if part == Part::Rounding => ty == I32,
            _ => self.types.get(ty).kind == Kind::Int,
        };
        mismatch_if(!fits || action != Action::Get && ret != VOID || self.s.call.vals.len() > 1)?;
        let Some(operations) = operations.filter(|_| !(self.sigs.soft && part == Part::All)) else {
            return self.environment_by_library(action, operand, function, ret);
        };
        match (self.m.target.arch, part) {
            (Arch::X86 | Arch::X86_64, Part::Rounding) => self.x86_rounding(operations, operand),
            (Arch::X86 | Arch::X86_64, _) => self.x86_environment(operations, action, operand, ret),
            _ => self.arm_environment(operations, (action, part), operand, ret),
        }
    }

    /// Makes room for the environment.
    fn environment_slot(&mut self, ty: TypeId) -> Value {
        let slot = self.b.func.make_temporary(X86_BYTES.max(self.types.ir(ty).store_bytes()), 16);
        self.b.slot_addr(slot)
    }

    fn float_state(&mut self, number: u8, operand: Value) {
        self.push0(Opcode::MachineEffect, number, Type::VOID, [operand.0; 3]);
    }

    /// `fegetenv`, `fesetenv`, `fegetmode` and `fesetmode`. The address of the default state is -1, as glibc has it.
    fn environment_by_library(
        &mut self,
        action: Action,
        operand: Option<(TypeId, Value)>,
        function: Option<SymbolId>,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let function = function.ok_or_else(|| Refusal::new("the intrinsic is not declared"))?;
        let addr = match operand {
            _ if action == Action::Reset => self.b.ptr_const(-1),
            Some((ty, v)) => {
                let addr = self.environment_slot(ty);
                self.b.store(v, addr, 0, MemFlags::new(16, false));
                addr
            }
            None => self.environment_slot(ret),
        };
        self.libcall(function, I32, &[(PTR, addr)])?;
        Ok(match action {
            Action::Get => Some(self.b.load(self.types.ir(ret), addr, 0, MemFlags::new(16, false)).into()),
            _ => None,
        })
    }

    fn x86_environment(
        &mut self,
        [read, write]: [u8; 2],
        action: Action,
        operand: Option<(TypeId, Value)>,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let addr = self.environment_slot(operand.map_or(ret, |operand| operand.0));
        let flags = MemFlags::new(4, false);
        if action == Action::Get {
            self.float_state(read, addr);
            return Ok(Some(self.b.load(self.types.ir(ret), addr, 0, flags).into()));
        }
        let own = operand.map_or(0, |(_, v)| self.b.func.value_type(v).store_bytes());
        for (offset, word) in X86_DEFAULT {
            if own < offset as u32 + 4 {
                let word = self.b.iconst(Type::I32, word);
                self.b.store(word, addr, offset, flags);
            }
        }
        if let Some((_, v)) = operand {
            self.b.store(v, addr, 0, flags);
        }
        self.float_state(write, addr);
        Ok(None)
    }

    /// The control word names the modes nearest, down, up, to zero from 0 on; LLVM to zero, nearest, up, down.
    fn x86_rounding(&mut self, [read, write]: [u8; 2], operand: Option<(TypeId, Value)>) -> Result<Option<Val>> {
        let addr = self.environment_slot(I32);
        self.float_state(read, addr);
        let flags = MemFlags::new(2, false);
        let control = self.b.load(Type::I16, addr, 0, flags);
        let control = self.b.convert(Opcode::Zext, control, Type::I32);
        let Some((_, mode)) = operand else {
            // Two bits for each mode of the control word.
            let amount = self.with_immediate(Opcode::Lshr, control, 9);
            let amount = self.with_immediate(Opcode::And, amount, 6);
            let modes = self.b.iconst(Type::I32, 0b10_11_01);
            let mode = self.b.binary(Opcode::Lshr, modes, amount);
            return Ok(Some(self.with_immediate(Opcode::And, mode, 3).into()));
        };
        // The same the other way, with the two bits at the place in the control word.
        let amount = self.with_immediate(Opcode::Iadd, mode, 2);
        let amount = self.with_immediate(Opcode::Shl, amount, 1);
        let amount = self.with_immediate(Opcode::And, amount, 31);
        let modes = self.b.iconst(Type::I32, 0b11_00_10_01);
        let rounding = self.b.binary(Opcode::Shl, modes, amount);
        let rounding = self.with_immediate(Opcode::And, rounding, X87_ROUNDING);
        let control = self.replaced(control, X87_ROUNDING, rounding);
        let control = self.b.convert(Opcode::Trunc, control, Type::I16);
        self.b.store(control, addr, 0, flags);
        let flags = MemFlags::new(4, false);
        let mxcsr = self.b.load(Type::I32, addr, 4, flags);
        let rounding = self.with_immediate(Opcode::Shl, rounding, 3);
        let mxcsr = self.replaced(mxcsr, MXCSR_ROUNDING, rounding);
        self.b.store(mxcsr, addr, 4, flags);
        self.float_state(write, addr);
        Ok(None)
    }

    /// By the control register, whose numbers of rounding modes are LLVM's, less 1 modulo 4.
    fn arm_environment(
        &mut self,
        [read, write]: [u8; 2],
        (action, part): (Action, Part),
        operand: Option<(TypeId, Value)>,
        ret: TypeId,
    ) -> Result<Option<Val>> {
        let wide = self.m.target.arch == Arch::Aarch64;
        let ir = if wide { Type::I64 } else { Type::I32 };
        let given = operand.map(|(_, v)| if wide { self.b.convert(Opcode::Zext, v, ir) } else { v });
        // The whole register is written.
        if let (Action::Set | Action::Reset, true) =
            (action, part == Part::All || part == Part::Modes && wide && given.is_some())
        {
            let all = given.unwrap_or_else(|| self.b.iconst(ir, 0));
            self.float_state(write, all);
            return Ok(None);
        }
        let filler = self.b.iconst(Type::I32, 0);
        let old = self.b.push1(Opcode::Machine, read, ir, [filler.0; 3], ir);
        // It must stay where it is.
        let old = self.b.unary(Opcode::Opaque, old);
        if action == Action::Get {
            let value = if wide { self.b.convert(Opcode::Trunc, old, Type::I32) } else { old };
            mismatch_if(self.types.ir(ret) != Type::I32)?;
            if part != Part::Rounding {
                return Ok(Some(value.into()));
            }
            let next = self.with_immediate(Opcode::Iadd, value, 1 << 22);
            let mode = self.with_immediate(Opcode::Lshr, next, 22);
            return Ok(Some(self.with_immediate(Opcode::And, mode, 3).into()));
        }
        let new = match (part, given) {
            (Part::Rounding, Some(mode)) => {
                let mode = self.with_immediate(Opcode::Isub, mode, 1);
                let mode = self.with_immediate(Opcode::Shl, mode, 22);
                let mode = self.with_immediate(Opcode::And, mode, ARM_ROUNDING);
                self.replaced(old, ARM_ROUNDING, mode)
            }
            (_, Some(modes)) => {
                let modes = self.with_immediate(Opcode::And, modes, !FPSCR_STATUS);
                self.replaced(old, !FPSCR_STATUS, modes)
            }
            (_, None) => self.with_immediate(Opcode::And, old, if wide { FPCR_KEPT } else { FPSCR_KEPT }),
        };
        self.float_state(write, new);
        Ok(None)
    }

    pub(crate) fn with_immediate(&mut self, op: Opcode, v: Value, n: i128) -> Value {
        let n = self.b.iconst(self.b.func.value_type(v), n);
        self.b.binary(op, v, n)
    }

    /// `v` with the bits of a mask replaced.
    fn replaced(&mut self, v: Value, mask: i128, bits: Value) -> Value {
        let rest = self.with_immediate(Opcode::And, v, !mask);
        self.b.binary(Opcode::Or, rest, bits)
    }
}
