//! Operands of debug records become those of the values' parts.

use super::Cx;
use crate::debug::DiExpression;
use crate::ir::{ConstData, DebugRecord, DebugRecordKind, Value};

impl Cx<'_> {
    /// Gives the records of the new function, which have been carried over, their operands.
    pub(super) fn debug_operands(&mut self) {
        let cx = self;
        let from = &cx.src.debug;
        (cx.out.debug.subprogram, cx.out.debug.keeps_variables) = (from.subprogram, from.keeps_variables);
        if from.records.is_empty() {
            return;
        }
        cx.out.debug.expressions.clone_from(&from.expressions);
        cx.out.set_debug_constants(true);
        for mut record in std::mem::take(&mut cx.out.debug.records) {
            let operands = from.operands_of(&record);
            match *operands {
                [Some(v)] if record.kind == DebugRecordKind::Value => value(cx, record, v),
                _ => {
                    let operands: Vec<_> =
                        operands.iter().map(|&v| parts(cx, v?).filter(|p| p.len() == 1).map(|p| p[0])).collect();
                    record.operands = 0..0;
                    cx.out.debug.push_record(record, operands);
                }
            }
        }
        cx.out.set_debug_constants(false);
    }
}

/// The record of a value in parts becomes one for each part.
fn value(cx: &mut Cx<'_>, record: DebugRecord, v: Value) {
    let all = parts(cx, v).unwrap_or_default();
    if let [part] = all[..] {
        return cx.out.debug.push_record(record, [Some(part)]);
    }
    let whole = u64::from(cx.src.value_type(v).bits());
    let expression = &cx.src.debug.expressions[record.expression as usize];
    let (mut offset, mut made) = (0, Vec::new());
    for &part in &all {
        let bits = u64::from(cx.out.value_type(part).bits()).min(whole.saturating_sub(offset));
        made.extend(expression.part(offset, bits).map(|of_part| (part, of_part)));
        offset += bits;
    }
    if made.is_empty() || made.len() < all.len() {
        return cx.out.debug.push_record(record, [None]);
    }
    for (part, DiExpression(words)) in made {
        let expression = cx.out.debug.expression(&words);
        cx.out.debug.push_record(DebugRecord { expression, ..record.clone() }, [Some(part)]);
    }
}

/// The values that stand for a value of the old function. `None` if there are none, or if they are no plain numbers.
fn parts(cx: &mut Cx<'_>, v: Value) -> Option<Vec<Value>> {
    let v = cx.src.resolve(v);
    let mapped = cx.map[v.index()];
    if mapped.len != 0 {
        let parts = &cx.parts[mapped.start as usize..][..mapped.len.into()];
        return (mapped.width == 0).then(|| parts.to_vec());
    }
    match cx.src.constant(v) {
        Some(ConstData::Poison) => None,
        Some(_) => cx.get(v).ok().filter(|held| held.1 == 0).map(|held| held.0.to_vec()),
        None => match cx.src.value_def(v) {
            crate::ir::ValueDef::Slot(_) => cx.get(v).ok().map(|held| held.0.to_vec()),
            _ => None,
        },
    }
}
