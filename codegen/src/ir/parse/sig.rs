//! Parses signatures: the line `sig0 = (types) -> (types) … = convention (params) -> result`.

use gusset_abi::{
    AbiType, Attrs, CType, Class, Field, FieldRole, FloatKind, LlvmScalar, LlvmStruct, LlvmType, Member, Modifiers,
    Param, Preserves, Record, RecordKind, Role, Scalar, Signature, Virtuals, Widen,
};

use super::{Parsed, Parser};
use crate::ir::module::SigData;
use crate::ir::types::Type;
use crate::ir::words::{C_FLOATS, CONVENTIONS, LLVM_SCALARS, MEMBERS, PLAIN_ROLES, PRESERVES, by_name};

/// The deepest nesting of types that is accepted.
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
        // In the text, a `swifterror` argument is among the results.
        if sig.source.params.iter().any(|p| p.attrs.role == Role::SwiftError) {
            sig.results.pop();
        }
        sig.check().map_err(|why| (at, why))?;
        Ok(sig.with_swift_parameters())
    }

    fn types(&mut self) -> Parsed<Vec<Type>> {
        self.lex.punct("(")?;
        self.list(Some(")"), |p| p.lex.ty())
    }

    fn source(&mut self) -> Parsed<Signature> {
        let convention = self.lex.named("a calling convention", |word| by_name(CONVENTIONS, word))?;
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
        let at = self.lex.here();
        let regparm = u8::try_from(self.optional("regparm")?.unwrap_or(0));
        let regparm = regparm.map_err(|_| (at, "more registers than there are".to_string()))?;
        let sse_regparm = self.lex.take_word("sse_regparm");
        let member = MEMBERS.iter().find(|(_, name)| self.lex.take_word(name)).map_or(Member::None, |(m, _)| *m);
        let preserves =
            PRESERVES.iter().find(|(_, name)| self.lex.take_word(name)).map_or(Preserves::Usual, |(p, _)| *p);
        Ok(Modifiers { regparm, sse_regparm, member, preserves })
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

    fn source_type(&mut self, depth: u32) -> Parsed<AbiType> {
        if depth > MAX_DEPTH {
            return self.lex.expected("a type that is not nested so deep");
        }
        let word = self.lex.peek_word();
        let llvm = matches!(self.lex.peek(), Some(b'<' | b'['));
        if llvm || matches!(word, "void" | "aggregate") || llvm_scalar(word).is_some() {
            return self.llvm(depth).map(AbiType::Llvm);
        }
        self.ctype(depth).map(AbiType::C)
    }

    fn llvm(&mut self, depth: u32) -> Parsed<LlvmType> {
        if depth > MAX_DEPTH {
            return self.lex.expected("a type that is not nested so deep");
        }
        if self.lex.take_word("aggregate") {
            return self.aggregate(depth);
        }
        if self.lex.take_punct("[") {
            let len = self.lex.number()?;
            self.lex.keyword("x")?;
            let element = self.llvm(depth + 1)?;
            self.lex.punct("]")?;
            return Ok(LlvmType::array(element, len));
        }
        if self.lex.take_punct("<") {
            let lanes = self.lex.number()?;
            self.lex.keyword("x")?;
            let lane = self.llvm_scalar()?;
            self.lex.punct(">")?;
            return Ok(LlvmType::Vector { lane, lanes });
        }
        if self.lex.take_word("void") {
            return Ok(LlvmType::Void);
        }
        self.llvm_scalar().map(LlvmType::Scalar)
    }

    fn llvm_scalar(&mut self) -> Parsed<LlvmScalar> {
        self.lex.named("a scalar type", llvm_scalar)
    }

    /// `(size, align) {i32 at 0, <2 x float> at 8}`.
    fn aggregate(&mut self, depth: u32) -> Parsed<LlvmType> {
        self.lex.punct("(")?;
        let size = self.lex.number()?;
        self.lex.punct(",")?;
        let align = self.lex.number()?;
        self.lex.punct(")")?;
        self.lex.punct("{")?;
        let fields = self.list(Some("}"), |p| {
            let field = p.llvm(depth + 1)?;
            p.lex.keyword("at")?;
            Ok((p.lex.number()?, field))
        })?;
        Ok(LlvmType::structure(LlvmStruct { fields, packed: false, size, align, record: None }))
    }

    fn ctype(&mut self, depth: u32) -> Parsed<CType> {
        if depth > MAX_DEPTH {
            return self.lex.expected("a type that is not nested so deep");
        }
        let word = self.lex.peek_word();
        match word {
            "struct" => return self.record(RecordKind::Struct, depth),
            "union" => return self.record(RecordKind::Union, depth),
            "nothing" | "bitint" | "ubitint" | "complex" | "vector" | "array" => {}
            _ => return self.scalar().map(CType::Scalar),
        }
        self.lex.word()?;
        if word == "nothing" {
            return Ok(CType::Void);
        }
        self.lex.punct("(")?;
        let ty = match word {
            "complex" => CType::Complex(self.scalar()?),
            "vector" => {
                let lanes = self.lex.number()?;
                self.lex.punct(",")?;
                CType::Vector { lane: self.scalar()?, lanes }
            }
            "array" => {
                let len = self.lex.number()?;
                self.lex.punct(",")?;
                CType::array(self.ctype(depth + 1)?, len)
            }
            _ => CType::BitInt { bits: self.lex.number()?, signed: word == "bitint" },
        };
        self.lex.punct(")")?;
        Ok(ty)
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        self.lex.named("a type", c_scalar)
    }

    fn record(&mut self, kind: RecordKind, depth: u32) -> Parsed<CType> {
        self.lex.word()?;
        let packed = self.lex.take_word("packed");
        let (pack, align) = (self.optional("pack")?, self.optional("aligned")?);
        let cxx = self.lex.take_word("cxx");
        let non_trivial = self.lex.take_word("non_trivial");
        let aggregate = self.lex.take_word("aggregate");
        let never_homogeneous = self.lex.take_word("never_homogeneous");
        let plain_data = self.lex.take_word("plain_data");
        let c_like = self.lex.take_word("c_like");
        let number = self.optional("number")?;
        let virtuals = self.virtuals()?;
        self.lex.punct("{")?;
        let fields = self.list(Some("}"), |p| p.field(depth))?;
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
            record = record.cxx(Class { non_trivial, aggregate, plain_data, c_like });
        }
        if never_homogeneous {
            record = record.never_homogeneous();
        }
        if let Some(number) = number {
            record = record.numbered(number);
        }
        if let Some(virtuals) = virtuals {
            record = record.virtual_functions(virtuals);
        }
        Ok(CType::record(record))
    }

    /// The virtual functions of a class.
    fn virtuals(&mut self) -> Parsed<Option<Virtuals>> {
        if !self.lex.take_word("virtual") {
            return Ok(None);
        }
        let overriding = self.lex.take_word("overriding");
        let mut virtuals = if overriding { Virtuals::default() } else { Virtuals::introduced() };
        if self.lex.take_word("constructed") {
            virtuals = virtuals.constructed();
        }
        while let Some(number) = self.optional("overrides")? {
            virtuals = virtuals.overriding([number]);
        }
        Ok(Some(virtuals))
    }

    fn field(&mut self, depth: u32) -> Parsed<Field> {
        let mut f = Field::new(self.ctype(depth + 1)?);
        f.bits = self.optional("bits")?;
        f.named = !self.lex.take_word("unnamed");
        f = match () {
            () if self.lex.take_word("base") => Field { role: FieldRole::Base, ..f },
            () if self.lex.take_word("virtual_base") => Field { role: FieldRole::VirtualBase, ..f },
            () if self.lex.take_word("no_unique_address") => f.no_unique_address(),
            () => f,
        };
        f.packed = self.lex.take_word("packed");
        f.align = self.optional("aligned")?;
        Ok(f)
    }

    /// A word with a number in brackets, if it is there.
    fn optional(&mut self, word: &str) -> Parsed<Option<u32>> {
        if !self.lex.take_word(word) {
            return Ok(None);
        }
        self.lex.punct("(")?;
        let n = self.lex.number()?;
        self.lex.punct(")")?;
        Ok(Some(n))
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
