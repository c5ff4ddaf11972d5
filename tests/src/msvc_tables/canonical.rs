//! Functions' tables in words that do not depend on how a compiler numbers states, try blocks, scopes and funclets.
//!
//! A state is known by what is true of it: what is run when it is left, which try blocks it is in, which calls are made in it, and the same of those inside of it.
//! The tree of states is numbered from the outermost one by that. States that are alike in all of it are
//! numbered in the order in which calls reach them.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::hash::{Hash, Hasher};

use super::{
    Call, Code, FuncInfo, Function, Handler, Language, Level, Machine, Place, Scope, Tables, is_catch, read, text,
};
use crate::tools::Failure;

/// What two objects are compared by, besides states, try blocks and handlers.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// Offsets in frames: compilers lay out frames as they like.
    pub frames: bool,
    /// Positions in code and the order of calls.
    pub positions: bool,
    /// Which callees count. Those that cannot throw may be in any state.
    pub calls: &'a dyn Fn(&str) -> bool,
}

impl Rules<'_> {
    /// All that there is: for objects with the same code.
    pub const EVERYTHING: Rules<'static> = Rules { frames: true, positions: true, calls: &|_| true };
}

/// What the line begins with that has the states of code that calls nothing, where faults are caught.
const FAULTS: &str = "code in the states ";

/// Each function's tables in such words, by its symbol.
pub fn canonical(tables: &Tables, rules: Rules<'_>) -> BTreeMap<String, String> {
    let one = |f: &Function| {
        let mut writer = Writer { tables, function: f, rules, names: BTreeMap::new(), out: String::new() };
        writer.write();
        (tables.code[f.host].name.clone(), writer.out)
    };
    tables.functions.iter().map(one).collect()
}

/// What is different between the tables of two objects' functions. Where faults are caught, and positions do not count, the second object's code
/// may be in more states than the first one's: it may have blocks without calls that the other one does without.
///
/// # Errors
/// As [`read`].
pub fn differences(a: &[u8], b: &[u8], rules: Rules<'_>) -> Result<Vec<String>, Failure> {
    let (a, b) = (read(a).map_err(|e| e.at("the first"))?, read(b).map_err(|e| e.at("the second"))?);
    let mut found = Vec::new();
    if a.machine != b.machine {
        found.push(format!("{} and {}", a.machine, b.machine));
    }
    let (safe, other) = (further(&a), further(&b));
    if safe != other {
        found.push(format!("further safe handlers {safe:?} and {other:?}"));
    }
    let (a, mut b) = (canonical(&a, rules), canonical(&b, rules));
    for (name, x) in a {
        match b.remove(&name) {
            None => found.push(format!("{name}: only in the first")),
            Some(y) if x == y => {}
            Some(y) => {
                let (x, y) = if rules.positions { (x, y) } else { without_further_states(x, y) };
                if x == y {
                    continue;
                }
                let only = |x: &str, y: &str, which| {
                    let lines = x.lines().filter(|line| !y.lines().any(|l| l == *line));
                    lines.map(|line| format!("{name}: {which}: {}", line.trim())).collect::<Vec<_>>()
                };
                found.extend(only(&x, &y, "only the first has"));
                found.extend(only(&y, &x, "only the second has"));
                if x.lines().count() != y.lines().count() || found.is_empty() {
                    found.push(format!("{name}:\n{x}and\n{y}"));
                }
            }
        }
    }
    found.extend(b.keys().map(|name| format!("{name}: only in the second")));
    Ok(found)
}

/// Two functions' tables, without the line with the states of code if the first one's are among the second one's.
fn without_further_states(x: String, y: String) -> (String, String) {
    let states = |text: &str| -> Option<BTreeSet<String>> {
        let list = text.lines().find_map(|line| line.strip_prefix(FAULTS))?;
        Some(list.split('"').skip(1).step_by(2).map(str::to_string).collect())
    };
    if !states(&x).zip(states(&y)).is_some_and(|(x, y)| x.is_subset(&y)) {
        return (x, y);
    }
    let rest = |text: &str| text.lines().filter(|line| !line.starts_with(FAULTS)).map(|l| format!("{l}\n")).collect();
    (rest(&x), rest(&y))
}

/// Safe handlers that are no function's here.
fn further(tables: &Tables) -> Vec<&String> {
    let used = |name: &&String| tables.functions.iter().any(|f| f.handler == **name);
    tables.safe_handlers.iter().filter(|name| !used(name)).collect()
}

/// Writes one function's tables.
struct Writer<'a> {
    tables: &'a Tables,
    function: &'a Function,
    rules: Rules<'a>,
    /// What the function's parts are called.
    names: BTreeMap<usize, String>,
    out: String,
}

/// The canonical number of each state, given where each leads to (always to an earlier one), what is true of each, and when it is reached; and what
/// states that are alike have in common.
fn number(outer: &[i32], labels: &[String], reached: &[usize]) -> (Vec<usize>, Vec<u64>) {
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); outer.len()];
    let mut outermost = Vec::new();
    for (state, to) in outer.iter().enumerate() {
        match usize::try_from(*to).ok().filter(|to| *to < state) {
            Some(to) => inside[to].push(state),
            None => outermost.push(state),
        }
    }
    let mut hashes = vec![0_u64; outer.len()];
    let mut first = reached.to_vec();
    for state in (0..outer.len()).rev() {
        let mut own: Vec<u64> = inside[state].iter().map(|s| hashes[*s]).collect();
        own.sort_unstable();
        let mut hasher = DefaultHasher::new();
        (&labels[state], own).hash(&mut hasher);
        hashes[state] = hasher.finish();
        first[state] = inside[state].iter().map(|s| first[*s]).fold(first[state], usize::min);
    }
    let order = |states: &mut Vec<usize>| states.sort_by_key(|s| std::cmp::Reverse((hashes[*s], first[*s], *s)));
    let (mut numbers, mut next) = (vec![0; outer.len()], 0);
    order(&mut outermost);
    while let Some(state) = outermost.pop() {
        numbers[state] = next;
        next += 1;
        order(&mut inside[state]);
        outermost.append(&mut inside[state]);
    }
    (numbers, hashes)
}

/// A number of a state in words.
fn state(numbers: &[usize], state: i32) -> String {
    let known = usize::try_from(state).ok().and_then(|s| numbers.get(s));
    known.map_or_else(|| state.to_string(), ToString::to_string)
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn code(&self, part: usize) -> &Code {
        &self.tables.code[part]
    }

    /// The host and the funclets.
    fn parts(&self) -> impl Iterator<Item = usize> + use<> {
        let parts: Vec<usize> = std::iter::once(self.function.host).chain(self.function.funclets.clone()).collect();
        parts.into_iter()
    }

    /// The calls of a part that count.
    fn calls(&self, part: usize) -> Vec<(&str, &Call)> {
        // A pointer may have been loaded before.
        let known = |name: &&str| self.rules.positions || !name.starts_with("__imp_");
        let named = self.code(part).calls.iter().map(|c| (c.to.as_deref().filter(known).unwrap_or("*"), c));
        named.filter(|(to, _)| (self.rules.calls)(to)).collect()
    }

    /// What code is known by, before it has a name: a part of the function by its calls, all else by its symbol.
    fn content(&self, place: &Place) -> String {
        match place {
            Place::Code { region, .. } if self.parts().any(|p| p == *region) => {
                let calls: BTreeSet<&str> = self.calls(*region).into_iter().map(|(to, _)| to).collect();
                format!("{calls:?}")
            }
            _ => text::place(place, &self.tables.code),
        }
    }

    /// A place, with a part by its name.
    fn place(&self, place: &Place) -> String {
        match place {
            Place::Code { region, offset } if self.names.contains_key(region) => {
                let name = &self.names[region];
                if *offset == 0 || !self.rules.positions { name.clone() } else { format!("{name}+{offset:#x}") }
            }
            _ => text::place(place, &self.tables.code),
        }
    }

    fn write(&mut self) {
        self.names.insert(self.function.host, "host".to_string());
        let handler = &self.function.handler;
        let thunk = self.tables.code.iter().any(|c| c.name == *handler);
        let safe = self.tables.machine != Machine::I686 || self.tables.safe_handlers.contains(handler);
        let name = if thunk { "a thunk" } else { handler };
        let line = format!("handler {name}{}", if safe { "" } else { ", not a safe one" });
        self.line(&line);
        match &self.function.language {
            Language::Cxx(info) => self.cxx(info),
            Language::Scopes(scopes) => self.scopes(scopes),
            Language::Levels { cookies, levels } => {
                if let Some(cookies) = cookies.as_ref() {
                    let frames = if self.rules.frames { format!(" {cookies:?}") } else { String::new() };
                    self.line(&format!("frame's cookie: {}{frames}", cookies[0] != -2));
                }
                self.levels(levels);
            }
            Language::Other => {}
        }
    }

    /// Adds what calls say of each state, and when it is reached.
    fn reach(&self, labels: &mut [String]) -> Vec<usize> {
        let mut reached = vec![usize::MAX; labels.len()];
        let mut told: Vec<BTreeSet<String>> = vec![BTreeSet::new(); labels.len()];
        let mut now = 0;
        for part in self.parts() {
            for (to, call) in self.calls(part) {
                now += 1;
                for s in call.states.iter().flatten().filter_map(|s| usize::try_from(*s).ok()) {
                    if let Some(told) = told.get_mut(s) {
                        told.insert(format!("{}: {to}", if part == self.function.host { "host" } else { "funclet" }));
                        reached[s] = reached[s].min(now);
                    }
                }
            }
        }
        for (label, told) in labels.iter_mut().zip(told) {
            let _ = write!(label, " {told:?}");
        }
        reached
    }

    fn cxx(&mut self, info: &FuncInfo) {
        let (frames, code) = (self.rules.frames, &self.tables.code);
        let handler = |h: &Handler| {
            let object = if frames { h.object.to_string() } else { (h.object != 0).to_string() };
            (h.adjectives, text::place(&h.exception, code), object)
        };
        let mut labels: Vec<String> = info.unwind.iter().map(|(_, action)| self.content(action)).collect();
        for t in &info.tries {
            let key: Vec<_> = t.handlers.iter().map(|h| (handler(h), self.content(&h.funclet))).collect();
            for (at, label) in (0..).zip(labels.iter_mut()).filter(|(at, _)| (t.low..=t.catch_high).contains(at)) {
                let _ = write!(label, " {} {key:?}", if at <= t.high { "try" } else { "catch" });
            }
        }
        let mut reached = self.reach(&mut labels);
        // Handlers of blocks that are alike come in the order of the blocks, in whatever order the tables have them.
        for t in info.tries.iter().rev() {
            let (low, high) = (usize::try_from(t.low).unwrap_or(0), usize::try_from(t.high + 1).unwrap_or(0));
            let of_block = reached.get(low..high).and_then(|own| own.iter().min().copied());
            if let (Some(of_block), Some(own)) = (of_block, reached.get_mut(high)) {
                *own = of_block;
            }
        }
        let outer: Vec<i32> = info.unwind.iter().map(|(to, _)| *to).collect();
        let (numbers, alike) = number(&outer, &labels, &reached);
        // Try blocks by their states, and those that share states in order.
        let set = |from, to| (from..=to).map(|s: i32| state(&numbers, s)).collect::<BTreeSet<_>>();
        let mut tries: Vec<_> =
            info.tries.iter().map(|t| (set(t.low, t.high), set(t.high + 1, t.catch_high), t)).collect();
        let order: Vec<_> = tries.iter().map(|t| (t.0.clone(), t.1.clone())).collect();
        tries.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let mut by_number: Vec<(usize, usize)> = numbers.iter().copied().zip(0..).collect();
        by_number.sort_unstable();
        for (number, at) in &by_number {
            if let Place::Code { region, .. } = info.unwind[*at].1 {
                self.names.entry(region).or_insert_with(|| format!("cleanup of {number}"));
            }
        }
        for (number, (.., t)) in tries.iter().enumerate() {
            for (i, h) in t.handlers.iter().enumerate() {
                if let Place::Code { region, .. } = h.funclet {
                    self.names.entry(region).or_insert_with(|| format!("handler {number}.{i}"));
                }
            }
        }
        let specification = self.place(&info.specification);
        self.line(&format!("info {:#x}, flags {}, specification {specification}", info.magic, info.flags));
        if self.rules.frames {
            self.line(&format!("unwind help {:?}", info.unwind_help));
        }
        for (number, at) in by_number {
            let (to, action) = &info.unwind[at];
            self.line(&format!("state {number} to {}: {}", state(&numbers, *to), self.place(action)));
        }
        for (own, handlers, t) in &tries {
            let shares = |o: &(BTreeSet<String>, BTreeSet<String>)| {
                let both = |s: &&String| o.0.contains(*s) || o.1.contains(*s);
                own.iter().chain(handlers).any(|s| both(&s))
            };
            let position = order.iter().position(|o| o.0 == *own && o.1 == *handlers).unwrap_or(0);
            let after = order[..position].iter().filter(|o| shares(o)).count();
            self.line(&format!("try {own:?}, handlers {handlers:?}, after {after} of the same states"));
            for h in &t.handlers {
                let frame = if self.rules.frames { h.parent_frame } else { None };
                let told = handler(h);
                self.line(&format!("  catch {told:?} {}, parent frame {frame:?}", self.place(&h.funclet)));
            }
        }
        if self.rules.positions {
            for (position, s) in &info.ip_to_state {
                self.line(&format!("from {}: {}", self.place(position), state(&numbers, *s)));
            }
        }
        if info.flags & 1 == 0 {
            // Any instruction may fault. Of states that are alike the first stands for all.
            let first = |s: i32| {
                let own = usize::try_from(s).ok().and_then(|s| alike.get(s))?;
                numbers.iter().zip(&alike).filter(|(_, hash)| *hash == own).map(|(number, _)| *number).min()
            };
            let name = |s: i32| first(s).map_or_else(|| s.to_string(), |number| number.to_string());
            let states: BTreeSet<String> = info.ip_to_state.iter().map(|(_, s)| name(*s)).collect();
            self.line(&format!("{FAULTS}{states:?}"));
        }
        let states = |w: &Self, part: usize, call: &Call| {
            let cleanup = part != w.function.host && !is_catch(info, part);
            w.states(&numbers, call, cleanup)
        };
        self.code_lines(&states);
    }

    /// The states of a call; those of a cleanup funclet say nothing.
    fn states(&self, numbers: &[usize], call: &Call, cleanup: bool) -> String {
        if cleanup && self.tables.machine != Machine::I686 {
            return String::new();
        }
        let one = |s: &Option<i32>| s.map_or_else(|| "?".to_string(), |s| state(numbers, s));
        format!(
            " in {}",
            call.states.iter().map(one).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" or ")
        )
    }

    /// The calls of each part, with what `of` says of each.
    fn code_lines(&mut self, of: &dyn Fn(&Self, usize, &Call) -> String) {
        let mut parts = Vec::new();
        for part in self.parts() {
            let mut lines: Vec<String> = Vec::new();
            for (to, call) in self.calls(part) {
                let position = match call.returns_to {
                    _ if !self.rules.positions => String::new(),
                    Some(at) => format!(" until {at:#x}"),
                    None => " for good".to_string(),
                };
                lines.push(format!("  call {to}{}{position}", of(self, part, call)));
            }
            if !self.rules.positions {
                lines.sort();
                lines.dedup();
            }
            let name = self.names.get(&part).cloned().unwrap_or_default();
            let length =
                if self.rules.positions { format!(" {:#x} bytes", self.code(part).length) } else { String::new() };
            parts.push((format!("{name}:{length}"), lines));
        }
        parts.sort();
        for (name, lines) in parts {
            self.line(&name);
            lines.iter().for_each(|line| self.line(line));
        }
    }

    fn levels(&mut self, levels: &[Level]) {
        let outer: Vec<i32> = levels.iter().map(|l| l.enclosing).collect();
        let told = |l: &Level| match &l.filter {
            Place::None => format!("finally {}", self.content(&l.handler)),
            filter => format!("except {}", self.content(filter)),
        };
        let mut labels: Vec<String> = levels.iter().map(told).collect();
        let reached = self.reach(&mut labels);
        let (numbers, _) = number(&outer, &labels, &reached);
        let mut by_number: Vec<(usize, &Level)> = numbers.iter().copied().zip(levels).collect();
        by_number.sort_by_key(|(number, _)| *number);
        for (number, l) in &by_number {
            if let (Place::None, Place::Code { region, .. }) = (&l.filter, &l.handler) {
                self.names.entry(*region).or_insert_with(|| format!("finally {number}"));
            }
        }
        for (number, l) in by_number {
            let (filter, handler) = (self.place(&l.filter), self.place(&l.handler));
            self.line(&format!("level {number} in {}: {filter} then {handler}", state(&numbers, l.enclosing)));
        }
        self.code_lines(&|w: &Self, _, call| w.states(&numbers, call, false));
    }

    fn scopes(&mut self, scopes: &[Scope]) {
        let mut guards: Vec<(&Place, &Place)> = Vec::new();
        for s in scopes {
            if !guards.contains(&(&s.filter, &s.target)) {
                guards.push((&s.filter, &s.target));
            }
        }
        let arm64 = self.tables.machine == Machine::Arm64;
        // What returns right where a scope begins was called before it. LLVM's scopes begin there all the same, and the system takes
        // such a call for one inside. On ARM64, where it looks at the call itself, they end in the first instruction after.
        let (begins, unit) = if arm64 { (0, 4) } else { (1, 1) };
        let around = |part: usize, call: &Call| {
            let at = call.returns_to.map(|at| if arm64 { at - 4 } else { at });
            let inside = |s: &&Scope| match (&s.begin, &s.end) {
                (Place::Code { region, offset }, Place::Code { region: last, offset: end }) => {
                    // Those that end with the part's last byte end one after the begin of the next, or there.
                    let end = if last == region || *end > begins { end - end % unit } else { u32::MAX };
                    let within = offset + begins..end;
                    *region == part && at.is_some_and(|at| within.contains(&at))
                }
                _ => false,
            };
            let found =
                scopes.iter().filter(inside).filter_map(|s| guards.iter().position(|g| *g == (&s.filter, &s.target)));
            // In each once: it is the first that is asked.
            let mut once = Vec::new();
            found.for_each(|g| once.extend((!once.contains(&g)).then_some(g)));
            once
        };
        let told = |(filter, target): &(&Place, &Place)| match target {
            Place::None => format!("finally {}", self.content(filter)),
            _ => format!("except {}", self.content(filter)),
        };
        // What it is, its calls with how deep they are inside, when the first is reached.
        type Label<'a> = (String, BTreeSet<(usize, &'a str)>, usize);
        let mut labels: Vec<Label<'_>> = guards.iter().map(|g| (told(g), BTreeSet::new(), usize::MAX)).collect();
        let mut now = 0;
        for part in self.parts() {
            for (to, call) in self.calls(part) {
                now += 1;
                let found = around(part, call);
                for (depth, guard) in found.iter().rev().enumerate() {
                    labels[*guard].1.insert((depth, to));
                    labels[*guard].2 = labels[*guard].2.min(now);
                }
            }
        }
        let mut order: Vec<usize> = (0..guards.len()).collect();
        order.sort_by(|a, b| (&labels[*a], a).cmp(&(&labels[*b], b)));
        let mut numbers = vec![0; guards.len()];
        for (number, guard) in order.iter().enumerate() {
            numbers[*guard] = number;
            if let (Place::Code { region, .. }, Place::None) = guards[*guard] {
                self.names.entry(*region).or_insert_with(|| format!("finally {number}"));
            }
        }
        for (number, guard) in order.iter().enumerate() {
            let (filter, target) = guards[*guard];
            let line = format!("scope {number}: {} then {}", self.place(filter), self.place(target));
            self.line(&line);
        }
        if self.rules.positions {
            for s in scopes {
                let (from, to) = (self.place(&s.begin), self.place(&s.end));
                self.line(&format!("from {from} to {to}: {} then {}", self.place(&s.filter), self.place(&s.target)));
            }
        }
        let inside = |_: &Self, part: usize, call: &Call| {
            format!(" in {:?}", around(part, call).into_iter().map(|g| numbers[g]).collect::<Vec<_>>())
        };
        self.code_lines(&inside);
    }
}
