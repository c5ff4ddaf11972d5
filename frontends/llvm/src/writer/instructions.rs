//! Bodies: blocks, phis and instructions.

use std::io::Write as _;

use gusset_codegen::ir::{Block, Edge, Ordering};
use gusset_program::{
    Atomic, Clause, Compare, Flags, Function, Inst, Kind, Op, Owned, Scope, SymbolKind, TypeId, TypeTable, VOID, Val,
    binary_word, cast_word,
};

use super::Writer;

impl Writer<'_> {
    pub(super) fn function_body(&mut self, types: &TypeTable, f: &Function) {
        let m = self.module;
        let symbol = &m.symbols[f.symbol.index()];
        let SymbolKind::Function(header) = &symbol.kind else { return };
        self.number_locals(types, f);
        for (i, (&val, (ty, attrs))) in f.params.iter().zip(&header.params).enumerate() {
            self.comma(i);
            self.ty(types, *ty);
            self.attributes(types, attrs, [" ", ""]);
            self.put(" ");
            self.value(types, f, val);
        }
        self.end_header(types, symbol, header);
        self.put(" {\n");
        for (i, &block) in f.order.iter().enumerate() {
            self.block(types, f, block, i == 0);
        }
        self.blocks_between(f);
        self.put("}\n");
    }

    fn block(&mut self, types: &TypeTable, f: &Function, block: Block, first: bool) {
        let b = &f.blocks[block.index()];
        if !first || b.name.is_some() {
            self.put(if first { "" } else { "\n" });
            self.block_name(f, block);
            self.put(":\n");
        }
        for (i, param) in b.params.iter().enumerate() {
            if self.locals.edges_to(block).is_empty() {
                continue;
            }
            self.put("  ");
            self.value(types, f, param.val);
            self.put(" = phi");
            self.flags(param.flags);
            self.put(" ");
            self.ty(types, f.value(param.val).ty);
            for k in 0..self.locals.edges_to(block).len() {
                let edge = self.locals.edges_to(block)[k];
                self.put(if k > 0 { ", [ " } else { " [ " });
                if let Some(&arg) = f.edges[edge.index()].args.get(i) {
                    self.value(types, f, arg);
                }
                self.put(", ");
                self.origin(f, edge);
                self.put(" ]");
            }
            self.attachments(types, f, ", ", &param.attached);
            self.put("\n");
        }
        for &inst in &b.insts {
            self.inst(types, f, &f.insts[inst as usize]);
        }
    }

    fn inst(&mut self, types: &TypeTable, f: &Function, inst: &Inst) {
        self.put("  ");
        if let Some(result) = inst.result {
            self.value(types, f, result);
            self.put(" = ");
        }
        self.operation(types, f, inst);
        self.attachments(types, f, ", ", &inst.attached);
        self.put("\n");
    }

    /// Writes flags, each after a space.
    pub(super) fn flags(&mut self, flags: Flags) {
        // `samesign` is new in LLVM 20, and only informs optimizers.
        let words = Flags(
            flags.0 & !(Flags::SAMESIGN.0 | Flags::SWIFTERROR.0 | Flags::WEAK.0 | Flags::NOTAIL.0 | Flags::TAIL.0),
        );
        let fast = words.has(Flags::FAST);
        if fast {
            self.put(" fast");
        }
        for (flag, word) in Flags::WORDS {
            // The flag that `inbounds` implies is not written.
            let said = fast && Flags::FAST.has(*flag) || *flag == Flags::NUSW && words.has(Flags::INBOUNDS);
            if words.has(*flag) && !said {
                self.put(" ");
                self.put(word);
            }
        }
    }

    /// Writes values with their types, separated by commas.
    fn all_typed(&mut self, types: &TypeTable, f: &Function, vals: &[Val]) {
        for (i, &val) in vals.iter().enumerate() {
            self.comma(i);
            self.typed(types, f, val);
        }
    }

    /// Writes the type of the first of two values, and both.
    fn pair(&mut self, types: &TypeTable, f: &Function, a: Val, b: Val) {
        self.typed(types, f, a);
        self.put(", ");
        self.value(types, f, b);
    }

    fn indices(&mut self, indices: &[u32]) {
        for index in indices {
            let _ = write!(self.out, ", {index}");
        }
    }

    fn operation(&mut self, types: &TypeTable, f: &Function, inst: &Inst) {
        match &inst.op {
            Op::Binary { op, a, b, .. } => {
                self.put(binary_word(*op));
                self.flags(inst.flags);
                self.put(" ");
                self.pair(types, f, *a, *b);
            }
            Op::Fneg { val: v, .. } => {
                self.put("fneg");
                self.flags(inst.flags);
                self.put(" ");
                self.typed(types, f, *v);
            }
            Op::Freeze { val: v, .. } => {
                self.put("freeze ");
                self.typed(types, f, *v);
            }
            Op::Cast { cast, val: v, .. } => {
                self.put(cast_word(*cast));
                self.flags(inst.flags);
                self.put(" ");
                self.typed(types, f, *v);
                self.put(" to ");
                self.ty(types, inst.ty);
            }
            Op::Compare { compare, a, b, .. } => {
                let (word, condition) = match compare {
                    Compare::Int(cc) => ("icmp", cc.name()),
                    Compare::Float(cc) => ("fcmp", cc.name()),
                };
                self.put(word);
                self.flags(inst.flags);
                self.put(" ");
                self.put(condition);
                self.put(" ");
                self.pair(types, f, *a, *b);
            }
            Op::Select { condition: (_, c), a, b, .. } => {
                self.put("select");
                self.flags(inst.flags);
                self.put(" ");
                self.all_typed(types, f, &[*c, *a, *b]);
            }
            Op::ExtractValue { val: v, path, .. } => {
                self.put("extractvalue ");
                self.typed(types, f, *v);
                self.indices(path);
            }
            Op::InsertValue { val: v, element: x, path, .. } => {
                self.put("insertvalue ");
                self.all_typed(types, f, &[*v, *x]);
                self.indices(path);
            }
            Op::ExtractElement { val: v, index: (_, i), .. } => {
                self.put("extractelement ");
                self.all_typed(types, f, &[*v, *i]);
            }
            Op::InsertElement { val: v, element: x, index: (_, i), .. } => {
                self.put("insertelement ");
                self.all_typed(types, f, &[*v, *x, *i]);
            }
            Op::ShuffleVector { a, b, mask, .. } => {
                self.put("shufflevector ");
                self.all_typed(types, f, &[*a, *b]);
                self.put(", ");
                self.mask(types, inst.ty, mask);
            }
            Op::Call(call) => self.call(types, f, inst, call),
            Op::LandingPad { cleanup, clauses, .. } => self.landing_pad(types, f, inst.ty, *cleanup, clauses),
            Op::DebugRecord(record) => {
                let (kind, operands) = &**record;
                self.put("  #dbg_");
                self.out.extend_from_slice(kind);
                self.put("(");
                self.metadata_list(types, f, operands);
                self.put(")");
            }
            Op::Opaque(_) => unreachable!("operations stay in translations to MLIR alone"),
            Op::CatchPad { parent, args } | Op::CleanupPad { parent, args } => {
                let catch = matches!(inst.op, Op::CatchPad { .. });
                self.put(if catch { "catchpad within " } else { "cleanuppad within " });
                self.value(types, f, *parent);
                self.put(" [");
                self.arguments(types, f, args);
                self.put("]");
            }
            Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Fence { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::VaArg { .. }
            | Op::GetElementPtr { .. } => self.memory(types, f, inst),
            _ => self.terminator(types, f, inst),
        }
    }

    fn mask(&mut self, types: &TypeTable, ty: TypeId, mask: &[u32]) {
        let scalable = types.foreign(ty).is_some();
        let lanes = match types.get(ty).kind {
            Kind::Vector { len, .. } if scalable => len as usize,
            _ => mask.len(),
        };
        let _ = write!(self.out, "<{}{lanes} x i32> ", if scalable { "vscale x " } else { "" });
        if mask.iter().all(|&lane| lane == 0) {
            return self.put("zeroinitializer");
        }
        if mask.iter().all(|&lane| lane == u32::MAX) {
            return self.put("poison");
        }
        self.put("<");
        for (i, &lane) in mask.iter().enumerate() {
            self.comma(i);
            match lane {
                u32::MAX => self.put("i32 poison"),
                lane => {
                    let _ = write!(self.out, "i32 {lane}");
                }
            }
        }
        self.put(">");
    }

    fn landing_pad(&mut self, types: &TypeTable, f: &Function, ty: TypeId, cleanup: bool, clauses: &[Clause]) {
        self.put("landingpad ");
        self.ty(types, ty);
        self.put(if cleanup { " cleanup" } else { "" });
        for clause in clauses {
            let (word, val) = match clause {
                Clause::Catch(val) => (" catch ", val),
                Clause::Filter(_, val) => (" filter ", val),
            };
            self.put(word);
            self.typed(types, f, *val);
        }
    }

    // Memory.

    fn align(&mut self, align: u32) {
        if align > 0 {
            let _ = write!(self.out, ", align {align}");
        }
    }

    /// Writes scope, ordering and alignment: the type's alignment if none is given and one is required.
    fn access(
        &mut self,
        types: &TypeTable,
        access: &Atomic,
        failure: Option<Ordering>,
        scope: &Scope<Owned>,
        ty: TypeId,
    ) {
        self.scope(scope);
        self.put(" ");
        self.put(access.ordering.name());
        if let Some(failure) = failure {
            self.put(" ");
            self.put(failure.name());
        }
        let own = types.get(ty).size.next_power_of_two() as u32;
        self.align(access.align.unwrap_or(own));
    }

    fn scope(&mut self, scope: &Scope<Owned>) {
        if let Some(scope) = scope {
            self.put(" syncscope(");
            self.quoted(scope);
            self.put(")");
        }
    }

    fn memory(&mut self, types: &TypeTable, f: &Function, inst: &Inst) {
        let volatile = |is: bool| if is { "volatile " } else { "" };
        match &inst.op {
            Op::Alloca { of: ty, count, align, in_block, .. } => {
                self.put("alloca ");
                self.put(if *in_block { "inalloca " } else { "" });
                self.put(if inst.flags.has(Flags::SWIFTERROR) { "swifterror " } else { "" });
                self.ty(types, *ty);
                if let Some(count) = count {
                    self.put(", ");
                    self.typed(types, f, *count);
                }
                self.align(*align);
                let space = types.address_space(inst.ty);
                if space != 0 {
                    let _ = write!(self.out, ", addrspace({space})");
                }
            }
            Op::Load { addr, align, volatile: v, .. } => {
                self.put("load ");
                self.put(volatile(*v));
                self.ty(types, inst.ty);
                self.put(", ");
                self.typed(types, f, *addr);
                self.align(*align);
            }
            Op::Store { val, addr, align, volatile: v, .. } => {
                self.put("store ");
                self.put(volatile(*v));
                self.all_typed(types, f, &[*val, *addr]);
                self.align(*align);
            }
            Op::AtomicLoad { addr, access, scope, .. } => {
                self.put("load atomic ");
                self.put(volatile(access.volatile));
                self.ty(types, inst.ty);
                self.put(", ");
                self.typed(types, f, *addr);
                self.access(types, access, None, scope, inst.ty);
            }
            Op::AtomicStore { val, addr, access, scope, .. } => {
                self.put("store atomic ");
                self.put(volatile(access.volatile));
                self.all_typed(types, f, &[*val, *addr]);
                self.access(types, access, None, scope, f.value(*val).ty);
            }
            Op::Fence { ordering, scope } => {
                self.put("fence");
                self.scope(scope);
                self.put(" ");
                self.put(ordering.name());
            }
            Op::CmpXchg { addr, expected, new, access, failure, scope, .. } => {
                self.put("cmpxchg ");
                self.put(if inst.flags.has(Flags::WEAK) { "weak " } else { "" });
                self.put(volatile(access.volatile));
                self.all_typed(types, f, &[*addr, *expected, *new]);
                self.access(types, access, Some(*failure), scope, f.value(*new).ty);
            }
            Op::AtomicRmw { op, addr, val, access, scope, .. } => {
                self.put("atomicrmw ");
                self.put(volatile(access.volatile));
                self.put(op.name());
                self.put(" ");
                self.all_typed(types, f, &[*addr, *val]);
                self.access(types, access, None, scope, f.value(*val).ty);
            }
            Op::VaArg { list, .. } => {
                self.put("va_arg ");
                self.typed(types, f, *list);
                self.put(", ");
                self.ty(types, inst.ty);
            }
            Op::GetElementPtr { .. } => self.address(types, f, inst, false),
            _ => {}
        }
    }

    fn address(&mut self, types: &TypeTable, f: &Function, inst: &Inst, parentheses: bool) {
        let Op::GetElementPtr { of, base, indices, in_range } = &inst.op else { return };
        self.put("getelementptr");
        self.flags(inst.flags);
        if let Some([start, end]) = in_range.as_deref() {
            let _ = write!(self.out, " inrange({start}, {end})");
        }
        self.put(if parentheses { " (" } else { " " });
        self.ty(types, *of);
        self.put(", ");
        self.typed(types, f, base.1);
        for &index in indices {
            self.put(", ");
            self.typed(types, f, index);
        }
        self.put(if parentheses { ")" } else { "" });
    }

    /// Writes a constant expression.
    pub(super) fn expression(&mut self, types: &TypeTable, f: &Function, inst: &Inst) {
        match &inst.op {
            Op::GetElementPtr { .. } => return self.address(types, f, inst, true),
            Op::Binary { op, a, b, .. } => {
                self.put(binary_word(*op));
                self.flags(inst.flags);
                self.put(" (");
                self.all_typed(types, f, &[*a, *b]);
            }
            Op::Cast { cast, val: v, .. } => {
                self.put(cast_word(*cast));
                self.flags(inst.flags);
                self.put(" (");
                self.typed(types, f, *v);
                self.put(" to ");
                self.ty(types, inst.ty);
            }
            Op::ExtractElement { val: v, index: (_, i), .. } => {
                self.put("extractelement (");
                self.all_typed(types, f, &[*v, *i]);
            }
            Op::InsertElement { val: v, element: x, index: (_, i), .. } => {
                self.put("insertelement (");
                self.all_typed(types, f, &[*v, *x, *i]);
            }
            Op::ShuffleVector { a, b, mask, .. } => {
                self.put("shufflevector (");
                self.all_typed(types, f, &[*a, *b]);
                self.put(", ");
                self.mask(types, inst.ty, mask);
            }
            // No other has one.
            _ => return,
        }
        self.put(")");
    }

    // Terminators.

    fn terminator(&mut self, types: &TypeTable, f: &Function, inst: &Inst) {
        match &inst.op {
            Op::Jump(to) => {
                self.put("br ");
                self.label(f, *to);
            }
            Op::Br { condition: cond, then, other } => {
                self.put("br ");
                self.typed(types, f, *cond);
                self.put(", ");
                self.label(f, *then);
                self.put(", ");
                self.label(f, *other);
            }
            Op::Switch { val, cases, default } => {
                self.put("switch ");
                self.typed(types, f, *val);
                self.put(", ");
                self.label(f, *default);
                self.put(" [\n");
                for (case, edge) in cases {
                    self.put("    ");
                    self.typed(types, f, Val::from(*case));
                    self.put(", ");
                    self.label(f, *edge);
                    self.put("\n");
                }
                self.put("  ]");
            }
            Op::IndirectBr { addr: v, edges } => {
                self.put("indirectbr ");
                self.typed(types, f, *v);
                self.put(", [");
                self.labels(f, edges);
                self.put("]");
            }
            Op::Ret { ty: VOID, .. } => {
                self.put("ret ");
                self.ty(types, VOID);
            }
            Op::Ret { val, .. } => {
                self.put("ret ");
                self.typed(types, f, *val);
            }
            Op::Unreachable => self.put("unreachable"),
            Op::Resume { val, .. } => {
                self.put("resume ");
                self.typed(types, f, *val);
            }
            Op::CatchSwitch { parent, handlers, unwind } => {
                self.put("catchswitch within ");
                self.value(types, f, *parent);
                self.put(" [");
                self.labels(f, handlers);
                self.put("]");
                self.unwind(f, *unwind);
            }
            Op::CatchRet { pad, to } => {
                self.put("catchret from ");
                self.value(types, f, *pad);
                self.put(" to ");
                self.label(f, *to);
            }
            Op::CleanupRet { pad, unwind } => {
                self.put("cleanupret from ");
                self.value(types, f, *pad);
                self.unwind(f, *unwind);
            }
            // All others are written elsewhere.
            _ => {}
        }
    }

    fn labels(&mut self, f: &Function, edges: &[Edge]) {
        for (i, &edge) in edges.iter().enumerate() {
            self.comma(i);
            self.label(f, edge);
        }
    }

    fn unwind(&mut self, f: &Function, to: Option<Edge>) {
        match to {
            Some(edge) => {
                self.put(" unwind ");
                self.label(f, edge);
            }
            None => self.put(" unwind to caller"),
        }
    }
}
