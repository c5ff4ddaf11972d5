//! Tables in words, with the numbers that they have.

use std::fmt;

use super::{Call, Code, FuncInfo, Function, Language, Machine, Place, Tables};

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Machine::X86_64 => "x86-64",
            Machine::Arm64 => "ARM64",
            Machine::I686 => "32-bit x86",
        })
    }
}

/// A place in words.
pub(super) fn place(place: &Place, code: &[Code]) -> String {
    match place {
        Place::None => "none".to_string(),
        Place::Constant(n) => n.to_string(),
        Place::Symbol(name) => name.clone(),
        Place::Code { region, offset: 0 } => code[*region].name.clone(),
        Place::Code { region, offset } => format!("{}+{offset:#x}", code[*region].name),
    }
}

/// The states of a call, or which scopes it is in.
fn states(call: &Call) -> String {
    let one = |s: &Option<i32>| s.map_or_else(|| "?".to_string(), |s| s.to_string());
    match call.states.len() {
        0 => String::new(),
        _ => format!(" in {}", call.states.iter().map(one).collect::<Vec<_>>().join(" or ")),
    }
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.machine)?;
        for function in &self.functions {
            self.function(f, function)?;
        }
        for handler in &self.safe_handlers {
            writeln!(f, "safe handler {handler}")?;
        }
        Ok(())
    }
}

impl Tables {
    fn function(&self, f: &mut fmt::Formatter<'_>, function: &Function) -> fmt::Result {
        let show = |p: &Place| place(p, &self.code);
        writeln!(f, "{}: {}", self.code[function.host].name, function.handler)?;
        match &function.language {
            Language::Cxx(info) => self.func_info(f, info)?,
            Language::Scopes(scopes) => {
                for s in scopes {
                    let (from, to) = (show(&s.begin), show(&s.end));
                    writeln!(f, "  scope {from} to {to}: {} then {}", show(&s.filter), show(&s.target))?;
                }
            }
            Language::Levels { cookies, levels } => {
                if let Some([frame, frame_xor, record, record_xor]) = cookies {
                    writeln!(f, "  cookies {frame} xor {frame_xor}, {record} xor {record_xor}")?;
                }
                for (i, l) in levels.iter().enumerate() {
                    writeln!(f, "  level {i} in {}: {} then {}", l.enclosing, show(&l.filter), show(&l.handler))?;
                }
            }
            Language::Other => {}
        }
        for &part in std::iter::once(&function.host).chain(&function.funclets) {
            let code = &self.code[part];
            writeln!(f, "  code {}: {:#x} bytes", code.name, code.length)?;
            for call in &code.calls {
                let to = call.to.as_deref().unwrap_or("*");
                match call.returns_to {
                    Some(at) => writeln!(f, "    call {to}{} until {at:#x}", states(call))?,
                    None => writeln!(f, "    jump {to}{}", states(call))?,
                }
            }
        }
        Ok(())
    }

    fn func_info(&self, f: &mut fmt::Formatter<'_>, info: &FuncInfo) -> fmt::Result {
        let show = |p: &Place| place(p, &self.code);
        write!(f, "  info {:#x}, {} states, flags {}", info.magic, info.unwind.len(), info.flags)?;
        if let Some(help) = info.unwind_help {
            write!(f, ", unwind help {help}")?;
        }
        if info.specification != Place::None {
            write!(f, ", specification {}", show(&info.specification))?;
        }
        writeln!(f)?;
        for (state, (to, action)) in info.unwind.iter().enumerate() {
            writeln!(f, "  state {state} to {to}: {}", show(action))?;
        }
        for (i, t) in info.tries.iter().enumerate() {
            writeln!(f, "  try {i}: {} to {}, handlers to {}", t.low, t.high, t.catch_high)?;
            for h in &t.handlers {
                write!(
                    f,
                    "    catch {} {:#x} at {}: {}",
                    show(&h.exception),
                    h.adjectives,
                    h.object,
                    show(&h.funclet)
                )?;
                match h.parent_frame {
                    Some(offset) => writeln!(f, ", parent frame {offset}")?,
                    None => writeln!(f)?,
                }
            }
        }
        for (position, state) in &info.ip_to_state {
            writeln!(f, "  from {}: {state}", show(position))?;
        }
        Ok(())
    }
}
