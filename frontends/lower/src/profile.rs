//! Calls of profilers where functions begin and return (LLVM's pass `post-inline-ee-instrument`).

use gusset_codegen::ir::{ConstData, Opcode, Value};
use gusset_program::{PTR, Profiler, Result, VOID};

use crate::function::FunctionLowering;

impl FunctionLowering<'_> {
    /// Calls a profiler, if there is one.
    pub(crate) fn profile(&mut self, profiler: Option<Profiler>) -> Result<()> {
        let Some(Profiler { symbol, informed }) = profiler else { return Ok(()) };
        let mut args = Vec::new();
        if informed {
            let own = self.b.func.make_const(self.ptr, ConstData::Symbol(self.b.func.symbol, 0));
            let back: Value = self.b.push1(Opcode::ReturnAddr, 0, self.ptr, [0; 3], self.ptr);
            args.extend([(PTR, own), (PTR, back)]);
        }
        self.libcall_inst(symbol, VOID, &args).map(drop)
    }
}
