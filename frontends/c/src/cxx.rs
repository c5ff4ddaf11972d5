//! The part of C++ that affects calls: classes, references, methods.
//!
//! A class becomes a struct with attributes that describe its special members; its bases become members with an
//! attribute, and its methods functions after it, whose first parameter is `this`. Names of classes and enumerations
//! become typedefs. Anything further (templates, nested names of types) is an error.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::bases::{Base, Known};
use crate::class::{Access, Class, ClassBody, Constructors, Declared, Special};
use crate::fault::{Checked, Fault};
use crate::lex::{Kind, Token};
use crate::rewrite::{Context, Placed, Rewriter, placed};

/// The prefix of the identifiers, each ending in a number, that replace names that C cannot spell.
const ALIAS: &str = "__gusset_fn_";

/// What has been read of the C++ source so far.
#[derive(Default)]
pub(crate) struct Cxx<'a> {
    /// The names of all classes and enumerations, and what is known of the classes whose members are.
    pub(crate) classes: BTreeSet<&'a str>,
    pub(crate) complete: BTreeMap<&'a str, Known>,
    pub(crate) namespaces: BTreeSet<&'a str>,
    /// Where the current declaration begins in the output.
    start: usize,
    /// Tokens to emit after the current declaration.
    deferred: Vec<Placed<'a>>,
    /// What the members of classes say about them.
    pub bodies: Vec<ClassBody>,
    /// The C++ names that the numbered identifiers replace.
    pub shown: Vec<String>,
}

/// The C++ name that the identifier `name` replaces, or `name` itself.
pub(crate) fn shown<'n>(names: &'n [String], name: &'n str) -> &'n str {
    let number = name.strip_prefix(ALIAS).and_then(|number| number.parse::<usize>().ok());
    number.and_then(|n| names.get(n)).map_or(name, String::as_str)
}

/// What the members of a class say about it.
#[derive(Default)]
struct Facts {
    constructors: Constructors,
    /// The class declares a destructor that is user-provided, or any destructor.
    destroys: bool,
    destructor_declared: bool,
    /// The class declares a move assignment operator.
    move_assigns: bool,
    /// Constructors, private data.
    closed: bool,
    /// The class declares a copy assignment operator that is user-provided, that is deleted, or any.
    assigns: bool,
    assign_deleted: bool,
    assign_declared: bool,
    /// A member is constant or a reference, so that only the user can provide a copy assignment operator.
    fixed: bool,
    /// A member is a reference.
    refers: bool,
    /// The class declares a default constructor that is user-provided, one that is defaulted, any default constructor,
    /// any constructor.
    default_written: bool,
    default_defaulted: bool,
    default_declared: bool,
    constructs: bool,
    /// A member has an initializer.
    initialized: bool,
    /// Something is declared besides data and types of C's.
    more_than_data: bool,
}

impl Facts {
    /// What this means for the class, which is declared with the keyword `class` or not.
    fn class(&self, keyword: bool) -> Class {
        let implicit = |declared| declared == Declared::Implicit;
        let mut constructors = self.constructors;
        let Constructors { copy, other_copy, moves, virtuals, .. } = constructors;
        // C++, [class.copy.ctor], [class.copy.assign]: a class that declares a move has no implicit copies, and one
        // that declares a copy, a move or a destructor has no implicit move constructor.
        let move_declared = !implicit(moves) || self.move_assigns;
        if implicit(copy) {
            let copies = if implicit(other_copy) && move_declared { Declared::Deleted } else { Declared::Implicit };
            // A copy constructor from another reference is the only one.
            constructors.copy = if implicit(other_copy) { copies } else { other_copy };
            constructors.other_copy = Declared::Implicit;
        }
        constructors.unmoved = implicit(moves)
            && (!implicit(constructors.copy) || self.assign_declared || self.move_assigns || self.destructor_declared);
        let unassigned = self.assigns || self.assign_deleted || self.fixed || (move_declared && !self.assign_declared);
        let defaulted = self.default_defaulted || !self.constructs;
        let written = self.destroys || self.assigns || self.default_written;
        Class {
            is_class: true,
            keyword,
            plain_data: !self.closed && !self.assigns && !self.refers && !self.initialized && !virtuals,
            special: Special { destroyed: self.destroys, unassigned, ..Special::default() },
            constructors,
            trivial_abi: false,
            c_like: !keyword && !self.more_than_data,
            non_aggregate: self.closed || virtuals,
            uneven: virtuals || written || (self.initialized && defaulted),
            defaulted,
            undefaulted: self.constructs && !self.default_declared,
        }
    }
}

/// The parameters of a member function, its end, and who can call it.
struct Function {
    open: usize,
    end: usize,
    access: Access,
}

/// A member function, as indexes of tokens.
struct Method {
    /// The first token of the declaration, and the token of the name.
    from: usize,
    name: usize,
    /// The bracket of the parameters.
    open: usize,
    is_static: bool,
}

/// The end of a member: the index after it, and the bracket of its parameters if it is a function.
struct Member {
    end: usize,
    open: Option<usize>,
}

impl<'a> Rewriter<'a> {
    /// Rewrites what is C++ at token `i`; returns the index after it, or none if token `i` is not special to C++.
    pub(crate) fn cxx_item(&mut self, context: Context, i: usize, to: usize) -> Checked<Option<usize>> {
        if !self.is_cxx() {
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
            "decltype" if self.is(i + 1, "(") && self.is(i + 2, "nullptr") && self.is(i + 3, ")") => {
                self.emit_all("__typeof__ ( void * )", token.at);
                i + 4
            }
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
                self.cxx.namespaces.insert(token.text);
            } else if !token.is("::") {
                return Err(Fault::new(token.at, "`{` is expected after a namespace's name"));
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

    /// Rewrites `using X = T;` as a typedef; other forms are dropped, because the names they introduce are known
    /// anyway.
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

    /// Drops the `N::` of a namespace; `C::f(` of a class begins a method.
    fn qualified(&mut self, context: Context, i: usize) -> Checked<usize> {
        let token = self.tokens[i];
        let cxx = &self.cxx;
        if cxx.namespaces.contains(token.text) || token.text == "std" {
            return Ok(i + 2);
        }
        if !cxx.classes.contains(token.text) {
            return Err(Fault::new(
                token.at,
                format!("`{}` is neither a class nor a namespace that is known", token.text),
            ));
        }
        if self.is(i + 2, "*") {
            let known = cxx.complete.get(token.text).is_some_and(|known| known.single);
            let known = if known { "member" } else { "unknown_member" };
            self.emit_all(&format!("* __attribute__ (( gusset_{known} ))"), token.at);
            return Ok(i + 3);
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
                // A brace after a name initializes a member; the body's brace follows a bracket.
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

    pub(crate) fn joined(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        let mut word = false;
        for token in &self.tokens[from..to] {
            text.push_str(if word && token.kind == Kind::Word { " " } else { "" });
            text.push_str(token.text);
            word = token.kind == Kind::Word;
        }
        text
    }

    /// Emits a numbered identifier in place of a name.
    fn alias(&mut self, name: String, at: usize) {
        self.cxx.shown.push(name);
        let alias = format!("{ALIAS}{}", self.cxx.shown.len() - 1);
        self.out.push((Cow::Owned(alias), at));
    }

    /// Emits the name and parameters of a method of `class`, with `this`; the name is the tokens from `name` to `open`.
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

    /// Records the name of a class or enumeration, so that it is a type without a keyword.
    pub(crate) fn cxx_name(&mut self, keyword: &'static str, name: Token<'a>) {
        if !self.cxx.classes.insert(name.text) {
            return;
        }
        let words = ["typedef", keyword, name.text, name.text, ";"];
        let pieces = words.into_iter().map(|word| (Cow::Borrowed(word), name.at));
        if keyword == "enum" {
            // An enumeration is not a type before its list.
            self.cxx.deferred.extend(pieces);
        } else {
            let start = self.cxx.start.min(self.out.len());
            self.out.splice(start..start, pieces);
        }
    }

    /// Handles the end of a declaration outside of classes.
    pub(crate) fn cxx_end(&mut self) {
        self.out.append(&mut self.cxx.deferred);
        self.cxx.start = self.out.len();
    }

    /// Reads the members of a class between token `open` and its partner; returns the class's attributes.
    pub(crate) fn class_body(
        &mut self,
        keyword: &str,
        name: &'a str,
        bases: &[Base<'a>],
        open: usize,
    ) -> Checked<Vec<Placed<'a>>> {
        let (at, end) = (self.tokens[open].at, self.tokens[open].partner);
        let mut facts = Facts::default();
        let number = self.cxx.bodies.len();
        let mut known = self.known(number, bases);
        self.cxx.bodies.push(ClassBody::default());
        for base in bases {
            self.emit_base(base);
        }
        let mut access = if keyword == "class" { Access::Private } else { Access::Public };
        let mut i = open + 1;
        while i < end {
            let token = self.tokens[i];
            if token.kind == Kind::Pragma {
                i = self.item(Context::Record, i, end)?;
            } else if token.is(";") {
                i += 1;
            } else if let (Some(label), true) = (Access::of(token.text), self.is(i + 1, ":")) {
                access = label;
                facts.more_than_data = true;
                i += 2;
            } else {
                let member = self.member(i, end);
                match member.open {
                    Some(params) => {
                        facts.more_than_data = true;
                        let function = Function { open: params, end: member.end, access };
                        self.member_function(name, i, &function, &mut facts, &mut known)?;
                    }
                    None => self.member_data(i, member.end, access != Access::Public, &mut facts)?,
                }
                i = member.end;
            }
        }
        facts.constructors.virtuals = known.is_dynamic();
        facts.closed |= !bases.is_empty();
        let mut virtuals = known.declared.take();
        if let (Some(virtuals), true) = (&mut virtuals, facts.constructs || facts.destructor_declared) {
            virtuals.constructed = true;
        }
        known.finish(bases.len());
        self.cxx.complete.insert(name, known);
        self.cxx.bodies[number] = ClassBody { class: facts.class(keyword == "class"), virtuals };
        Ok(placed(&format!("__attribute__ (( gusset_class ( {number} ) ))"), at).collect())
    }

    fn member_data(&mut self, from: usize, end: usize, hidden: bool, facts: &mut Facts) -> Checked<()> {
        let token = self.tokens[from];
        match token.text {
            "static" | "friend" => {
                facts.more_than_data = true;
                return Ok(());
            }
            "using" | "typedef" => {
                return Err(Fault::new(
                    token.at,
                    "types that belong to a class are not supported: declare them outside",
                ));
            }
            _ => {}
        }
        // An anonymous struct or a type alias has no access that matters, but an anonymous struct has data.
        facts.closed |= hidden;
        let (mut start, mut i) = (from, from);
        let (mut constant, mut record, mut class) = (false, false, false);
        while i < end {
            let token = self.tokens[i];
            match token.text {
                "const" => constant = true,
                "*" => constant = false,
                "&" => (facts.fixed, facts.refers) = (true, true),
                "&&" => {
                    (facts.fixed, facts.refers) = (true, true);
                    facts.constructors.moved_reference = true;
                }
                "struct" | "union" | "enum" => record = true,
                "class" => (record, class) = (true, !record),
                "," => facts.fixed |= constant,
                // The member is constant if the pointer itself is, whose `const` is in these brackets.
                "(" if self.is_pointer_bracket(i) => {
                    constant = (i..token.partner).any(|inside| self.is(inside, "const"));
                }
                "=" => facts.initialized = true,
                "{" if class => facts.more_than_data = true,
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
        function: &Function,
        facts: &mut Facts,
        known: &mut Known,
    ) -> Checked<()> {
        let Function { open, end, access } = *function;
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
        let constructor = self.is(name, class);
        let destructor = self.is(name, "~");
        if !constructor && !before("static") {
            known.declare(self.key(name, open), before("virtual"), after("override") || after("final"), after("0"));
        }
        if constructor {
            let params: Vec<&str> = self.tokens[open + 1..close].iter().map(|t| t.text).collect();
            let reference = params.iter().find(|word| matches!(**word, "&" | "&&")).copied();
            let own = params.iter().find(|word| !matches!(**word, "const" | "volatile")) == Some(&class);
            // All parameters after the first have default values.
            let alone = params.iter().filter(|word| **word == ",").count()
                <= params.iter().filter(|word| **word == "=").count();
            let how = match (defaulted, deleted) {
                (true, _) => Declared::Defaulted,
                (_, true) => Declared::Deleted,
                _ => Declared::Written,
            };
            let before = |word: &str| params.iter().take_while(|w| !matches!(**w, "&" | "&&")).any(|w| *w == word);
            match reference.filter(|_| own && alone) {
                Some("&") if before("const") && !before("volatile") => {
                    (facts.constructors.copy, facts.constructors.copy_access) = (how, access);
                }
                Some("&") => {
                    if facts.constructors.copy == Declared::Implicit {
                        facts.constructors.copy_access = facts.constructors.copy_access.max(access);
                    }
                    // A trivial constructor determines the class.
                    if facts.constructors.other_copy != Declared::Defaulted {
                        facts.constructors.other_copy = how;
                    }
                }
                Some(_) => (facts.constructors.moves, facts.constructors.move_access) = (how, access),
                None => {}
            }
            facts.closed |= written;
            facts.constructs = true;
            // The constructor has no parameters, or default values for all of them.
            let commas = params.iter().filter(|word| **word == ",").count();
            let values = params.iter().filter(|word| **word == "=").count();
            if params.is_empty() || params == ["void"] || values == commas + 1 {
                facts.default_written |= written;
                facts.default_defaulted |= defaulted;
                facts.default_declared = true;
            }
        }
        facts.destroys |= destructor && written;
        facts.destructor_declared |= destructor;
        facts.closed |= destructor && written;
        if self.is(name, "operator") && self.is(name + 1, "=") {
            let params = &self.tokens[open + 1..close];
            let own = params.iter().find(|token| !matches!(token.text, "const" | "volatile"));
            let moves = params.iter().any(|token| token.is("&&"));
            facts.move_assigns |= moves;
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
        self.cxx.deferred.extend(pieces);
        Ok(())
    }

    /// The declaration of a method as a function, which will follow its class.
    fn method_behind(&mut self, class: &'a str, method: &Method) -> Checked<usize> {
        let Method { from, name, open, is_static } = *method;
        let at = self.tokens[name].at;
        if self.is(name, "~") || self.is(name, class) {
            self.emit("void", at);
        }
        let mut i = from;
        while i < name {
            i = if self.is(i, "static") { i + 1 } else { self.item(Context::Brackets, i, name)? };
        }
        if self.is(name, "operator") && self.is_conversion(name + 1) {
            self.range(Context::Brackets, name + 1, open)?;
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

    /// Whether a type follows `operator`, to which the operator converts.
    fn is_conversion(&self, i: usize) -> bool {
        let token = self.tokens[i];
        token.kind == Kind::Word && !matches!(token.text, "new" | "delete" | "co_await")
    }

    /// Whether the bracket at token `i` holds a declarator that begins with a star: a pointer to a function or array.
    fn is_pointer_bracket(&self, i: usize) -> bool {
        let inner = self.tokens[i + 1].text;
        let of_member = self.is(i + 2, "::") && self.is(i + 3, "*");
        matches!(inner, "*" | "&" | "^") || of_member || inner.ends_with("call") && self.is(i + 2, "*")
    }

    /// Finds the end of the member that begins at token `i`.
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
                // The operator's name may look like an initializer or like parameters.
                "operator" if bracket => at = self.tokens[at + 1].partner,
                "operator" => {
                    while at + 1 < end && !self.is(at + 1, "(") {
                        at += 1;
                    }
                }
                "(" if open.is_none() => {
                    // A bracket that begins with a star declares a pointer to a function.
                    let pointer = self.is_pointer_bracket(at);
                    if at > i && !pointer {
                        open = Some(at);
                        let head = self.body_or_end(token.partner + 1);
                        if self.is(head, "{") {
                            return Member { end: self.tokens[head].partner + 1, open };
                        }
                        return Member { end: head.min(end), open };
                    }
                    at = token.partner;
                    // These are the pointee's parameters, not those of a member function.
                    if pointer && self.is(at + 1, "(") {
                        at = self.tokens[at + 1].partner;
                    }
                }
                _ => at = token.partner.max(at),
            }
            at += 1;
        }
        Member { end: at, open }
    }
}
