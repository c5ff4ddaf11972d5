//! A dialect of one's own: the place to see how MLIR's operations, types and attributes are added to Gusset.
//!
//! `cargo run --example dialect` compiles a module with operations of the dialect `sat`, links it with a C program by `cc`, and runs
//! that. The dialect has sums and differences that stay at the ends of their range, a type for fractions, and two attributes: one
//! puts functions into a section, the other keeps what an operation of any dialect gives within bounds.

use std::process::Command;

use gusset::dialect::{Amendment, Cast};
use gusset::dialect::{
    Conversion, Dialect, Dialects, ForeignType, Kind, Operation, Refusal, Result, TypeId, TypeTable,
};
use gusset::ir::Opcode;
use gusset::{MlirOptions, Options, Source, Target, compile_mlir};

struct Saturating;

const OPERATIONS: &[Operation] = &[
    Operation { name: "sat.add", form: "% , % {} : A", rule: "A A -> A" },
    Operation { name: "sat.sub", form: "% , % {} : A", rule: "A A -> A" },
    Operation { name: "sat.scale", form: "% by % {} : A , B", rule: "A B -> A" },
    Operation { name: "sat.store", form: "% , % [ % ] {} : A", rule: "eA A i ->" },
];

impl Dialect for Saturating {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn operations(&self) -> &'static [Operation] {
        OPERATIONS
    }

    fn attributes(&self) -> &'static [&'static str] {
        &["sat.at_most", "sat.section"]
    }

    /// `!sat.fraction<15>` has as many bits and the sign.
    fn convert_type(&self, ty: &mut ForeignType<'_>) -> Result<TypeId> {
        let bits = ty.parameter(0).and_then(|text| text.parse::<u32>().ok()).filter(|bits| (1..64).contains(bits));
        match (ty.name(), bits) {
            ("fraction", Some(bits)) => Ok(TypeTable::int(bits + 1)),
            _ => Err(Refusal::new("it is no fraction of 1 to 63 bits")),
        }
    }

    fn convert(&self, op: &mut dyn Conversion) -> Result<()> {
        let (a, b) = (op.operand(0)?, op.operand(1)?);
        let v = match op.name() {
            "sat.add" => op.intrinsic("sadd.sat", a.ty(), &[a, b])?,
            "sat.sub" => op.intrinsic("ssub.sat", a.ty(), &[a, b])?,
            // A number times a fraction: twice as wide, and back.
            "sat.scale" => {
                let (wide, fraction) = (op.types_mut().integer(64)?, op.types().ir(b.ty()).bits() - 1);
                let (a, by) = (op.cast(Cast::Sext, a, wide)?, op.cast(Cast::Sext, b, wide)?);
                let product = op.binary(Opcode::Imul, a, by)?;
                let shift = op.integer(wide, fraction.into())?;
                let v = op.binary(Opcode::Ashr, product, shift)?;
                let narrow = op.result_type(0)?;
                Some(op.cast(Cast::Trunc, v, narrow)?)
            }
            // Into a memref: nothing where the index is beyond its end.
            _ => {
                let (m, at) = (op.memref(1)?, op.operand(2)?);
                let inside = op.compare(gusset::dialect::Compare::Int(gusset::ir::IntCc::Ult), at, m.sizes[0])?;
                let ((store, _), (behind, _)) = (op.block(&[])?, op.block(&[])?);
                op.branch(inside, store, behind)?;
                op.start(store)?;
                let address = op.element_address(1, &[at])?;
                op.store(a, address)?;
                op.jump(behind, &[])?;
                op.start(behind)?;
                None
            }
        };
        v.map_or(Ok(()), |v| op.give(0, v))
    }

    /// `sat.at_most = 100` of an operation that gives an integer.
    fn amend(&self, attribute: &str, op: &mut dyn Conversion) -> Result<()> {
        let most = op.integer_attribute(attribute)?.ok_or_else(|| Refusal::new("the bound is missing"))?;
        let v = op.result(0)?;
        if !matches!(op.types().get(v.ty()).kind, Kind::Int) {
            return Err(Refusal::new("a bound is for integers"));
        }
        let most = op.integer(v.ty(), most.into())?;
        let v = op.intrinsic("smin", v.ty(), &[v, most])?;
        v.map_or(Ok(()), |v| op.give(0, v))
    }

    /// `sat.section = "name"` of a function.
    fn amend_symbol(&self, _: &str, value: &str, symbol: &mut Amendment) -> Result<()> {
        symbol.section = Some(value.trim_matches('"').to_string());
        Ok(())
    }
}

const MODULE: &str = r#"
func.func @total(%a: i8, %b: i8) -> i8 attributes {sat.section = ".text.sat"} {
  %0 = sat.add %a, %b : i8
  %1 = "sat.sub"(%0, %b) : (i8, i8) -> i8
  %2 = arith.addi %1, %b {sat.at_most = 99 : i64} : i8
  return %2 : i8
}
func.func @part(%a: i32, %by: !sat.fraction<15>) -> i32 {
  %0 = sat.scale %a by %by : i32, !sat.fraction<15>
  return %0 : i32
}
func.func @fill(%m: memref<?xi32>, %v: i32, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %to step %c1 {
    sat.store %v, %m[%i] : memref<?xi32>
  }
  return
}
"#;

const MAIN: &str = r#"#include <stdint.h>
#include <stdio.h>
int8_t total(int8_t, int8_t);
int32_t part(int32_t, int16_t);
void fill(int32_t *, int32_t *, intptr_t, intptr_t, intptr_t, int32_t, intptr_t);
int main(void) {
  int32_t all[3] = {1, 1, 1};
  fill(all, all, 0, 2, 1, 7, 1000);
  printf("%d %d %d; %d; %d %d %d\n", total(100, 100), total(20, 30), total(-100, -100), part(1000, 0x4000), all[0], all[1], all[2]);
}
"#;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut dialects = Dialects::default();
    dialects.add(Saturating).map_err(Refusal::reason)?;
    let mlir = MlirOptions::new().dialects(dialects);
    let options = Options::new().mlir(mlir);
    let target = Target::host()?;
    let compiled = compile_mlir(Source { name: "sat.mlir", text: MODULE.as_bytes() }, &target, &options, &mut |_| {})?;
    let folder = std::env::temp_dir().join(format!("gusset-dialect-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (object, main, program) = (folder.join("sat.o"), folder.join("main.c"), folder.join("program"));
    std::fs::write(&object, compiled.bytes.into_vec()?)?;
    std::fs::write(&main, MAIN)?;
    let linked = Command::new("cc").arg(&main).arg(&object).arg("-o").arg(&program).status()?;
    let ran = if linked.success() { Some(Command::new(&program).status()?) } else { None };
    std::fs::remove_dir_all(&folder)?;
    if ran.is_some_and(|ran| ran.success()) { Ok(()) } else { Err("the program was not linked, or failed".into()) }
}
