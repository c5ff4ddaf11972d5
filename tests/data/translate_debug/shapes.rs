pub struct Node { pub v: u32, pub next: Option<Box<Node>> }
pub enum Shape { Circle(f32), Rect { w: i64, h: i64 }, Unit }
pub fn sum(n: &Node) -> u32 { let mut s = 0; let mut p = Some(n); while let Some(q) = p { s += q.v; p = q.next.as_deref(); } s }
pub fn area(s: &Shape) -> f64 { match s { Shape::Circle(r) => (*r as f64) * 3.0, Shape::Rect { w, h } => (w * h) as f64, Shape::Unit => 0.0 } }
