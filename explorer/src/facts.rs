//! Facts about a call besides its values, in order.

use gusset_abi::{Arch, Os, Reg, RegSet, SaveAreaPlace, VaInit, VarArea};

use super::names;
use super::view::{Block, Passing, View};

/// A fact: its subject, and what holds.
pub(crate) struct Fact {
    pub topic: &'static str,
    pub text: String,
}

/// The facts of a view, the most important first.
pub(crate) fn facts(view: &View) -> Vec<Fact> {
    let abi = &view.abi;
    let mut facts = Vec::new();
    let mut add = |topic, text: String| facts.push(Fact { topic, text });
    if let Some(machine) = &view.machine {
        add("records", spaced(&machine.records));
        add("declared", machine.declaration.clone());
        add("machine", machine.convention.clone());
        add("arguments", machine_block(&machine.arguments));
        add("results", machine_block(&machine.results));
    }
    add("stack", stack(view));
    if let Some(block) = abi.arg_block {
        let text = format!(
            "the stack arguments are one block of {}, aligned to {}, in which the caller constructs them; the callee \
             destroys what is in it",
            bytes(block.size),
            block.align
        );
        add("block", text);
    }
    if abi.home_space > 0 {
        let text =
            format!("the callee owns the first {} of the stack arguments as home space", bytes(abi.home_space.into()));
        add("home", text);
    }
    if let Some((reg, most)) = abi.vector_count {
        let name = if view.arch() == Arch::X86_64 && reg.num == 0 { "al".into() } else { names::whole(abi.arch, reg) };
        add("vectors", format!("{name} holds an upper bound of the vector registers used: {most} here"));
    }
    if let Some(area) = &abi.variadic {
        add("va_list", va_list(view, area));
        if let Some(text) = save_area(view, area) {
            add("va_start", text);
        }
    }
    if let Some(reg) = abi.returns_this {
        add("this", format!("returned in {}", names::whole(abi.arch, reg)));
    }
    let named = |set: RegSet| names::set(abi.arch, set);
    add("changed", named(abi.clobbers));
    let mut kept = named(abi.preserved);
    if !abi.preserved_low64.is_empty() {
        let low = named(abi.preserved_low64);
        let low = if abi.arch == Arch::Aarch64 { low.replace('v', "d") } else { format!("{low} (low 64 bits)") };
        kept = format!("{kept} {low}");
    }
    add("kept", kept.trim().to_string());
    if let Some(reg) = abi.static_chain {
        add("chain", format!("{} for nested functions", names::whole(abi.arch, reg)));
    }
    if let Some(symbol) = &view.symbol {
        add("symbol", symbol.clone());
    }
    for note in &view.notes {
        add("note", note.clone());
    }
    facts
}

/// JSON with spaces after commas, where lines can be broken.
fn spaced(json: &str) -> String {
    let (mut out, mut in_string, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        out.push(c);
        match c {
            '"' if !escaped => in_string = !in_string,
            ',' if !in_string => out.push(' '),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    out
}

/// A block of IREE's virtual machine.
fn machine_block(block: &Block) -> String {
    if block.slots.is_empty() {
        return "none".into();
    }
    let slots: Vec<String> = block.slots.iter().map(|slot| format!("{} at {}", slot.letter, slot.offset)).collect();
    let Block { size, align, packed_size, .. } = *block;
    let mut text = format!("{}; {} aligned to {align}", slots.join(", "), bytes(size.into()));
    if packed_size != size {
        text += &format!("; runtimes before 3.10 have {}, and are refused", bytes(packed_size.into()));
    }
    text
}

/// `1 byte`, `8 bytes`.
pub(crate) fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".into() } else { format!("{n} bytes") }
}

fn stack(view: &View) -> String {
    let abi = &view.abi;
    let mut text = match abi.stack_arg_bytes {
        0 => "no arguments".to_string(),
        n => format!("{} of arguments", bytes(n.into())),
    };
    text += &format!(", {} aligned to {} at the call", names::stack_pointer(abi.arch), abi.stack_align);
    match (abi.callee_pop_bytes, abi.stack_arg_bytes) {
        (0, 0) => {}
        (0, _) => text += ", the caller pops",
        (n, _) => text += &format!(", the callee pops {}", bytes(n.into())),
    }
    if abi.red_zone > 0 {
        text += &format!(", red zone of {}", bytes(abi.red_zone.into()));
    }
    text
}

fn va_list(view: &View, area: &VarArea) -> String {
    let fields: Vec<String> = area
        .fields
        .iter()
        .map(|field| {
            let value = match field.init {
                VaInit::Const(n) => n.to_string(),
                VaInit::StackArgs { offset } => format!("stack arguments+{offset}"),
                VaInit::SaveArea { offset } => format!("save area+{offset}"),
            };
            match field_name(view, field.offset) {
                Some(name) => format!("{name} = {value}"),
                None => value,
            }
        })
        .collect();
    format!("{}: {}", bytes(area.va_list_size.into()), fields.join(", "))
}

/// The names of the documents.
fn field_name(view: &View, offset: u32) -> Option<&'static str> {
    let names: &[(u32, &str)] = match (view.target.arch, view.target.os) {
        (_, Os::Windows) | (Arch::X86 | Arch::Arm, _) | (Arch::Aarch64, Os::Darwin) => &[],
        (Arch::X86_64, _) => &[(0, "gp_offset"), (4, "fp_offset"), (8, "overflow_arg_area"), (16, "reg_save_area")],
        (Arch::Aarch64, _) => {
            &[(0, "__stack"), (8, "__gr_top"), (16, "__vr_top"), (24, "__gr_offs"), (28, "__vr_offs")]
        }
    };
    names
        .iter()
        .find(|(at, _)| *at == offset && view.abi.variadic.as_ref().is_some_and(|v| v.fields.len() > 1))
        .map(|(_, name)| *name)
}

fn save_area(view: &View, area: &VarArea) -> Option<String> {
    let save = area.save_area.as_ref()?;
    let regs: RegSet = save.slots.iter().map(|slot| slot.reg).collect();
    let place = match save.place {
        SaveAreaPlace::Frame => "anywhere in its frame",
        SaveAreaPlace::BelowStackArgs => "directly below the stack arguments",
        SaveAreaPlace::HomeSpace => "in the home space",
    };
    if regs.is_empty() {
        return None;
    }
    let which = names::set(view.abi.arch, regs);
    let guard = |reg: Reg| match view.arch() {
        Arch::X86_64 => {
            format!("; vector registers only if {} is not 0", if reg.num == 0 { "al" } else { "the count" })
        }
        _ => String::new(),
    };
    let guard = save.float_guard.map_or(String::new(), guard);
    Some(format!("the callee saves {which} {place} ({}){guard}", bytes(save.size.into())))
}

/// A note on how a value is passed, if it is not passed in the plain way.
pub(crate) fn passing_note(view: &View, index: usize) -> Option<String> {
    let value = view.values.get(index)?;
    match value.passing {
        Passing::Direct => None,
        Passing::Nothing => (value.layout.is_some()).then(|| "does not travel".into()),
        Passing::Address { align, .. } if index == 0 => {
            let back = view
                .abi
                .sret_return_reg
                .map(|reg| format!("; comes back in {}", names::register(view.abi.arch, reg, view.slot())));
            Some(format!("address, aligned to {align}{}", back.unwrap_or_default()))
        }
        Passing::Address { align, .. } => {
            let what = if value.is_object { "the object itself" } else { "a copy" };
            Some(format!("address of {what}, aligned to {align}"))
        }
    }
}
