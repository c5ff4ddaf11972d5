//! LLVM's intrinsics in bodies, by name.

use gusset_abi::LlvmType;
use gusset_codegen::ir::Value;
use gusset_lower::{IntrinsicLowering, find_intrinsic};

use super::Body;

impl Body<'_, '_> {
    /// An intrinsic of LLVM IR by its name, with the instructions that a reader of LLVM IR makes of its call. `results` are the
    /// members of the struct that it returns, one type if it returns no struct, none for `void`; arguments that must be
    /// constants are constants here, too.
    ///
    /// An intrinsic that there is not, or other types than the intrinsic's, are an error of the definition. So are those
    /// that call the C library (`llvm.sin`: declare `sin`) and those for which a body has methods of its own: trampolines,
    /// argument blocks, safepoints.
    ///
    /// ```
    /// # use gusset_abi::{CType, LlvmType, Signature};
    /// # use gusset_compiler::{BuilderOptions, Features, Linkage, ObjectBuilder, Target};
    /// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
    /// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    /// // A sum that stays at the largest number if there is an overflow.
    /// let add = object.declare("add", Signature::c(CType::U32).param(CType::U32).param(CType::U32), Linkage::Export)?;
    /// object.define(add, |b| {
    ///     let (x, y, int) = (b.param(0), b.param(1), LlvmType::int(32));
    ///     let sum = b.intrinsic("llvm.uadd.sat.i32", &[int.clone()], &[(int.clone(), x), (int, y)]);
    ///     b.ret(sum.first().copied());
    /// })?;
    /// # Ok::<(), gusset_compiler::Error>(())
    /// ```
    pub fn intrinsic(&mut self, name: &str, results: &[LlvmType], args: &[(LlvmType, Value)]) -> Vec<Value> {
        let target = self.target();
        let stem = name.strip_prefix("llvm.").unwrap_or(name);
        let (intrinsic, _) =
            find_intrinsic(stem.as_bytes(), target, |op| self.declarations(|all| all.module.machine_op(op)));
        let lowering = match self.known.intrinsics.take() {
            Some(known) => Ok(known),
            None => IntrinsicLowering::new(target).map(Box::new),
        };
        let made = lowering.and_then(|mut lowering| {
            let made = lowering.expand(&mut self.builder, intrinsic, results, args);
            self.known.intrinsics = Some(lowering);
            made
        });
        match made {
            Ok(values) => values,
            Err(refusal) => {
                self.mistake(format!("`{name}`: {}", String::from(refusal)));
                results.iter().map(|_| self.no_value()).collect()
            }
        }
    }
}
