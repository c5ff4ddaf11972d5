//! Trampolines byte by byte: x86 and AArch64 as LLVM writes them, ARM as the assembler reads them. `tests/` runs them.

use gusset_abi::*;

const X64: AbiTarget = AbiTarget::X86_64_LINUX;
const A64: AbiTarget = AbiTarget { arch: Arch::Aarch64, ..X64 };
const ARM: AbiTarget = AbiTarget { arch: Arch::Arm, ..X64 };
const I386: AbiTarget = AbiTarget { arch: Arch::X86, ..X64 };

const PLAIN: TrampolineOptions = TrampolineOptions { landing_pad: false, isa: Isa::Base };
const PAD: TrampolineOptions = TrampolineOptions { landing_pad: true, isa: Isa::Base };

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[track_caller]
fn written(target: &AbiTarget, convention: Convention, options: TrampolineOptions) -> String {
    let chain = static_chain(target, convention);
    let trampoline = Trampoline::new(target, chain, options).unwrap();
    let mut memory = vec![0; trampoline.code.len()];
    trampoline.write(&mut memory, 0x1000, 0x1122_3344_5566, 0x0bad_cafe).unwrap();
    hex(&memory)
}

#[test]
fn in_place() {
    use Convention::C;
    assert_eq!(written(&X64, C, PLAIN), "49bb665544332211000049bafecaad0b0000000049ffe3");
    assert_eq!(written(&X64, C, PAD), "f30f1efa49bb665544332211000049bafecaad0b0000000049ffe3");
    assert_eq!(written(&I386, C, PLAIN), "b9fecaad0be95c454433");
    assert_eq!(written(&I386, C, PAD), "f30f1efbb9fecaad0be958454433");
    assert_eq!(written(&I386, Convention::Thiscall, PLAIN), "b8fecaad0be95c454433");
    let words = "fecaad0b000000006655443322110000";
    assert_eq!(written(&A64, C, PLAIN), format!("8f000058b100005820021fd61f2003d5{words}"));
    let gcc = AbiTarget { features: AbiFeatures { chain_in_x18: true, ..A64.features }, ..A64 };
    assert_eq!(written(&gcc, C, PLAIN), format!("92000058b100005820021fd61f2003d5{words}"));
    assert_eq!(static_chain(&AbiTarget { os: Os::Windows, ..gcc }, C), aarch64::X15);
    assert_eq!(written(&A64, C, PAD), format!("5f2403d56f0000589100005820021fd6{words}"));
    let words = "fecaad0b66554433";
    let arm = |isa| TrampolineOptions { landing_pad: false, isa };
    assert_eq!(written(&ARM, C, PLAIN), format!("00c09fe500f09fe5{words}"));
    assert_eq!(written(&ARM, C, arm(Isa::Thumb2)), format!("dff804c0dff804f0{words}"));
    assert_eq!(written(&ARM, C, arm(Isa::Thumb1)), format!("03b4024884460248019001bd{words}"));
}

#[track_caller]
fn stub(target: &AbiTarget, options: TrampolineOptions, distance: u64) -> Result<String, String> {
    let stub = PoolStub::new(target, static_chain(target, Convention::C), options).map_err(|e| e.to_string())?;
    assert!(stub.code.len() <= stub.stride as usize);
    let mut memory = vec![0; stub.stride as usize];
    stub.write(&mut memory, 0x1000, 0x1000 + distance).map_err(|e| e.to_string())?;
    Ok(hex(&memory[..stub.code.len()]))
}

#[test]
fn pool_stubs() {
    let ok = |text: &str| Ok(text.to_string());
    assert_eq!(stub(&X64, PLAIN, 0x1000), ok("4c8b1501100000ff25f30f0000"));
    assert_eq!(stub(&I386, PLAIN, 0x1000), ok("8b0d04200000ff2500200000"));
    assert_eq!(stub(&A64, PLAIN, 0x1000), ok("4f800058f17f005820021fd6"));
    assert_eq!(stub(&ARM, PLAIN, 0x1000), ok("f8cf9fe5f8ff9fe5"));
    let thumb = TrampolineOptions { landing_pad: false, isa: Isa::Thumb2 };
    assert_eq!(stub(&ARM, thumb, 0x1000), ok("dff8fccfdff8fcff"));
    assert!(stub(&X64, PAD, 0x1000).unwrap().starts_with("f30f1efa"));
    assert_eq!(stub(&ARM, PLAIN, 0x1_0000), Err("target: a slot 65528 bytes away is out of a stub's reach".into()));
    let thumb1 = TrampolineOptions { landing_pad: false, isa: Isa::Thumb1 };
    assert!(stub(&ARM, thumb1, 8).unwrap_err().contains("Thumb-1"));
}

#[test]
fn what_cannot_be_is_an_error() {
    let new = |target, chain, options| Trampoline::new(target, chain, options).map_err(|e| e.to_string()).map(|_| ());
    assert!(new(&X64, x86::R11, PLAIN).is_err() && new(&X64, Reg::float(0), PLAIN).is_err());
    assert!(new(&ARM, arm::R0, PLAIN).is_err() && new(&ARM, arm::R12, PAD).is_err());
    assert!(new(&A64, aarch64::X15, TrampolineOptions { landing_pad: false, isa: Isa::Thumb2 }).is_err());
    let trampoline = Trampoline::new(&A64, aarch64::X15, PLAIN).unwrap();
    assert!(trampoline.write(&mut [0; 31], 0, 0, 0).is_err() && trampoline.write(&mut [0; 32], 4, 0, 0).is_err());
}
