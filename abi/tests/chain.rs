//! Static chains of C-level signatures: a register of their own, wherever they stand.

use gusset_abi::{AbiTarget, CType, Convention, Param, Signature, classify, to_llvm};

fn places(triple: &str, signature: &Signature) -> String {
    let target = AbiTarget::from_triple(triple, Default::default()).expect("a target");
    classify(&target, signature).map_or_else(|e| format!("error: {e}"), |abi| abi.to_string())
}

#[test]
fn a_chain_takes_no_place_of_other_arguments() {
    let with = |params: [Param; 3]| params.into_iter().fold(Signature::c(CType::I32), Signature::param);
    let int = || Param::from(CType::I32);
    for (triple, register) in [
        ("x86_64-unknown-linux-gnu", "r10"),
        ("x86_64-pc-windows-msvc", "r10"),
        ("i686-unknown-linux-gnu", "ecx"),
        ("i686-pc-windows-msvc", "ecx"),
        ("aarch64-unknown-linux-gnu", "x15"),
        ("armv7-unknown-linux-gnueabihf", "r12"),
    ] {
        let plain = places(triple, &Signature::c(CType::I32).param(CType::I32).param(CType::I32));
        let without =
            |text: &str| text.split("; ").filter(|part| !part.starts_with('a')).collect::<Vec<_>>().join("; ");
        for (at, params) in [
            (1, [Param::chain(), int(), int()]),
            (2, [int(), Param::chain(), int()]),
            (3, [int(), int(), Param::chain()]),
        ] {
            let found = places(triple, &with(params));
            let chain = found.split("; ").find(|part| part.starts_with(&format!("a{at}: ")));
            assert!(chain.is_some_and(|part| part.ends_with(&format!("@{register}"))), "{triple}: {found}");
            assert_eq!(without(&found), without(&plain), "{triple}");
            let others = |text: &str, skip: usize| -> Vec<String> {
                let arguments = text.split("; ").filter(|part| part.starts_with('a'));
                let arguments = arguments.filter(|part| !part.starts_with(&format!("a{skip}:")));
                arguments.map(|part| part.split_once(": ").map_or("", |p| p.1).to_string()).collect()
            };
            assert_eq!(others(&found, at), others(&plain, 0), "{triple}: {found}");
        }
    }
}

#[test]
fn conventions_with_arguments_in_the_register() {
    let chained = |convention| {
        Signature::c(CType::I32).with_convention(convention).param(CType::I32).param(CType::I32).param(Param::chain())
    };
    let found = places("i686-pc-windows-msvc", &chained(Convention::Fastcall));
    assert!(found.contains("a3: [0..4)@eax"), "{found}");
    let mut three =
        Signature::c(CType::I32).param(CType::I32).param(CType::I32).param(CType::I32).param(Param::chain());
    three.modifiers.regparm = 3;
    let found = places("i686-unknown-linux-gnu", &three);
    assert!(found.contains("argument 3: the convention has no register left"), "{found}");
    let twice = Signature::c(CType::I32).param(Param::chain()).param(Param::chain());
    assert!(places("x86_64-unknown-linux-gnu", &twice).contains("argument 1: a second static chain"));
    assert!(to_llvm(&AbiTarget::X86_64_LINUX, &chained(Convention::C)).is_err());
}
