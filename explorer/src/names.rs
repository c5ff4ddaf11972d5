//! Registers and conventions by the names in their documents.

use gusset_abi::{AbiTarget, Arch, Convention, Env, Member, Os, Reg, RegClass, RegSet, Signature};

const X86_64: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
const X86_64_LOW: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];

/// The name of the part of a register that holds `bytes` bytes.
pub(crate) fn register(arch: Arch, reg: Reg, bytes: u64) -> String {
    let n = reg.num as usize;
    match (arch, reg.class) {
        (Arch::X86_64, RegClass::Int) if bytes > 4 => X86_64.get(n).map_or(String::new(), |name| name.to_string()),
        (Arch::X86_64 | Arch::X86, RegClass::Int) => match X86_64_LOW.get(n) {
            Some(name) => name.to_string(),
            None => format!("r{n}d"),
        },
        (Arch::X86 | Arch::X86_64, RegClass::Float) => match bytes {
            0..=16 => format!("xmm{n}"),
            17..=32 => format!("ymm{n}"),
            _ => format!("zmm{n}"),
        },
        (Arch::Aarch64, RegClass::Int) => format!("{}{n}", if bytes > 4 { 'x' } else { 'w' }),
        (Arch::Aarch64, RegClass::Float) => {
            let letter = match bytes {
                1 => 'b',
                2 => 'h',
                3..=4 => 's',
                5..=8 => 'd',
                _ => 'q',
            };
            format!("{letter}{n}")
        }
        (Arch::Arm, RegClass::Int) => match n {
            13 => "sp".into(),
            14 => "lr".into(),
            _ => format!("r{n}"),
        },
        (Arch::Arm, RegClass::Float) => match bytes {
            0..=4 => format!("s{n}"),
            5..=8 => format!("d{}", n / 2),
            _ => format!("q{}", n / 4),
        },
        (_, RegClass::X87) => format!("st({n})"),
    }
}

/// The whole register's name.
pub(crate) fn whole(arch: Arch, reg: Reg) -> String {
    register(arch, reg, if arch == Arch::Arm { 4 } else { 16 })
}

/// The width in bytes of the register whose part a piece of `bytes` is in.
pub(crate) fn register_bytes(arch: Arch, reg: Reg, bytes: u64) -> u64 {
    match (arch, reg.class) {
        (Arch::X86_64 | Arch::Aarch64, RegClass::Int) => 8,
        (Arch::X86 | Arch::Arm, RegClass::Int) => 4,
        (Arch::Arm, RegClass::Float) => bytes.next_power_of_two().clamp(4, 16),
        (_, RegClass::Float) => bytes.next_power_of_two().max(16),
        (_, RegClass::X87) => 10,
    }
}

/// The stack pointer's name.
pub(crate) fn stack_pointer(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_64 => "rsp",
        Arch::X86 => "esp",
        Arch::Aarch64 | Arch::Arm => "sp",
    }
}

/// The registers of a set, with runs shortened: `rax rcx r8–r11 xmm0–xmm15`.
pub(crate) fn set(arch: Arch, set: RegSet) -> String {
    let mut runs: Vec<(Reg, Reg)> = Vec::new();
    // On 32-bit ARM, whole double-precision registers are named.
    let step = |reg: Reg| if arch == Arch::Arm && reg.class == RegClass::Float { 2 } else { 1 };
    for reg in set.iter() {
        if step(reg) == 2 && reg.num % 2 == 1 {
            continue;
        }
        match runs.last_mut() {
            Some((_, last)) if last.class == reg.class && last.num + step(reg) == reg.num && numbered(arch, *last) => {
                *last = reg;
            }
            _ => runs.push((reg, reg)),
        }
    }
    let name = |reg: Reg| match step(reg) {
        2 => format!("d{}", reg.num / 2),
        _ if arch == Arch::Aarch64 && reg.class == RegClass::Float => format!("v{}", reg.num),
        _ => whole(arch, reg),
    };
    let words: Vec<String> = runs
        .iter()
        .map(|(first, last)| match (last.num - first.num) / step(*first) {
            0 => name(*first),
            1 => format!("{} {}", name(*first), name(*last)),
            _ => format!("{}–{}", name(*first), name(*last)),
        })
        .collect();
    words.join(" ")
}

/// Is a register named by a number? All are but the eight old ones of x86.
fn numbered(arch: Arch, reg: Reg) -> bool {
    !(matches!(arch, Arch::X86 | Arch::X86_64) && reg.class == RegClass::Int && reg.num < 8)
}

/// The convention in words.
pub(crate) fn convention(target: &AbiTarget, signature: &Signature) -> String {
    let base = base_convention(target, signature);
    match signature.modifiers.member {
        Member::None => base,
        Member::Method => format!("{base}, method"),
        Member::Constructor => format!("{base}, constructor"),
        Member::Destructor => format!("{base}, destructor"),
    }
}

fn base_convention(target: &AbiTarget, signature: &Signature) -> String {
    let flavour = match (target.is_windows(), target.env) {
        (true, Env::Gnu) => " (MinGW)",
        (true, Env::Itanium) => " (Itanium C++ ABI)",
        (true, Env::Cygnus) => " (Cygwin)",
        _ => "",
    };
    let c = match (target.arch, target.os) {
        (Arch::X86_64, Os::Windows) => "Windows x64".to_string(),
        (Arch::X86_64, _) => "System V x86-64".to_string(),
        (Arch::X86, Os::Windows) => "cdecl".to_string(),
        (Arch::X86, Os::Darwin) => "Darwin i386".to_string(),
        (Arch::X86, _) => "System V i386".to_string(),
        (Arch::Aarch64, Os::Windows) => "Windows ARM64".to_string(),
        (Arch::Aarch64, Os::Darwin) => "Apple ARM64".to_string(),
        (Arch::Aarch64, _) => "AAPCS64".to_string(),
        (Arch::Arm, Os::Windows) => "Windows ARM".to_string(),
        (Arch::Arm, _) if target.features.hard_float && signature.variadic.is_none() => "AAPCS32, VFP".to_string(),
        (Arch::Arm, _) => "AAPCS32, base".to_string(),
    };
    let text = match signature.convention {
        Convention::C => {
            let modifiers = signature.modifiers;
            match (modifiers.regparm, modifiers.sse_regparm) {
                (0, false) => c,
                (n, false) => format!("{c}, regparm({n})"),
                (0, true) => format!("{c}, sseregparm"),
                (n, true) => format!("{c}, regparm({n}), sseregparm"),
            }
        }
        Convention::SysV64 => "System V x86-64".into(),
        Convention::Win64 => "Windows x64".into(),
        Convention::Stdcall => "stdcall".into(),
        Convention::Fastcall => "fastcall".into(),
        Convention::Thiscall => "thiscall".into(),
        Convention::Vectorcall => "vectorcall".into(),
        Convention::VectorPcs => "AAPCS64, vector variant".into(),
        Convention::AapcsBase => "AAPCS32, base".into(),
        Convention::AapcsVfp => "AAPCS32, VFP".into(),
        Convention::PreserveMost => "preserve_most".into(),
        Convention::PreserveAll => "preserve_all".into(),
        Convention::PreserveNone => "preserve_none".into(),
        Convention::Swift => "swiftcall".into(),
        Convention::SwiftTail => "swiftasynccall".into(),
        other => other.llvm_keyword().into(),
    };
    format!("{text}{flavour}")
}
