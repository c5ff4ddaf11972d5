//! The result of lowering: an LLVM signature, and how the C values are passed in it.

use crate::prelude::*;
use crate::text::{Names, write_name};
use alloc::string::String;
use core::fmt;

/// The LLVM IR signature of a C function or call, and how each C value is passed in it. An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LlvmSignature {
    /// The convention, as [`classify`](crate::classify) takes it.
    pub convention: Convention,
    /// The convention's keyword; `None` for the target's C convention.
    pub keyword: Option<&'static str>,
    /// The IR result.
    pub ret: IrParam,
    /// The IR parameters in order; for a variadic call also the unnamed arguments.
    pub params: Vec<IrParam>,
    /// For a variadic function, the number of IR parameters before `...`.
    pub variadic: Option<usize>,
    /// How the C result is passed.
    pub result: LoweredResult,
    /// How the C arguments are passed, in the order of the C signature.
    pub args: Vec<Lowered>,
}

/// A parameter or result of an IR function. An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IrParam {
    /// Its type.
    pub ty: LlvmType,
    /// Its attributes.
    pub attrs: IrAttrs,
}

/// The attributes of a parameter or result that change the ABI (LangRef, "Parameter Attributes"). Others, such as
/// `noundef` or `align` on ordinary pointers, promise something about the value and are left out.
///
/// An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct IrAttrs {
    /// `zeroext` or `signext`.
    pub widen: Widen,
    /// `inreg`.
    pub in_reg: bool,
    /// `returned`: the function returns this argument (`this` of constructors, in some C++ ABIs).
    pub returned: bool,
    /// What a pointer stands for.
    pub role: IrRole,
    /// `align` in bytes, beside `sret` and `byval`.
    pub align: Option<u32>,
    /// `alignstack` in bytes.
    pub stack_align: Option<u32>,
}

/// What a pointer parameter stands for, with the type that the attribute names. An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum IrRole {
    /// A value.
    #[default]
    Value,
    /// `sret(T)`: the address for the result.
    StructReturn(LlvmType),
    /// `byval(T)`: the memory that it points to is copied into the argument area.
    ByVal(LlvmType),
    /// `inalloca(T)`: the argument block.
    InAlloca(LlvmType),
}

/// How a C argument is passed. An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Lowered {
    /// Not at all.
    Ignore,
    /// As values that are loaded from its memory image: register-sized parts, which need not be members. A part may
    /// extend beyond the end of the value; the bytes there are arbitrary.
    Direct {
        /// Index of the first IR parameter.
        first: u32,
        /// One part for each IR parameter, in order. A single `_Bool` or `_BitInt` has a part of its width.
        parts: Vec<IrPart>,
    },
    /// By address: an IR parameter points to the value.
    Indirect {
        /// Index of the IR parameter.
        param: u32,
        /// The call copies the value (`byval`). Otherwise the caller makes a copy that the callee owns, unless it is a
        /// non-trivial C++ class: then it is the object itself.
        by_val: bool,
        /// Alignment of the memory that the callee may rely on, in bytes.
        align: u32,
    },
    /// As its scalar members, each an IR parameter of its own.
    Expand {
        /// Index of the first IR parameter.
        first: u32,
        /// An IR parameter before the first that has no value and only uses up a register.
        padding: Option<u32>,
        /// One part for each scalar, in order.
        parts: Vec<IrPart>,
    },
    /// In a field of the argument block.
    InAlloca(InAllocaField),
}

/// How a C result is passed. An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LoweredResult {
    /// There is no result, or one without bytes.
    Ignore,
    /// In the IR result: its parts are the elements of the returned struct, or one part is the whole.
    Direct(Vec<IrPart>),
    /// In memory whose address is this IR parameter.
    Indirect {
        /// Index of the IR parameter.
        param: u32,
    },
    /// In memory whose address is in a field of the argument block. The function also returns the address.
    InAlloca(InAllocaField),
}

/// A part of a value: one IR value, which is loaded from or stored to the value's memory image.
///
/// An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IrPart {
    /// Offset in bytes.
    pub offset: u64,
    /// Its IR type.
    pub ty: LlvmType,
}

/// A field of the argument block. An example is at [`to_llvm`](crate::to_llvm).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InAllocaField {
    /// Its index among the fields of the block's struct.
    pub index: u32,
    /// Its offset in bytes.
    pub offset: u64,
    /// It holds the value's address instead of the value.
    pub indirect: bool,
}

impl LlvmSignature {
    /// The same signature for [`classify`](crate::classify), whose result then counts IR parameters.
    ///
    /// # Errors
    /// A type of more than 2^31 bytes.
    pub fn to_signature(&self, target: &AbiTarget) -> Result<Signature, AbiError> {
        let layout = DataLayout::new(target);
        let param = |param: &IrParam| -> Result<Param, AbiError> {
            let attrs = &param.attrs;
            let role = match &attrs.role {
                IrRole::Value => Role::Value,
                IrRole::StructReturn(_) => Role::StructReturn,
                IrRole::ByVal(ty) => {
                    let memory = layout.llvm(ty)?;
                    Role::ByVal { size: memory.size, align: attrs.align.unwrap_or(memory.align) }
                }
                IrRole::InAlloca(ty) => Role::InAlloca { size: layout.llvm(ty)?.size },
            };
            let attrs = Attrs { widen: attrs.widen, in_reg: attrs.in_reg, role, stack_align: attrs.stack_align };
            Ok(Param::llvm(param.ty.clone(), attrs))
        };
        Ok(Signature {
            convention: self.convention,
            params: self.params.iter().map(param).collect::<Result<Vec<_>, _>>()?,
            ret: param(&self.ret)?,
            variadic: self.variadic,
            modifiers: Modifiers::default(),
        })
    }

    /// The declaration of a function `name` with this signature, to be displayed:
    /// `declare void @f(ptr byval({ i32, [8 x i8] }) align 8)`. Unnamed arguments are left out.
    pub fn declare<'a>(&'a self, name: &'a str) -> Declaration<'a> {
        Declaration { signature: self, name, names: None }
    }
}

/// A function declaration of LLVM IR, to be displayed. An example is at [`to_llvm`](crate::to_llvm).
pub struct Declaration<'a> {
    signature: &'a LlvmSignature,
    name: &'a str,
    names: Option<&'a Names<'a>>,
}

impl<'a> Declaration<'a> {
    /// The declaration with the names that `names` gives to C records, such as `struct.P`; their definitions come
    /// before it.
    pub fn naming(self, names: &'a dyn Fn(&Record) -> Option<String>) -> Declaration<'a> {
        Declaration { names: Some(names), ..self }
    }

    fn write_definitions(&self, f: &mut fmt::Formatter<'_>, names: &Names) -> fmt::Result {
        let signature = self.signature;
        let mut seen: Vec<String> = Vec::new();
        let mut text = String::new();
        let mut outcome = Ok(());
        for param in signature.params.iter().chain([&signature.ret]) {
            let mut define = |body: &LlvmStruct, record: &Record| {
                let Some(name) = names(record) else { return };
                if seen.contains(&name) {
                    return;
                }
                outcome = outcome.and_then(|()| {
                    write_name(&mut text, '%', &name)?;
                    text.push_str(" = type ");
                    body.write_body(&mut text, names)?;
                    text.push('\n');
                    Ok(())
                });
                seen.push(name);
            };
            param.ty.each_record(&mut define);
            match &param.attrs.role {
                IrRole::Value => {}
                IrRole::StructReturn(ty) | IrRole::ByVal(ty) | IrRole::InAlloca(ty) => ty.each_record(&mut define),
            }
        }
        outcome?;
        f.write_str(&text)?;
        f.write_str(if text.is_empty() { "" } else { "\n" })
    }
}

impl fmt::Display for Declaration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.unwrap_or(&|_| None);
        self.write_definitions(f, names)?;
        let signature = self.signature;
        f.write_str("declare ")?;
        if let Some(keyword) = signature.keyword {
            write!(f, "{keyword} ")?;
        }
        let ret = &signature.ret;
        match ret.attrs.widen {
            Widen::None => {}
            Widen::Zero => f.write_str("zeroext ")?,
            Widen::Sign => f.write_str("signext ")?,
        }
        if ret.attrs.in_reg {
            f.write_str("inreg ")?;
        }
        ret.ty.write(f, names)?;
        f.write_str(" ")?;
        write_name(f, '@', self.name)?;
        f.write_str("(")?;
        let fixed = signature.variadic.unwrap_or(signature.params.len());
        for (i, param) in signature.params[..fixed].iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            param.write(f, names)?;
        }
        match signature.variadic {
            Some(0) => f.write_str("...)"),
            Some(_) => f.write_str(", ...)"),
            None => f.write_str(")"),
        }
    }
}

impl IrParam {
    pub(crate) fn new(ty: LlvmType) -> IrParam {
        IrParam { ty, attrs: IrAttrs::default() }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, names: &Names) -> fmt::Result {
        let attrs = &self.attrs;
        self.ty.write(f, names)?;
        match attrs.widen {
            Widen::None => {}
            Widen::Zero => f.write_str(" zeroext")?,
            Widen::Sign => f.write_str(" signext")?,
        }
        for (set, word) in [(attrs.in_reg, " inreg"), (attrs.returned, " returned")] {
            f.write_str(if set { word } else { "" })?;
        }
        let named = match &attrs.role {
            IrRole::Value => None,
            IrRole::StructReturn(ty) => Some(("sret", ty)),
            IrRole::ByVal(ty) => Some(("byval", ty)),
            IrRole::InAlloca(ty) => Some(("inalloca", ty)),
        };
        if let Some((word, ty)) = named {
            write!(f, " {word}(")?;
            ty.write(f, names)?;
            f.write_str(")")?;
        }
        if let Some(align) = attrs.align {
            write!(f, " align {align}")?;
        }
        match attrs.stack_align {
            Some(align) => write!(f, " alignstack({align})"),
            None => Ok(()),
        }
    }
}

/// The parameter with its attributes, structs in full: `ptr byval({ i32 }) align 4`.
impl fmt::Display for IrParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|_| None)
    }
}
