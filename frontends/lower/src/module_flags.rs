//! The meaning of module flags (LLVM LangRef, "Module Flags Metadata").

use gusset_abi::AbiTarget;
use gusset_codegen::ir::{CodeModel, GUARD_CALLS, GUARD_EH_CONTINUATIONS, Module};
use gusset_program::{MOST_ALIGNED, refusals};

use crate::facts::Facts;

/// A bit of `@feat.00` (Microsoft, "PE Format").
const KERNEL: u32 = 0x4000_0000;

/// The flags that are recorded neither in the module nor in the facts of its functions.
#[derive(Clone, Debug, Default)]
pub struct ModuleFlags {
    /// `PIC Level`: 0 if the code need not be position-independent.
    pub pic_level: u32,
    /// `PIE Level`: 0 if the code may be linked into a shared library.
    pub pie_level: u32,
    /// `Code Model`.
    pub code_model: Option<CodeModel>,
    /// `Large Data Threshold`: data of more bytes may be far away.
    pub far_bytes: Option<u64>,
    /// The variable with the stack guard, if the module names one.
    pub guard: Option<String>,
    /// `Dwarf Version`: 0 for the default.
    pub dwarf_version: u16,
    /// `CodeView`: Microsoft's form of debug information is wanted.
    pub codeview: bool,
    /// `Debug Info Version`: the version of the metadata's form; 0 if it is not given.
    pub debug_info_version: i64,
    /// `kcfi`: the numbers of functions' types stand before them.
    pub type_ids: bool,
}

impl ModuleFlags {
    /// Takes a flag by name, with its number or text. Unknown flags have no effect on code, as in LLVM.
    ///
    /// # Errors
    /// The flag asks for something that is refused.
    pub fn take(
        &mut self,
        name: &[u8],
        (value, text): (i64, &str),
        module: &mut Module,
        facts: &mut Facts,
    ) -> Result<(), String> {
        if let Some(message) = refusals::flag(name) {
            return Err(message);
        }
        let guard = &mut module.stack_guard;
        match name {
            b"cf-protection-branch" | b"branch-target-enforcement" => {
                facts.branch_markers |= value != 0;
                module.branch_protection |= value != 0;
            }
            b"cf-protection-return" | b"sign-return-address" => module.return_protection |= value != 0,
            b"guarded-control-stack" => module.guarded_control_stack |= value != 0,
            b"kcfi" => self.type_ids |= value != 0,
            b"indirect_branch_cs_prefix" => facts.long_thunk_jumps |= value != 0,
            b"RtLibUseGOT" => module.library_by_table |= value != 0,
            b"NumRegisterParameters" => module.library_registers = u8::try_from(value).unwrap_or(0),
            b"wchar_size" => module.wide_char_bytes = u8::try_from(value).ok(),
            b"min_enum_size" => module.least_enum_bytes = u8::try_from(value).ok(),
            b"executable-stack" => module.executable_stack = value != 0,
            b"Code Model" => self.code_model = code_model(value),
            b"Large Data Threshold" => self.far_bytes = u64::try_from(value).ok(),
            b"PIC Level" => self.pic_level = value as u32,
            b"PIE Level" => self.pie_level = value as u32,
            b"stack-protector-guard" => (guard.global, guard.of_thread) = (text == "global", text == "tls"),
            b"stack-protector-guard-reg" => {
                if !refusals::is_guard_register(text) {
                    return Err(format!("stack guards by way of the register `{text}` are not supported"));
                }
                guard.register = Some(text.to_string());
            }
            b"stack-protector-guard-offset" => guard.offset = i32::try_from(value).ok(),
            b"stack-protector-guard-symbol" => self.guard = Some(text.to_string()).filter(|name| !name.is_empty()),
            b"override-stack-alignment" => {
                let known = u32::try_from(value).ok().filter(|n| n.is_power_of_two() && *n <= MOST_ALIGNED);
                facts.stack_align = known.ok_or("`override-stack-alignment` is a power of two of at most 64 KiB")?;
            }
            b"Dwarf Version" => self.dwarf_version = u16::try_from(value).unwrap_or(0),
            b"CodeView" => self.codeview = value != 0,
            b"Debug Info Version" => self.debug_info_version = value,
            b"eh-asynch" => facts.asynchronous |= value != 0,
            b"cfguard" if facts.target.is_windows() && value != 0 => {
                module.coff_features |= GUARD_CALLS;
                // 1 asks only for the lists.
                facts.guards_calls |= value == 2;
            }
            b"ehcontguard" => module.coff_features |= GUARD_EH_CONTINUATIONS,
            b"ms-kernel" => module.coff_features |= KERNEL,
            _ => {}
        }
        Ok(())
    }

    /// The symbol name of the variable with the stack guard, if the module can refer to it.
    pub fn guard_symbol(&mut self, target: &AbiTarget, module: &Module) -> Option<String> {
        let gnu_windows = target.is_windows() && !target.has_microsoft_library();
        match self.guard.take() {
            // On Windows, and for a global guard, the name is fixed.
            Some(name) if !target.is_windows() && !module.stack_guard.global => Some(name),
            _ if gnu_windows || module.stack_guard.global && !target.is_windows() => Some("__stack_chk_guard".into()),
            _ => None,
        }
    }
}

/// A code model by LLVM's number (`CodeGen.h`), or the default.
fn code_model(number: i64) -> Option<CodeModel> {
    match number {
        0 => Some(CodeModel::Tiny),
        2 => Some(CodeModel::Kernel),
        3 => Some(CodeModel::Medium),
        4 => Some(CodeModel::Large),
        _ => None,
    }
}
