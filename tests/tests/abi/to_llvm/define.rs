//! From clang's `define` lines to declarations as the layer spells them.

/// The declaration of the function of this symbol, or, if it is mangled, whose symbol starts so, under the name `f`.
pub fn signature(module: &str, symbol: &str) -> Option<String> {
    let line = module.lines().filter(|line| line.starts_with("define ")).find(|line| {
        let name = name(line);
        name == symbol || (symbol.starts_with(['_', '?']) && name.starts_with(symbol))
    })?;
    Some(Reader { module, rest: line }.declaration())
}

/// The result and arguments of the call of `symbol` in the function that follows the definition of `caller`.
pub fn call(module: &str, caller: &str, symbol: &str) -> Option<String> {
    let mut lines = module.lines().skip_while(|line| !line.starts_with("define ") || name(line) != caller);
    let line = lines.find(|line| line.contains("call ") && name(line) == symbol)?;
    let (_, rest) = line.split_once("call ")?;
    Some(Reader { module, rest }.call())
}

/// The symbol that a line defines or calls.
fn name(line: &str) -> &str {
    let Some((_, name)) = line.split_once('@') else { return "" };
    match name.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or("").trim_start_matches("\\01"),
        None => name.split('(').next().unwrap_or(""),
    }
}

/// Reads a line from left to right.
struct Reader<'a> {
    module: &'a str,
    rest: &'a str,
}

const CONVENTIONS: &[&str] = &[
    "x86_64_sysvcc",
    "win64cc",
    "x86_vectorcallcc",
    "x86_stdcallcc",
    "x86_fastcallcc",
    "x86_thiscallcc",
    "preserve_mostcc",
    "preserve_allcc",
    "preserve_nonecc",
    "aarch64_vector_pcs",
    "arm_aapcscc",
    "arm_aapcs_vfpcc",
];

/// What comes before a result's type and after a parameter's.
#[derive(Default)]
struct Attributes {
    keyword: String,
    widen: &'static str,
    in_reg: bool,
    returned: bool,
    role: String,
    align: String,
    stack_align: String,
}

impl Attributes {
    fn text(&self, before: bool) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend((!self.widen.is_empty()).then(|| self.widen.to_string()));
        words.extend(self.in_reg.then(|| "inreg".to_string()));
        words.extend(self.returned.then(|| "returned".to_string()));
        if !self.role.is_empty() {
            words.push(self.role.clone());
            if !self.role.starts_with("inalloca") {
                words.push(format!("align {}", self.align));
            }
        }
        words.extend((!self.stack_align.is_empty()).then(|| format!("alignstack({})", self.stack_align)));
        let text: Vec<String> =
            words.iter().map(|word| if before { format!("{word} ") } else { format!(" {word}") }).collect();
        text.concat()
    }
}

impl Reader<'_> {
    fn skip(&mut self, text: &str) -> bool {
        match self.rest.trim_start().strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn declaration(mut self) -> String {
        self.skip("define");
        self.whole("declare")
    }

    fn call(mut self) -> String {
        self.whole("call")
    }

    fn whole(&mut self, word: &str) -> String {
        let before = self.attributes();
        let ret = self.ty();
        if self.skip("(") {
            // The function's type, at calls of variadic ones.
            while !self.skip(")") {
                if !self.skip("...") && !self.skip(",") {
                    self.ty();
                }
            }
        }
        let open = self.rest.find(['(']).unwrap_or(0);
        // A quoted name may hold a parenthesis.
        let open = match self.rest.strip_prefix("@\"") {
            Some(quoted) => quoted.find("\"(").map_or(open, |end| end + 3),
            None => open,
        };
        self.rest = &self.rest[open + 1..];
        let mut params = Vec::new();
        while !self.skip(")") {
            if self.skip("...") {
                params.push("...".into());
                continue;
            }
            let ty = self.ty();
            let attributes = self.attributes();
            params.push(format!("{ty}{}", attributes.text(false)));
            self.skip(",");
        }
        let keyword = if before.keyword.is_empty() { String::new() } else { format!("{} ", before.keyword) };
        format!("{word} {keyword}{}{ret} @f({})", before.text(true), params.join(", "))
    }

    /// Everything that is no type: up to the type of a result, or the end of a parameter.
    fn attributes(&mut self) -> Attributes {
        let mut found = Attributes::default();
        loop {
            self.rest = self.rest.trim_start();
            let before = self.rest;
            if before.starts_with(['%', '@'])
                && !["%struct", "%union", "%class"].iter().any(|kind| before.starts_with(kind))
            {
                // The parameter's name.
                let end = before.find([',', ')']).unwrap_or(before.len());
                self.rest = &before[end..];
                return found;
            }
            match self.word() {
                "" => return found,
                "zeroext" => found.widen = "zeroext",
                "signext" => found.widen = "signext",
                "inreg" => found.in_reg = true,
                "returned" => found.returned = true,
                "align" => found.align = self.word().to_string(),
                "alignstack" => {
                    self.skip("(");
                    found.stack_align = self.word().to_string();
                    self.skip(")");
                }
                role @ ("sret" | "byval" | "inalloca") => {
                    let role = role.to_string();
                    self.skip("(");
                    found.role = format!("{role}({})", self.ty());
                    self.skip(")");
                }
                keyword if CONVENTIONS.contains(&keyword) => found.keyword = keyword.to_string(),
                word if is_type(word) => {
                    self.rest = before;
                    return found;
                }
                _ => {
                    // Another attribute, linkage or visibility.
                    if self.rest.starts_with('(') {
                        let end = self.rest.find(')').map_or(self.rest.len(), |end| end + 1);
                        self.rest = &self.rest[end..];
                    }
                }
            }
        }
    }

    /// A type, named ones in full.
    fn ty(&mut self) -> String {
        if self.skip("<{") {
            return format!("<{{{}}}>", self.fields("}>"));
        }
        if self.skip("{") {
            return format!("{{{}}}", self.fields("}"));
        }
        for (open, close) in [("[", "]"), ("<", ">")] {
            if self.skip(open) {
                let len = self.word().to_string();
                self.skip("x");
                let element = self.ty();
                self.skip(close);
                return format!("{open}{len} x {element}{close}");
            }
        }
        if self.rest.trim_start().starts_with('%') {
            self.rest = self.rest.trim_start();
            let end = match self.rest.strip_prefix("%\"") {
                Some(quoted) => quoted.find('"').map_or(self.rest.len(), |end| end + 3),
                None => self.rest.find([' ', ',', ')', '}', ']', '>']).unwrap_or(self.rest.len()),
            };
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            let definition = format!("{name} = type ");
            let body = self.module.lines().find_map(|line| line.strip_prefix(&definition)).unwrap_or("opaque");
            return Reader { module: self.module, rest: body }.ty();
        }
        self.word().to_string()
    }

    fn fields(&mut self, close: &str) -> String {
        let mut fields = Vec::new();
        while !self.skip(close) && !self.rest.is_empty() {
            fields.push(self.ty());
            self.skip(",");
        }
        if fields.is_empty() { String::new() } else { format!(" {} ", fields.join(", ")) }
    }
}

fn is_type(word: &str) -> bool {
    let int = word.strip_prefix('i').is_some_and(|bits| !bits.is_empty() && bits.chars().all(|c| c.is_ascii_digit()));
    int || matches!(word, "void" | "ptr" | "half" | "bfloat" | "float" | "double" | "x86_fp80" | "fp128")
}
