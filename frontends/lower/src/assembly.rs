//! Inline assembly that contains no instructions, or only ones without effect: barriers for the compiler, values made
//! opaque to it, comments. Also `__fastfail` on Windows, for which there is no intrinsic.
//!
//! LLVM LangRef, "Inline Assembler Expressions", `callbr`.

use std::ops::RangeInclusive;

use gusset_abi::Arch;
use gusset_codegen::ir::{Edge, MemFlags, Opcode, Type, Value};
use gusset_program::{Refusal, Result, TypeId, VOID, Val};

use crate::function::FunctionLowering;

/// `__fastfail` on Windows.
#[derive(PartialEq, Eq, Debug)]
struct FailFast {
    architectures: &'static [Arch],
    /// The templates of clang and of rustc, which use different syntaxes.
    templates: &'static [&'static str],
    /// Names of the reason's register.
    registers: &'static [&'static str],
}

static FAIL_FAST: [FailFast; 3] = [
    FailFast {
        architectures: &[Arch::X86, Arch::X86_64],
        templates: &["int $$0x29", "int $$$$0x29"],
        registers: &["{cx}", "{ecx}"],
    },
    FailFast {
        architectures: &[Arch::Aarch64],
        templates: &["brk #0xF003", "brk 0xF003"],
        registers: &["{w0}", "{x0}"],
    },
    FailFast { architectures: &[Arch::Arm], templates: &["udf #251"], registers: &["{r0}"] },
];

/// Prefixes of x86 that only change the length of a `nop` (Intel SDM volume 2, "NOP"; `rep nop` is `pause`).
const PREFIXES: [&[u8]; 16] = [
    b"rep", b"repe", b"repz", b"repne", b"repnz", b"data16", b"addr32", b"rex64", b"bnd", b"notrack", b"cs", b"ds",
    b"es", b"fs", b"gs", b"ss",
];

/// Alignment directives, which affect only speed in code without labels.
const ALIGNMENTS: [&[u8]; 3] = [b".align", b".balign", b".p2align"];

/// Number of `nop` in a template that otherwise contains only comments, prefixes and alignment; none if it contains
/// more.
fn empty_template(template: &[u8]) -> Option<u32> {
    let (mut rest, mut nops, mut prefixed) = (template, 0, false);
    let after = |text: &[u8], end: &[u8]| memchr::memmem::find(text, end).map_or(text.len(), |at| at + end.len());
    loop {
        rest = rest.trim_ascii_start();
        rest = match rest {
            [] => return Some(nops).filter(|_| !prefixed),
            [b';', ..] => &rest[1..],
            [b'#' | b'@', ..] | [b'/', b'/', ..] => &rest[after(rest, b"\n")..],
            [b'/', b'*', ..] => &rest[2 + after(&rest[2..], b"*/")..],
            _ => {
                let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
                let (word, tail) = (rest[..len].to_ascii_lowercase(), &rest[len..]);
                let among = |words: &[&[u8]]| words.contains(&&word[..]);
                let ends =
                    tail.iter().position(|b| matches!(b, b';' | b'\n' | b'#' | b'/' | b'@')).unwrap_or(tail.len());
                let operands = tail[..ends].trim_ascii();
                let aligns = among(&ALIGNMENTS) && !prefixed && are_alignments(operands);
                prefixed = among(&PREFIXES);
                match among(&[b"nop"]) && operands.is_empty() {
                    true => nops += 1,
                    false if prefixed || aligns => {}
                    false => return None,
                }
                if prefixed { tail } else { &tail[ends..] }
            }
        };
    }
}

/// Whether these are operands of an alignment directive: a number, then a fill value and a limit, either of which may
/// be omitted.
fn are_alignments(operands: &[u8]) -> bool {
    let is_number = |text: &[u8]| match text.strip_prefix(b"0x") {
        Some(digits) => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        None => !text.is_empty() && text.iter().all(u8::is_ascii_digit),
    };
    let mut parts = operands.split(|&b| b == b',').map(<[u8]>::trim_ascii);
    parts.next().is_some_and(is_number) && parts.all(|part| part.is_empty() || is_number(part))
}

/// A list of constraints.
#[derive(Default)]
struct Constraints<'t> {
    /// Memory is read or written.
    memory: bool,
    /// Indexes of the constraints of results.
    results: Vec<usize>,
    /// Constraints of results in memory, with the arguments that are their addresses.
    places: Vec<(usize, usize)>,
    /// Constraints with the arguments that are tied to them.
    ties: Vec<(usize, usize)>,
    /// The constraint of each argument.
    arguments: Vec<&'t str>,
    /// Number of labels to which it may jump.
    labels: usize,
}

impl<'t> Constraints<'t> {
    fn parse(text: &'t str) -> Constraints<'t> {
        let mut all = Constraints::default();
        for (number, code) in text.split(',').enumerate().filter(|c| !c.1.is_empty()) {
            if let Some(clobber) = code.strip_prefix('~') {
                all.memory |= clobber == "{memory}";
            } else if code.starts_with('!') {
                all.labels += 1;
            } else if code.starts_with('=') && !code.contains('*') {
                all.results.push(number);
            } else {
                all.memory |= code.contains('*');
                if code.starts_with('=') {
                    all.places.push((number, all.arguments.len()));
                }
                if let Ok(n) = code.parse::<usize>() {
                    all.ties.push((n, all.arguments.len()));
                }
                all.arguments.push(code);
            }
        }
        all
    }
}

/// The numbers that an operand with this constraint may have, if they are the same for all instructions (GCC, "Machine
/// Constraints").
fn immediate(arch: Arch, constraint: &str) -> Option<RangeInclusive<i64>> {
    if !matches!(arch, Arch::X86 | Arch::X86_64) {
        return None;
    }
    Some(match constraint {
        "I" => 0..=31,
        "J" => 0..=63,
        "K" => -128..=127,
        "M" => 0..=3,
        "N" => 0..=255,
        "O" => 0..=127,
        "e" => i32::MIN.into()..=i32::MAX.into(),
        "Z" => 0..=u32::MAX.into(),
        _ => return None,
    })
}

impl FunctionLowering<'_> {
    /// Inline assembly whose arguments have been taken: its value, 0 if it has none.
    pub(crate) fn inline_assembly(
        &mut self,
        ret: TypeId,
        template: &[u8],
        side_effect: bool,
        constraints: &str,
    ) -> Result<Val> {
        let Some(nops) = empty_template(template) else {
            let way = fail_fast(template).ok_or_else(instructions)?;
            return self.fail_fast(way, ret, constraints).map(|()| Val::default());
        };
        let text = constraints;
        let constraints = Constraints::parse(text);
        let bad = |m: &str| Refusal::new(format!("{m} in `{text}`"));
        if constraints.arguments.len() != self.s.call.vals.len() {
            return Err(bad("the number of operands does not match"));
        }
        let parts = self.assembly_results(ret, constraints.results.len());
        let parts = parts.ok_or_else(|| bad("the result does not match the outputs"))?;
        if side_effect || constraints.memory || nops > 0 {
            self.push0(Opcode::Barrier, 0, Type::VOID, [nops, 0, 0]);
        }
        for i in 0..self.s.call.vals.len() {
            let (ty, attrs) = self.s.call.request.params[i];
            let constraint = constraints.arguments[i];
            if let Some(range) = immediate(self.m.target.arch, constraint) {
                let number = self.b.func.int_constant_signed(self.s.call.vals[i].value());
                // Any constant that the linker fills in is possible, too.
                let fits = number.map_or(constraint == "e", |n| range.contains(&n));
                if !fits {
                    return Err(bad(&format!(
                        "the operand of the constraint `{constraint}` is no constant that it permits"
                    )));
                }
            }
            let tied = constraints.ties.iter().any(|t| t.1 == i && constraints.results.contains(&t.0));
            if self.types.ir(ty) != Type::VOID && !tied && attrs.element_type == VOID {
                self.b.unary(Opcode::Opaque, self.s.call.vals[i].value());
            }
        }
        // An operand in memory keeps its initial value.
        for &(constraint, place) in &constraints.places {
            let Some(&(_, i)) = constraints.ties.iter().find(|t| t.0 == constraint) else { continue };
            let params = &self.s.call.request.params;
            let (of, from) = (params[place].1.element_type, self.types.ir(params[i].0));
            // An aggregate of bytes is the argument's bytes.
            let ir = match self.types.ir(of) {
                Type::VOID if of == VOID || u64::from(from.store_bytes()) <= self.types.get(of).size => from,
                ir => ir,
            };
            let v = if from == Type::VOID { None } else { self.tied_operand(i, ir) };
            let v = v.ok_or_else(|| bad("the tied operands are of different types"))?;
            let v = self.b.unary(Opcode::Opaque, v);
            self.b.store(v, self.s.call.vals[place].value(), 0, MemFlags::new(1, false));
        }
        let start = self.s.aggregates.len();
        for (k, &ir) in parts.iter().enumerate() {
            let input = constraints.ties.iter().find(|t| t.0 == constraints.results[k]);
            let v = match input {
                Some(&(_, i)) => {
                    self.tied_operand(i, ir).ok_or_else(|| bad("the tied operands are of different types"))?
                }
                None => {
                    let v = self.b.poison(ir);
                    self.b.unary(Opcode::Freeze, v)
                }
            };
            let v = self.b.unary(Opcode::Opaque, v);
            self.s.aggregates.push(v);
        }
        let val = match (ret == VOID, self.types.ir(ret) != Type::VOID) {
            (true, _) => Val::default(),
            (_, true) => self.s.aggregates[start].into(),
            _ => Val::run(start),
        };
        Ok(val)
    }

    fn fail_fast(&mut self, way: &FailFast, ret: TypeId, constraints: &str) -> Result<()> {
        if !way.architectures.contains(&self.m.target.arch) {
            return Err(instructions());
        }
        // The registers that it may change no longer matter.
        let operands: Vec<&str> = constraints.split(',').filter(|code| !code.starts_with('~')).collect();
        let reason = match self.s.call.request.params[..] {
            [(ty, _)] if matches!(operands[..], [name] if way.registers.contains(&name)) => self.types.ir(ty),
            _ => Type::VOID,
        };
        if ret != VOID || reason != Type::I32 {
            return Err(Refusal::new(format!("`{constraints}` is not what `__fastfail` asks for")));
        }
        let reason = self.s.call.vals[0].value();
        self.push0(Opcode::FailFast, 0, Type::VOID, [reason.0, 0, 0]);
        Ok(())
    }

    /// The IR types of the results of assembly with `outputs`; none if these do not match the type.
    fn assembly_results(&self, ret: TypeId, outputs: usize) -> Option<Vec<Type>> {
        match (outputs, self.types.ir(ret)) {
            (0, _) if ret == VOID => Some(Vec::new()),
            _ if self.types.is_dissolved(ret) => None,
            (n, Type::VOID) if ret != VOID && n == self.scalars(ret) => {
                let mut leaves = Vec::new();
                self.types.flatten(ret, 0, &mut leaves);
                let wide = leaves.iter().any(|leaf| self.types.is_wide(leaf.ty));
                (!wide).then(|| leaves.iter().map(|l| l.ir).collect())
            }
            (1, ir) if ir != Type::VOID => Some(vec![ir]),
            _ => None,
        }
    }

    /// Argument `i` in the register of a result of type `ir`.
    fn tied_operand(&mut self, i: usize, ir: Type) -> Option<Value> {
        let v = self.s.call.vals[i].value();
        let from = self.types.ir(self.s.call.request.params[i].0);
        if from == ir {
            Some(v)
        } else if from.is_int() && ir.is_int() {
            let op = if from.bits() < ir.bits() { Opcode::Zext } else { Opcode::Trunc };
            Some(self.b.convert(op, v, ir))
        } else if from != Type::VOID && from.bits() == ir.bits() {
            Some(self.b.convert(Opcode::Bitcast, v, ir))
        } else {
            None
        }
    }

    /// The end of a `callbr`. Assembly without instructions continues after itself; its labels remain possible targets
    /// for the rest of the function.
    pub(crate) fn end_callbr(&mut self, normal: Edge, labels: &[Edge]) {
        // Its results are not defined in every block after it.
        self.scattered = true;
        let fallthrough = self.b.iconst(Type::I32, 0);
        let which = self.b.unary(Opcode::Opaque, fallthrough);
        let cases = labels.iter().enumerate().map(|(i, &to)| (i as i128 + 1, to));
        let cases: Vec<_> = cases.map(|(n, to)| (self.b.iconst(Type::I32, n), to)).collect();
        self.b.switch(which, &cases, normal);
    }
}

/// The way of `__fastfail` that a template is.
fn fail_fast(template: &[u8]) -> Option<&'static FailFast> {
    FAIL_FAST.iter().find(|way| way.templates.iter().any(|known| known.as_bytes() == template.trim_ascii()))
}

fn instructions() -> Refusal {
    Refusal::new("inline assembly with instructions is not supported yet")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_without_instructions() {
        let cases: [(&str, Option<u32>); 22] = [
            ("", Some(0)),
            (" \t\n;\n", Some(0)),
            ("# a comment; nop", Some(0)),
            ("# one\n\t# ${0:c}\n// two", Some(0)),
            ("/* ${0:c} */ /* nop */", Some(0)),
            ("/* open", Some(0)),
            ("nop", Some(1)),
            ("\tnop; NOP # nop\n nop\n", Some(3)),
            ("nop\nret", None),
            ("nopw %ax", None),
            ("nop %eax", None),
            ("# a comment\ncpuid", None),
            ("1:", None),
            (".byte 1", None),
            (".p2align 4", Some(0)),
            ("\t.balign 16, 0x90 # here\n.align 8,,7; nop", Some(1)),
            (".p2align 4\nret", None),
            (".p2align x@y", None),
            ("rep; nop", Some(1)),
            ("data16 cs nop", Some(1)),
            ("lock", None),
            ("rep", None),
        ];
        for (template, nops) in cases {
            assert_eq!(empty_template(template.as_bytes()), nops, "{template}");
        }
    }

    #[test]
    fn templates_that_end_the_program() {
        for (template, arch) in [("int $$0x29", Arch::X86), ("brk #0xF003", Arch::Aarch64), (" udf #251\n", Arch::Arm)]
        {
            let way = fail_fast(template.as_bytes());
            assert!(way.is_some_and(|way| way.architectures.contains(&arch)), "{template}");
        }
        for template in ["int $$0x2", "int $$0x290", "int $$0x29; ret", "brk #0xF004", "udf #250"] {
            assert!(fail_fast(template.as_bytes()).is_none(), "{template}");
        }
    }
}
