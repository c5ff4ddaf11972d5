//! Passes over the IR.

mod accesses;
mod bytes;
mod compares;
mod conditions;
mod extended;
mod gvn;
mod hoist;
mod increments;
mod indirect;
mod inline;
mod legalize;
mod library;
mod merge;
mod offsets;
mod operands;
mod parameters;
mod pipeline;
mod promote;
mod quotients;
mod references;
mod results;
mod safe_stack;
mod saturate;
mod scalar_replacement;
mod simplify;
mod sink;
mod soften;
mod stack_areas;
mod stack_protector;
mod tail;
mod thread;
mod uses;
mod widen;

pub use accesses::narrow_accesses;
pub use bytes::Bytes;
pub use conditions::split_conditions;
pub use extended::find_extended_params;
pub use gvn::Gvn;
pub use hoist::hoist_addresses;
pub use increments::place_increments;
pub use indirect::split_indirect;
pub use inline::{Bodies, Inlinable, InlinableFunctions, Inline};
pub use legalize::{LegalizeError, Legalizer};
pub use library::Library;
pub use merge::merge_blocks;
pub use offsets::fold_offsets;
pub use operands::copy_folded_operands;
pub use parameters::unite_parameters;
pub use pipeline::{PIPELINE, Pass, PassSet, Point, Step};
pub use promote::Promote;
pub use references::spill_references;
pub use results::results_by_address;
pub use safe_stack::safe_stack;
pub use saturate::narrow_saturating;
pub use scalar_replacement::ScalarReplacement;
pub use simplify::Simplify;
pub use sink::Sink;
pub use soften::{Soft, soften};
pub use stack_areas::StackAreas;
pub(crate) use stack_protector::is_exit;
pub use stack_protector::needs_stack_protector;
pub use tail::jump_to_callees;
pub use thread::thread_jumps;
pub use uses::UseCounts;
pub use widen::widen_loads;

use crate::analysis::Cfg;
use crate::ir::{Block, Edge, Function, Type, Value, ValueDef};

/// Inserts new blocks into the layout: of each pair, the second before the first.
pub(crate) fn place_before(f: &mut Function, mut before: Vec<(Block, Block)>) {
    before.sort_unstable();
    let old = std::mem::take(&mut f.layout);
    f.layout.reserve(old.len() + before.len());
    for b in old {
        let at = before.partition_point(|&(next, _)| next < b);
        f.layout.extend(before[at..].iter().take_while(|&&(next, _)| next == b).map(|&(_, own)| own));
        f.layout.push(b);
    }
}

/// For each instruction the index of its block in the order; `u32::MAX` for those of no block of it.
fn indices_of_blocks(f: &Function, cfg: &Cfg) -> Vec<u32> {
    let mut indices = vec![u32::MAX; f.insts.len()];
    for (index, &b) in cfg.order.iter().enumerate() {
        let data = f.blocks[b.index()];
        indices[data.first as usize..data.end as usize].fill(index as u32);
    }
    indices
}

/// Removes parameters that became other values.
fn remove_params(f: &mut Function, cfg: &Cfg) {
    let is_gone = |f: &Function, v: Value| matches!(f.value_def(v), ValueDef::Alias(_));
    let mut edges: Vec<(Block, Edge)> = Vec::new();
    for &b in &cfg.order {
        f.for_each_edge(f.inst(f.terminator(b)), |e| {
            let to = f.edge_to(e);
            if f.params(to).iter().any(|&p| is_gone(f, p)) {
                edges.push((to, e));
            }
        });
    }
    edges.sort_unstable();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        let keep: Vec<bool> = f.params(group[0].0).iter().map(|&p| !is_gone(f, p)).collect();
        let list: Vec<Edge> = group.iter().map(|&(_, e)| e).collect();
        f.retain_params(group[0].0, &list, |k| keep[k]);
    }
}

/// The bits of 2 to the power of `k`; infinity beyond the format.
fn power_of_two(ty: Type, k: i32) -> u128 {
    let (bias, fraction, first) = match ty {
        Type::F32 => (127, 23, 0),
        Type::F64 => (1023, 52, 0),
        Type::F80 => (16383, 64, 1 << 63),
        _ => (16383, 112, 0),
    };
    ((bias + k).min(2 * bias + 1) as u128) << fraction | first
}

#[cfg(test)]
mod tests;
