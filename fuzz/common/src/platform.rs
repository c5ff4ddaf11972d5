//! The platforms that random programs are made for and run on.

use gusset_abi::{AbiError, AbiTarget, Arch, DataLayout, Env, FnAbi, Signature, classify};
use gusset_codegen::compile::Compiler;
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::error::CompileError;
use gusset_codegen::ir::{Function, Module, Type};
use gusset_codegen::level::OptimizationLevel;
use gusset_codegen::object::ObjectFormat;
use gusset_codegen::passes::{Bodies, PassSet};
use gusset_codegen::select::Select;
use gusset_targets::aarch64::{self, Aarch64};
use gusset_targets::arm::{self, Arm};
use gusset_targets::x86::{self, X86};

/// Triples of the platforms; the first is the usual one.
pub const PLATFORMS: [&str; 11] = [
    "x86_64-unknown-linux-gnu",
    "i686-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "i686-pc-windows-gnu",
    "aarch64-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "thumbv7-unknown-linux-gnueabihf",
    "armv7-unknown-linux-gnueabi",
    "armv5te-unknown-linux-gnueabi",
    "x86_64-pc-windows-msvc",
    "i686-pc-windows-msvc",
];

/// Those whose programs run on this processor and system.
pub const NATIVE: &[&str] = PLATFORMS.split_at(2).0;

/// A machine with its system.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Its triple.
    pub triple: &'static str,
    /// Its rules of calls and layouts.
    pub abi: AbiTarget,
    /// What its objects look like.
    pub machine: &'static ObjectFormat,
}

/// A way to compile.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// For messages.
    pub name: &'static str,
    /// Extensions that may be used.
    pub features: Extensions,
    /// Position-independent code.
    pub pic: bool,
    /// How much is done for good code.
    pub level: OptimizationLevel,
}

/// Extensions of a processor.
#[derive(Clone, Copy, Debug)]
pub enum Extensions {
    /// Of one of x86's.
    X86(x86::Features),
    /// Of one of AArch64's.
    Aarch64(aarch64::Features),
    /// Of one of ARM's.
    Arm(arm::Features),
}

/// The code generator for a setting.
pub enum BackEnd {
    /// For x86.
    X86(Box<X86>),
    /// For AArch64.
    Aarch64(Box<Aarch64>),
    /// For ARM.
    Arm(Box<Arm>),
}

/// Compiles the functions of a module one by one.
pub enum AnyCompiler<'t> {
    /// For x86.
    X86(Compiler<'t, X86>),
    /// For AArch64.
    Aarch64(Compiler<'t, Aarch64>),
    /// For ARM.
    Arm(Compiler<'t, Arm>),
}

fn compiler<T: Select>(target: &T, level: OptimizationLevel, check: bool) -> Compiler<'_, T> {
    let mut compiler = Compiler::new(target);
    compiler.optimize(level);
    compiler.check_allocation(check);
    compiler
}

impl BackEnd {
    /// Its compiler, which checks the allocation of registers if it is told to.
    pub fn compiler(&self, level: OptimizationLevel, check: bool) -> AnyCompiler<'_> {
        match self {
            BackEnd::X86(target) => AnyCompiler::X86(compiler(&**target, level, check)),
            BackEnd::Aarch64(target) => AnyCompiler::Aarch64(compiler(&**target, level, check)),
            BackEnd::Arm(target) => AnyCompiler::Arm(compiler(&**target, level, check)),
        }
    }
}

impl AnyCompiler<'_> {
    /// Sets which passes of optimized code run.
    pub fn choose_passes(&mut self, passes: PassSet) {
        match self {
            AnyCompiler::X86(compiler) => compiler.choose_passes(passes),
            AnyCompiler::Aarch64(compiler) => compiler.choose_passes(passes),
            AnyCompiler::Arm(compiler) => compiler.choose_passes(passes),
        }
    }

    /// Runs the passes on a function, and nothing else.
    ///
    /// # Errors
    /// As those of [`Compiler::rewrite`].
    pub fn rewrite(&mut self, module: &Module, f: &mut Function) -> Result<(), CompileError> {
        match self {
            AnyCompiler::X86(compiler) => compiler.rewrite(module, f),
            AnyCompiler::Aarch64(compiler) => compiler.rewrite(module, f),
            AnyCompiler::Arm(compiler) => compiler.rewrite(module, f),
        }
    }

    /// Inlines what a function calls.
    pub fn inline(&mut self, module: &Module, f: &mut Function, bodies: &mut dyn Bodies) {
        match self {
            AnyCompiler::X86(compiler) => compiler.inline(module, f, bodies),
            AnyCompiler::Aarch64(compiler) => compiler.inline(module, f, bodies),
            AnyCompiler::Arm(compiler) => compiler.inline(module, f, bodies),
        }
    }

    /// Compiles a function.
    ///
    /// # Errors
    /// As those of [`Compiler::compile`].
    pub fn compile(&mut self, module: &Module, f: &mut Function) -> Result<CompiledFunction, CompileError> {
        let mut out = CompiledFunction::default();
        match self {
            AnyCompiler::X86(compiler) => compiler.compile(module, f, &mut out)?,
            AnyCompiler::Aarch64(compiler) => compiler.compile(module, f, &mut out)?,
            AnyCompiler::Arm(compiler) => compiler.compile(module, f, &mut out)?,
        }
        Ok(out)
    }
}

impl Setting {
    /// Whether this machine, or its emulator, runs what is compiled so.
    pub fn runs_here(&self) -> bool {
        let Extensions::X86(features) = self.features else { return true };
        features == x86::Features::default()
            || std::is_x86_feature_detected!("sse4.2")
                && std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("cmpxchg16b")
                && std::is_x86_feature_detected!("fma")
    }
}

impl Platform {
    /// The platform of one of [`PLATFORMS`].
    ///
    /// # Errors
    /// It is none of them.
    pub fn of(triple: &str) -> Result<Platform, String> {
        let known = PLATFORMS.iter().find(|known| **known == triple);
        let triple = known.ok_or_else(|| format!("`{triple}` is none of {}", PLATFORMS.join(", ")))?;
        let mut abi = AbiTarget::from_triple(triple, Default::default()).map_err(|e| e.to_string())?;
        abi.features.vector_bytes = if triple.starts_with("armv5") { 0 } else { 16 };
        let machine = match (abi.arch, abi.is_windows()) {
            (Arch::X86_64, true) if abi.env == Env::Msvc => &x86::object::X86_64_MSVC,
            (Arch::X86, true) if abi.env == Env::Msvc => &x86::object::I386_MSVC,
            (Arch::Aarch64, _) => &aarch64::object::AARCH64,
            (Arch::Arm, _) if triple.starts_with("thumb") => &arm::object::T32,
            (Arch::Arm, _) => &arm::object::A32,
            (Arch::X86_64, false) => &x86::object::X86_64,
            (Arch::X86_64, true) => &x86::object::X86_64_MINGW,
            (_, false) => &x86::object::I386,
            (_, true) => &x86::object::I386_MINGW,
        };
        Ok(Platform { triple, abi, machine })
    }

    /// x86-64 Linux.
    pub fn usual() -> Platform {
        Platform::of(PLATFORMS[0]).expect("it is in the list")
    }

    /// The ways in which every module is compiled, whatever this machine can run.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = self.plain_settings();
        // The first and the last of these in optimized code, too.
        for (name, k) in [("optimized", 0), ("optimized extensions", settings.len() - 1)] {
            settings.push(Setting { name, level: OptimizationLevel::O2, ..settings[k] });
        }
        settings
    }

    fn plain_settings(&self) -> Vec<Setting> {
        let level = OptimizationLevel::O0;
        if self.is_aarch64() {
            let plain = aarch64::Features::default();
            let extensions = aarch64::Features { lse: true, lse2: true, rcpc: true, platform_register: true, ..plain };
            let (plain, extensions) = (Extensions::Aarch64(plain), Extensions::Aarch64(extensions));
            return vec![
                Setting { name: "v8.0", features: plain, pic: true, level },
                Setting { name: "static", features: plain, pic: false, level },
                Setting { name: "extensions", features: extensions, pic: true, level },
            ];
        }
        if self.is_arm() {
            let version = if self.has_vectors() { arm::Features::V7 } else { arm::Features::V5 };
            let plain = arm::Features { thumb: self.triple.starts_with("thumb"), ..version };
            let plain_setting = Setting { name: "baseline", features: Extensions::Arm(plain), pic: true, level };
            let mut settings = vec![plain_setting, Setting { name: "static", pic: false, ..plain_setting }];
            if plain.vfp {
                let more = arm::Features { divide: true, fused: true, half: true, rounding: true, ..plain };
                let features = Extensions::Arm(arm::Features { reserve_r9: true, long_calls: true, ..more });
                settings.push(Setting { name: "extensions", features, pic: true, level });
            }
            return settings;
        }
        let plain = x86::Features::default();
        let extensions = x86::Features {
            sse3: true,
            ssse3: true,
            sse41: true,
            sse42: true,
            popcnt: true,
            lzcnt: true,
            bmi1: true,
            bmi2: true,
            cx16: !self.is_32(),
            fma: true,
            no_cmov: false,
            no_cx8: false,
            x87_only: false,
            tagged_globals: false,
            hardening: Default::default(),
        };
        let (plain, extensions) = (Extensions::X86(plain), Extensions::X86(extensions));
        let mut settings = vec![
            Setting { name: "sse2", features: plain, pic: true, level },
            Setting { name: "extensions", features: extensions, pic: true, level },
        ];
        // On Windows there is one kind of code.
        if !self.abi.is_windows() {
            // Of 32 bits, for processors that lack some things.
            let old = self.is_32();
            let features = x86::Features { no_cmov: old, no_cx8: old, ..x86::Features::default() };
            settings.insert(1, Setting { name: "static", features: Extensions::X86(features), pic: false, level });
        }
        settings
    }

    /// The back end for a setting.
    pub fn back_end(&self, setting: &Setting) -> BackEnd {
        let features = match setting.features {
            Extensions::X86(features) => features,
            Extensions::Aarch64(features) => {
                return BackEnd::Aarch64(Box::new(Aarch64::new(features, setting.pic, self.abi.os, self.abi.endian)));
            }
            Extensions::Arm(features) => {
                return BackEnd::Arm(Box::new(Arm::new(
                    features,
                    setting.pic,
                    (self.abi.os, self.abi.endian),
                    self.abi.features,
                )));
            }
        };
        BackEnd::X86(Box::new(match (self.is_32(), self.abi.is_windows()) {
            (false, false) => X86::new(features, setting.pic),
            (true, false) => X86::new_32(features, setting.pic).on(self.abi.os),
            (false, true) => X86::new_windows(x86::Features { cx16: true, ..features }, self.abi.env),
            (true, true) => X86::new_windows_32(features, self.abi.env),
        }))
    }

    /// Is it AArch64?
    pub fn is_aarch64(&self) -> bool {
        self.abi.arch == Arch::Aarch64
    }

    /// Is it 32-bit ARM?
    pub fn is_arm(&self) -> bool {
        self.abi.arch == Arch::Arm
    }

    /// Has its processor vector registers?
    pub fn has_vectors(&self) -> bool {
        self.abi.features.vector_bytes > 0
    }

    /// Are its handlers and cleanups funclets, of Microsoft's C++?
    pub fn has_funclets(&self) -> bool {
        self.abi.is_windows() && self.abi.env == Env::Msvc
    }

    /// Is it 32-bit x86?
    pub fn is_i386(&self) -> bool {
        self.abi.arch == Arch::X86
    }

    /// The widest floating-point format that its processor or its C compilers have.
    pub fn widest_float(&self) -> Type {
        match self.abi.arch {
            Arch::Aarch64 => Type::F128,
            Arch::Arm => Type::F64,
            _ => Type::F80,
        }
    }

    /// The format of C's `long double`.
    pub fn long_double(&self) -> Type {
        if self.has_funclets() { Type::F64 } else { self.widest_float() }
    }

    /// Has its library functions for `f128`?
    pub fn has_quad(&self) -> bool {
        !self.is_arm()
    }

    /// Do operations on vectors of this type take numbers below the normal ones as zeros, and give zeros for them, as those of NEON on
    /// 32-bit ARM do? Numbers of 64 bits are not computed there.
    pub fn flushes(&self, ty: Type) -> bool {
        self.is_arm() && self.has_vectors() && ty.is_vector() && ty.lane() == Type::F32
    }

    /// Has it 32 bits?
    pub fn is_32(&self) -> bool {
        self.abi.pointer_bytes() == 4
    }

    /// The type of addresses.
    pub fn pointer(&self) -> Type {
        if self.is_32() { Type::I32 } else { Type::I64 }
    }

    /// Bits of the widest integer that atomic accesses and lanes of vectors may have.
    pub fn widest(&self) -> u32 {
        2 * self.pointer().bits()
    }

    /// Can `f16` be converted? GCC's library for 64-bit Windows takes it in general registers, where LLVM's code, and ours, has it in
    /// vector registers.
    pub fn has_half(&self) -> bool {
        self.is_32() || !self.abi.is_windows()
    }

    /// Its layouts.
    pub fn layout(&self) -> DataLayout {
        DataLayout::new(&self.abi)
    }

    /// The signature's ABI.
    ///
    /// # Errors
    /// It has none.
    pub fn classify(&self, signature: &Signature) -> Result<FnAbi, AbiError> {
        classify(&self.abi, signature)
    }
}
