//! Intrinsics in functions that somebody builds by calls: the expansion is the same as in programs.

use gusset_abi::{AbiTarget, Convention, LlvmScalar, LlvmType};
use gusset_codegen::ir::{FunctionBuilder, Type, Value};
use gusset_program::{
    DataLayout, F16, FnAttrs, Intrinsic, PTR, ParamAttrs, Refusal, Result, TypeId, TypeTable, VOID, intrinsic_mismatch,
    mismatch_if,
};

use crate::facts::Facts;
use crate::function::{FunctionLowering, Scratch};
use crate::signatures::SigCache;

/// Makes the instructions of intrinsics for one who builds functions by calls. Every thread has its own.
pub struct IntrinsicLowering {
    facts: Facts,
    types: TypeTable,
    scratch: Scratch,
    sigs: SigCache,
}

impl IntrinsicLowering {
    /// Makes one for a target.
    ///
    /// # Errors
    /// The target's types cannot be laid out.
    pub fn new(target: &AbiTarget) -> Result<IntrinsicLowering> {
        let mut types = TypeTable::new(DataLayout::of(target));
        types.complete()?;
        let facts = Facts::new(*target);
        let sigs = SigCache::new(&facts);
        Ok(IntrinsicLowering { facts, types, scratch: Scratch::default(), sigs })
    }

    /// Makes the instructions of an intrinsic in the current block of a function; afterwards another block may be the current
    /// one. Several results are the members of the struct that the intrinsic returns.
    ///
    /// # Errors
    /// The intrinsic is about a function or program as a whole, or needs a function of the library; the types are not its own.
    pub fn expand(
        &mut self,
        builder: &mut FunctionBuilder<'_>,
        intrinsic: Intrinsic,
        results: &[LlvmType],
        args: &[(LlvmType, Value)],
    ) -> Result<Vec<Value>> {
        check(intrinsic)?;
        let ret = match results {
            [] => VOID,
            [only] => type_id(&mut self.types, only)?,
            _ => {
                let members: Vec<TypeId> =
                    results.iter().map(|ty| type_id(&mut self.types, ty)).collect::<Result<_>>()?;
                self.types.structure(&members, false)?
            }
        };
        let types: Vec<TypeId> = args.iter().map(|(ty, _)| type_id(&mut self.types, ty)).collect::<Result<_>>()?;
        for (&ty, &(_, v)) in types.iter().zip(args) {
            let ir = self.types.ir(ty);
            mismatch_if(ir == Type::VOID || builder.func.known_type(v) != Some(ir))?;
        }
        self.sigs.begin_function();
        self.scratch.begin_function();
        builder.continued(|builder| {
            let IntrinsicLowering { facts, types: table, scratch, sigs } = self;
            let mut lowering = FunctionLowering::new(facts, builder, scratch, sigs, table);
            let made = lowering.by_name(intrinsic, ret, &types, args);
            (made, lowering.b.current_block())
        })
    }
}

impl FunctionLowering<'_> {
    fn by_name(
        &mut self,
        intrinsic: Intrinsic,
        ret: TypeId,
        types: &[TypeId],
        args: &[(LlvmType, Value)],
    ) -> Result<Vec<Value>> {
        self.frozen = false;
        self.block = self.b.current_block().ok_or_else(|| Refusal::new("no block is being filled"))?;
        self.s.call.begin(Convention::C, ret, ParamAttrs::default());
        for (&ty, &(_, v)) in types.iter().zip(args) {
            self.s.call.push(ty, ParamAttrs::default(), v.into());
        }
        let val = self.intrinsic(intrinsic, None, ret, FnAttrs::default())?;
        Ok(if ret == VOID { Vec::new() } else { (0..self.scalars(ret)).map(|i| self.part(ret, val, i)).collect() })
    }
}

/// Refuses what a single call does not express.
fn check(intrinsic: Intrinsic) -> Result<()> {
    use Intrinsic::*;
    Err(Refusal::new(match intrinsic {
        Libm(name) => format!("declare the C library's function (`{name}` for `double`), and call it"),
        Frexp | Modf | Sincos | Powi | FloatEnvironment { operations: None, .. } => {
            "declare the function of the library, and call it".to_string()
        }
        StackMap(_) => "`safepoint` and the instruction `stack_map` do this".to_string(),
        InitTrampoline | AdjustTrampoline => "`closure` does this".to_string(),
        PreallocatedSetup | PreallocatedArg | PreallocatedTeardown => "`open_call` does this".to_string(),
        NamedRegister { .. } => "its operand is metadata".to_string(),
        ExceptionCode | Scope { .. } => "it belongs to exceptions of LLVM IR".to_string(),
        Unsupported => "there is no such intrinsic, or it is not supported".to_string(),
        _ => return Ok(()),
    }))
}

/// LLVM's type in the table.
fn type_id(types: &mut TypeTable, ty: &LlvmType) -> Result<TypeId> {
    match ty {
        LlvmType::Void => Err(intrinsic_mismatch()),
        LlvmType::Scalar(ty) => scalar(types, *ty),
        LlvmType::Vector { lane, lanes } => {
            let lane = scalar(types, *lane)?;
            types.vector(lane, *lanes)
        }
        LlvmType::Array { element, len } => {
            let element = type_id(types, element)?;
            types.array(element, *len)
        }
        LlvmType::Struct(of) => {
            let members: Vec<TypeId> = of.fields.iter().map(|(_, ty)| type_id(types, ty)).collect::<Result<_>>()?;
            types.structure(&members, of.packed)
        }
    }
}

fn scalar(types: &mut TypeTable, ty: LlvmScalar) -> Result<TypeId> {
    let float = match ty {
        LlvmScalar::Int(bits) => return types.integer(bits),
        LlvmScalar::Ptr => return Ok(PTR),
        LlvmScalar::Half => 0,
        LlvmScalar::BFloat => 1,
        LlvmScalar::Float => 2,
        LlvmScalar::Double => 3,
        LlvmScalar::X86Fp80 => 4,
        LlvmScalar::Fp128 => 5,
    };
    Ok(TypeId(F16.0 + float))
}
