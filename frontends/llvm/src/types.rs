//! Types as text.

use gusset_program::{
    BF16, F16, F32, F64, F80, F128, Foreign, I1, I8, I32, I64, Kind, LABEL, MAX_DEPTH, METADATA, PTR, TOKEN, TypeId,
    TypeTable, VOID,
};

use crate::lexer::{Cursor, Name, Tokens, enclosed};
use gusset_text::NameTable;
use gusset_text::{Placed, Result};

/// First bytes of what may turn the type before it into a typed pointer.
static MAKES_POINTERS: [bool; 256] = {
    let mut t = [false; 256];
    t[b'*' as usize] = true;
    t[b'(' as usize] = true;
    // `addrspace`
    t[b'a' as usize] = true;
    t
};

/// First bytes of everything else that may follow a type: tokens, not white space or comments.
static ENDS_TYPE: [bool; 256] = {
    let mut t = [false; 256];
    let mut b = b' ' as usize + 1;
    while b < 256 {
        t[b] = b != b';' as usize && !MAKES_POINTERS[b];
        b += 1;
    }
    t
};

/// Bytes of the longest name in [`Recent`], including `%` and the byte after it.
const NAME: usize = 40;

/// A named type or an array that was read: its text, and the byte after it.
#[derive(Clone)]
struct Recent {
    text: [u8; NAME],
    /// 0 if the entry is empty.
    len: u8,
    id: TypeId,
}

/// State of reading types, beyond their table.
#[derive(Clone, Default)]
pub(crate) struct TypeNames {
    names: NameTable,
    named: Vec<TypeId>,
    /// Names of types that were read recently.
    recent: Vec<Recent>,
    /// The pointee of the typed pointer that was read last, and the position after it.
    pointee: Option<(TypeId, usize)>,
}

impl TypeNames {
    fn by_name(&mut self, types: &mut TypeTable, name: Name) -> Option<TypeId> {
        let bytes = name.bytes();
        if types.is_complete() {
            return self.names.get(&bytes).map(|i| self.named[i as usize]);
        }
        let i = self.names.intern(&bytes) as usize;
        if i == self.named.len() {
            let id = types.opaque();
            types.set_name(id, &bytes);
            self.named.push(id);
        }
        Some(self.named[i])
    }

    /// Reads a type, which may be `void` and the like.
    #[inline]
    pub fn parse(&mut self, types: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        const fn word(text: &[u8; 4]) -> u32 {
            u32::from_le_bytes(*text)
        }
        const I32_: u32 = word(b"i32 ");
        const I64_: u32 = word(b"i64 ");
        const PTR_: u32 = word(b"ptr ");
        const PTR_END: u32 = word(b"ptr,");
        const I1_: u32 = word(b"i1 \0");
        const I8_: u32 = word(b"i8 \0");
        const I8_END: u32 = word(b"i8,\0");
        const I32_END: u32 = word(b"i32,");
        const I64_END: u32 = word(b"i64,");
        if let Some(bytes) = c.eight() {
            // The common ones, before a comma or with the space after them.
            let (id, len) = match bytes as u32 {
                I32_ => (I32, 4),
                I32_END => (I32, 3),
                I64_ => (I64, 4),
                I64_END => (I64, 3),
                PTR_END => (PTR, 3),
                PTR_ if bytes >> 32 & 0xffff != u16::from_le_bytes(*b"ad") as u64 => (PTR, 4),
                _ => match bytes as u32 & 0xff_ffff {
                    I1_ => (I1, 3),
                    I8_ => (I8, 3),
                    I8_END => (I8, 2),
                    _ => return self.parse_other(types, c),
                },
            };
            c.pos += len;
            if ENDS_TYPE[(bytes >> (8 * len)) as u8 as usize] {
                return Ok(id);
            }
            c.ws();
            return self.plain(types, c, id);
        }
        self.parse_other(types, c)
    }

    /// Whether one of the types that most functions return is next.
    #[inline]
    pub fn common_ahead(c: &Cursor) -> bool {
        const VOID: u64 = u64::from_le_bytes(*b"void \0\0\0");
        const I32: u32 = u32::from_le_bytes(*b"i32 ");
        const I64: u32 = u32::from_le_bytes(*b"i64 ");
        const PTR: u32 = u32::from_le_bytes(*b"ptr ");
        c.eight().is_some_and(|text| matches!(text as u32, I32 | I64 | PTR) || text & 0xff_ffff_ffff == VOID)
    }

    fn parse_other(&mut self, types: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        if matches!(c.peek(), b'%' | b'[') && types.is_complete() {
            return self.parse_recent(types, c);
        }
        if c.peek() == b'i' {
            let (mut len, mut bits) = (1, 0u32);
            loop {
                let d = c.ahead(len).wrapping_sub(b'0');
                if d > 9 || len > 8 {
                    break;
                }
                bits = bits * 10 + d as u32;
                len += 1;
            }
            if len > 1 && (1..=128).contains(&bits) {
                c.bump(len);
                return self.plain(types, c, TypeTable::int(bits));
            }
        }
        self.parse_at(types, c, 0)
    }

    /// Reads a named type or an array: most often a recent one, before the same byte.
    fn parse_recent(&mut self, types: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        let start = c.pos;
        let rest = c.src.get(start..).unwrap_or(&[]);
        let Some(text) = rest.first_chunk::<16>() else { return self.parse_at(types, c, 0) };
        let text = u128::from_le_bytes(*text);
        let (low, high) = (text as u64, (text >> 64) as u64);
        // Names begin to differ after `%struct.`; arrays differ in the first twelve bytes.
        let differing = if rest[0] == b'[' { low ^ high & 0xffff_ffff } else { high };
        let place = (differing.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        if let Some(known) = self.recent.get(place)
            && known.len != 0
            && rest.starts_with(&known.text[..known.len as usize])
        {
            c.bump(known.len as usize - 1);
            return self.plain(types, c, known.id);
        }
        let id = self.parse_at(types, c, 0)?;
        let len = c.pos - start + 1;
        let whole = matches!(c.src[c.pos - 1], b']' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z');
        if whole && c.peek() == b',' && len <= NAME {
            let mut text = [0; NAME];
            text[..len].copy_from_slice(&rest[..len]);
            self.recent.resize(256, Recent { text: [0; NAME], len: 0, id: VOID });
            self.recent[place] = Recent { text, len: len as u8, id };
        }
        Ok(id)
    }

    /// The type itself, unless it is turned into a typed pointer.
    #[inline(always)]
    fn plain(&mut self, types: &mut TypeTable, c: &mut Cursor, id: TypeId) -> Result<TypeId> {
        if MAKES_POINTERS[c.peek() as usize] { self.typed_pointer(types, c, id) } else { Ok(id) }
    }

    /// Reads what turns a type into a typed pointer, as LLVM before version 15 writes it: `*`, `addrspace(0)*`, and
    /// `(…)*` of functions. Only the last pointee is kept, for attributes that name no type.
    #[cold]
    fn typed_pointer(&mut self, types: &mut TypeTable, c: &mut Cursor, mut id: TypeId) -> Result<TypeId> {
        loop {
            let mut next = *c;
            let mut pointer = PTR;
            if next.eat_word(b"addrspace") {
                pointer = Self::address_space(types, &mut next)?;
            } else if next.peek() == b'(' {
                next.skip_group()?;
                if next.peek() != b'*' {
                    // It is the function type of a call.
                    return Ok(id);
                }
                id = VOID;
            }
            if !next.eat(b'*') {
                return Ok(id);
            }
            *c = next;
            self.pointee = Some((id, c.pos));
            id = pointer;
        }
    }

    /// Reads the number of an address space after the word; returns the type of pointers into it.
    pub fn address_space(types: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        c.expect(b'(')?;
        let at = *c;
        let space = c.number32()?;
        c.expect(b')')?;
        types.pointer_into(space).map_err(|m| at.error(m))
    }

    /// The pointee of the typed pointer that ends here.
    pub fn pointee(&self, c: &Cursor) -> Option<TypeId> {
        self.pointee.filter(|p| p.1 == c.pos).map(|p| p.0)
    }

    fn parse_at(&mut self, types: &mut TypeTable, c: &mut Cursor, depth: u32) -> Result<TypeId> {
        if depth > MAX_DEPTH {
            return Err(c.error(format!("the type is nested deeper than {MAX_DEPTH}")));
        }
        let at = c.pos;
        let id = match c.peek() {
            b'%' => {
                c.pos += 1;
                let name = c.name()?;
                match self.by_name(types, name) {
                    Some(id) => id,
                    None => {
                        let name = String::from_utf8_lossy(&name.bytes()).into_owned();
                        return Err(c.error_at(at, format!("the type `%{name}` is not defined")));
                    }
                }
            }
            b'[' => {
                c.bump(1);
                let len = length(c)?;
                c.expect_word("x")?;
                let element = self.parse_at(types, c, depth + 1)?;
                c.expect(b']')?;
                types.array(element, len).map_err(|m| c.error_at(at, m))?
            }
            b'<' if c.ahead(1) == b'{' => {
                c.bump(2);
                let id = self.parse_members(types, c, depth, true)?;
                c.expect(b'>')?;
                id
            }
            b'<' => {
                c.bump(1);
                let scalable = c.eat_word(b"vscale");
                c.refuse_if(scalable && !types.carries(), at, gusset_program::refusals::SCALABLE)?;
                if scalable {
                    c.expect_word("x")?;
                }
                let len = c.number32()?;
                c.expect_word("x")?;
                let lane = self.parse_at(types, c, depth + 1)?;
                c.expect(b'>')?;
                let made = match scalable {
                    true => types.foreign_type(Foreign::Scalable { lane, len }),
                    false => types.vector(lane, len),
                };
                made.map_err(|m| c.error_at(at, m))?
            }
            b'{' => {
                c.bump(1);
                self.parse_members(types, c, depth, false)?
            }
            _ => self.parse_word(types, c)?,
        };
        self.plain(types, c, id)
    }

    fn parse_members(&mut self, types: &mut TypeTable, c: &mut Cursor, depth: u32, packed: bool) -> Result<TypeId> {
        let at = c.pos;
        let mut members = Vec::new();
        let mut more = !c.eat(b'}');
        while more {
            members.push(self.parse_at(types, c, depth + 1)?);
            more = c.more(b'}')?;
        }
        types.structure(&members, packed).map_err(|m| c.error_at(at, m))
    }

    fn parse_word(&mut self, types: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        let word = c.peek_word();
        let id = match word {
            b"ptr" => {
                c.bump(3);
                return if c.eat_word(b"addrspace") { Self::address_space(types, c) } else { Ok(PTR) };
            }
            b"void" => VOID,
            b"half" => F16,
            b"bfloat" => BF16,
            b"float" => F32,
            b"double" => F64,
            b"x86_fp80" => F80,
            b"fp128" => F128,
            b"label" => LABEL,
            b"metadata" => METADATA,
            b"token" => TOKEN,
            b"x86_mmx" if types.carries() => return Self::foreign(types, c),
            // As LLVM 20 reads it.
            b"x86_mmx" => types.vector(I64, 1).map_err(|m| c.error(m))?,
            b"ppc_fp128" => types.double_double().map_err(|m| c.error(m))?,
            b"x86_amx" | b"target" if types.carries() => return Self::foreign(types, c),
            b"x86_amx" | b"target" => {
                let name = String::from_utf8_lossy(word);
                return Err(c.error(format!("the type `{name}` is not supported")));
            }
            [b'i', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                let bits = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).unwrap_or(u32::MAX);
                types.integer(bits).map_err(|m| c.error(m))?
            }
            _ => return Err(c.expected("a type")),
        };
        c.bump(word.len());
        Ok(id)
    }

    /// Reads a type that only translation accepts.
    fn foreign(types: &mut TypeTable, c: &mut Cursor) -> Result<TypeId> {
        let at = *c;
        let word = c.peek_word();
        c.bump(word.len());
        let ty = match word {
            b"x86_amx" => Foreign::Named("x86_amx"),
            b"x86_mmx" => Foreign::Named("x86_mmx"),
            _ => {
                c.unexpected_if(c.peek() != b'(', c.pos, "`(`")?;
                Foreign::Target(enclosed(c)?.to_vec())
            }
        };
        types.foreign_type(ty).map_err(|m| at.error(m))
    }

    /// The function type that returns `ret`, if parameter types follow; otherwise `ret`.
    pub fn function_type(&mut self, types: &mut TypeTable, c: &mut Cursor, ret: TypeId) -> Result<TypeId> {
        if c.peek() != b'(' {
            return Ok(ret);
        }
        let at = *c;
        c.bump(1);
        let (mut params, mut variadic) = (Vec::new(), false);
        let mut more = !c.eat(b')');
        while more {
            if c.starts_with(b"...") {
                c.bump(3);
                variadic = true;
                c.expect(b')')?;
                break;
            }
            params.push(self.parse(types, c)?);
            more = c.more(b')')?;
        }
        types.foreign_type(Foreign::Function { ret, params, variadic }).map_err(|m| at.error(m))
    }

    /// Reads `%name = type …`; the cursor is at `%`.
    pub fn parse_definition(&mut self, types: &mut TypeTable, c: &mut Cursor) -> Result<()> {
        let at = *c;
        c.pos += 1;
        let name = c.name()?;
        c.expect(b'=')?;
        c.expect_word("type")?;
        let before = self.named.len();
        let Some(id) = self.by_name(types, name) else {
            return Err(c.expected("a type"));
        };
        if c.eat_word(b"opaque") {
            return Ok(());
        }
        let twice = || at.error("the type is defined twice");
        if types.get(id).kind != Kind::Opaque {
            return Err(twice());
        }
        let structure = c.peek() == b'{' || c.peek() == b'<' && c.ahead(1) == b'{';
        let mut body = self.parse_at(types, c, 0)?;
        if c.peek() == b'(' {
            // The type of a function, which only aliases name.
            c.skip_group()?;
            body = VOID;
        }
        match types.get(body).kind {
            Kind::Struct { start, len, packed } if structure => {
                let members: Vec<TypeId> = types.members(start, len).iter().map(|m| m.ty).collect();
                types.define(id, &members, packed).at(c.src, c.pos)?;
            }
            // Another name of a type, which must not have been used before.
            _ if before < self.named.len() => self.named[before] = body,
            _ => return Err(twice()),
        }
        Ok(())
    }
}

/// Reads the length of an array or vector: a decimal number, or `u0x` with hexadecimal digits.
fn length(c: &mut Cursor) -> Result<u64> {
    if !c.starts_with(b"u0x") {
        return c.number();
    }
    let start = c.pos;
    c.pos += 3;
    let digits = c.src[c.pos..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let text = std::str::from_utf8(&c.src[c.pos..c.pos + digits]).unwrap_or("");
    let number = u64::from_str_radix(text, 16).map_err(|_| c.error_at(start, "expected a number that fits 64 bits"))?;
    c.bump(digits);
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gusset_abi::AbiTarget;
    use gusset_program::DataLayout;

    struct Types {
        t: TypeTable,
        names: TypeNames,
    }

    fn table() -> Types {
        table_of(&AbiTarget::X86_64_LINUX)
    }

    fn table_of(target: &AbiTarget) -> Types {
        Types { t: TypeTable::new(DataLayout::of(target)), names: TypeNames::default() }
    }

    fn parse(t: &mut Types, text: &str) -> Result<TypeId> {
        t.names.parse(&mut t.t, &mut Cursor::new(text.as_bytes(), 0))
    }

    fn define(t: &mut Types, text: &str) {
        t.names.parse_definition(&mut t.t, &mut Cursor::new(text.as_bytes(), 0)).unwrap();
    }

    #[test]
    fn equal_types_have_equal_numbers() {
        let mut t = table();
        t.t.complete().unwrap();
        for text in ["i32", "ptr", "{ i8, [4 x <2 x float>] }", "<{ i8, i64 }>", "[0 x i8]", "{}", "i168"] {
            assert_eq!(parse(&mut t, text).unwrap(), parse(&mut t, text).unwrap(), "{text}");
        }
        for i in 0..1000 {
            parse(&mut t, &format!("[{i} x i8]")).unwrap();
        }
        assert_eq!(parse(&mut t, "[7 x i8]").unwrap(), parse(&mut t, "[7 x i8]").unwrap());
        assert_ne!(parse(&mut t, "{ i8 }").unwrap(), parse(&mut t, "<{ i8 }>").unwrap());
    }

    #[test]
    fn layouts() {
        let mut t = table();
        define(&mut t, "%a = type { i8, %b, i8 }");
        define(&mut t, "%b = type { i16, x86_fp80, [3 x i24] }");
        t.t.complete().unwrap();
        let id = parse(&mut t, "%a").unwrap();
        let d = *t.t.get(id);
        assert_eq!((d.size, d.align, d.scalars), (80, 16, 7));
        let mut leaves = Vec::new();
        t.t.flatten(id, 0, &mut leaves);
        let offsets: Vec<u64> = leaves.iter().map(|l| l.offset).collect();
        assert_eq!(offsets, [0, 16, 32, 48, 52, 56, 64]);
        let sizes = [
            ("<8 x i1>", 1),
            ("<3 x float>", 16),
            ("i65", 16),
            ("<{ i8, i64 }>", 9),
            ("[3 x { i8, i32 }]", 24),
            ("i129", 32),
            ("i168", 32),
            ("i257", 48),
            ("<{ i8, i192 }>", 33),
        ];
        for (text, size) in sizes {
            let id = parse(&mut t, text).unwrap();
            assert_eq!(t.t.get(id).size, size, "{text}");
        }
    }

    #[test]
    fn registers_of_32_bits() {
        let target = AbiTarget::from_triple("i686-unknown-linux-gnu", gusset_abi::AbiFeatures::default()).unwrap();
        let mut t = table_of(&target);
        t.t.complete().unwrap();
        let cases = [
            ("ptr", 4, 4, 1),
            ("i64", 8, 4, 1),
            ("double", 8, 4, 1),
            ("x86_fp80", 12, 4, 1),
            ("fp128", 16, 16, 1),
            ("i65", 16, 16, 1),
            ("i128", 16, 16, 1),
            ("i129", 32, 16, 1),
            ("{ i8, i64, x86_fp80, i96 }", 48, 16, 4),
            ("<2 x i64>", 16, 16, 1),
            ("<2 x i24>", 8, 8, 2),
            ("<5 x i7>", 8, 8, 5),
            ("{ i8, <4 x i129>, i8 }", 384, 128, 6),
        ];
        for (text, size, align, scalars) in cases {
            let id = parse(&mut t, text).unwrap();
            let d = *t.t.get(id);
            assert_eq!((d.size, d.align, d.scalars), (size, align, scalars), "{text}");
        }
    }

    #[test]
    fn refused() {
        let mut t = table();
        t.t.complete().unwrap();
        let deep = "[1 x ".repeat(100_000);
        let cases = [
            ("i0", "1 to 8388608"),
            ("i8388609", "1 to 8388608"),
            ("i99999999999", "1 to 8388608"),
            ("<2 x i4097>", "one or more integers"),
            ("<65537 x i129>", "lane type"),
            ("<65537 x i24>", "lane type"),
            ("<vscale x 4 x i32>", "scalable"),
            ("[18446744073709551615 x i64]", "2^60"),
            ("%nope", "not defined"),
            (deep.as_str(), "nested"),
            ("[4 x i8", "`]`"),
            ("", "a type"),
        ];
        for (text, part) in cases {
            let e = parse(&mut t, text).unwrap_err();
            assert!(e.message().contains(part), "{e}");
        }
        let mut t = table();
        define(&mut t, "%a = type { %b }");
        define(&mut t, "%b = type { [2 x %a] }");
        assert!(t.t.complete().unwrap_err().reason().contains("contains itself"));
    }
}
