//! Bodies: blocks, phis and instructions.

use std::io::Write as _;

use gusset_codegen::ir::{Block, Edge};
use gusset_program::{
    Atomic, Clause, Compare, Flags, Function, Inst, Kind, Op, SymbolKind, TypeId, TypeTable, VOID, Val, binary_word,
    cast_word,
};

use super::Writer;
use Piece::*;

/// A piece of an instruction's text.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Type(TypeId),
    /// A value without its type.
    Value(Val),
    /// Values with their types, separated by commas.
    Typed(&'a [Val]),
    /// Flags, each after a space.
    FlagWords(Flags),
    Label(Edge),
    Labels(&'a [Edge]),
    /// Where an exception goes on: to an edge, or to the caller.
    Unwind(Option<Edge>),
    /// The path to an element, each index after a comma.
    Indices(&'a [u32]),
    /// The mask of a shuffle with a result of this type.
    Mask(TypeId, &'a [u32]),
    /// An alignment after a comma, if it is not 0.
    Align(u32),
    SyncScope(Option<&'a [u8]>),
    /// Scope, ordering, the text of the ordering of failures, and alignment of an atomic access to this type.
    Access(&'a Atomic, Option<&'a [u8]>, &'a str, TypeId),
}

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
        self.operation(types, f, inst, false);
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

    /// Writes an instruction's text, piece by piece.
    pub(super) fn pieces(&mut self, (types, f): (&TypeTable, &Function), pieces: &[Piece<'_>]) {
        for piece in pieces {
            match *piece {
                Text(text) => self.put(text),
                Type(ty) => self.ty(types, ty),
                Value(val) => self.value(types, f, val),
                Typed(vals) => {
                    for (i, &val) in vals.iter().enumerate() {
                        self.comma(i);
                        self.typed(types, f, val);
                    }
                }
                FlagWords(flags) => self.flags(flags),
                Label(edge) => self.label(f, edge),
                Labels(edges) => {
                    for (i, &edge) in edges.iter().enumerate() {
                        self.comma(i);
                        self.label(f, edge);
                    }
                }
                Unwind(Some(edge)) => self.pieces((types, f), &[Text(" unwind "), Label(edge)]),
                Unwind(None) => self.put(" unwind to caller"),
                Indices(indices) => {
                    for index in indices {
                        let _ = write!(self.out, ", {index}");
                    }
                }
                Mask(ty, mask) => self.mask(types, ty, mask),
                Align(0) => {}
                Align(align) => {
                    let _ = write!(self.out, ", align {align}");
                }
                SyncScope(None) => {}
                SyncScope(Some(scope)) => {
                    self.put(" syncscope(");
                    self.quoted(scope);
                    self.put(")");
                }
                // The type's alignment is written if none is given.
                Access(access, scope, failure, ty) => {
                    let own = types.get(ty).size.next_power_of_two() as u32;
                    let align = Align(access.align.unwrap_or(own));
                    self.pieces(
                        (types, f),
                        &[SyncScope(scope), Text(" "), Text(access.ordering.name()), Text(failure), align],
                    );
                }
            }
        }
    }

    /// Writes an instruction, or a constant expression, whose operands are in parentheses.
    fn operation(&mut self, types: &TypeTable, f: &Function, inst: &Inst, parentheses: bool) {
        let (open, close) = if parentheses { (Text(" ("), Text(")")) } else { (Text(" "), Text("")) };
        let (ty, flags) = (Type(inst.ty), FlagWords(inst.flags));
        let c = (types, f);
        match &inst.op {
            Op::Binary { op, a, b, .. } if parentheses => {
                self.pieces(c, &[Text(binary_word(*op)), flags, open, Typed(&[*a, *b]), close]);
            }
            Op::Binary { op, a, b, .. } => {
                self.pieces(c, &[Text(binary_word(*op)), flags, open, Typed(&[*a]), Text(", "), Value(*b)]);
            }
            Op::Fneg { val, .. } => self.pieces(c, &[Text("fneg"), flags, open, Typed(&[*val])]),
            Op::Freeze { val, .. } => self.pieces(c, &[Text("freeze "), Typed(&[*val])]),
            Op::Cast { cast, val, .. } => {
                self.pieces(c, &[Text(cast_word(*cast)), flags, open, Typed(&[*val]), Text(" to "), ty, close]);
            }
            Op::Compare { compare, a, b, .. } => {
                let (word, condition) = match compare {
                    Compare::Int(cc) => (Text("icmp"), Text(cc.name())),
                    Compare::Float(cc) => (Text("fcmp"), Text(cc.name())),
                };
                self.pieces(c, &[word, flags, open, condition, open, Typed(&[*a]), Text(", "), Value(*b)]);
            }
            Op::Select { condition: (_, condition), a, b, .. } => {
                self.pieces(c, &[Text("select"), flags, open, Typed(&[*condition, *a, *b])]);
            }
            Op::ExtractValue { val, path, .. } => {
                self.pieces(c, &[Text("extractvalue "), Typed(&[*val]), Indices(path)]);
            }
            Op::InsertValue { val, element, path, .. } => {
                self.pieces(c, &[Text("insertvalue "), Typed(&[*val, *element]), Indices(path)]);
            }
            Op::ExtractElement { val, index: (_, i), .. } => {
                self.pieces(c, &[Text("extractelement"), open, Typed(&[*val, *i]), close]);
            }
            Op::InsertElement { val, element, index: (_, i), .. } => {
                self.pieces(c, &[Text("insertelement"), open, Typed(&[*val, *element, *i]), close]);
            }
            Op::ShuffleVector { a, b, mask, .. } => {
                let mask = Mask(inst.ty, mask);
                self.pieces(c, &[Text("shufflevector"), open, Typed(&[*a, *b]), Text(", "), mask, close]);
            }
            Op::Call(call) => self.call(types, f, inst, call),
            Op::LandingPad { cleanup, clauses, .. } => {
                self.pieces(c, &[Text("landingpad "), ty, Text(if *cleanup { " cleanup" } else { "" })]);
                for clause in clauses {
                    let (word, val) = match clause {
                        Clause::Catch(val) => (" catch ", val),
                        Clause::Filter(_, val) => (" filter ", val),
                    };
                    self.pieces(c, &[Text(word), Typed(&[*val])]);
                }
            }
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
                self.pieces(c, &[Value(*parent), Text(" [")]);
                self.arguments(types, f, args);
                self.put("]");
            }
            _ => self.memory(types, f, inst, (open, close)),
        }
    }

    /// Writes an access to memory, the computation of an address, or what ends a block.
    fn memory(&mut self, types: &TypeTable, f: &Function, inst: &Inst, (open, close): (Piece<'_>, Piece<'_>)) {
        let (c, ty, flags) = ((types, f), Type(inst.ty), FlagWords(inst.flags));
        let volatile = |is: bool| Text(if is { "volatile " } else { "" });
        match &inst.op {
            Op::Alloca { of, count, align, in_block, .. } => {
                let in_block = Text(if *in_block { "inalloca " } else { "" });
                let error = Text(if inst.flags.has(Flags::SWIFTERROR) { "swifterror " } else { "" });
                self.pieces(c, &[Text("alloca "), in_block, error, Type(*of)]);
                if let Some(count) = count {
                    self.pieces(c, &[Text(", "), Typed(&[*count])]);
                }
                self.pieces(c, &[Align(*align)]);
                let space = types.address_space(inst.ty);
                if space != 0 {
                    let _ = write!(self.out, ", addrspace({space})");
                }
            }
            Op::Load { addr, align, volatile: v, .. } => {
                self.pieces(c, &[Text("load "), volatile(*v), ty, Text(", "), Typed(&[*addr]), Align(*align)]);
            }
            Op::Store { val, addr, align, volatile: v, .. } => {
                self.pieces(c, &[Text("store "), volatile(*v), Typed(&[*val, *addr]), Align(*align)]);
            }
            Op::AtomicLoad { addr, access, scope, .. } => {
                self.pieces(c, &[Text("load atomic "), volatile(access.volatile), ty, Text(", "), Typed(&[*addr])]);
                self.pieces(c, &[Access(access, scope.as_deref(), "", inst.ty)]);
            }
            Op::AtomicStore { val, addr, access, scope, .. } => {
                let how = Access(access, scope.as_deref(), "", f.value(*val).ty);
                self.pieces(c, &[Text("store atomic "), volatile(access.volatile), Typed(&[*val, *addr]), how]);
            }
            Op::Fence { ordering, scope } => {
                self.pieces(c, &[Text("fence"), SyncScope(scope.as_deref()), Text(" "), Text(ordering.name())]);
            }
            Op::CmpXchg { addr, expected, new, access, failure, scope, .. } => {
                let weak = Text(if inst.flags.has(Flags::WEAK) { "weak " } else { "" });
                self.pieces(c, &[Text("cmpxchg "), weak, volatile(access.volatile), Typed(&[*addr, *expected, *new])]);
                let failure = format!(" {}", failure.name());
                self.pieces(c, &[Access(access, scope.as_deref(), &failure, f.value(*new).ty)]);
            }
            Op::AtomicRmw { op, addr, val, access, scope, .. } => {
                let how = Access(access, scope.as_deref(), "", f.value(*val).ty);
                let v = volatile(access.volatile);
                self.pieces(c, &[Text("atomicrmw "), v, Text(op.name()), Text(" "), Typed(&[*addr, *val]), how]);
            }
            Op::VaArg { list, .. } => self.pieces(c, &[Text("va_arg "), Typed(&[*list]), Text(", "), ty]),
            Op::GetElementPtr { of, base, indices, in_range } => {
                self.pieces(c, &[Text("getelementptr"), flags]);
                if let Some([start, end]) = in_range.as_deref() {
                    let _ = write!(self.out, " inrange({start}, {end})");
                }
                self.pieces(c, &[open, Type(*of), Text(", "), Typed(&[base.1])]);
                indices.iter().for_each(|&index| self.pieces(c, &[Text(", "), Typed(&[index])]));
                self.pieces(c, &[close]);
            }
            _ => self.terminator((types, f), inst),
        }
    }

    fn terminator(&mut self, c: (&TypeTable, &Function), inst: &Inst) {
        match &inst.op {
            Op::Jump(to) => self.pieces(c, &[Text("br "), Label(*to)]),
            Op::Br { condition, then, other } => {
                self.pieces(c, &[Text("br "), Typed(&[*condition]), Text(", "), Labels(&[*then, *other])]);
            }
            Op::Switch { val, cases, default } => {
                self.pieces(c, &[Text("switch "), Typed(&[*val]), Text(", "), Label(*default), Text(" [\n")]);
                for (case, edge) in cases {
                    let case = Val::from(*case);
                    self.pieces(c, &[Text("    "), Typed(&[case]), Text(", "), Label(*edge), Text("\n")]);
                }
                self.put("  ]");
            }
            Op::IndirectBr { addr, edges } => {
                self.pieces(c, &[Text("indirectbr "), Typed(&[*addr]), Text(", ["), Labels(edges), Text("]")]);
            }
            Op::Ret { ty: VOID, .. } => self.pieces(c, &[Text("ret "), Type(VOID)]),
            Op::Ret { val, .. } => self.pieces(c, &[Text("ret "), Typed(&[*val])]),
            Op::Unreachable => self.put("unreachable"),
            Op::Resume { val, .. } => self.pieces(c, &[Text("resume "), Typed(&[*val])]),
            Op::CatchSwitch { parent, handlers, unwind } => {
                self.pieces(c, &[Text("catchswitch within "), Value(*parent), Text(" ["), Labels(handlers), Text("]")]);
                self.pieces(c, &[Unwind(*unwind)]);
            }
            Op::CatchRet { pad, to } => {
                self.pieces(c, &[Text("catchret from "), Value(*pad), Text(" to "), Label(*to)]);
            }
            Op::CleanupRet { pad, unwind } => {
                self.pieces(c, &[Text("cleanupret from "), Value(*pad), Unwind(*unwind)]);
            }
            // All others are written above.
            _ => {}
        }
    }

    /// Writes a constant expression.
    pub(super) fn expression(&mut self, types: &TypeTable, f: &Function, inst: &Inst) {
        self.operation(types, f, inst, true);
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
}
