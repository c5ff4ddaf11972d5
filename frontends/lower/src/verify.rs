//! Rules of LLVM's verifier (`lib/IR/Verifier.cpp`, LangRef "Parameter Attributes" and "`call` Instruction") about
//! programs whose code would be wrong otherwise: which attributes of parameters may be combined, and the form of a
//! `musttail` call.

use gusset_abi::{Param, Role, Signature, Widen};
use gusset_codegen::ir::{ConstData, Opcode, Ordering, Type};
use gusset_program::{Kind, ParamAttrs, Refusal, Result, TypeId, TypeTable, Val, conflict, refuse_if, role_name};

use crate::function::FunctionLowering;

/// Checks the attributes of a function's or call's parameters, of which the first `named` are named.
///
/// # Errors
/// Two attributes exclude each other, an attribute does not fit the parameter's type or position, or two parameters
/// have an attribute that only one may have.
pub fn check_parameters(params: &[(TypeId, ParamAttrs)], named: Option<usize>, types: &TypeTable) -> Result<()> {
    let mut seen = 0u32;
    for (i, (ty, attrs)) in params.iter().enumerate() {
        check_type(*ty, attrs, types)?;
        if attrs.role == Role::Value {
            continue;
        }
        if attrs.in_reg && matches!(attrs.role, Role::ByVal { .. } | Role::Nest) {
            return Err(conflict(role_name(attrs.role), "inreg"));
        }
        let name = role_name(attrs.role);
        let once = match attrs.role {
            Role::StructReturn => {
                let unnamed = named.is_some_and(|named| i >= named);
                refuse_if(unnamed, "an unnamed argument cannot be `sret`")?;
                refuse_if(i > 1, "`sret` is neither on the first nor on the second parameter")?;
                1
            }
            Role::Nest => 2,
            Role::SwiftSelf => 4,
            Role::SwiftError => 8,
            Role::SwiftAsync => 16,
            Role::InAlloca { .. } => {
                refuse_if(i + 1 != params.len(), "`inalloca` is not on the last parameter")?;
                0
            }
            Role::Value | Role::ByVal { .. } | Role::Preallocated { .. } => 0,
        };
        if seen & once != 0 {
            return Err(Refusal::new(format!("two parameters are `{name}`")));
        }
        seen |= once;
    }
    Ok(())
}

/// Checks that a parameter or result of type `ty` may have these attributes (`AttributeFuncs::typeIncompatible`).
fn check_type(ty: TypeId, attrs: &ParamAttrs, types: &TypeTable) -> Result<()> {
    let kind = types.get(ty).kind;
    let name = match (attrs.role, attrs.widen) {
        (Role::Value | Role::SwiftSelf | Role::SwiftAsync, Widen::None) => return Ok(()),
        (Role::Value | Role::SwiftSelf | Role::SwiftAsync, _) if kind == Kind::Int => return Ok(()),
        (Role::Value | Role::SwiftSelf | Role::SwiftAsync, Widen::Sign) => "signext",
        (Role::Value | Role::SwiftSelf | Role::SwiftAsync, Widen::Zero) => "zeroext",
        (role, _) if kind != Kind::Ptr => role_name(role),
        _ => return Ok(()),
    };
    Err(Refusal::new(format!("a value of this type cannot be `{name}`")))
}

/// A `musttail` call whose `ret` has not come yet.
#[derive(Clone, Copy)]
pub(crate) struct Forwarded {
    /// The result of the call.
    result: Val,
    /// The number of instructions after the call: no instruction may come between.
    instructions: usize,
}

const NOT_RETURNED: &str = "a `musttail` call is not followed by the `ret` of its result";

impl FunctionLowering<'_> {
    /// Records the `musttail` call that has just been made.
    pub(crate) fn expect_return(&mut self, result: Val) -> Result<()> {
        self.check_forwarded()?;
        self.forwarded = Some(Forwarded { result, instructions: self.b.func.insts.len() });
        Ok(())
    }

    /// The result of the `musttail` call before a `ret` of `val`, whose type is `ty`, if there is such a call.
    pub(crate) fn returns_forwarded(&mut self, ty: TypeId, val: Val) -> Result<Option<Val>> {
        let Some(call) = self.forwarded.take() else { return Ok(None) };
        let same = self.scalars(ty) == 0
            || val == call.result
            || (0..self.scalars(ty)).all(|i| {
                let part = self.part(ty, val, i);
                part == self.part(ty, call.result, i) || self.b.func.constant(part) == Some(ConstData::Poison)
            });
        refuse_if(!same || call.instructions != self.b.func.insts.len(), NOT_RETURNED)?;
        Ok(Some(call.result))
    }

    /// Checks, at the next such call and at the end of the function, that every `musttail` call had its `ret`.
    pub(crate) fn check_forwarded(&self) -> Result<()> {
        refuse_if(self.forwarded.is_some(), NOT_RETURNED)
    }

    /// Checks the verifier's rules about an intrinsic that is an operation on values of type `ir`.
    pub(crate) fn check_operation(&self, op: Opcode, ir: Type) -> Result<()> {
        match op {
            Opcode::Bswap => {
                refuse_if(!ir.lane_bits().is_multiple_of(16), "`llvm.bswap` works on an even number of bytes")
            }
            // The operand that decides the result for zero, or for the least number.
            Opcode::Ctlz | Opcode::Cttz | Opcode::Iabs if self.operand(1).is_ok() => self.constant_operand(1).map(drop),
            _ => Ok(()),
        }
    }

    /// Checks that a `musttail` call of a function with this signature can be a jump from the current function.
    pub(crate) fn check_musttail(&self, callee: &Signature) -> Result<()> {
        let caller = &self.b.func.signature().source;
        let refuse = |what: &str| Err(Refusal::new(format!("a `musttail` call needs {what} of its function")));
        if caller.convention != callee.convention {
            return refuse("the calling convention");
        }
        if caller.variadic.is_some() != callee.variadic.is_some() {
            return refuse("a function type that is variadic as is that");
        }
        if caller.ret.ty != callee.ret.ty {
            return refuse("the result type");
        }
        refuse_if(
            caller.variadic.is_some() && !self.s.call.forwards,
            "a `musttail` call in a variadic function passes all unnamed arguments on: `...`",
        )?;
        if caller.convention.replaces_arguments() {
            return check_jumping(caller).and_then(|()| check_jumping(callee));
        }
        if caller.params.len() != callee.params.len() {
            return refuse("as many parameters as those");
        }
        let alike = |a: &Param, b: &Param| {
            let (x, y) = (&a.attrs, &b.attrs);
            a.ty == b.ty && passed_alike(x.role, y.role) && x.in_reg == y.in_reg && x.stack_align == y.stack_align
        };
        match caller.params.iter().zip(&callee.params).all(|(a, b)| alike(a, b)) {
            true => Ok(()),
            false => refuse("parameters of the types, and with the attributes,"),
        }
    }
}

/// Whether two parameters are passed alike, by their roles. The register of the static chain is no argument register.
fn passed_alike(a: Role, b: Role) -> bool {
    a == b || matches!((a, b), (Role::Nest, Role::Value) | (Role::Value, Role::Nest))
}

/// Checks a signature of a convention that promises jumps (`verifyTailCCMustTailAttrs`).
fn check_jumping(signature: &Signature) -> Result<()> {
    refuse_if(
        signature.variadic.is_some(),
        "a variadic function cannot be left by a `musttail` call of this convention",
    )?;
    let refused = signature.params.iter().find_map(|p| match p.attrs.role {
        Role::InAlloca { .. } | Role::Preallocated { .. } | Role::SwiftError => Some(role_name(p.attrs.role)),
        _ if p.attrs.in_reg => Some("inreg"),
        _ => None,
    });
    match refused {
        Some(name) => Err(Refusal::new(format!(
            "a `musttail` call of this convention cannot have `{name}` parameters, nor can its function"
        ))),
        None => Ok(()),
    }
}

/// Checks the ordering of an atomic load (LangRef, "`load` Instruction").
pub(crate) fn check_load(ordering: Ordering) -> Result<()> {
    refuse_if(matches!(ordering, Ordering::Release | Ordering::AcqRel), "a load can be neither `release` nor `acq_rel`")
}

/// Checks the ordering of an atomic store (LangRef, "`store` Instruction").
pub(crate) fn check_store(ordering: Ordering) -> Result<()> {
    refuse_if(
        matches!(ordering, Ordering::Acquire | Ordering::AcqRel),
        "a store can be neither `acquire` nor `acq_rel`",
    )
}

/// Checks the ordering of a `fence` (LangRef, "`fence` Instruction").
///
/// # Errors
/// The ordering is weaker than `acquire` and `release`.
pub fn check_fence(ordering: Ordering) -> Result<()> {
    let weak = matches!(ordering, Ordering::Unordered | Ordering::Monotonic);
    refuse_if(weak, "a fence can be neither `unordered` nor `monotonic`")
}

/// Checks the orderings of a `cmpxchg` (LangRef, "`cmpxchg` Instruction").
pub(crate) fn check_exchange(success: Ordering, failure: Ordering) -> Result<()> {
    refuse_if(
        matches!(success, Ordering::Unordered) || failure == Ordering::Unordered,
        "a `cmpxchg` cannot be `unordered`",
    )?;
    let releases = matches!(failure, Ordering::Release | Ordering::AcqRel);
    refuse_if(releases, "where a `cmpxchg` fails it can be neither `release` nor `acq_rel`")
}
