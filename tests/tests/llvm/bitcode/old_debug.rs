//! Debug information of LLVM 3.7 and 3.8, in a module that is written bit by bit: variables say which global or constant they are, types
//! are named by identifiers, units list their subprograms, and these name their functions.

use super::old::{Writer, check};

/// The nodes, by their numbers; where one refers to another, the number is one higher.
fn nodes(w: &mut Writer) {
    const FILE: u64 = 2 + 1;
    const INT: u64 = 4 + 1;
    const UNIT: u64 = 25 + 1;
    let variable = |scope: u64, name: u64, described: u64| [0, scope, name, 0, FILE, 1, INT, 0, 1, described, 0];
    w.text(1, &[], "a.c");
    w.text(1, &[], "/");
    w.record(16, &[0, 1, 2]);
    w.text(1, &[], "int");
    w.record(15, &[0, 0x24, 3 + 1, 32, 32, 5]);
    w.text(1, &[], "g");
    w.text(1, &[], "c");
    w.text(1, &[], "h");
    w.record(2, &[I32_PTR, 0]);
    w.record(2, &[I32, FIRST_CONSTANT]);
    w.record(27, &variable(UNIT, 5 + 1, 8 + 1));
    w.record(27, &variable(UNIT, 6 + 1, 9 + 1));
    w.record(27, &variable(26 + 1, 7 + 1, 0));
    w.record(29, &[0, 0x22, 4]);
    w.record(27, &variable(UNIT, 3 + 1, 13 + 1));
    w.record(3, &[10 + 1, 11 + 1, 12 + 1, 14 + 1]);
    w.text(1, &[], "T");
    w.record(18, &[1, 0x13, 16 + 1, FILE, 1, 0, 0, 32, 32, 0, 0, 0, 0, 0, 0, 16 + 1]);
    w.record(17, &[0, 0x0f, 0, 0, 0, 0, 16 + 1, 64, 64, 0, 0, 0]);
    w.record(3, &[16 + 1, 18 + 1]);
    w.record(19, &[0, 0, 19 + 1]);
    w.text(1, &[], "f");
    w.record(2, &[FUNCTION_PTR, 1]);
    w.record(21, &[1, FILE, 21 + 1, 0, FILE, 3, 20 + 1, 0, 1, 3, 0, 0, 0, 0, 0, 22 + 1, 0, 0, 0]);
    w.record(3, &[23 + 1]);
    w.record(20, &[1, 12, FILE, 0, 0, 0, 0, 0, 1, 0, 0, 24 + 1, 15 + 1, 0, 0]);
    w.record(24, &[0, 0, FILE, 6 + 1, 1]);
    w.record(26, &[0, 0x30, 5 + 1, INT, 9 + 1]);
    w.text(1, &[], "Debug Info Version");
    w.record(2, &[I32, FIRST_CONSTANT + 1]);
    w.record(2, &[I32, FIRST_CONSTANT + 2]);
    w.record(3, &[29 + 1, 28 + 1, 30 + 1]);
    for (name, node) in [("llvm.dbg.cu", 25), ("llvm.module.flags", 31), ("others", 27)] {
        w.text(4, &[], name);
        w.record(10, &[node]);
    }
}

const I32: u64 = 0;
const I32_PTR: u64 = 1;
const FUNCTION_PTR: u64 = 4;
/// After the variable and the function: -1, 2 and 3.
const FIRST_CONSTANT: u64 = 2;

#[test]
fn old_debug_information_is_completed() {
    let module = Writer::module(|w| {
        w.record(1, &[1]);
        w.block(17, |w| {
            w.record(1, &[5]);
            for (code, fields) in [(7, &[32][..]), (8, &[I32, 0]), (2, &[]), (21, &[0, 2]), (8, &[3, 0])] {
                w.record(code, fields);
            }
        });
        w.text(16, &[], "old");
        w.record(7, &[I32_PTR, 0, FIRST_CONSTANT + 1, 0, 0, 0]);
        w.record(8, &[FUNCTION_PTR, 0, 0, 0, 0, 0, 0, 0]);
        w.block(11, |w| {
            w.record(1, &[I32]);
            [3, 4, 6].into_iter().for_each(|number| w.record(4, &[number]));
        });
        w.block(22, |w| w.text(6, &[0], "dbg"));
        w.block(15, nodes);
        w.block(12, |w| {
            w.record(1, &[1]);
            w.record(10, &[]);
        });
        w.block(14, |w| ["g", "f"].iter().enumerate().for_each(|(value, name)| w.text(1, &[value as u64], name)));
    });
    let parts = [
        "@g = global i32 -1, !dbg",
        "DW_OP_constu, 4294967295, DW_OP_stack_value",
        "DW_OP_plus_uconst, 4",
        "define void @f() !dbg",
    ];
    // With debug information and without.
    check(module, ("old-debug", 10), &parts);
}
