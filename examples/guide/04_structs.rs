//! Chapter 4: structs by value. C calls functions of Tern that take and return structs.

use gusset::abi::{CType, Signature};
use gusset::ir::{Type, Value};
use gusset::{Body, BuilderOptions, Linkage, ObjectBuilder, Target};

use super::{Result, run_with_c};

/// The program that calls Tern's functions, as C's programmers write it.
const MAIN: &str = r#"
    #include <stdio.h>
    struct vec { double x, y; };
    struct body { struct vec at; float mass; };
    struct vec add(struct vec, struct vec);
    struct body move(struct body, struct vec);

    int main(void) {
        struct vec sum = add((struct vec){1, 2}, (struct vec){3, 4});
        printf("sum: %g %g\n", sum.x, sum.y);
        struct body moved = move((struct body){sum, 2.5f}, (struct vec){10, 20});
        printf("moved: %g %g, mass %g\n", moved.at.x, moved.at.y, moved.mass);
        return 0;
    }
"#;

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());

    // struct Vec { x: double, y: double }
    let vec = CType::structure([CType::F64, CType::F64]);
    // struct Body { at: Vec, mass: float }
    let body = CType::structure([vec.clone(), CType::F32]);
    let (vec_fields, body_fields) = (object.offsets(&vec)?, object.offsets(&body)?);

    // fn add(a: Vec, b: Vec) -> Vec { return Vec(a.x + b.x, a.y + b.y); }
    let signature = Signature::c(vec.clone()).param(vec.clone()).param(vec.clone());
    let add = object.declare("add", signature, Linkage::Export)?;
    object.define(add, |b| {
        // A struct is passed by its address, which belongs to this function.
        let (left, right) = (b.param(0), b.param(1));
        let sum = b.local(&vec);
        for &field in &vec_fields {
            add_field(b, sum, left, right, field);
        }
        b.ret(Some(sum));
    })?;

    // fn move(body: Body, by: Vec) -> Body { body.at = add(body.at, by); return body; }
    let signature = Signature::c(body.clone()).param(body.clone()).param(vec.clone());
    let moved = object.declare("move", signature, Linkage::Export)?;
    object.define(moved, |b| {
        let (it, by) = (b.param(0), b.param(1));
        let at = b.offset(it, body_fields[0]);
        let sum = b.call(add, &[at, by]).ok_or("`add` returns a struct")?;
        b.copy(at, sum, &vec);
        b.ret(Some(it));
        Result::Ok(())
    })?;

    run_with_c(&object.finish()?, MAIN, &[])
}

/// `to.field = left.field + right.field`
fn add_field(b: &mut Body<'_, '_>, to: Value, left: Value, right: Value, field: i32) {
    let (x, y) = (b.load(Type::F64, left, field), b.load(Type::F64, right, field));
    let sum = b.fadd(x, y);
    b.store(sum, to, field);
}
