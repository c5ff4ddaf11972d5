//! The part of C++ that matters to calls: classes, references, methods.
//!
//! A class becomes a struct with attributes that say what its special members make of it; its methods become functions behind it
//! whose first parameter is `this`. Names of classes and enumerations become typedefs. What has more to it (base classes, templates,
//! nested names of types) is an error.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::error::{Checked, Fault};
use crate::lex::{Kind, Token};
use crate::rewrite::{Context, Placed, Rewriter};

/// What stands for names that C cannot spell, followed by a number.
const ALIAS: &str = "__gusset_fn_";

/// What is known of the C++ so far.
#[derive(Default)]
pub(crate) struct Cxx<'a> {
    /// Classes and enumerations by name.
    classes: BTreeSet<&'a str>,
    namespaces: BTreeSet<&'a str>,
    /// Where the current declaration begins in the output.
    start: usize,
    /// What comes behind the current declaration.
    deferred: Vec<Placed<'a>>,
    /// Names of functions that C cannot spell.
    pub shown: Vec<String>,
}

/// The name that `name` stands for.
pub(crate) fn shown<'n>(names: &'n [String], name: &'n str) -> &'n str {
    let number = name.strip_prefix(ALIAS).and_then(|number| number.parse::<usize>().ok());
    number.and_then(|n| names.get(n)).map_or(name, String::as_str)
}

/// What members make of a class.
#[derive(Default)]
struct Facts {
    virtuals: bool,
    /// Copy constructor, move constructor and destructor that the user wrote.
    copies: bool,
    moves: bool,
    destroys: bool,
    /// The copy constructor is defaulted or deleted by the user.
    copy_defaulted: bool,
    copy_deleted: bool,
    /// There is a move constructor or assignment, and the constructor is not deleted.
    move_declared: bool,
    move_kept: bool,
    /// Constructors, private data.
    closed: bool,
    /// A copy assignment: that the user wrote, that is deleted, or any.
    assigns: bool,
    assign_deleted: bool,
    assign_declared: bool,
    /// A member is constant or a reference, so that there is no copy assignment but one that the user writes.
    fixed: bool,
    /// A default constructor that the user wrote; that is defaulted; that is declared in any way; any constructor.
    default_written: bool,
    default_defaulted: bool,
    default_declared: bool,
    constructors: bool,
    /// A member has an initializer.
    initialized: bool,
}

/// A member function, by the indexes of its tokens.
struct Method {
    /// The first token of the declaration, and of the name.
    from: usize,
    name: usize,
    /// The bracket of the parameters.
    open: usize,
    is_static: bool,
}

/// The end of a member: the index behind it, and the bracket of its parameters if it is a function.
struct Member {
    end: usize,
    open: Option<usize>,
}

impl<'a> Rewriter<'a> {
    /// Rewrites what is C++ at token `i`; gives the index after it.
    pub(crate) fn cxx_item(&mut self, context: Context, i: usize, to: usize) -> Checked<Option<usize>> {
        if self.cxx.is_none() {
            return Ok(None);
        }
        let token = self.tokens[i];
        let next = match token.text {
            "&" | "&&" if context != Context::Expression && context != Context::Enum => {
                self.emit_all("* __attribute__ (( gusset_reference ))", token.at);
                i + 1
            }
            "=" if context == Context::Brackets => self.end_of(i + 1, to, &[",", ";"]),
            "::" => i + 1,
            "namespace" => return self.namespace(i, to).map(Some),
            "using" => return self.using(i, to).map(Some),
            "noexcept" | "throw" if self.is(i + 1, "(") => self.tokens[i + 1].partner + 1,
            "explicit" | "virtual" | "mutable" | "consteval" | "constinit" | "override" | "final" => i + 1,
            "friend" | "template" | "decltype" | "requires" | "concept" => {
                return Err(Fault::new(token.at, format!("`{}` is not supported", token.text)));
            }
            "operator" => return self.operator(i).map(Some),
            _ if token.kind == Kind::Word && self.is(i + 1, "::") => return self.qualified(context, i).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(next))
    }

    fn namespace(&mut self, i: usize, to: usize) -> Checked<usize> {
        let mut next = i + 1;
        while next < to && !self.is(next, "{") {
            let token = self.tokens[next];
            if token.kind == Kind::Word {
                if let Some(cxx) = &mut self.cxx {
                    cxx.namespaces.insert(token.text);
                }
            } else if !token.is("::") {
                return Err(Fault::new(token.at, "`{` is expected behind a namespace's name"));
            }
            next += 1;
        }
        if next >= to {
            return Err(Fault::new(self.tokens[i].at, "this namespace has no `{`"));
        }
        let end = self.tokens[next].partner;
        self.range(Context::File, next + 1, end)?;
        Ok(end + 1)
    }

    /// `using X = T;` is a typedef; other forms bring in names that are known anyway.
    fn using(&mut self, i: usize, to: usize) -> Checked<usize> {
        let at = self.tokens[i].at;
        let end = self.end_of(i, to, &[";"]);
        if self.is(i + 2, "=") && i + 3 < end {
            let name = self.tokens[i + 1];
            self.emit_all("typedef __typeof__ (", at);
            self.range(Context::Brackets, i + 3, end)?;
            self.emit(")", at);
            self.emit(name.text, name.at);
        }
        Ok(end)
    }

    /// `N::` of a namespace is left out; `C::f(` of a class begins a method.
    fn qualified(&mut self, context: Context, i: usize) -> Checked<usize> {
        let token = self.tokens[i];
        let Some(cxx) = &self.cxx else { return Ok(i + 1) };
        if cxx.namespaces.contains(token.text) || token.text == "std" {
            return Ok(i + 2);
        }
        if !cxx.classes.contains(token.text) {
            return Err(Fault::new(
                token.at,
                format!("`{}` is neither a class nor a namespace that is known", token.text),
            ));
        }
        let open = (i + 2..self.tokens.len()).take(6).find(|j| self.is(*j, "(") && !self.is(j - 1, "operator"));
        match open {
            Some(open) if context == Context::File => {
                let special = self.is(i + 2, "~") || self.is(i + 2, token.text);
                if special {
                    self.emit("void", token.at);
                }
                self.method(token.text, i + 2, open)?;
                Ok(self.body_or_end(self.tokens[open].partner + 1))
            }
            _ => Err(Fault::new(token.at, "names within classes are supported for methods only")),
        }
    }

    /// The index of the `;` or `{` that ends the head of a function whose parameters end before `i`.
    fn body_or_end(&self, mut i: usize) -> usize {
        let mut initializers = false;
        while i < self.tokens.len() && !self.is(i, ";") {
            let token = self.tokens[i];
            if token.is("{") {
                // A brace behind a name initializes a member; the body's is behind a bracket.
                if !initializers || self.tokens[i - 1].kind != Kind::Word {
                    break;
                }
            }
            initializers |= token.is(":");
            i = token.partner.max(i) + 1;
        }
        i
    }

    /// A free operator's name.
    fn operator(&mut self, i: usize) -> Checked<usize> {
        let token = self.tokens[i];
        let first = i + 1;
        let mut open = if self.is(first, "(") && self.is(first + 1, ")") { first + 2 } else { first };
        while open < self.tokens.len() && !self.is(open, "(") {
            open += 1;
        }
        if open >= self.tokens.len() {
            return Err(Fault::new(token.at, "this operator has no parameters"));
        }
        let name = self.joined(i, open);
        self.alias(name, token.at);
        Ok(open)
    }

    fn joined(&self, from: usize, to: usize) -> String {
        self.tokens[from..to].iter().map(|token| token.text).collect()
    }

    /// Emits what stands for a name.
    fn alias(&mut self, name: String, at: usize) {
        if let Some(cxx) = &mut self.cxx {
            cxx.shown.push(name);
            let alias = format!("{ALIAS}{}", cxx.shown.len() - 1);
            self.out.push((Cow::Owned(alias), at));
        }
    }

    /// Emits the name and parameters of a method of `class`, `this` included; the name is the tokens from `name` to `open`.
    fn method(&mut self, class: &'a str, name: usize, open: usize) -> Checked<()> {
        let at = self.tokens[name].at;
        let close = self.tokens[open].partner;
        self.alias(format!("{class}::{}", self.joined(name, open)), at);
        let constant = if self.is(close + 1, "const") { "const " } else { "" };
        self.emit_all(&format!("( {constant}{class} * this"), at);
        let none = close == open + 1 || (close == open + 2 && self.is(open + 1, "void"));
        if !none {
            self.emit(",", at);
            self.range(Context::Brackets, open + 1, close)?;
        }
        let what = match (self.is(name, "~"), self.is(name, class)) {
            (true, _) => "cxx_destructor",
            (_, true) => "cxx_constructor",
            _ => "cxx_method",
        };
        self.emit_all(&format!(") __attribute__ (( {what} ))"), at);
        Ok(())
    }

    /// Takes note of a class or enumeration, so that its name alone is a type.
    pub(crate) fn cxx_name(&mut self, keyword: &'static str, name: Token<'a>) {
        let Some(cxx) = &mut self.cxx else { return };
        if !cxx.classes.insert(name.text) {
            return;
        }
        let words = ["typedef", keyword, name.text, name.text, ";"];
        let pieces = words.into_iter().map(|word| (Cow::Borrowed(word), name.at));
        if keyword == "enum" {
            // An enumeration is no type before its list.
            cxx.deferred.extend(pieces);
        } else {
            let start = cxx.start.min(self.out.len());
            self.out.splice(start..start, pieces);
        }
    }

    /// The end of a declaration outside of classes.
    pub(crate) fn cxx_end(&mut self) {
        if let Some(cxx) = &mut self.cxx {
            self.out.append(&mut cxx.deferred);
            cxx.start = self.out.len();
        }
    }

    /// The members of a class between the brackets of token `open`; gives its attributes.
    pub(crate) fn class_body(&mut self, keyword: &str, name: &'a str, open: usize) -> Checked<Vec<Placed<'a>>> {
        let (at, end) = (self.tokens[open].at, self.tokens[open].partner);
        let mut facts = Facts::default();
        let mut hidden = keyword == "class";
        let first = self.out.len();
        let mut i = open + 1;
        while i < end {
            let token = self.tokens[i];
            if token.kind == Kind::Pragma {
                i = self.item(Context::Record, i, end)?;
            } else if token.is(";") {
                i += 1;
            } else if matches!(token.text, "public" | "private" | "protected") && self.is(i + 1, ":") {
                hidden = token.text != "public";
                i += 2;
            } else {
                let member = self.member(i, end);
                match member.open {
                    Some(params) => self.member_function(name, i, params, member.end, &mut facts)?,
                    None => self.member_data(i, member.end, hidden, &mut facts)?,
                }
                i = member.end;
            }
        }
        if facts.virtuals {
            let pointer = ["void", "*", "__vptr", ";"].map(|word| (Cow::Borrowed(word), at));
            self.out.splice(first..first, pointer);
        }
        // C++, [class.copy.ctor]: a class that moves has no implicit copy constructor.
        let copy_gone = facts.copy_deleted || (facts.move_declared && !facts.copy_defaulted && !facts.copies);
        let all_gone = copy_gone && !facts.move_kept;
        let copies = facts.copies || facts.virtuals;
        // C++, [class.copy.assign]: a class that moves has no implicit copy assignment.
        let unassigned =
            facts.assigns || facts.assign_deleted || facts.fixed || (facts.move_declared && !facts.assign_declared);
        let default_implicit = facts.default_defaulted || !facts.constructors;
        let uneven = facts.virtuals
            || facts.destroys
            || facts.assigns
            || facts.default_written
            || (facts.initialized && default_implicit);
        let attributes = [
            ("cxx_class", true),
            ("gusset_class", keyword == "class"),
            ("cxx_nonaggregate", facts.closed || facts.virtuals),
            ("gusset_nontrivial", copies || facts.moves || all_gone),
            ("gusset_uncopied", copies || copy_gone),
            ("gusset_destroyed", facts.destroys),
            ("gusset_unassigned", unassigned),
            ("gusset_uneven", uneven),
            ("gusset_defaulted", default_implicit),
            ("gusset_undefaulted", facts.constructors && !facts.default_declared),
        ];
        let attributes =
            attributes.iter().filter(|(_, set)| *set).map(|(name, _)| format!("__attribute__ (( {name} ))"));
        let attributes = attributes.collect::<Vec<_>>().join(" ");
        Ok(attributes.split(' ').map(|word| (Cow::Owned(word.to_string()), at)).collect())
    }

    fn member_data(&mut self, from: usize, end: usize, hidden: bool, facts: &mut Facts) -> Checked<()> {
        let token = self.tokens[from];
        match token.text {
            "static" | "friend" => return Ok(()),
            "using" | "typedef" => {
                return Err(Fault::new(
                    token.at,
                    "types that belong to a class are not supported: declare them outside",
                ));
            }
            _ => {}
        }
        // An anonymous struct or a type alone has no access of its own to speak of, but data in it has.
        facts.closed |= hidden;
        let (mut start, mut i) = (from, from);
        let (mut constant, mut record) = (false, false);
        while i < end {
            let token = self.tokens[i];
            match token.text {
                "const" => constant = true,
                "*" => constant = false,
                "&" | "&&" => facts.fixed = true,
                "struct" | "union" | "class" | "enum" => record = true,
                "," => facts.fixed |= constant,
                "=" => facts.initialized = true,
                "{" if !record => {
                    // An initializer without `=`.
                    facts.initialized = true;
                    self.range(Context::Record, start, i)?;
                    start = token.partner + 1;
                }
                _ => {}
            }
            i = token.partner.max(i) + 1;
        }
        facts.fixed |= constant;
        self.range(Context::Record, start, end)?;
        self.emit(";", token.at);
        Ok(())
    }

    fn member_function(
        &mut self,
        class: &'a str,
        from: usize,
        open: usize,
        end: usize,
        facts: &mut Facts,
    ) -> Checked<()> {
        let close = self.tokens[open].partner;
        let mut name = open - 1;
        if let Some(operator) = (from..open).find(|i| self.is(*i, "operator")) {
            name = operator;
        } else if name > from && self.is(name - 1, "~") {
            name -= 1;
        }
        let before = |word: &str| (from..name).any(|i| self.is(i, word));
        if before("friend") {
            return Ok(());
        }
        let after = |word: &str| (close + 1..end.min(close + 6)).any(|i| self.is(i, word));
        let (defaulted, deleted) = (after("default"), after("delete"));
        let written = !defaulted && !deleted;
        facts.virtuals |= before("virtual") || after("override") || after("final");
        let constructor = self.is(name, class);
        let destructor = self.is(name, "~");
        if constructor {
            let params: Vec<&str> = self.tokens[open + 1..close].iter().map(|t| t.text).collect();
            let reference = params.iter().find(|word| matches!(**word, "&" | "&&")).copied();
            let own = params.iter().find(|word| !matches!(**word, "const" | "volatile")) == Some(&class);
            match reference.filter(|_| own && !params.contains(&",")) {
                Some("&") => {
                    facts.copies |= written;
                    facts.copy_deleted |= deleted;
                    facts.copy_defaulted |= defaulted;
                }
                Some(_) => {
                    facts.moves |= written;
                    facts.move_declared = true;
                    facts.move_kept |= !deleted;
                }
                None => {}
            }
            facts.closed |= written;
            facts.constructors = true;
            // Without parameters, or with values for all of them.
            let commas = params.iter().filter(|word| **word == ",").count();
            let values = params.iter().filter(|word| **word == "=").count();
            if params.is_empty() || params == ["void"] || values == commas + 1 {
                facts.default_written |= written;
                facts.default_defaulted |= defaulted;
                facts.default_declared = true;
            }
        }
        facts.destroys |= destructor && written;
        facts.closed |= destructor && written;
        if self.is(name, "operator") && self.is(name + 1, "=") {
            let params = &self.tokens[open + 1..close];
            let own = params.iter().find(|token| !matches!(token.text, "const" | "volatile"));
            let moves = params.iter().any(|token| token.is("&&"));
            facts.move_declared |= moves;
            if own.is_some_and(|token| token.is(class)) && !moves {
                facts.assigns |= written;
                facts.assign_deleted |= deleted;
                facts.assign_declared = true;
            }
        }
        if deleted {
            return Ok(());
        }
        let method = Method { from, name, open, is_static: before("static") };
        let (_, pieces) = self.aside(|this| this.method_behind(class, &method))?;
        if let Some(cxx) = &mut self.cxx {
            cxx.deferred.extend(pieces);
        }
        Ok(())
    }

    /// The declaration of a method as a function, to stand behind its class.
    fn method_behind(&mut self, class: &'a str, method: &Method) -> Checked<usize> {
        let Method { from, name, open, is_static } = *method;
        let at = self.tokens[name].at;
        if self.is(name, "~") || self.is(name, class) {
            self.emit("void", at);
        } else if self.is(name, "operator") && from == name {
            return Err(Fault::new(at, "conversion operators are not supported"));
        }
        let mut i = from;
        while i < name {
            i = if self.is(i, "static") { i + 1 } else { self.item(Context::Brackets, i, name)? };
        }
        if is_static {
            self.alias(format!("{class}::{}", self.joined(name, open)), at);
            self.emit("(", at);
            self.range(Context::Brackets, open + 1, self.tokens[open].partner)?;
            self.emit(")", at);
        } else {
            self.method(class, name, open)?;
        }
        self.emit(";", at);
        Ok(open)
    }

    /// Where the member that begins at token `i` ends.
    fn member(&self, i: usize, end: usize) -> Member {
        let mut open = None;
        let mut at = i;
        while at < end {
            let token = self.tokens[at];
            let bracket = self.is(at + 1, "(");
            match token.text {
                ";" => break,
                "__attribute__" | "__attribute" | "__declspec" | "alignas" | "_Alignas" | "_BitInt" | "noexcept"
                | "__typeof__"
                    if bracket =>
                {
                    at = self.tokens[at + 1].partner;
                }
                "=" => at = self.end_of(at + 1, end, &[",", ";"]) - 1,
                // Its name may look like an initializer or like parameters.
                "operator" if bracket => at = self.tokens[at + 1].partner,
                "operator" => {
                    while at + 1 < end && !self.is(at + 1, "(") {
                        at += 1;
                    }
                }
                "(" if open.is_none() => {
                    // A bracket that begins with a star declares a pointer to a function.
                    let inner = self.tokens[at + 1].text;
                    let pointer = matches!(inner, "*" | "&" | "^") || inner.ends_with("call") && self.is(at + 2, "*");
                    if at > i && !pointer {
                        open = Some(at);
                        let head = self.body_or_end(token.partner + 1);
                        if self.is(head, "{") {
                            return Member { end: self.tokens[head].partner + 1, open };
                        }
                        return Member { end: head.min(end), open };
                    }
                    at = token.partner;
                }
                _ => at = token.partner.max(at),
            }
            at += 1;
        }
        Member { end: at, open }
    }
}
