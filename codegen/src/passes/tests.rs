//! What the passes leave beside the function. What they make of functions is recorded in `tests/ir`.

use super::{Bytes, Promote, ScalarReplacement, fold_offsets};
use crate::analysis::Cfg;
use crate::ir::tests::read;
use crate::ir::{Opcode, Type, verify};
use crate::machine::AccessAlignment;

#[test]
fn functions_verify_and_positions_are_as_promotion_leaves_them() {
    let texts = [include_str!("../../../tests/ir/variables.gir"), include_str!("../../../tests/ir/records.gir")];
    for text in texts {
        let (module, functions) = read(text).unwrap_or_else(|e| panic!("{e}"));
        for mut f in functions {
            let mut cfg = Cfg::default();
            ScalarReplacement::default().run(&mut f, Type::I64, Default::default());
            verify(&module, &f).unwrap_or_else(|e| panic!("{e}"));
            cfg.compute(&f);
            Promote::default().run(&mut f, &mut cfg);
            fold_offsets(&mut f, Type::I64, AccessAlignment::ANY, &mut Bytes::default());
            verify(&module, &f).unwrap_or_else(|e| panic!("{e}"));
            let starts = cfg.start.clone();
            cfg.compute(&f);
            assert_eq!(starts, cfg.start, "{}", module.symbol(f.symbol).name);
        }
    }
}

/// A word whose bytes are swapped, in a loop; the distance of its address comes from outside and is moved into the load.
const SWAPPED: &str = "module \"swapped\"
s0 = export function @f

function @f sig0 {
  sig0 = (i64, i64) -> () = c (ptr, i64) -> void
b0(v0: i64, v1: i64):
  v3: i64 = iadd v0, 64:i64
  jump b1(0:i64)
b1(v5: i64):
  v6: i64 = index v3, v5, 4
  v7: i32 = load v6, 0, align 4
  v9: i32 = and v7, 255:i32
  v11: i32 = shl v9, 24:i32
  v13: i32 = and v7, 65280:i32
  v15: i32 = shl v13, 8:i32
  v16: i32 = or v11, v15
  v18: i32 = and v7, 16711680:i32
  v19: i32 = lshr v18, 8:i32
  v20: i32 = or v16, v19
  v22: i32 = and v7, -16777216:i32
  v23: i32 = lshr v22, 24:i32
  v24: i32 = or v20, v23
  v25: i64 = index v0, v5, 4
  store i32 v24, v25, 0, align 4
  v27: i64 = iadd v5, 1:i64
  v28: i1 = icmp ult i64 v27, v1
  br v28, b1(v27), b2
b2:
  return
}
";

#[test]
fn joined_bytes_follow_their_address() {
    let (_, mut functions) = read(SWAPPED).unwrap_or_else(|e| panic!("{e}"));
    let (f, mut bytes) = (&mut functions[0], Bytes::default());
    fold_offsets(f, Type::I64, AccessAlignment::ANY, &mut bytes);
    assert!(bytes.join(f), "nothing is joined");
    let loads: Vec<u32> = f.insts.iter().filter(|d| d.op == Opcode::Load).map(|d| d.b).collect();
    assert!(!loads.is_empty() && loads.iter().all(|&distance| distance == 64), "{loads:?}");
}
