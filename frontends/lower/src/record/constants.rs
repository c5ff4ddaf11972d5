//! Which instructions are constant expressions, and the way into an aggregate.

use gusset_codegen::ir::Opcode;

use crate::aggregates::Element;
use crate::model::Op;
use crate::operators::Cast;
use crate::types::{Kind, TypeId, TypeTable};

/// Has LLVM 19 a constant expression for it? (LLVM LangRef 19, "Constant Expressions".)
pub(super) fn is_expression(op: &Op) -> bool {
    match op {
        Op::Cast(cast, _) => {
            matches!(cast, Cast::Trunc | Cast::Ptrtoint | Cast::Inttoptr | Cast::Bitcast | Cast::Addrspacecast)
        }
        Op::Binary(op, ..) => matches!(op, Opcode::Iadd | Opcode::Isub | Opcode::Imul | Opcode::Xor),
        Op::Address { .. } | Op::ExtractElement(..) | Op::InsertElement(..) | Op::Shuffle(..) => true,
        _ => false,
    }
}

/// The indices that lead from an aggregate to an element of it. Elements without scalars may have several ways to them, which all
/// mean the same.
pub(super) fn path(types: &TypeTable, whole: TypeId, element: Element) -> Vec<u32> {
    let mut way = Way { types, element, path: Vec::new(), steps: 1 << 16 };
    way.find(whole, 0);
    way.path
}

/// A way into an aggregate.
struct Way<'t> {
    types: &'t TypeTable,
    element: Element,
    path: Vec<u32>,
    /// Members that may still be entered.
    steps: u32,
}

impl Way<'_> {
    /// Looks into what begins with the scalar number `from`; whether the element is there.
    fn find(&mut self, ty: TypeId, from: u32) -> bool {
        match self.types.get(ty).kind {
            Kind::Struct { start, len, .. } => {
                let members = self.types.members(start, len);
                (0..len).any(|i| {
                    let member = members[i as usize];
                    self.enter(i, member.ty, from + member.scalar)
                })
            }
            Kind::Array { element, len } => {
                let each = self.types.get(element).scalars;
                let i = self.element.scalar().saturating_sub(from).checked_div(each).unwrap_or(0);
                u64::from(i) < len && self.enter(i, element, from + i * each)
            }
            _ => false,
        }
    }

    fn enter(&mut self, i: u32, member: TypeId, at: u32) -> bool {
        let (wanted, scalars) = (self.element.scalar(), self.types.get(self.element.ty).scalars);
        let end = at.saturating_add(self.types.get(member).scalars);
        if wanted < at || wanted.saturating_add(scalars) > end || self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        self.path.push(i);
        let found = member == self.element.ty && at == wanted || self.find(member, at);
        if !found {
            self.path.pop();
        }
        found
    }
}
