//! Texts that would take the reader beyond its stack or its time.

mod refused;

use refused::refused;

/// Chains of operators that stand in no parentheses are walked over as deep as parentheses are.
#[test]
fn long_affine_expressions() {
    for chain in [" + d0", " mod 5", " * 2", " floordiv 3"] {
        let map = format!("affine_map<(d0) -> (d0{})>", chain.repeat(100_000));
        let text = refused("%i: index", &format!("%0 = affine.apply {map}(%i)"));
        assert!(text.contains("too many operations"), "{chain}");
    }
}

#[test]
fn regions_that_leave_with_other_values() {
    for values in ["scf.yield", "scf.yield %a, %a : f32, f32", "scf.yield %i : i32"] {
        let body = format!("%0 = scf.execute_region -> f32 {{ {values} }}");
        assert!(refused("%a: f32, %i: i32", &body).contains("not of the types wanted"), "{values}");
    }
}

#[test]
fn regions_that_are_missing() {
    for body in [
        "scf.index_switch %i case 0 7",
        "scf.index_switch %i default 7",
        "scf.forall.in_parallel 7",
        "scf.if %b else",
        "scf.while : () -> () 7",
        "scf.for %j = %i to %i step %i 7",
        "scf.parallel (%j) = (%i) to (%i) step (%i) 7",
    ] {
        let message = refused("%i: index, %b: i1", body);
        assert!(message.contains("expected"), "{body}: {message}");
    }
}
