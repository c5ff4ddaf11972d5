//! The bytes of values, split where their members begin and end.

use gusset_c::Leaf;

use crate::view::{Passing, Value};

/// A range of a value's memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    /// In bytes from the value's start; bit-fields have fractions.
    pub start: f64,
    pub end: f64,
    /// Names of different lengths, the longest first; empty for bytes without meaning.
    pub labels: Vec<String>,
    pub tip: String,
}

impl Segment {
    pub fn is_padding(&self) -> bool {
        self.labels.is_empty()
    }

    /// The part of it between two bytes, if any.
    pub fn between(&self, start: f64, end: f64) -> Option<Segment> {
        let (from, to) = (self.start.max(start), self.end.min(end));
        if from >= to {
            return None;
        }
        let mut part = Segment { start: from, end: to, ..self.clone() };
        if from > self.start || to < self.end {
            // Which bytes of it these are.
            let range = format!("{}..{}", trim(from - self.start), trim(to - self.start));
            let with_range = self.labels.iter().map(|label| format!("{label} {range}"));
            part.labels = with_range.chain(self.labels.iter().cloned()).collect();
        }
        Some(part)
    }
}

/// The segments of a value's memory image, without gaps.
pub(crate) fn of_memory(value: &Value) -> Vec<Segment> {
    let size = value.layout.map_or(0, |layout| layout.size) as f64;
    if value.is_scalar() {
        let leaf_size = value.leaves[0].bits as f64 / 8.0;
        let tip = format!("{} {}", value.spelling, value.name);
        let whole = Segment { start: 0.0, end: leaf_size.min(size), labels: vec![value.name.clone()], tip };
        return vec![whole];
    }
    let mut leaves: Vec<&Leaf> = value.leaves.iter().filter(|leaf| leaf.bits > 0).collect();
    leaves.sort_by_key(|leaf| leaf.bit_offset);
    let mut segments: Vec<Segment> = Vec::new();
    let mut end = 0.0;
    for leaf in leaves {
        let (start, stop) = (leaf.bit_offset as f64 / 8.0, (leaf.bit_offset + leaf.bits) as f64 / 8.0);
        let full = format!("{}.{}", value.name, leaf.path).replace(".[", "[");
        let tip = format!("{} {full}: bytes {} to {}", leaf.spelling, trim(start), trim(stop));
        if start < end {
            // A member of a union that overlaps others only adds its name.
            if let Some(last) = segments.last_mut() {
                last.tip += &format!("; {tip}");
                let joined: Vec<String> = last.labels.iter().map(|label| format!("{label}|{}", leaf.path)).collect();
                last.labels.splice(0..0, joined);
            }
            if stop > end {
                segments.push(Segment { start: end, end: stop, labels: vec![full, leaf.path.clone()], tip });
                end = stop;
            }
            continue;
        }
        if start > end {
            segments.push(padding(end, start));
        }
        segments.push(Segment { start, end: stop, labels: vec![full, leaf.path.clone()], tip });
        end = stop;
    }
    if end < size {
        segments.push(padding(end, size));
    }
    segments
}

/// The segments of what is passed: the value's own, or one for its address of `pointer` bytes.
pub(crate) fn of_passed(value: &Value, pointer: f64) -> Vec<Segment> {
    match value.passing {
        Passing::Address { .. } => {
            let tip = format!("the address of {}", value.name);
            vec![Segment { start: 0.0, end: pointer, labels: vec![format!("&{}", value.name), "&".into()], tip }]
        }
        _ => of_memory(value),
    }
}

fn padding(start: f64, end: f64) -> Segment {
    Segment { start, end, labels: Vec::new(), tip: format!("padding: bytes {} to {}", trim(start), trim(end)) }
}

fn trim(bytes: f64) -> String {
    let text = format!("{bytes:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
