//! The trampolines of the ABI layer at work, in place and in a pool, on every architecture: a program of GCC's puts their bytes
//! where they were made for, and calls functions that read the static chain register.

use gusset_abi::{
    AbiFeatures, AbiTarget, Arch, Convention, Isa, PoolStub, Trampoline, TrampolineOptions, static_chain,
};
use gusset_tests::tools::{self, Failure};
use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

/// Where the program maps memory for both forms.
const IN_PLACE: u64 = 0x3000_0000;
const POOL: u64 = 0x3100_0000;
const SLOTS: u64 = POOL + 4096;

struct Machine {
    arch: Arch,
    compiler: &'static str,
    options: &'static [&'static str],
    /// The emulator, if the machine is another than the one that runs the test.
    runner: Option<&'static str>,
    isas: &'static [Isa],
}

fn run(machine: &Machine) -> Result<(), Failure> {
    let folder = tools::work_folder("trampolines");
    let program = folder.join(format!("{:?}", machine.arch));
    let source = tools::root().join("tests/tests/runtime/trampolines/program.c");
    let mut compile = tools::limited(120, machine.compiler);
    compile.args(["-O1", "-static", "-fno-pie", "-no-pie", "-o"]).arg(&program).arg(source).args(machine.options);
    tools::succeed(&mut compile)?;
    let start = || -> Command {
        match machine.runner {
            None => tools::limited(60, &program),
            Some(emulator) => {
                let mut command = tools::limited(60, emulator);
                command.arg(&program);
                command
            }
        }
    };
    let printed = tools::succeed(&mut start())?.text();
    let functions: HashMap<&str, u64> = printed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, address)| Some((name, u64::from_str_radix(address, 16).ok()?)))
        .collect();
    let (text, calls) = script(machine, &functions);
    let path = program.with_extension("txt");
    std::fs::write(&path, text)?;
    let outcome = tools::run(start().arg(&path))?;
    let expected = format!("{calls} calls\n");
    if outcome.code != 0 || outcome.text() != expected {
        return Err(Failure::new(format!("exit code {}: {}{}", outcome.code, outcome.text(), outcome.errors())));
    }
    Ok(())
}

fn script(machine: &Machine, functions: &HashMap<&str, u64>) -> (String, usize) {
    let features = AbiFeatures::default();
    let target = AbiTarget { arch: machine.arch, features, ..AbiTarget::X86_64_LINUX };
    let (mut writes, mut calls) = (String::new(), String::new());
    let (mut at, mut slot, mut count) = (0, 0, 0u64);
    for (name, callee) in functions {
        let (convention, kind) = match *name {
            "fast" => (Convention::Fastcall, 'f'),
            _ => (Convention::C, 'c'),
        };
        let chain_register = static_chain(&target, convention);
        for (isa, landing_pad) in machine.isas.iter().flat_map(|isa| [(*isa, false), (*isa, true)]) {
            let options = TrampolineOptions { landing_pad, isa };
            let Ok(trampoline) = Trampoline::new(&target, chain_register, options) else {
                assert!(landing_pad && machine.arch == Arch::Arm, "{options:?}");
                continue;
            };
            let mut write_bytes = |address: u64, bytes: &[u8]| {
                let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                let _ = writeln!(writes, "w {address:x} {hex}");
            };
            let mut call = |address: u64, chain: u64| {
                count += 1;
                let _ = writeln!(calls, "c {address:x} {chain:x} {kind}");
            };
            let mut bytes = vec![0; trampoline.code.len()];
            let address = IN_PLACE + at;
            let chain = 0x1234_5670 + at;
            trampoline.write(&mut bytes, address, *callee, chain).expect("a place that it may have");
            write_bytes(address, &bytes);
            call(address | u64::from(trampoline.adjust), chain);
            at += 64;
            let Ok(stub) = PoolStub::new(&target, chain_register, options) else {
                assert_eq!(isa, Isa::Thumb1);
                continue;
            };
            let (address, data) = (POOL + slot, SLOTS + slot);
            let mut bytes = vec![0; stub.code.len()];
            stub.write(&mut bytes, address, data).expect("the next page is in reach");
            write_bytes(address, &bytes);
            let width = target.pointer_bytes() as usize;
            let chain = 0x0bad_0000 + slot;
            write_bytes(data + u64::from(stub.callee_at), &callee.to_le_bytes()[..width]);
            write_bytes(data + u64::from(stub.chain_at), &chain.to_le_bytes()[..width]);
            call(address | u64::from(stub.adjust), chain);
            slot += 64;
        }
    }
    (format!("{writes}x\n{calls}"), count as usize)
}

#[test]
fn x86_64() -> Result<(), Failure> {
    let compiler = "gcc";
    run(&Machine { arch: Arch::X86_64, compiler, options: &[], runner: None, isas: &[Isa::Base] })
}

#[test]
fn i386() -> Result<(), Failure> {
    let compiler = "i686-linux-gnu-gcc";
    run(&Machine { arch: Arch::X86, compiler, options: &[], runner: None, isas: &[Isa::Base] })
}

#[test]
fn aarch64() -> Result<(), Failure> {
    let compiler = "aarch64-linux-gnu-gcc";
    run(&Machine { arch: Arch::Aarch64, compiler, options: &[], runner: Some("qemu-aarch64"), isas: &[Isa::Base] })
}

#[test]
fn arm() -> Result<(), Failure> {
    let compiler = "arm-linux-gnueabihf-gcc";
    let isas = &[Isa::Base, Isa::Thumb2, Isa::Thumb1];
    run(&Machine { arch: Arch::Arm, compiler, options: &["-marm"], runner: Some("qemu-arm"), isas })
}

/// What the disassembler makes of code.
fn disassembled(triple: &str, code: &[u8]) -> Result<Vec<String>, Failure> {
    let path = tools::work_folder("trampolines").join(format!("{triple}.hex"));
    std::fs::write(&path, code.iter().map(|b| format!("{b:#04x} ")).collect::<String>())?;
    let mut command = tools::limited(60, "llvm-mc-19");
    let text = tools::succeed(command.args(["--disassemble", "--mattr=+bti", "--triple", triple]).arg(&path))?.text();
    Ok(text.lines().skip(1).map(|line| line.trim().replace('\t', " ")).collect())
}

/// Both forms are the instructions that they are meant to be, over the whole distance to a slot.
#[test]
fn arm_as_the_disassembler_reads_it() -> Result<(), Failure> {
    let target = |arch| AbiTarget { arch, ..AbiTarget::X86_64_LINUX };
    let options = |isa, landing_pad| TrampolineOptions { landing_pad, isa };
    let in_place: [(&str, Arch, TrampolineOptions, &[&str]); 5] = [
        ("aarch64", Arch::Aarch64, options(Isa::Base, false), &["ldr x15, #16", "ldr x17, #20", "br x17", "nop"]),
        ("aarch64", Arch::Aarch64, options(Isa::Base, true), &["bti c", "ldr x15, #12", "ldr x17, #16", "br x17"]),
        ("armv7", Arch::Arm, options(Isa::Base, false), &["ldr r12, [pc]", "ldr pc, [pc]"]),
        ("thumbv7", Arch::Arm, options(Isa::Thumb2, false), &["ldr.w r12, [pc, #4]", "ldr.w pc, [pc, #4]"]),
        (
            "thumbv6m",
            Arch::Arm,
            options(Isa::Thumb1, false),
            &[
                "push {r0, r1}",
                "ldr r0, [pc, #8]",
                "mov r12, r0",
                "ldr r0, [pc, #8]",
                "str r0, [sp, #4]",
                "pop {r0, pc}",
            ],
        ),
    ];
    for (triple, arch, options, expected) in in_place {
        let target = target(arch);
        let form = Trampoline::new(&target, static_chain(&target, Convention::C), options).expect("there is one");
        let end = if arch == Arch::Aarch64 { 16 } else { form.flush.end };
        let code: Vec<u8> = form.code.iter().copied().take(end as usize).collect();
        assert_eq!(disassembled(triple, &code)?, expected, "{triple}, {options:?}");
    }
    let word = |n: u64| if n == 0 { "pc".to_string() } else { format!("pc, #{n}") };
    for (triple, arch, isa, distances) in [
        ("aarch64", Arch::Aarch64, Isa::Base, [16, 4096, 65536, (1 << 20) - 16]),
        ("armv7", Arch::Arm, Isa::Base, [8, 16, 2048, 4096]),
        ("thumbv7", Arch::Arm, Isa::Thumb2, [8, 16, 2048, 4096]),
    ] {
        for (landing_pad, distance) in distances.into_iter().flat_map(|d| [(false, d), (true, d)]) {
            let target = target(arch);
            let chain = static_chain(&target, Convention::C);
            let Ok(stub) = PoolStub::new(&target, chain, options(isa, landing_pad)) else {
                assert!(landing_pad && arch == Arch::Arm);
                continue;
            };
            let mut code = vec![0; stub.code.len()];
            stub.write(&mut code, 0x4000_0000, 0x4000_0000 + distance).expect("in reach");
            // The program counter is ahead of an A32 instruction by 8 bytes, of a T32 instruction by 4; the loads are in turn.
            let expected = match (arch, isa) {
                (Arch::Aarch64, _) => {
                    let first = if landing_pad { 4 } else { 0 };
                    let loads = [distance + 8 - first, distance - 4 - first];
                    let pad = landing_pad.then(|| "bti c".to_string());
                    let code = [format!("ldr x15, #{}", loads[0]), format!("ldr x17, #{}", loads[1]), "br x17".into()];
                    pad.into_iter().chain(code).collect()
                }
                (_, Isa::Base) => {
                    let at = word(distance - 8);
                    vec![format!("ldr r12, [{at}]"), format!("ldr pc, [{at}]")]
                }
                _ => {
                    let at = word(distance - 4);
                    vec![format!("ldr.w r12, [{at}]"), format!("ldr.w pc, [{at}]")]
                }
            };
            assert_eq!(disassembled(triple, &code)?, expected, "{triple}, {distance} bytes");
        }
    }
    Ok(())
}
