//! Reads operations, in the custom form by the rows' forms or in the generic form, and determines the types of their
//! operands.

use gusset_program::{I1, Kind as LlvmKind, PTR, Sink, VOID, Val};
use gusset_text::{Placed, ReadError, Result};

use crate::context::ModuleContext;
use crate::context::op_kind::{Llvm, OpKind};
use crate::convert::reader::Reader;
use crate::syntax::generic::is_empty_region;
use crate::syntax::op::{LocalRef, Mixed, Op, Value, slot_of};
use crate::syntax::op_table::{Class, Shape, TypeConstraint};
use crate::syntax::types::{DYNAMIC, INDEX, Kind, Ty};
use crate::syntax::{Next, location_ahead};

/// Whether the operation builds an aggregate of other values.
fn assembles(what: OpKind) -> bool {
    matches!(what, OpKind::Llvm(Llvm::InsertValue))
}

impl ModuleContext<'_> {
    /// The row of an operation. Intrinsics without a row of their own share one.
    pub fn shape(&self, name: &[u8]) -> Option<&Shape<OpKind>> {
        self.rows.find(name).or_else(|| match name.starts_with(b"llvm.intr.") {
            true => self.rows.find(b"llvm.intr.*"),
            false => name.contains(&b'.').then(|| self.foreign.rows().find(name)).flatten(),
        })
    }

    /// The row of an operation by its name in the text, which may be an earlier one, or lack the implied `dialect`.
    #[inline(never)]
    pub fn named(&self, name: &[u8], dialect: &str) -> Option<&Shape<OpKind>> {
        let full = || self.rows.find(&[dialect.as_bytes(), b".", name].concat());
        self.shape(name).or_else(full).or_else(|| self.formerly(name))
    }

    /// The row of an operation by its earlier name.
    fn formerly(&self, name: &[u8]) -> Option<&Shape<OpKind>> {
        self.rows.find(crate::convert::dialects::present_name(name)?.as_bytes())
    }

    #[cold]
    pub fn unknown(&self, name: &[u8], pos: usize) -> ReadError {
        self.source.error(pos, crate::convert::advice::unknown(name, ""))
    }
}

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a region's operations and its closing brace. `entry`: the values of its first block.
    pub fn operations(&mut self, entry: &[Value]) -> Result<()> {
        if self.recovery.is_some() {
            return self.recover_operations(entry);
        }
        let mut first = true;
        loop {
            match self.parse(|p| p.next_in_region())? {
                Next::Label => self.start_block(first.then_some(entry))?,
                Next::Operation => self.operation()?,
                Next::End => return Ok(()),
            }
            first = false;
        }
    }

    /// Enters the region whose brace is at a position; returns the surrounding scope.
    pub fn enter_region(&mut self, open: usize) -> Result<(usize, usize)> {
        if self.locates {
            self.l.debug_location(self.place);
        }
        self.next = open;
        self.parse(|p| p.enter_region())?;
        Ok(self.open_scope())
    }

    /// Returns to the end of the operation whose region has been read.
    pub fn leave_region(&mut self, op: &Op<'r>, outer: (usize, usize)) -> Result<()> {
        self.close_scope(outer)?;
        self.next = op.end;
        Ok(())
    }

    /// Whether region `k` of the operation is missing or empty.
    pub fn is_empty_region(&self, op: &Op<'r>, k: usize) -> bool {
        op.regions.get(k).is_none_or(|&at| is_empty_region(self.src.text, at))
    }

    /// Reads an operation.
    pub fn operation(&mut self) -> Result<()> {
        let start = self.next;
        let constants = E::PRESERVES_METADATA && self.initializing;
        let over = self.l.current_block().is_none() && !constants || self.ended.is_some();
        self.src.refuse_if(over, start, "an operation stands after a terminator")?;
        let mut names = std::mem::take(&mut self.defined);
        names.clear();
        let mut op = self.ops.pop().unwrap_or_default();
        op.clear();
        let first = if E::PRESERVES_METADATA { self.l.instructions() } else { 0 };
        let outer = self.place;
        self.read(&mut names, &mut op)?;
        if self.locates {
            self.l.debug_location(self.place);
            self.place = outer;
        }
        if E::PRESERVES_METADATA {
            self.attach_metadata(&op, self.here(), first)?;
        }
        if location_ahead(self.src, self.next) {
            self.parse(|p| p.skip_location())?;
        }
        if let (&[(r, 1)], &[v]) = (&names[..], &op.values[..]) {
            self.ops.push(op);
            self.defined = names;
            return self.define(r, v, start);
        }
        let total: usize = names.iter().map(|n| n.1 as usize).sum();
        if total != op.values.len() && !names.is_empty() {
            let m = format!("the operation has {} results, not {total}", op.values.len());
            return Err(self.src.error(start, m));
        }
        let mut at = 0;
        for &(r, count) in &names {
            let values = &op.values[at..at + count as usize];
            match values {
                &[v] if count == 1 => self.define(r, v, start)?,
                _ => self.define_group(r.name, values, start)?,
            }
            at += count as usize;
        }
        self.ops.push(op);
        self.defined = names;
        Ok(())
    }

    /// Reads a region's operations and its closing brace; returns the values that the last one yields, or the results
    /// of the last one if it yields nothing.
    pub fn operations_with_results(&mut self) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        while let Next::Operation | Next::Label = self.parse(|p| p.next_in_region())? {
            self.operation()?;
            values = match self.ended.take() {
                Some((_, yielded)) => yielded,
                None => self.ops.last().map_or(Vec::new(), |op| op.values.clone()),
            };
        }
        Ok(values)
    }

    /// Reads an operation with the names of its results, and converts it.
    fn read(&mut self, names: &mut Vec<(LocalRef, u32)>, op: &mut Op<'r>) -> Result<()> {
        if E::PRESERVES_METADATA && self.m.only.is_some() {
            self.parse(|p| p.result_names(names))?;
            op.pos = self.next;
            if self.leaves_opaque(op)? {
                return Ok(());
            }
        }
        let shape = self.read_text(names, op)?;
        op.end = self.next;
        if self.locates {
            self.locate(op);
        }
        if op.note && !E::PRESERVES_METADATA {
            return if self.locates { self.record(op) } else { Ok(()) };
        }
        self.assembles = assembles(shape.row.make);
        if op.generic {
            self.find_inputs_by_rule(shape, op)?;
        } else {
            self.find_operands(shape, op)?;
        }
        self.check_classes(shape, op)?;
        if op.generic && self.locates {
            self.record(op)?;
        }
        if op.generic {
            self.regions_are(shape, op)?;
        }
        (self.convert)(self, shape.row.make, op)?;
        if op.generic { self.results_are(op) } else { Ok(()) }
    }

    /// Reads an operation in the generic form, after its name.
    #[inline(never)]
    fn read_generic(&mut self, name: &'r [u8], op: &mut Op<'r>) -> Result<&'r Shape<OpKind>> {
        let m = self.m;
        let shape = m.shape(name).or_else(|| m.formerly(name)).ok_or_else(|| m.unknown(name, op.pos))?;
        (op.name, op.text, op.rule) = (shape.row.name, name, shape.results.as_deref());
        self.parse(|p| p.generic(op))?;
        Ok(shape)
    }

    /// Reads an operation in either form, with the names of its results.
    #[inline(always)]
    fn read_text(&mut self, names: &mut Vec<(LocalRef, u32)>, op: &mut Op<'r>) -> Result<&'r Shape<OpKind>> {
        let (m, dialect) = (self.m, self.dialect);
        // A name in quotes begins the generic form. A custom form that cannot be read is told with where it begins.
        let read = self.parse(|p| {
            p.result_names(names)?;
            op.pos = p.pos();
            let known = |word: &[u8]| m.rows.find(word);
            let other = |word: &'r [u8]| m.named(word, dialect).ok_or_else(|| m.unknown(word, op.pos));
            if let Some(name) = p.generic_name()? {
                return Ok(Err(name));
            }
            let (word, shape) = p.custom_name(known, other)?;
            (op.name, op.text, op.rule) = (shape.row.name, word, shape.results.as_deref());
            let start = p.pos();
            Ok(Ok((shape, p.custom(&shape.form, op).map_err(|error| (start, error)))))
        })?;
        match read {
            Ok((shape, Ok(()))) => Ok(shape),
            Ok((_, Err((start, error)))) => self.older_form(op, start, error),
            Err(name) => self.read_generic(name, op),
        }
    }

    /// Checks that an operation in the generic form has as many regions as its custom form.
    fn regions_are(&self, shape: &Shape<OpKind>, op: &Op<'r>) -> Result<()> {
        let (least, most) = match shape.row.make {
            OpKind::Foreign(_) => (0, usize::MAX),
            _ => shape.regions.unwrap_or((0, 0)),
        };
        // A region that may be missing in the custom form is empty here.
        let wanted = if most > least + 1 { least..=most } else { most..=most };
        let fits = wanted.contains(&op.regions.len());
        self.src.refuse_if(!fits, op.pos, "the operation has not as many regions as it should have")
    }

    /// Checks that an operation's results have the types of its generic form.
    fn results_are(&self, op: &Op<'r>) -> Result<()> {
        let void = |ty: &&Ty| **ty != Ty::of(VOID);
        let same = op.values.iter().map(|v| v.ty).eq(op.results.iter().filter(void).copied());
        self.src.refuse_if(!same, op.pos, "the operation has not the results that it should have")
    }

    /// Reads an operation, after its name, in its earlier form, if it had one; otherwise the error stays.
    #[cold]
    fn older_form(&mut self, op: &mut Op<'r>, start: usize, error: ReadError) -> Result<&'r Shape<OpKind>> {
        let m = self.m;
        let Some(older) = m.older.find(op.name.as_bytes()).filter(|_| error.is_syntax()) else { return Err(error) };
        op.clear();
        op.rule = older.results.as_deref();
        self.next = start;
        self.t.pointee = None;
        if self.parse(|p| p.custom(&older.form, op)).is_err() {
            return Err(error);
        }
        if let Some(pointee) = self.t.pointee.take() {
            let ty = self.t.pointed_to(self.l.types_mut(), self.src, pointee)?;
            self.bind(op, b'A', ty);
        } else if matches!(op.name, "llvm.load" | "llvm.store" | "llvm.getelementptr") {
            return Err(error);
        }
        Ok(older)
    }

    // Types of operands.

    /// Finds the operands of the custom form, whose types the rule gives, and the successors.
    pub fn find_operands(&mut self, shape: &Shape<OpKind>, op: &mut Op<'r>) -> Result<()> {
        let plain = op.successors.first().map_or(op.refs.len(), |s| s.args.0);
        if !op.successors.is_empty() {
            self.bind_successors(op)?;
        }
        if shape.lists == 0 && plain == shape.least {
            for (k, &(want, _)) in shape.operands.iter().enumerate() {
                let ty = match want {
                    TypeConstraint::Slot(letter) => op.slot(letter),
                    _ => self.wanted(want, op)?,
                };
                let v = self.use_as(op.refs[k], ty)?;
                op.operands.push(v);
            }
        } else {
            self.find_lists(shape, op, plain)?;
        }
        if shape.results.is_none() && op.results.is_empty() {
            let (from, to) = op.slots[slot_of(b'R')];
            op.results.extend_from_slice(&op.types[from as usize..to as usize]);
        }
        if op.successors.is_empty() { Ok(()) } else { self.find_arguments(op) }
    }

    /// Finds the operands where there may be any number.
    fn find_lists(&mut self, shape: &Shape<OpKind>, op: &mut Op<'r>, plain: usize) -> Result<()> {
        let (mut k, mut list) = (0, 0);
        for &(want, many) in &shape.operands {
            let n = match (many, shape.lists) {
                (false, _) => 1,
                (true, 1) => plain.saturating_sub(shape.least),
                (true, lists) => {
                    list += 1;
                    // The last list takes what is in no group.
                    let rest = if list == lists { plain } else { k };
                    op.groups.get(list - 1).map_or(rest, |&end| end.min(plain)).saturating_sub(k)
                }
            };
            if let (true, true, TypeConstraint::Slot(letter)) = (many, shape.counted, want) {
                let fits = op.slot_list(letter).len() == n;
                self.src.refuse_if(!fits, op.pos, "there are not as many types as operands")?;
            }
            for nth in 0..n.min(plain.saturating_sub(k)) {
                let ty = match want {
                    TypeConstraint::Slot(letter) if many => op.slot_list(letter).get(nth).copied(),
                    TypeConstraint::Slot(letter) => op.slot(letter),
                    _ => self.wanted(want, op)?,
                };
                let v = self.use_as(op.refs[k], ty)?;
                op.operands.push(v);
                k += 1;
            }
        }
        for k in k..plain {
            let v = self.use_as(op.refs[k], None)?;
            op.operands.push(v);
        }
        self.src.refuse_if(plain < shape.least, op.pos, "an operand is missing")
    }

    /// Checks that the types of letters belong to the rule's classes.
    #[inline]
    fn check_classes(&self, shape: &Shape<OpKind>, op: &Op<'r>) -> Result<()> {
        for &(letter, class) in &shape.classes {
            if let Some(ty) = op.slot(letter)
                && !self.is_of(ty, class)
            {
                let (is, wanted) = (self.type_text(ty), class.text());
                return Err(self
                    .src
                    .error(op.pos, format!("`{}` is not for the type `{is}`: it wants {wanted}", op.name)));
            }
        }
        Ok(())
    }

    /// Whether a type, or that of its lanes, belongs to this class.
    fn is_of(&self, ty: Ty, class: Class) -> bool {
        let (ty, kind) = match (ty.llvm(), class) {
            (Some(_), Class::Llvm) => return true,
            (Some(id), _) => match self.l.types().get(id).kind {
                LlvmKind::Vector { lane, .. } => (Ty::of(lane), Some(self.l.types().get(lane).kind)),
                kind => (ty, Some(kind)),
            },
            (None, _) => match self.t.own(ty) {
                Some(Kind::Vector { lane, .. }) if class != Class::Llvm => {
                    (*lane, lane.llvm().map(|id| self.l.types().get(id).kind))
                }
                _ => (ty, None),
            },
        };
        let own = self.t.own(ty);
        // A type that is not converted, or not by this crate, has an error of its own or none.
        let foreign = matches!(own, Some(Kind::Custom { .. } | Kind::Foreign { .. }));
        foreign
            || match class {
                Class::Signless => ty == INDEX || matches!(kind, Some(LlvmKind::Int | LlvmKind::WideInt { .. })),
                Class::Fixed => matches!(kind, Some(LlvmKind::Int | LlvmKind::WideInt { .. })),
                Class::Float => kind == Some(LlvmKind::Float) || matches!(own, Some(Kind::Float8(_))),
                Class::Complex => match own {
                    Some(Kind::Complex(part)) => self.is_of(*part, Class::Float),
                    _ => false,
                },
                Class::Llvm => false,
            }
    }

    /// Finds the blocks that are successors of an operation in the custom form.
    fn bind_successors(&mut self, op: &mut Op<'r>) -> Result<()> {
        for s in &mut op.successors {
            self.block_named(s.id, s.pos);
            self.block_params(s.id, &op.types[s.types.0..s.types.1], s.pos)?;
            s.block = Some(self.block_info(s.id).block);
        }
        Ok(())
    }

    /// Finds the arguments of these blocks.
    fn find_arguments(&mut self, op: &mut Op<'r>) -> Result<()> {
        for i in 0..op.successors.len() {
            let s = op.successors[i];
            for k in s.args.0..s.args.1 {
                let ty = self.param_type(s.id, k - s.args.0);
                let v = self.use_as(op.refs[k], ty)?;
                op.operands.push(v);
            }
        }
        Ok(())
    }

    /// The type that a word of a rule means, if it is known.
    fn wanted(&mut self, want: TypeConstraint, op: &Op<'r>) -> Result<Option<Ty>> {
        let slot = |letter: u8| op.slot(letter);
        Ok(match want {
            TypeConstraint::Slot(letter) => slot(letter),
            TypeConstraint::Element(letter) => {
                slot(letter).and_then(|ty| self.t.element(self.l.types(), ty).or(Some(ty)))
            }
            TypeConstraint::Flags(letter) => match slot(letter) {
                Some(ty) => Some(self.flags_of(ty, op.pos)?),
                None => None,
            },
            TypeConstraint::Index => Some(INDEX),
            TypeConstraint::Bit => Some(Ty::of(I1)),
            TypeConstraint::IndexOr(letter) => Some(slot(letter).unwrap_or(INDEX)),
            TypeConstraint::BitOr(letter) => Some(slot(letter).unwrap_or(Ty::of(I1))),
            TypeConstraint::Function => {
                let (inputs, results) = (op.slot_list(b'T').to_vec(), op.slot_list(b'R').to_vec());
                Some(self.t.function(self.l.types_mut(), inputs, results).at(self.src, op.pos)?)
            }
            TypeConstraint::Pointer => Some(Ty::of(PTR)),
            TypeConstraint::Any => None,
        })
    }

    /// `i1`, or a vector of it, in the shape of a type.
    pub fn flags_of(&mut self, ty: Ty, pos: usize) -> Result<Ty> {
        let bit = Ty::of(I1);
        match self.t.vector_of(self.l.types(), ty) {
            Some((dims, _)) => self.t.vector(self.l.types_mut(), &dims, bit).at(self.src, pos),
            None => match ty
                .llvm()
                .filter(|&id| E::PRESERVES_METADATA && matches!(self.l.types().get(id).kind, LlvmKind::Vector { .. }))
            {
                Some(id) => self.l.types_mut().as_long_as(id, I1).map(Ty::of).at(self.src, pos),
                None => Ok(bit),
            },
        }
    }

    /// The type of result `i`, by the rule or from the text.
    pub fn result_type(&mut self, op: &Op<'r>, i: usize) -> Result<Ty> {
        if let Some(&ty) = op.results.get(i) {
            return Ok(ty);
        }
        let want = op.rule.and_then(|rule| rule.get(i).copied());
        let ty = match want {
            Some((TypeConstraint::Slot(letter), _)) => op.slot(letter),
            Some((want, _)) => self.wanted(want, op)?,
            None => None,
        };
        ty.ok_or_else(|| self.src.error(op.pos, "the type of the result is not known"))
    }

    /// Sets the operation's only result.
    pub fn give(&mut self, op: &mut Op<'r>, ty: Ty, parts: &[Val]) {
        let v = self.value(ty, parts);
        op.values.push(v);
    }

    // The generic form.

    /// Finds the operands and successors of the generic form; binds the rule's letters to the operands' types, and
    /// checks the rule.
    pub fn find_inputs_by_rule(&mut self, shape: &Shape<OpKind>, op: &mut Op<'r>) -> Result<()> {
        self.find_inputs(op)?;
        self.check_rule(shape, op)
    }

    /// Finds the operands and the successors.
    pub fn find_inputs(&mut self, op: &mut Op<'r>) -> Result<()> {
        for s in &op.successors {
            self.block_named(s.id, s.pos);
        }
        for k in 0..op.inputs.len() {
            let v = self.use_as(op.refs[k], Some(op.inputs[k]))?;
            op.operands.push(v);
        }
        if op.successors.is_empty() { Ok(()) } else { self.divide_operands(op) }
    }

    /// Distributes the operands after the first ones over the successors.
    fn divide_operands(&mut self, op: &mut Op<'r>) -> Result<()> {
        let blocks = op.successors.len();
        let counts = match self.segments(op)? {
            Some(counts) if counts.len() >= blocks => counts[counts.len() - blocks..].to_vec(),
            _ if op.has("indbr_operand_segments") => {
                let counts = self.attr_ints(op, "indbr_operand_segments")?.unwrap_or_default();
                counts.into_iter().map(|n| n.max(0) as usize).collect()
            }
            _ if blocks == 1 => vec![op.operands.len()],
            _ => vec![0; blocks],
        };
        let counts = match self.attr_ints(op, "case_operand_segments")? {
            // A switch: the operands of the default, then those of each case.
            Some(cases) if cases.len() + 1 == blocks => {
                let default = self.segments(op)?.and_then(|s| s.get(1).copied()).unwrap_or(0);
                std::iter::once(default).chain(cases.iter().map(|&n| n.max(0) as usize)).collect()
            }
            _ => counts,
        };
        let total: usize = counts.iter().sum();
        let Some(mut at) = op.operands.len().checked_sub(total) else {
            return Err(self.src.error(op.pos, "the operation has too few operands for its blocks"));
        };
        op.successors.truncate(counts.len());
        for (s, &n) in op.successors.iter_mut().zip(&counts) {
            let types: Vec<Ty> = op.operands[at..at + n].iter().map(|v| v.ty).collect();
            self.block_params(s.id, &types, s.pos)?;
            (s.block, s.args) = (Some(self.block_info(s.id).block), (at, at + n));
            at += n;
        }
        Ok(())
    }

    /// The numbers of operands in each group.
    pub fn segments(&mut self, op: &Op<'r>) -> Result<Option<Vec<usize>>> {
        let name = if op.has("operandSegmentSizes") { "operandSegmentSizes" } else { "operand_segment_sizes" };
        let sizes = self.attr_ints(op, name)?;
        Ok(sizes.map(|sizes| sizes.into_iter().map(|n| usize::try_from(n).unwrap_or(0)).collect()))
    }

    /// Binds the rule's letters to the operands' types, and checks the rule.
    fn check_rule(&mut self, shape: &Shape<OpKind>, op: &mut Op<'r>) -> Result<()> {
        if let Some(sizes) = self.segments(op)? {
            let mut end = 0;
            for n in sizes {
                end = usize::min(end + n, op.operands.len());
                op.groups.push(end);
            }
        }
        let plain = op.successors.first().map_or(op.operands.len(), |s| s.args.0);
        let fits = plain >= shape.least && (shape.lists > 0 || plain == shape.least);
        self.src.refuse_if(!fits, op.pos, "the operation has not the operands that it should have")?;
        if let Some(results) = &shape.results {
            for (i, &(want, _)) in results.iter().enumerate() {
                if let (TypeConstraint::Slot(letter), Some(&ty)) = (want, op.results.get(i)) {
                    self.bind(op, letter, ty);
                }
            }
        }
        // The conversion checks groups of operands, if there are several.
        if shape.lists < 2 {
            self.check_operands(shape, op, plain)?;
        }
        if let Some(results) = &shape.results {
            let fits = results.len() == op.results.len() || results.iter().any(|r| r.1);
            self.src.refuse_if(!fits, op.pos, "the operation has not the results that it should have")?;
            for (i, &(want, many)) in results.iter().enumerate() {
                let ty = self.wanted(want, op)?;
                if !many && ty.is_some_and(|ty| Some(&ty) != op.results.get(i)) {
                    return Err(self.src.error(op.pos, "the result should have another type"));
                }
            }
        }
        // Numbers in the text among the operands.
        self.generic_lists(op)
    }

    /// Checks that the operands have the types of the rule.
    fn check_operands(&mut self, shape: &Shape<OpKind>, op: &mut Op<'r>, plain: usize) -> Result<()> {
        let many = plain - shape.least;
        let words = || shape.operands.iter().flat_map(|w| std::iter::repeat_n(w, if w.1 { many } else { 1 }));
        for (k, &(want, list)) in words().enumerate() {
            if let (Some(letter), false) = (want.letter(), list) {
                let ty = op.operands[k].ty;
                self.bind(op, letter, ty);
            }
        }
        for (k, &(want, list)) in words().enumerate() {
            if list && want.letter().is_some() || want == TypeConstraint::Function {
                continue;
            }
            let ty = self.wanted(want, op)?;
            if let Some(ty) = ty.filter(|&ty| ty != op.operands[k].ty) {
                return Err(self.wrong_type(op.refs[k], op.operands[k].ty, ty));
            }
        }
        Ok(())
    }

    fn bind(&mut self, op: &mut Op<'r>, letter: u8, ty: Ty) {
        let slot = &mut op.slots[slot_of(letter)];
        if slot.0 == slot.1 {
            *slot = (op.types.len() as u32, op.types.len() as u32 + 1);
            op.types.push(ty);
        }
    }

    /// Lists of numbers and operands: the numbers are an attribute, in which a special number stands for an operand.
    fn generic_lists(&mut self, op: &mut Op<'r>) -> Result<()> {
        let lists: &[&str] = match op.name {
            "memref.subview" | "memref.reinterpret_cast" => &["static_offsets", "static_sizes", "static_strides"],
            "memref.expand_shape" => &["static_output_shape"],
            "affine.delinearize_index" | "affine.linearize_index" if op.has("static_basis") => &["static_basis"],
            "scf.forall" => &["staticLowerBound", "staticUpperBound", "staticStep"],
            "vector.extract" | "vector.insert" => &["static_position"],
            "llvm.getelementptr" => &["rawConstantIndices"],
            _ => return Ok(()),
        };
        // The operands of lists follow the others, list by list.
        let mut next = match op.name {
            "affine.linearize_index" => op.groups.first().copied().unwrap_or(0),
            "scf.forall" => 0,
            "vector.insert" => 2,
            _ => 1,
        };
        for name in lists {
            let from = op.mixed.len();
            let place = if op.name == "llvm.getelementptr" { i64::from(i32::MIN) } else { DYNAMIC };
            let Some(numbers) = self.attr_ints(op, name)? else {
                return Err(self.src.error(op.pos, format!("the attribute `{name}` is missing")));
            };
            for n in numbers {
                if n == place {
                    let m = if op.name == "scf.forall" { "a bound is missing" } else { "an operand is missing" };
                    self.src.refuse_if(next >= op.operands.len(), op.pos, m)?;
                    op.mixed.push(Mixed::Operand(next));
                    next += 1;
                } else {
                    op.mixed.push(Mixed::Number(n));
                }
            }
            op.lists.push((from, op.mixed.len()));
        }
        Ok(())
    }
}
