//! Makes a failing module smaller, line by line in its text form.
//!
//! An instruction goes away by naming a constant wherever its result was used; a branch becomes a jump; blocks that are not
//! named any more go too. Whatever still fails in the same way is kept.

/// Makes `text` smaller as long as `fails` holds; `fails` must not accept what is no module.
pub fn minimize(text: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<String> = text.lines().map(String::from).collect();
    loop {
        let before = best.len();
        let size: usize = best.iter().map(String::len).sum();
        remove_lines(&mut best, &mut fails);
        simplify_terminators(&mut best, &mut fails);
        remove_blocks(&mut best, &mut fails);
        join_blocks(&mut best, &mut fails);
        remove_params(&mut best, &mut fails);
        remove_functions(&mut best, &mut fails);
        if best.len() == before && best.iter().map(String::len).sum::<usize>() == size {
            return joined(&best);
        }
    }
}

fn joined(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// The range of lines of the function around line `at`.
fn function_of(lines: &[String], at: usize) -> (usize, usize) {
    let start = lines[..at].iter().rposition(|l| l.starts_with("function")).unwrap_or(0);
    let end = lines[at..].iter().position(|l| l == "}").map_or(lines.len(), |n| at + n);
    (start, end)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// `line` with the word `from` replaced.
fn replaced(line: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let whole = !before.ends_with(|c| is_word(c) || c == '@') && !after.starts_with(is_word);
        out.push_str(before);
        out.push_str(if whole { to } else { from });
        rest = after;
    }
    out + rest
}

/// A constant of the type that is named.
fn constant(ty: &str, n: u32) -> String {
    match ty.split_once('x') {
        Some((lane, lanes)) => {
            let one = constant(lane, n);
            let list = vec![one; lanes.parse().unwrap_or(1)];
            format!("<{}>:{ty}", list.join(", "))
        }
        None if ty.starts_with('f') || ty.starts_with('b') => {
            let bits: u64 = match (n, ty) {
                (0, _) => 0,
                (_, "f32") => 0x3f80_0000,
                _ => 0x3ff0_0000_0000_0000,
            };
            format!("{bits:#x}:{ty}")
        }
        None => format!("{n}:{ty}"),
    }
}

/// The results of an instruction's line: names and types.
fn results(line: &str) -> Vec<(String, String)> {
    let Some((left, _)) = line.split_once(" = ") else { return Vec::new() };
    let pairs = left.trim().split(", ").filter_map(|r| r.split_once(": "));
    pairs.filter(|(v, _)| v.starts_with('v')).map(|(v, t)| (v.to_string(), t.to_string())).collect()
}

fn is_instruction(line: &str) -> bool {
    let head = line.trim_start();
    line.starts_with("  ")
        && !head.starts_with("sig")
        && !head.starts_with("ss")
        && !head.starts_with("address")
        && !head.starts_with("personality")
        && !is_terminator(line)
}

fn is_terminator(line: &str) -> bool {
    ["  jump ", "  br ", "  switch ", "  return", "  unreachable", "  indirect_br ", "  invoke ", "  resume "]
        .iter()
        .any(|t| line.starts_with(t))
}

/// The lines without those at `at`, their results replaced by constants.
fn without(lines: &[String], at: &[usize], n: u32) -> Vec<String> {
    let mut out = lines.to_vec();
    for &k in at {
        let (start, end) = function_of(lines, k);
        for (name, ty) in results(&lines[k]) {
            let by = constant(&ty, n);
            for line in &mut out[start..end] {
                if line.contains(&name) {
                    *line = replaced(line, &name, &by);
                }
            }
        }
    }
    let mut index = 0;
    out.retain(|_| {
        index += 1;
        !at.contains(&(index - 1))
    });
    out
}

fn attempt(best: &mut Vec<String>, new: Vec<String>, fails: &mut impl FnMut(&str) -> bool) -> bool {
    let better = fails(&joined(&new));
    if better {
        *best = new;
    }
    better
}

fn remove_lines(best: &mut Vec<String>, fails: &mut impl FnMut(&str) -> bool) {
    let mut chunk = (best.len() / 2).max(1);
    loop {
        let mut at = best.len();
        while at > 0 {
            let from = at.saturating_sub(chunk);
            let list: Vec<usize> = (from..at).filter(|&k| is_instruction(&best[k])).collect();
            if !list.is_empty() {
                let zero = without(best, &list, 0);
                if !attempt(best, zero, fails) && chunk == 1 && !results(&best[list[0]]).is_empty() {
                    let one = without(best, &list, 1);
                    attempt(best, one, fails);
                }
            }
            at = from;
        }
        if chunk == 1 {
            break;
        }
        chunk /= 2;
    }
}

/// Splits at commas that are not within brackets.
fn split_list(text: &str) -> Vec<String> {
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for c in text.chars() {
        match c {
            '(' | '<' | '[' => depth += 1,
            // The `>` of `=>` closes nothing.
            ')' | ']' => depth -= 1,
            '>' if !part.ends_with('=') => depth -= 1,
            ',' if depth == 0 => {
                parts.push(part.trim().to_string());
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    if !part.trim().is_empty() {
        parts.push(part.trim().to_string());
    }
    parts
}

fn simplify_terminators(best: &mut Vec<String>, fails: &mut impl FnMut(&str) -> bool) {
    for at in 0..best.len() {
        let line = best[at].clone();
        let targets: Vec<String> = if let Some(rest) = line.strip_prefix("  br ") {
            split_list(rest)[1..].to_vec()
        } else if let Some(rest) = line.strip_prefix("  invoke ") {
            split_list(rest)[..1].to_vec()
        } else if line.starts_with("  switch ") || line.starts_with("  indirect_br ") {
            let inner = line.split_once('[').and_then(|(_, r)| r.rsplit_once(']'));
            let Some((cases, default)) = inner else { continue };
            let list =
                split_list(cases).into_iter().map(|c| c.split_once("=> ").map_or(c.clone(), |p| p.1.to_string()));
            list.chain(default.strip_prefix(", ").map(String::from)).collect()
        } else {
            continue;
        };
        for to in targets {
            let mut new = best.clone();
            new[at] = format!("  jump {to}");
            if attempt(best, new, fails) {
                break;
            }
        }
    }
}

fn block_label(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    (name.starts_with('b') && !line.starts_with(' ')).then(|| name.split('(').next().unwrap_or(name))
}

fn remove_blocks(best: &mut Vec<String>, fails: &mut impl FnMut(&str) -> bool) {
    let mut at = 0;
    while at < best.len() {
        if block_label(&best[at]).is_some() {
            let len = 1 + best[at + 1..].iter().take_while(|l| block_label(l).is_none() && *l != "}").count();
            let mut list: Vec<usize> = (at..at + len).collect();
            let mut new = without(best, &list, 0);
            // The block may have names in the list of addresses.
            let label = block_label(&best[at]).unwrap_or_default().to_string();
            let (start, end) = function_of(&new, at.min(new.len() - 1));
            let address = format!("  address {label} ");
            list = (start..end).filter(|&k| new[k].starts_with(&address)).collect();
            new = without(&new, &list, 0);
            if attempt(best, new, fails) {
                continue;
            }
        }
        at += 1;
    }
}

/// Jumps to the block that follows, which nobody else names, go.
fn join_blocks(best: &mut Vec<String>, fails: &mut impl FnMut(&str) -> bool) {
    let mut at = 1;
    while at < best.len() {
        let label = block_label(&best[at]).map(String::from);
        if let Some(label) = label
            && best[at - 1] == format!("  jump {label}")
        {
            let mut new = best.clone();
            new.drain(at - 1..=at);
            if attempt(best, new, fails) {
                continue;
            }
        }
        at += 1;
    }
}

/// Parameters of blocks go, with the arguments for them.
fn remove_params(best: &mut Vec<String>, fails: &mut impl FnMut(&str) -> bool) {
    let mut at = 0;
    while at < best.len() {
        let Some(label) = block_label(&best[at]).map(String::from) else {
            at += 1;
            continue;
        };
        let (start, end) = function_of(best, at);
        let entry = best[start..end].iter().position(|l| block_label(l).is_some()).map(|n| start + n);
        let params = best[at].split_once('(').and_then(|(_, r)| r.rsplit_once(')')).map(|p| split_list(p.0));
        let mut k = params.as_ref().map_or(0, Vec::len);
        while k > 0 && entry != Some(at) {
            k -= 1;
            let Some(param) = params.as_ref().and_then(|p| p[k].split_once(": ")) else { break };
            for n in 0..2 {
                let by = constant(param.1, n);
                let mut new = best.clone();
                for (i, line) in new.iter_mut().enumerate().take(end).skip(start) {
                    if is_terminator(line) || i == at {
                        *line = without_argument(line, &label, k);
                    }
                    if i != at {
                        *line = replaced(line, param.0, &by);
                    }
                }
                if attempt(best, new, fails) {
                    break;
                }
            }
        }
        at += 1;
    }
}

/// The line without argument `k` of every mention of block `label`.
fn without_argument(line: &str, label: &str, k: usize) -> String {
    let mut out = String::new();
    let mut rest = line;
    let open = format!("{label}(");
    while let Some(at) = rest.find(&open) {
        let (before, after) = rest.split_at(at + open.len());
        let Some(close) = after.find(')') else { break };
        let whole = !rest[..at].ends_with(is_word);
        let mut list = split_list(&after[..close]);
        if whole && k < list.len() {
            list.remove(k);
        }
        if list.is_empty() {
            out.push_str(&before[..before.len() - 1]);
        } else {
            out.push_str(before);
            out.push_str(&list.join(", "));
            out.push(')');
        }
        rest = &after[close + 1..];
    }
    out + rest
}

fn remove_functions(best: &mut Vec<String>, fails: &mut impl FnMut(&str) -> bool) {
    let mut at = best.len();
    while at > 0 {
        at -= 1;
        if best[at].starts_with("function") {
            let end = best[at..].iter().position(|l| l == "}").map_or(best.len(), |n| at + n + 1);
            let mut new = best.clone();
            new.drain(at..end);
            attempt(best, new, fails);
        } else if best[at].starts_with("  sig") || best[at].starts_with("  ss") {
            let mut new = best.clone();
            new.remove(at);
            attempt(best, new, fails);
        }
    }
}
