//! What a function's arguments are filled with: what the types in MLIR say of the parameters in LLVM IR.

use std::fmt::Write;

use super::parts::{Item, split};
use super::signature::{Leaf, SLOT, Signature};

/// A leaf of the driver (see there).
pub struct Fill {
    at: Leaf,
    buffer: usize,
    element: char,
    width: u32,
    value: i64,
}

/// How many elements dimensions have that the type leaves open.
const OPEN: i64 = 7;

/// The kind and width of a memref's elements.
fn element(ty: &str) -> (char, u32) {
    match ty {
        "f16" => ('h', 16),
        "bf16" => ('b', 16),
        "f32" => ('f', 32),
        "f64" => ('d', 64),
        "index" => ('x', 64),
        "i1" => ('i', 1),
        _ if ty.contains("f32") => ('f', 32),
        _ if ty.contains("f64") => ('d', 64),
        _ => ('i', ty.strip_prefix('i').and_then(|n| n.parse().ok()).unwrap_or(32)),
    }
}

/// A ranked memref: its sizes, strides, offset and element type.
fn memref(ty: &str) -> Option<(Vec<i64>, Vec<i64>, i64, String)> {
    let inner = split(ty.strip_prefix("memref<")?.strip_suffix('>')?);
    let (mut sizes, mut rest) = (Vec::new(), inner.first()?.as_str());
    while let Some((n, after)) = rest.split_once('x') {
        match n {
            "?" => sizes.push(OPEN),
            _ => sizes.push(match n.parse() {
                Ok(n) => n,
                Err(_) => break,
            }),
        }
        rest = after;
    }
    let mut strides: Vec<i64> = vec![1; sizes.len()];
    for k in (1..sizes.len()).rev() {
        strides[k - 1] = strides[k] * sizes[k];
    }
    let mut offset = 0;
    if let Some(layout) = inner.iter().find_map(|l| l.strip_prefix("strided<[")) {
        let (list, after) = layout.split_once(']')?;
        for (k, stride) in split(list).iter().enumerate() {
            if let (Ok(n), Some(s)) = (stride.parse(), strides.get_mut(k)) {
                *s = n;
            }
        }
        if let Some((_, n)) = after.split_once("offset: ") {
            offset = n.trim_end_matches('>').parse().unwrap_or(3);
        }
    }
    Some((sizes, strides, offset, rest.to_string()))
}

/// The leaves of a function's arguments, and those of its result.
pub fn arguments(item: &Item, signature: &Signature) -> (Vec<Fill>, Vec<Fill>) {
    let plain = |at: Leaf, buffer: usize| Fill { at, buffer, element: 'i', width: 8, value: 0 };
    // What the types in MLIR say: kinds of parameters in order.
    let mut said: Vec<(char, i64, usize, (char, u32))> = Vec::new();
    for (k, ty) in item.params.iter().enumerate() {
        let none = ('i', 8);
        let buffer = k + 1;
        match memref(ty) {
            _ if ty == "index" => said.push(('x', 0, buffer, none)),
            _ if ty.starts_with("memref<*") => {
                said.extend([('=', 2, 0, none), ('u', 0, buffer, element(&ty[8..ty.len() - 1]))])
            }
            Some((.., of)) if item.bare => said.push(('m', 0, buffer, element(&of))),
            Some((sizes, strides, offset, of)) => {
                said.extend([('m', 0, buffer, element(&of)), ('m', 0, buffer, element(&of)), ('=', offset, 0, none)]);
                said.extend(sizes.into_iter().chain(strides).map(|n| ('=', n, 0, none)));
            }
            None => said.push(('.', 0, buffer, none)),
        }
    }
    let known = said.len() == signature.params.len();
    let mut fills = Vec::new();
    for (k, (_, ty)) in signature.params.iter().enumerate() {
        let mut leaves = Vec::new();
        ty.leaves(k as u32 * SLOT, &mut leaves);
        match said.get(k).filter(|s| known && s.0 != '.') {
            Some(&(kind, value, buffer, (element, width))) => {
                fills.extend(leaves.iter().map(|&at| Fill { at: Leaf { kind, ..at }, buffer, element, width, value }));
            }
            None => fills.extend(leaves.iter().enumerate().map(|(i, &at)| plain(at, k + i + 1))),
        }
    }
    let mut results = Vec::new();
    if let Some((_, ty)) = &signature.result {
        ty.leaves(0, &mut results);
    }
    (fills, results.into_iter().map(|at| plain(at, 0)).collect())
}

/// Leaves as a table in C.
pub fn leaf_table(name: &str, fills: &[Fill], out: &mut String) {
    *out += &format!("static const struct leaf {name}[] = {{");
    for f in fills {
        let Leaf { offset, kind, bits } = f.at;
        let _ = write!(
            out,
            "{{{offset}, '{kind}', {bits}, {}, '{}', {}, {}}},",
            f.buffer % 24,
            f.element,
            f.width,
            f.value
        );
    }
    *out += "};\n";
}
