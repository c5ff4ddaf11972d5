//! Values: locals, constants of every kind, and constant expressions, which fold or become instructions.

use gusset_codegen::ir::{ConstData, Opcode, SymbolId, Type, Value};

use crate::body::{Reader, Val};
use crate::error::{ReadError, Result};
use crate::floats::parse_float;
use crate::lexer::{Name, unescape};
use crate::module::GlobalInfo;
use crate::types::{I8, Kind, LABEL, MAX_DEPTH, METADATA, PTR, TOKEN, TypeId, TypeTable};
use crate::words as w;

impl<'r> Reader<'r> {
    /// Reads a value of type `ty`.
    #[inline(always)]
    pub fn value(&mut self, ty: TypeId) -> Result<Val> {
        if self.c.peek() == b'%' {
            let pos = self.c.pos;
            let r = self.local_ref()?;
            return self.use_local(r, ty, pos);
        }
        self.constant(ty)
    }

    /// Reads a constant of type `ty`.
    pub fn constant(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        let d = *self.types.get(ty);
        match self.c.peek() {
            b'0'..=b'9' | b'-' | b'+' => match d.kind {
                Kind::Int => {
                    let n = self.integer()?;
                    Ok(self.b.func.make_int(d.ir, n).0)
                }
                Kind::Float => {
                    let bits = parse_float(&mut self.c, d.ir)?;
                    Ok(self.b.func.make_const(d.ir, ConstData::Float(bits)).0)
                }
                Kind::Wide { .. } => self.wide_number(ty),
                _ => Err(self.c.error("a number is not a value of this type")),
            },
            b'@' if ty == PTR => {
                let info = self.global()?;
                self.global_address(info, pos)
            }
            b'{' | b'[' | b'<' => self.nested(|r| r.aggregate(ty)),
            b'c' if self.c.ahead(1) == b'"' => {
                self.c.pos += 1;
                let bytes = unescape(self.c.string()?);
                if !matches!(d.kind, Kind::Array { element: I8, len } if len == bytes.len() as u64) {
                    return Err(ReadError::new(self.c.src, pos, "the string is not a value of this type"));
                }
                self.check_aggregate(ty, pos)?;
                let mut bytes = bytes.into_iter();
                Ok(self.each_leaf(ty, |r, leaf| r.b.iconst(leaf.ir, bytes.next().unwrap_or(0) as i128)))
            }
            b if b.is_ascii_lowercase() => self.nested(|r| r.word_constant(ty)),
            _ => Err(self.c.expected("a value")),
        }
    }

    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.c.error(format!("the constant is nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Reads an integer of at most 128 bits; the sign is applied.
    #[inline]
    pub fn integer(&mut self) -> Result<i128> {
        let start = self.c.pos;
        let negative = self.c.peek() == b'-';
        self.c.pos += usize::from(negative);
        let first = self.c.pos;
        if let Some(n) = self.c.short_number() {
            if matches!(self.c.peek(), b'.' | b'x' | b'e') {
                return Err(ReadError::expected(self.c.src, start, "an integer"));
            }
            self.c.ws_behind_number();
            return Ok(if negative { -(n as i128) } else { n as i128 });
        }
        let mut small = 0u64;
        let mut large = 0u128;
        loop {
            let d = self.c.peek().wrapping_sub(b'0');
            if d > 9 {
                break;
            }
            let digits = self.c.pos - first;
            if digits < 19 {
                small = small * 10 + d as u64;
            } else {
                if digits == 19 {
                    large = small as u128;
                }
                large = match large.checked_mul(10).and_then(|n| n.checked_add(d as u128)) {
                    Some(n) => n,
                    None => return Err(ReadError::new(self.c.src, start, "the number does not fit 128 bits")),
                };
            }
            self.c.pos += 1;
        }
        let digits = self.c.pos - first;
        if digits == 0 || matches!(self.c.peek(), b'.' | b'x' | b'e') {
            return Err(ReadError::expected(self.c.src, start, "an integer"));
        }
        let n = if digits <= 19 { small as u128 } else { large };
        self.c.ws();
        Ok(if negative { (n as i128).wrapping_neg() } else { n as i128 })
    }

    // Globals.

    /// Reads `@name`, which must be known.
    #[inline]
    pub fn global(&mut self) -> Result<&'r GlobalInfo> {
        let pos = self.c.pos;
        self.c.pos += 1;
        let name = self.c.name()?;
        let m = self.m;
        match m.lookup(name) {
            Some(info) => Ok(info),
            None => {
                let name = String::from_utf8_lossy(&name.bytes()).into_owned();
                Err(ReadError::new(self.c.src, pos, format!("`@{name}` is not defined")))
            }
        }
    }

    /// The address of a global.
    pub fn global_address(&mut self, info: &GlobalInfo, pos: usize) -> Result<Val> {
        let Some(symbol) = info.symbol else {
            return Err(ReadError::new(self.c.src, pos, "an intrinsic can only be called"));
        };
        if info.tls {
            self.check_unfrozen(pos)?;
            return Ok(self.tls_address(symbol).0);
        }
        Ok(self.b.symbol_addr(symbol, 0).0)
    }

    /// The address of a thread-local symbol.
    pub fn tls_address(&mut self, symbol: SymbolId) -> Value {
        self.b.push1(Opcode::TlsAddr, 0, self.ptr, [symbol.0, 0, 0], self.ptr)
    }

    // Simple constants.

    /// Zero of a scalar or vector type.
    pub fn zero(&mut self, ir: Type) -> Value {
        let lane = ir.lane();
        let z = match lane.is_float() {
            true => self.b.func.make_const(lane, ConstData::Float(0)),
            false => self.b.iconst(lane, 0),
        };
        if ir.is_vector() { self.splat_constant(ir, z) } else { z }
    }

    /// A vector of equal lane constants.
    pub fn splat_constant(&mut self, ir: Type, lane: Value) -> Value {
        let start = self.b.func.pool.len() as u32;
        let len = ir.lanes();
        self.b.func.pool.extend((0..len).map(|_| lane.0));
        self.b.func.make_const(ir, ConstData::Vector { start, len })
    }

    fn fill(&mut self, ty: TypeId, pos: usize, f: impl Fn(&mut Self, Type) -> Value) -> Result<Val> {
        let ir = self.types.ir(ty);
        if ir != Type::VOID {
            return Ok(f(self, ir).0);
        }
        if matches!(ty, LABEL | METADATA | TOKEN) {
            return Err(ReadError::expected(self.c.src, pos, "a value"));
        }
        self.check_aggregate(ty, pos)?;
        Ok(self.each_leaf(ty, |r, leaf| f(r, leaf.ir)))
    }

    fn word_constant(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        let (key, len) = self.c.peek_key();
        match key {
            w::NULL if TypeTable::space(ty).is_some() => {
                self.c.bump(len);
                Ok(self.b.ptr_const(0).0)
            }
            w::TRUE | w::FALSE if self.types.ir(ty) == Type::I1 => {
                self.c.bump(len);
                Ok(self.b.iconst(Type::I1, i128::from(key == w::TRUE)).0)
            }
            w::ZEROINITIALIZER => {
                self.c.bump(len);
                self.fill(ty, pos, |r, ir| r.zero(ir))
            }
            w::UNDEF | w::POISON => {
                self.c.bump(len);
                self.fill(ty, pos, |r, ir| r.b.poison(ir))
            }
            w::SPLAT => {
                self.c.bump(len);
                self.c.expect(b'(')?;
                let (lane_ty, lane) = self.typed_scalar()?;
                self.c.expect(b')')?;
                match self.types.get(ty).kind {
                    Kind::Vector { lane: l, .. } if l == lane_ty => {
                        let ir = self.types.ir(ty);
                        if self.b.func.constant(lane).is_some() {
                            return Ok(self.splat_constant(ir, lane).0);
                        }
                        self.check_unfrozen(pos)?;
                        Ok(self.b.convert(Opcode::Splat, lane, ir).0)
                    }
                    _ => Err(ReadError::new(self.c.src, pos, "the splat is not a value of this type")),
                }
            }
            w::BLOCKADDRESS if ty == PTR => self.block_address(),
            w::NO_CFI if ty == PTR => {
                self.c.bump(len);
                self.constant(ty)
            }
            0 if len > 16 && ty == PTR && self.c.eat_word(b"dso_local_equivalent") => self.constant(ty),
            _ => {
                if matches!(self.c.peek(), b's' | b'u') && self.c.ahead(1) == b'0' && self.c.ahead(2) == b'x' {
                    return self.hex_integer(ty);
                }
                self.expression(ty, key, len)
            }
        }
    }

    /// `u0x…` and `s0x…`: the bits of an integer, zero- or sign-extended from the digits written.
    fn hex_integer(&mut self, ty: TypeId) -> Result<Val> {
        let start = self.c;
        let signed = self.c.peek() == b's';
        self.c.pos += 3;
        if matches!(self.types.get(ty).kind, Kind::Wide { .. }) {
            return self.wide_hex(ty, signed);
        }
        let (mut n, mut digits) = (0u128, 0);
        while let Some(d) = (self.c.peek() as char).to_digit(16) {
            n = n << 4 | d as u128;
            digits += 1;
            self.c.pos += 1;
        }
        if digits == 0 || digits > 32 || self.types.get(ty).kind != Kind::Int {
            return Err(start.expected("a value of this type"));
        }
        self.c.ws();
        let shift = 128 - 4 * digits;
        let n = if signed { (n << shift) as i128 >> shift } else { n as i128 };
        let ir = self.types.ir(ty);
        Ok(self.b.iconst(ir, n).0)
    }

    fn block_address(&mut self) -> Result<Val> {
        let pos = self.c.pos;
        self.c.bump(b"blockaddress".len());
        self.c.expect(b'(')?;
        if self.c.peek() != b'@' {
            return Err(self.c.expected("a function"));
        }
        let info = self.global()?;
        self.c.expect(b',')?;
        if self.c.peek() != b'%' {
            return Err(self.c.expected("a block's name"));
        }
        self.c.pos += 1;
        let name: Name = self.c.name()?;
        self.c.expect(b')')?;
        let symbol = info.symbol.and_then(|f| self.m.block_symbol(f, name));
        match symbol {
            Some(s) => Ok(self.b.symbol_addr(s, 0).0),
            None => Err(ReadError::new(self.c.src, pos, "the function is not defined in this module")),
        }
    }

    // Aggregates and vectors.

    fn aggregate(&mut self, ty: TypeId) -> Result<Val> {
        let pos = self.c.pos;
        let open = self.c.peek();
        let wrong = |r: &Self| ReadError::new(r.c.src, pos, "the constant is not a value of this type");
        match self.types.get(ty).kind {
            Kind::Vector { lane, len } if open == b'<' && self.c.ahead(1) != b'{' => {
                self.c.bump(1);
                let mut lanes = Vec::with_capacity(len.min(64) as usize);
                let mut constant = true;
                loop {
                    let pos = self.c.pos;
                    let (l, v) = self.typed_scalar()?;
                    if l != lane {
                        return Err(ReadError::new(self.c.src, pos, "the lane has another type than the vector's"));
                    }
                    constant &= self.b.func.constant(v).is_some();
                    lanes.push(v);
                    if !self.c.eat(b',') {
                        break;
                    }
                }
                self.c.expect(b'>')?;
                if lanes.len() != len as usize {
                    return Err(wrong(self));
                }
                let ir = self.types.ir(ty);
                if constant {
                    return Ok(self.b.func.make_vector(ir, &lanes).0);
                }
                self.check_unfrozen(pos)?;
                Ok(self.vector_of(ir, &lanes).0)
            }
            Kind::Array { .. } | Kind::Struct { .. } => {
                let packed = open == b'<';
                self.c.bump(if packed { 2 } else { 1 });
                self.check_aggregate(ty, pos)?;
                let start = self.s.aggregates.len();
                let total = self.scalars(ty);
                self.s.aggregates.resize(start + total, Value(0));
                let close = if open == b'[' { b']' } else { b'}' };
                let mut i = 0;
                if self.c.peek() != close {
                    loop {
                        let pos = self.c.pos;
                        let element = self.types.parse(&mut self.c)?;
                        let Some((expected, scalar, _)) = self.types.element(ty, i) else {
                            return Err(wrong(self));
                        };
                        if element != expected {
                            return Err(ReadError::new(self.c.src, pos, "the element is not of the aggregate's type"));
                        }
                        let val = self.value(element)?;
                        for k in 0..self.scalars(element) {
                            self.s.aggregates[start + scalar as usize + k] = self.part(element, val, k);
                        }
                        i += 1;
                        if !self.c.eat(b',') {
                            break;
                        }
                    }
                }
                self.c.expect(close)?;
                if packed {
                    self.c.expect(b'>')?;
                }
                if self.types.element(ty, i).is_some() {
                    return Err(wrong(self));
                }
                Ok(start as Val)
            }
            _ => Err(wrong(self)),
        }
    }

    /// A vector made of lanes by instructions.
    pub fn vector_of(&mut self, ir: Type, lanes: &[Value]) -> Value {
        let mut v = self.b.poison(ir);
        for (i, &lane) in lanes.iter().enumerate() {
            let i = self.b.iconst(Type::I32, i as i128);
            v = self.b.insert_lane(v, lane, i);
        }
        v
    }

    // Expressions.

    fn expression(&mut self, ty: TypeId, key: u128, len: usize) -> Result<Val> {
        let pos = self.c.pos;
        if self.c.ahead(len) != b'(' && self.c.ahead(len) != b' ' {
            return Err(self.c.expected("a value"));
        }
        let (result, val) = match key {
            w::GETELEMENTPTR => {
                self.c.bump(len);
                self.gep(true)?
            }
            w::TRUNC
            | w::ZEXT
            | w::SEXT
            | w::FPTRUNC
            | w::FPEXT
            | w::FPTOUI
            | w::FPTOSI
            | w::UITOFP
            | w::SITOFP
            | w::PTRTOINT
            | w::PTRTOADDR
            | w::INTTOPTR
            | w::BITCAST
            | w::ADDRSPACECAST => {
                self.c.bump(len);
                self.c.expect(b'(')?;
                let result = self.conversion(key, pos)?;
                self.c.expect(b')')?;
                result
            }
            w::ADD
            | w::SUB
            | w::MUL
            | w::SHL
            | w::LSHR
            | w::ASHR
            | w::AND
            | w::OR
            | w::XOR
            | w::UDIV
            | w::SDIV
            | w::UREM
            | w::SREM
            | w::FADD
            | w::FSUB
            | w::FMUL
            | w::FDIV
            | w::FREM => {
                self.c.bump(len);
                self.skip_flags();
                self.c.expect(b'(')?;
                let (ty, a) = self.typed_scalar()?;
                self.c.expect(b',')?;
                let b = self.same_type(ty)?;
                self.c.expect(b')')?;
                (ty, self.fold_binary(crate::instructions::binary_opcode(key), a, b, pos)?.0)
            }
            w::ICMP | w::FCMP => {
                self.c.bump(len);
                self.check_unfrozen(pos)?;
                self.compare(key == w::ICMP, true)?
            }
            w::SELECT => {
                self.c.bump(len);
                self.check_unfrozen(pos)?;
                self.c.expect(b'(')?;
                let r = self.select()?;
                self.c.expect(b')')?;
                r
            }
            w::EXTRACTELEMENT | w::INSERTELEMENT | w::SHUFFLEVECTOR => {
                self.c.bump(len);
                self.check_unfrozen(pos)?;
                self.c.expect(b'(')?;
                let r = self.vector_instruction(key)?;
                self.c.expect(b')')?;
                r
            }
            w::EXTRACTVALUE | w::INSERTVALUE => {
                self.c.bump(len);
                self.c.expect(b'(')?;
                let r = if key == w::EXTRACTVALUE { self.extract_value()? } else { self.insert_value()? };
                self.c.expect(b')')?;
                r
            }
            _ => return Err(self.c.expected("a value of this type")),
        };
        if result != ty {
            return Err(ReadError::new(self.c.src, pos, "the constant expression is not of the type expected here"));
        }
        Ok(val)
    }

    /// Reads a type, which must be `ty`, and a value of it.
    pub fn same_type(&mut self, ty: TypeId) -> Result<Value> {
        let pos = self.c.pos;
        if self.types.parse(&mut self.c)? != ty {
            return Err(ReadError::new(self.c.src, pos, "the operands are of different types"));
        }
        self.scalar(ty)
    }

    /// `a op b`, of constants folded where the result is a number or an address.
    pub fn fold_binary(&mut self, op: Opcode, a: Value, b: Value, pos: usize) -> Result<Value> {
        use ConstData::{Int, Symbol};
        let ty = self.b.func.value_type(a);
        let bits = ty.bits();
        let folded = match (op, self.b.func.constant(a), self.b.func.constant(b)) {
            (_, Some(Int(x)), Some(Int(y))) => match op {
                Opcode::Iadd => Some(x.wrapping_add(y)),
                Opcode::Isub => Some(x.wrapping_sub(y)),
                Opcode::Imul => Some(x.wrapping_mul(y)),
                Opcode::And => Some(x & y),
                Opcode::Or => Some(x | y),
                Opcode::Xor => Some(x ^ y),
                Opcode::Shl if y < bits as u128 => Some(x << y),
                Opcode::Lshr if y < bits as u128 => Some(x >> y),
                _ => None,
            }
            .map(|n| self.b.iconst(ty, n as i128)),
            (Opcode::Iadd, Some(Symbol(s, off)), Some(Int(n))) | (Opcode::Iadd, Some(Int(n)), Some(Symbol(s, off)))
                if ty == self.ptr =>
            {
                let off = self.wrapped(off.wrapping_add(n as i64));
                Some(self.b.symbol_addr(s, off))
            }
            (Opcode::Isub, Some(Symbol(s, off)), Some(Int(n))) if ty == self.ptr => {
                let off = self.wrapped(off.wrapping_sub(n as i64));
                Some(self.b.symbol_addr(s, off))
            }
            (Opcode::Isub, Some(Symbol(s, x)), Some(Symbol(t, y))) if s == t => {
                Some(self.b.iconst(ty, x.wrapping_sub(y) as i128))
            }
            _ => None,
        };
        match folded {
            Some(v) => Ok(v),
            None => {
                self.check_unfrozen(pos)?;
                Ok(self.b.binary(op, a, b))
            }
        }
    }
}
