//! The types that operations of intrinsics accept; checked for translations, whose output would otherwise be invalid
//! LLVM IR.
//!
//! MLIR, "'llvm' Dialect", the operations `llvm.intr.*`; LLVM LangRef, "Intrinsic Functions".

use gusset_program::{I1, I8, Kind, Sink, TypeId, VOID};
use gusset_text::Result;

use crate::convert::reader::Reader;
use crate::syntax::intrinsics;

impl<'r, E: Sink> Reader<'r, E> {
    /// Checks that an intrinsic accepts and returns these types, as far as that is known here.
    pub fn check_signature(&mut self, name: &str, ret: TypeId, args: &[TypeId], pos: usize) -> Result<()> {
        let signature = intrinsics::find(name).and_then(|row| row.signature.split_once(':'));
        let Some((result, wanted)) = signature else { return Ok(()) };
        let mut all = vec![ret];
        all.extend(args);
        let vector = all.iter().copied().find(|&ty| matches!(self.l.types().get(ty).kind, Kind::Vector { .. }));
        let fits = wanted.len() == args.len();
        let fits = fits
            && result.bytes().chain(wanted.bytes()).zip(&all).all(|(wanted, &ty)| {
                let types = self.l.types_mut();
                let (lane, is_vector) = match types.get(ty).kind {
                    Kind::Vector { lane, .. } => (lane, true),
                    _ => (ty, false),
                };
                let kind = types.get(lane).kind;
                match wanted {
                    b'F' => ty == all[0] && kind == Kind::Float,
                    b'I' => ty == all[0] && kind == Kind::Int,
                    b'J' => all.get(1) == Some(&ty) && kind == Kind::Int,
                    b'i' => !is_vector && kind == Kind::Int,
                    b'b' => ty == I1,
                    b'8' => ty == I8,
                    b'p' => !is_vector && kind == Kind::Ptr,
                    b'v' => is_vector,
                    b'f' => is_vector && kind == Kind::Float,
                    b'k' => is_vector && kind == Kind::Int,
                    b'P' => {
                        is_vector && kind == Kind::Ptr && vector.is_some_and(|v| types.as_long_as(v, lane) == Ok(ty))
                    }
                    b'm' => vector.is_some_and(|v| types.as_long_as(v, I1) == Ok(ty)),
                    b'e' => vector.is_some_and(|v| types.as_long_as(v, ty) == Ok(v)),
                    b'0' => ty == VOID,
                    _ => true,
                }
            });
        if fits { Ok(()) } else { Err(self.src.error(pos, format!("`llvm.{name}` has no such types"))) }
    }
}
