//! What the passes leave beside the function. What they make of functions is recorded in `tests/ir`.

use super::{Bytes, Promote, ScalarReplacement, fold_offsets};
use crate::analysis::Cfg;
use crate::ir::tests::read;
use crate::ir::{Type, verify};
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
