//! Signatures: the line `sig0 = (types) -> (types) … = convention (params) -> result`.

use gusset_abi::{
    Attrs, CType, Class, Field, FloatKind, Leaf, LlvmScalar, LlvmType, Member, Modifiers, Param, Record, RecordKind,
    Role, Scalar, Signature, Type as SourceType, Widen,
};

use super::{Parsed, Parser};
use crate::ir::module::SigData;
use crate::ir::types::Type;
use crate::ir::words::{C_FLOATS, CONVENTIONS, LLVM_SCALARS, MEMBERS, PLAIN_ROLES, by_name};

/// Types nested deeper than this are refused.
const MAX_DEPTH: u32 = 100;

impl Parser<'_, '_> {
    pub(super) fn signature(&mut self) -> Parsed<SigData> {
        let at = self.lex.here();
        let params = self.types()?;
        self.lex.punct("->")?;
        let results = self.types()?;
        let variadic = self.lex.take_word("variadic");
        let aggregate_result = self.lex.take_word("aggregate");
        if self.lex.peek_word() == "split" {
            return Err((at, "a signature that legalization has split cannot be read back".into()));
        }
        self.lex.punct("=")?;
        let source = self.source()?;
        let abi = (self.classify)(&source).map_err(|e| (at, e.to_string()))?;
        let mut sig = SigData { variadic, aggregate_result, ..SigData::new(params, results, abi, source) };
        // An error is among the results in the text.
        if sig.source.params.iter().any(|p| p.attrs.role == Role::SwiftError) {
            sig.results.pop();
        }
        sig = sig.with_swift_parameters();
        Ok(sig)
    }

    fn types(&mut self) -> Parsed<Vec<Type>> {
        self.lex.punct("(")?;
        let mut types = Vec::new();
        while !self.lex.take_punct(")") {
            if !types.is_empty() {
                self.lex.punct(",")?;
            }
            types.push(self.lex.ty()?);
        }
        Ok(types)
    }

    fn source(&mut self) -> Parsed<Signature> {
        let at = self.lex.here();
        let name = self.lex.word()?;
        let convention =
            by_name(CONVENTIONS, name).ok_or_else(|| (at, format!("`{name}` is no calling convention")))?;
        let modifiers = self.modifiers()?;
        let (mut params, mut variadic) = (Vec::new(), None);
        self.lex.punct("(")?;
        while !self.lex.take_punct(")") {
            if !params.is_empty() || variadic.is_some() {
                self.lex.punct(",")?;
            }
            let at = self.lex.here();
            if self.lex.take_punct("...") {
                if variadic.replace(params.len()).is_some() {
                    return Err((at, "`...` occurs twice".into()));
                }
            } else {
                params.push(self.param()?);
            }
        }
        self.lex.punct("->")?;
        let ret = self.param()?;
        Ok(Signature { convention, params, ret, variadic, modifiers })
    }

    fn modifiers(&mut self) -> Parsed<Modifiers> {
        let regparm = if self.lex.take_word("regparm") {
            let at = self.lex.here();
            u8::try_from(self.parenthesized()?).map_err(|_| (at, "more registers than there are".to_string()))?
        } else {
            0
        };
        let sse_regparm = self.lex.take_word("sse_regparm");
        let member = MEMBERS.iter().find(|(_, name)| self.lex.take_word(name)).map_or(Member::None, |(m, _)| *m);
        Ok(Modifiers { regparm, sse_regparm, member })
    }

    fn param(&mut self) -> Parsed<Param> {
        let ty = self.source_type(0)?;
        let mut attrs = Attrs::default();
        while !self.lex.at_line_end() {
            let word = self.lex.peek_word();
            match word {
                "zeroext" => attrs.widen = Widen::Zero,
                "signext" => attrs.widen = Widen::Sign,
                "inreg" => attrs.in_reg = true,
                "byval" | "preallocated" | "inalloca" | "alignstack" => {
                    self.lex.word()?;
                    self.lex.punct("(")?;
                    let size: u64 = self.lex.number()?;
                    let pair = matches!(word, "byval" | "preallocated");
                    let align: u32 = if pair {
                        self.lex.punct(",")?;
                        self.lex.number()?
                    } else {
                        0
                    };
                    self.lex.punct(")")?;
                    match word {
                        "byval" => attrs.role = Role::ByVal { size, align },
                        "preallocated" => attrs.role = Role::Preallocated { size, align },
                        "inalloca" => attrs.role = Role::InAlloca { size },
                        _ => attrs.stack_align = Some(size.min(u32::MAX as u64) as u32),
                    }
                    continue;
                }
                _ => match by_name(PLAIN_ROLES, word) {
                    Some(role) => attrs.role = role,
                    None => break,
                },
            }
            self.lex.word()?;
        }
        Ok(Param { ty, attrs })
    }

    fn source_type(&mut self, depth: u32) -> Parsed<SourceType> {
        if depth > MAX_DEPTH {
            return self.lex.expected("a type that is not nested so deep");
        }
        let word = self.lex.peek_word();
        if self.lex.take_word("aggregate") {
            return self.aggregate().map(SourceType::Llvm);
        }
        if self.lex.peek() == Some(b'<') || word == "void" || llvm_scalar(word).is_some() {
            return self.llvm().map(SourceType::Llvm);
        }
        self.ctype(depth).map(SourceType::C)
    }

    fn llvm(&mut self) -> Parsed<LlvmType> {
        if self.lex.take_punct("<") {
            let lanes = self.lex.number()?;
            self.lex.keyword("x")?;
            let word = self.lex.peek_word();
            let Some(lane) = llvm_scalar(word) else { return self.lex.expected("a scalar type") };
            self.lex.word()?;
            self.lex.punct(">")?;
            return Ok(LlvmType::Vector { lane, lanes });
        }
        if self.lex.take_word("void") {
            return Ok(LlvmType::Void);
        }
        let word = self.lex.peek_word();
        let Some(scalar) = llvm_scalar(word) else { return self.lex.expected("a type") };
        self.lex.word()?;
        Ok(LlvmType::Scalar(scalar))
    }

    /// `(size, align) {i32 at 0, <2 x float> at 8}`.
    fn aggregate(&mut self) -> Parsed<LlvmType> {
        self.lex.punct("(")?;
        let size = self.lex.number()?;
        self.lex.punct(",")?;
        let align = self.lex.number()?;
        self.lex.punct(")")?;
        self.lex.punct("{")?;
        let mut leaves = Vec::new();
        while !self.lex.take_punct("}") {
            if !leaves.is_empty() {
                self.lex.punct(",")?;
            }
            let (lane, lanes) = match self.llvm()? {
                LlvmType::Scalar(lane) => (lane, None),
                LlvmType::Vector { lane, lanes } => (lane, Some(lanes)),
                LlvmType::Void | LlvmType::Aggregate(_) => return self.lex.expected("a scalar or vector before this"),
            };
            self.lex.keyword("at")?;
            leaves.push(Leaf { lane, lanes, offset: self.lex.number()? });
        }
        Ok(LlvmType::aggregate(leaves, size, align))
    }

    fn ctype(&mut self, depth: u32) -> Parsed<CType> {
        if depth > MAX_DEPTH {
            return self.lex.expected("a type that is not nested so deep");
        }
        let word = self.lex.peek_word();
        match word {
            "nothing" => {
                self.lex.word()?;
                Ok(CType::Void)
            }
            "bitint" | "ubitint" => {
                self.lex.word()?;
                self.lex.punct("(")?;
                let bits = self.lex.number()?;
                self.lex.punct(")")?;
                Ok(CType::BitInt { bits, signed: word == "bitint" })
            }
            "complex" => {
                self.lex.word()?;
                self.lex.punct("(")?;
                let scalar = self.scalar()?;
                self.lex.punct(")")?;
                Ok(CType::Complex(scalar))
            }
            "vector" => {
                self.lex.word()?;
                self.lex.punct("(")?;
                let lanes = self.lex.number()?;
                self.lex.punct(",")?;
                let lane = self.scalar()?;
                self.lex.punct(")")?;
                Ok(CType::Vector { lane, lanes })
            }
            "array" => {
                self.lex.word()?;
                self.lex.punct("(")?;
                let len = self.lex.number()?;
                self.lex.punct(",")?;
                let element = self.ctype(depth + 1)?;
                self.lex.punct(")")?;
                Ok(CType::array(element, len))
            }
            "struct" => self.record(RecordKind::Struct, depth),
            "union" => self.record(RecordKind::Union, depth),
            _ => self.scalar().map(CType::Scalar),
        }
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        match c_scalar(self.lex.peek_word()) {
            Some(s) => {
                self.lex.word()?;
                Ok(s)
            }
            None => self.lex.expected("a type"),
        }
    }

    fn parenthesized(&mut self) -> Parsed<u32> {
        self.lex.punct("(")?;
        let n = self.lex.number()?;
        self.lex.punct(")")?;
        Ok(n)
    }

    fn record(&mut self, kind: RecordKind, depth: u32) -> Parsed<CType> {
        self.lex.word()?;
        let packed = self.lex.take_word("packed");
        let pack = if self.lex.take_word("pack") { Some(self.parenthesized()?) } else { None };
        let align = if self.lex.take_word("aligned") { Some(self.parenthesized()?) } else { None };
        let cxx = self.lex.take_word("cxx");
        let non_trivial = self.lex.take_word("non_trivial");
        let aggregate = self.lex.take_word("aggregate");
        let never_homogeneous = self.lex.take_word("never_homogeneous");
        self.lex.punct("{")?;
        let mut fields = Vec::new();
        while !self.lex.take_punct("}") {
            if !fields.is_empty() {
                self.lex.punct(",")?;
            }
            let mut f = Field::new(self.ctype(depth + 1)?);
            if self.lex.take_word("bits") {
                f.bits = Some(self.parenthesized()?);
            }
            f.named = !self.lex.take_word("unnamed");
            f.packed = self.lex.take_word("packed");
            if self.lex.take_word("aligned") {
                f.align = Some(self.parenthesized()?);
            }
            fields.push(f);
        }
        let mut record = match kind {
            RecordKind::Struct => Record::structure(fields),
            RecordKind::Union => Record::union(fields),
        };
        if packed {
            record = record.packed();
        }
        if let Some(n) = pack {
            record = record.pragma_pack(n);
        }
        if let Some(n) = align {
            record = record.aligned(n);
        }
        if cxx {
            record = record.cxx(Class { non_trivial, aggregate });
        }
        if never_homogeneous {
            record = record.never_homogeneous();
        }
        Ok(CType::record(record))
    }
}

fn llvm_scalar(word: &str) -> Option<LlvmScalar> {
    by_name(LLVM_SCALARS, word).or_else(|| word.strip_prefix('i')?.parse().ok().map(LlvmScalar::Int))
}

fn c_scalar(word: &str) -> Option<Scalar> {
    let int = |digits: &str, signed| digits.parse().ok().map(|bits| Scalar::Int { bits, signed });
    match word {
        "bool" => Some(Scalar::Bool),
        "pointer" => Some(Scalar::Pointer),
        _ => {
            let kind: Option<FloatKind> = by_name(C_FLOATS, word);
            kind.map(Scalar::Float)
                .or_else(|| int(word.strip_prefix('s')?, true))
                .or_else(|| int(word.strip_prefix('u')?, false))
        }
    }
}
