#[derive(Clone, Copy)]
pub struct Point {
    x: i32,
    y: i64,
}
pub enum Shape {
    Circle(f32),
    Rect { w: i64, h: i64 },
    Unit,
}
#[inline(never)]
pub fn area(shape: &Shape, by: i64) -> i64 {
    let factor = by + 1;
    match shape {
        Shape::Circle(radius) => {
            let whole = *radius as i64;
            whole * factor
        }
        Shape::Rect { w, h } => {
            let product = w * h;
            product * factor
        }
        Shape::Unit => 0,
    }
}
#[inline(never)]
pub fn total(points: &[Point], name: &str) -> i64 {
    let mut sum = name.len() as i64;
    for point in points {
        let each = point.x as i64 + point.y;
        sum += each;
    }
    sum
}
pub trait Named {
    fn name(&self) -> String;
}
impl Named for Point {
    fn name(&self) -> String {
        let text = format!("{}, {}", self.x, self.y);
        text
    }
}
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let points = [Point { x: 1, y: 2 }, Point { x: 3, y: -4 }];
    let shapes = [Shape::Circle(2.5), Shape::Rect { w: 3, h: 5 }, Shape::Unit];
    let maybe: Option<&Point> = Some(&points[1]);
    let letter = 'q';
    let pair = (7u8, true);
    let mut result = 0;
    for shape in &shapes {
        result += area(shape, 1);
    }
    result += total(&points, "name");
    let text = points[0].name();
    let boxed: Box<dyn Named> = Box::new(points[1]);
    result += (text.len() + boxed.name().len()) as i64;
    if maybe.is_some() && letter == 'q' && pair.1 { (result & 1) as i32 } else { 7 }
}
