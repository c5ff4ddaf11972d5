//! Finds the parameters of blocks that are extended by zeros: the registers of all values that edges pass to them are.

use crate::analysis::Cfg;
use crate::ir::{Block, Function, Value};
use crate::machine::Machine;

/// The most walks over all edges. Each but the last finds a parameter to which something else is passed.
const ROUNDS: usize = 8;

/// Notes these parameters ([`Function::is_extended_param`]). Values and edges must not change any more.
pub fn find_extended_params<T: Machine>(target: &T, f: &mut Function, cfg: &Cfg) {
    let mut params: Vec<Value> = Vec::new();
    for &b in cfg.order.iter().skip(1).filter(|&&b| !f.is_pad(b)) {
        params.extend(f.params(b).iter().filter(|&&v| target.may_be_extended(f.value_type(v))));
    }
    params.sort_unstable();
    f.extended_params = params;
    for _ in 0..ROUNDS {
        if f.extended_params.is_empty() {
            return;
        }
        let mut others = Vec::new();
        for &b in &cfg.order {
            f.for_each_edge(f.inst(f.terminator(b)), |e| {
                let to: Block = f.edge_to(e);
                for (&param, &arg) in f.params(to).iter().zip(f.edge_args(e)) {
                    if f.is_extended_param(param) && !target.has_zeros_above(f, arg) {
                        others.push(param);
                    }
                }
            });
        }
        if others.is_empty() {
            return;
        }
        others.sort_unstable();
        f.extended_params.retain(|v| others.binary_search(v).is_err());
    }
    f.extended_params.clear();
}
