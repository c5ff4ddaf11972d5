//! Source positions: locations of operations, and debug records of variables.

use gusset_codegen::ir::{self, Block, Dominators, FunctionBuilder, Type};
use gusset_program::{
    Argument, Attachments, Call, Def, Field, Function, Inst, Kind, Metadata, Op, Result, Special, Target, Val,
};
use std::collections::HashMap;

use super::Writer;
use super::debug_fields::text_of;
use super::pieces::Context;
use super::pieces::Piece::Typed;
use super::state::{Alias, MovedRecords};
use super::text::quoted;

/// The location that is attached to an instruction.
pub(super) fn place_of(inst: &Inst) -> Option<&Metadata> {
    match &inst.op {
        Op::DebugRecord(record) => record.1.last(),
        _ => place_in(&inst.attached),
    }
}

/// The location, or subprogram, among attachments.
pub(super) fn place_in(attached: &Attachments) -> Option<&Metadata> {
    attached.iter().find(|(kind, _)| kind == b"dbg").map(|(_, place)| place)
}

/// A location that says nothing.
const UNKNOWN: &str = " loc(unknown)";

/// A number in a field, 0 if it is omitted.
fn number(special: &Special, name: &str) -> String {
    match special.field(name) {
        Some(Field::Words(words)) => text_of(words),
        _ => "0".into(),
    }
}

/// A text in a field.
pub(super) fn text_in<'a>(special: &'a Special, name: &str) -> &'a [u8] {
    match special.field(name) {
        Some(Field::String(text)) => text,
        _ => b"",
    }
}

impl<'m> Writer<'m> {
    /// The name of the file that contains a scope.
    fn file_name(&self, scope: &Metadata) -> String {
        let file = self.special_of(scope).and_then(|scope| self.special_of(scope.metadata("file")?));
        file.map_or_else(|| "\"\"".into(), |file| quoted(text_in(file, "filename")))
    }

    /// Whether a node is a location.
    pub(super) fn is_location(&self, metadata: &Metadata) -> bool {
        self.special_of(metadata).is_some_and(|special| special.name == b"DILocation")
    }

    /// Whether a location is inlined at a call.
    pub(super) fn is_inlined(&self, place: &Metadata) -> bool {
        self.special_of(place).is_some_and(|special| special.metadata("inlinedAt").is_some())
    }

    /// The alias of a location; none if its scope has none.
    pub(super) fn location<'a>(&mut self, place: &'a Metadata) -> Option<Alias>
    where
        'm: 'a,
    {
        // The location, the call at which it was inlined, and so on.
        let (mut chain, mut next, mut known) = (Vec::new(), Some(place), None);
        while let Some(at) = next {
            let node = match at {
                Metadata::Node(node) => Some(*node),
                _ => None,
            };
            if let Some(there) = node.and_then(|node| self.debug.locations.get(&node)) {
                known = there.clone();
                break;
            }
            let special = self.special_of(at).filter(|special| special.name == b"DILocation")?;
            // A location that refers to itself has no alias.
            if node.is_some() && chain.len() > self.nodes.len() {
                return None;
            }
            chain.push((node, special));
            next = special.metadata("inlinedAt");
        }
        for (node, special) in chain.into_iter().rev() {
            known = self.one_location(special, known);
            if let Some(node) = node {
                self.debug.locations.insert(node, known.clone());
            }
        }
        known
    }

    fn one_location<'a>(&mut self, special: &'a Special, outer: Option<Alias>) -> Option<Alias>
    where
        'm: 'a,
    {
        let scope = special.metadata("scope")?;
        let Some(attribute) = self.debug_attribute(scope) else {
            self.leave_out("places in scopes without an attribute");
            return outer;
        };
        if special.field("isImplicitCode").is_some_and(|f| matches!(f, Field::Words(words) if words == b"true")) {
            self.leave_out("`isImplicitCode` of `DILocation`");
        }
        let file = self.file_name(scope);
        let at = format!("{file}:{}:{}", number(special, "line"), number(special, "column"));
        let own = self.alias("loc", &format!("loc(fused<{attribute}>[{at}])"));
        Some(match outer {
            Some(outer) => self.alias("loc", &format!("loc(callsite({own} at {outer}))")),
            None => own,
        })
    }

    /// The location of a function that is a subprogram, and whether it is one.
    pub(super) fn function_location(&mut self, attached: &Attachments) -> Option<Alias> {
        if !self.has_front {
            return None;
        }
        let node = place_in(attached)?;
        let attribute = self.debug_attribute(node)?;
        let special = self.special_of(node)?;
        let (name, file) = (quoted(text_in(special, "name")), self.file_name(node));
        let at = format!("loc(fused<{attribute}>[{name}, {file}:{}:0])", number(special, "line"));
        Some(self.alias("loc", &at))
    }

    /// Writes the location of an instruction, or of a block's parameter. In a function that is a subprogram everything
    /// has a location, because MLIR would otherwise use the position in its own text.
    pub(super) fn write_location(&mut self, place: Option<&Metadata>) {
        if !self.has_front {
            return;
        }
        match place.and_then(|place| self.location(place)) {
            Some(place) => self.at(&place),
            None if self.in_subprogram => self.put(UNKNOWN),
            None => {}
        }
    }

    /// Writes ` loc(#loc)`.
    pub(super) fn at(&mut self, place: &Alias) {
        write!(self, " loc({place})");
    }

    /// Writes what follows an operation that makes a constant.
    pub(super) fn constant_location(&self) -> &'static str {
        if self.in_subprogram { UNKNOWN } else { "" }
    }

    // Records of variables.

    /// Writes a call of `llvm.dbg.value` or a similar intrinsic.
    pub(super) fn debug_call(&mut self, c: Context<'_>, inst: &Inst, call: &Call, kind: &str) {
        let operands = call.args.iter().filter_map(|arg| match arg {
            Argument::Metadata(metadata) => Some(metadata.clone()),
            // The offset that these calls had before LLVM 6.
            Argument::Value(..) => None,
        });
        let operands: Vec<Metadata> = operands.collect();
        self.record(c, kind.as_bytes(), &operands, place_of(inst));
    }

    /// Writes `#dbg_value(…)` and the like.
    pub(super) fn debug_record(&mut self, c: Context<'_>, kind: &[u8], operands: &[Metadata]) {
        if let Some((place, operands)) = operands.split_last() {
            self.record(c, kind, operands, Some(place));
        }
    }

    fn record(&mut self, c: Context<'_>, kind: &[u8], operands: &[Metadata], place: Option<&Metadata>) {
        if !self.has_front {
            return;
        }
        let before = self.out.len();
        let made = match place.and_then(|place| self.location(place)) {
            Some(_) => self.record_text(c, kind, operands),
            None => Err("a record of a variable without a place"),
        };
        if let Err(what) = made {
            self.out.truncate(before);
            self.leave_out(what);
        }
    }

    /// Writes a record without its location, or records what of it cannot be expressed.
    fn record_text(
        &mut self,
        c: Context<'_>,
        kind: &[u8],
        operands: &[Metadata],
    ) -> std::result::Result<(), &'static str> {
        if kind == b"label" {
            let [label, ..] = operands else { return Err("a label's record without a label") };
            let label = self.debug_attribute(label).ok_or("a label without an attribute")?;
            write!(self, "llvm.intr.dbg.label {label}");
            return Ok(());
        }
        let [value, variable, expression, rest @ ..] = operands else {
            return Err("a record of a variable of another form");
        };
        let word = match kind {
            b"declare" => "declare",
            // LLVM accepts it as a value record, too; what it says about a store is lost.
            b"assign" => "value",
            b"value" => "value",
            _ => return Err("a record of a variable of another form"),
        };
        if !rest.is_empty() {
            self.leave_out("the stores of `#dbg_assign`");
        }
        let Metadata::Value(ty, val) = value else { return Err("a record of no value, or of several") };
        if word == "declare" && c.types.get(*ty).kind != Kind::Ptr {
            return Err("a record of an address that is none");
        }
        let variable = self.debug_attribute(variable).ok_or("a local variable without an attribute")?;
        let expression = self.expression(expression).ok_or("an expression that is no list of operations")?;
        let expression = if expression == "<>" { String::new() } else { format!(" #llvm.di_expression{expression}") };
        write!(self, "llvm.intr.dbg.{word} {variable}{expression} = ");
        self.pieces(c, &[Typed(*val)]).map_err(|_| "a record of a constant that has no operation")
    }

    /// Finds the records of a function whose values are not defined on every path to them, which LLVM does not require.
    /// As in `mlir-translate`, they are moved after the definition of the value.
    pub(super) fn find_moved(&mut self, f: &Function) {
        self.moved = MovedRecords::default();
        if !self.has_front {
            return;
        }
        let mut order = None;
        for (i, block) in f.blocks.iter().enumerate() {
            for (at, &record) in block.insts.iter().enumerate() {
                let Some(val) = self.recorded(&f.insts[record as usize]).map(|val| f.resolve(val)) else { continue };
                let from = match f.values[val.0 as usize].def {
                    Def::Inst(inst) => Some(inst),
                    Def::Param if !f.params.contains(&val) => None,
                    _ => continue,
                };
                let order = order.get_or_insert_with(|| Order::of(f));
                if order.reaches(val, from, (i as u32, at)) {
                    continue;
                }
                self.moved.all.insert(record);
                match (from, order.params.get(&val.0)) {
                    (Some(inst), _) => self.moved.after.entry(inst).or_default().push(record),
                    (None, Some(&block)) => self.moved.at_start.entry(block).or_default().push(record),
                    (None, None) => {}
                }
            }
        }
    }

    /// The value that a debug record describes, if it describes one.
    fn recorded(&self, inst: &Inst) -> Option<Val> {
        let value = match &inst.op {
            Op::DebugRecord(record) if record.0 != b"label" => record.1.first()?,
            Op::Call(call) => match (&call.target, call.args.first()?) {
                (Target::Function(_) | Target::Intrinsic(_), Argument::Metadata(value)) => value,
                _ => return None,
            },
            _ => return None,
        };
        match value {
            Metadata::Value(_, val) => Some(*val),
            _ => None,
        }
    }

    /// Writes records that were moved.
    pub(super) fn write_moved(&mut self, c: Context<'_>, records: Option<Vec<u32>>) -> Result<()> {
        for record in records.into_iter().flatten() {
            self.instruction(c, &c.f.insts[record as usize])?;
        }
        Ok(())
    }
}

/// Where the values of a function are defined, and which blocks dominate which.
struct Order {
    /// For each instruction, its block and its position there.
    insts: Vec<(u32, u32)>,
    /// Blocks of parameters, by value.
    params: HashMap<u32, u32>,
    dominators: Dominators,
}

const NONE: u32 = u32::MAX;

impl Order {
    fn of(f: &Function) -> Order {
        let (mut insts, mut params) = (vec![(NONE, 0); f.insts.len()], HashMap::new());
        for (i, block) in f.blocks.iter().enumerate() {
            for (at, &inst) in block.insts.iter().enumerate() {
                insts[inst as usize] = (i as u32, at as u32);
            }
            params.extend(block.params.iter().map(|param| (f.resolve(param.val).0, i as u32)));
        }
        Order { insts, params, dominators: dominators(f) }
    }

    fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (Block(a), Block(b));
        // An unreachable block is dominated by everything.
        !self.dominators.is_reachable(b) || self.dominators.dominates(a, b)
    }

    /// Whether a value, of an instruction or a parameter, is defined on every path to a position in a block.
    fn reaches(&self, val: Val, from: Option<u32>, (here, at): (u32, usize)) -> bool {
        let from = match from {
            Some(inst) => self.insts[inst as usize],
            None => (self.params.get(&val.0).copied().unwrap_or(NONE), 0),
        };
        match from {
            (NONE, _) => false,
            (block, _) if block != here => self.dominates(block, here),
            (_, place) => self.params.contains_key(&val.0) || (place as usize) < at,
        }
    }
}

/// The dominators of a function's blocks, which are found for IR with the same blocks and edges.
fn dominators(f: &Function) -> Dominators {
    let mut graph = ir::Function::new();
    let mut builder = FunctionBuilder::new(&mut graph, Type::I64);
    for _ in &f.blocks {
        builder.create_block();
    }
    let nowhere = builder.iconst(Type::I64, 0);
    for &block in &f.order {
        builder.switch_to(block);
        let mut edges = Vec::new();
        if let Some(&last) = f.blocks[block.index()].insts.last() {
            f.insts[last as usize].op.each_edge(|edge| edges.push(builder.edge(f.edges[edge.index()].to, &[])));
        }
        builder.indirect_br(nowhere, &edges);
    }
    Dominators::new(&graph)
}
