//! The table of operations: name, custom form, rule of types, and what becomes of it.
//!
//! A *form* is a list of tokens between blanks, as the operation's assembly format in MLIR's documentation ("Op Definition
//! Specification", "Declarative Assembly Format"):
//!
//! | token | reads |
//! |---|---|
//! | `%` | an operand; `%2` the operand of this number, where the text has another order |
//! | `%*` | operands up to what is none; `%?` one or none |
//! | `%&` | the name of an argument of the region; `(%&*)` such names in parentheses; `(%&=%*)` such names with operands, `(%a = %x)` |
//! | `#*` | a list of numbers and operands in brackets; `#(*` in parentheses |
//! | `#[]` | affine expressions of operands in brackets, `[%i + 1]`: a map |
//! | `#()` | the operands of a map: dimensions in parentheses, symbols in brackets |
//! | `#max`, `#min` | a bound of a loop: a number, an operand, or a map with operands, of which the largest or smallest result counts |
//! | `#bounds` | bounds of several loops, `(%i + 1, max(%a, 8))` |
//! | `{}` | a dictionary of attributes, or none; `{#}` one that may be an alias |
//! | `&` | words with their values in angle brackets: `fastmath<fast>`, `overflow<nsw>` |
//! | `=n` | an attribute, by the name `n` in the generic form; `~n` without its type; `$n` a keyword |
//! | `@n` | a symbol |
//! | `?n` | the word `n`, or not |
//! | `<n` | an attribute in angle brackets or parentheses, by the name `n` |
//! | `A` | a type, which the rule knows by this letter; `A+` one more of this letter; `A*` types; `(A*)` types in parentheses or one, `(A*),` or several without parentheses; `A?,` a type with a comma, or none if one type stands here |
//! | `^` | a successor |
//! | `!` | a region; `!*` regions between commas, or none |
//! | `[?` … `?]` | what may be missing: it is there if its first token, a word or sign, is |
//! | `[*` … `*]` | the same any number of times; `[,*` … `*]` up to a closing bracket, between commas |
//! | `...n` | a form that is written by hand, [`Form`] |
//! | else | the word or sign itself |
//!
//! A *rule* has a word for each operand, then `->` and one for each result: `A` the type of this letter, `eA` that of its elements,
//! `bA` flags of its shape, `i` an index, `1` an `i1`, `p` a pointer, `f` a function of the types `T` that gives `R`, `_` as the value is
//! defined; `iA` and `1A` are `A`, or an index or `i1` if the text has no such type. With `*` after it, it is any number; if a rule
//! has several such words, each takes the next group of operands. Results may be left to what converts the operation (`...`), which
//! then has the types of the letter `R`, if the text gives them. Behind `|` letters may stand with what their types have to be, [`Class`].

use std::sync::OnceLock;

use gusset_text::hash_bytes;

/// An operation that is known, with what converts it.
#[derive(Clone, Copy)]
pub(crate) struct Row<M> {
    pub name: &'static str,
    pub form: &'static str,
    pub rule: &'static str,
    pub make: M,
}

/// A token of a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Operand(Option<u8>),
    Operands,
    Maybe,
    Argument,
    Arguments,
    Initialized,
    /// A list in this bracket.
    List(u8),
    Indices,
    MapOperands,
    /// A bound by the largest or smallest result.
    Bound(&'static str),
    Bounds,
    Dictionary,
    NamedDictionary,
    Flags,
    Attribute(&'static str),
    Untyped(&'static str),
    Keyword(&'static str),
    Symbol(&'static str),
    Flag(&'static str),
    Bracketed(&'static str),
    Type(u8),
    Another(u8),
    Types(u8),
    Grouped(u8),
    /// The same, or several without parentheses.
    Ungrouped(u8),
    OptionalType(u8),
    Successor,
    Region,
    Regions,
    /// A form that is written by hand.
    Hand(Form),
    /// Where to go on if what follows is not there; [`Token::Again`] comes back here.
    Repeated(u8),
    /// The same up to a closing bracket.
    Separated(u8),
    Again(u8),
    /// Where to go back to if a comma is here.
    More(u8),
    /// Where to go on if what follows is not there.
    Optional(u8),
    /// Where to go on if no word stands here, as all that follows up to there begins with one and may be missing.
    Words(u8),
    End,
    /// A sign of one byte.
    Sign(u8),
    Literal(&'static str),
}

/// A form that is written by hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `llvm.call`.
    Call,
    /// `llvm.invoke`.
    Invoke,
    /// `llvm.intr.*`.
    Intrinsic,
}

impl Form {
    /// The form of this name.
    pub fn of(name: &str) -> Option<Form> {
        Some(match name {
            "call" => Form::Call,
            "invoke" => Form::Invoke,
            "intrinsic" => Form::Intrinsic,
            _ => return None,
        })
    }
}

/// What a type has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeConstraint {
    Slot(u8),
    Element(u8),
    Flags(u8),
    Index,
    Bit,
    /// The type of a letter, or an index.
    IndexOr(u8),
    /// The type of a letter, or `i1`.
    BitOr(u8),
    Function,
    Pointer,
    Any,
}

impl TypeConstraint {
    /// The letter whose type it is.
    pub fn letter(self) -> Option<u8> {
        match self {
            TypeConstraint::Slot(letter) | TypeConstraint::IndexOr(letter) | TypeConstraint::BitOr(letter) => {
                Some(letter)
            }
            _ => None,
        }
    }
}

/// What a type has to be, or the lanes of a vector type: MLIR's type constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// `signless`: an integer whose type says nothing of a sign, or an index.
    Signless,
    /// `fixed`: such an integer, but no index.
    Fixed,
    /// `float`: a floating-point number.
    Float,
    /// `complex`: a complex number, of which there are no vectors.
    Complex,
    /// `llvm`: a type that the dialect `llvm` has, too.
    Llvm,
}

/// Words of rules for classes, and what messages call them.
const CLASSES: [(&str, Class, &str); 5] = [
    ("signless", Class::Signless, "an integer without a sign, an index, or a vector of them"),
    ("fixed", Class::Fixed, "an integer without a sign, or a vector of them"),
    ("float", Class::Float, "a floating-point number, or a vector of them"),
    ("complex", Class::Complex, "a complex number of floating-point parts"),
    ("llvm", Class::Llvm, "a type that the dialect `llvm` has"),
];

impl Class {
    /// What it is, for messages.
    pub fn text(self) -> &'static str {
        CLASSES.iter().find(|row| row.1 == self).map_or("", |row| row.2)
    }
}

/// A word of a rule: what is wanted of an operand or result, or of any number of them.
pub(crate) type Wanted = (TypeConstraint, bool);

/// A row, taken apart.
pub(crate) struct Shape<M> {
    pub row: Row<M>,
    pub form: Vec<Token>,
    pub operands: Vec<Wanted>,
    /// How many operands there are at least.
    pub least: usize,
    /// How many words stand for any number of operands.
    pub lists: usize,
    /// The text has a type for each of those operands of which there may be any number.
    pub counted: bool,
    /// How many regions the form has, at least and at most, if it is no form that is written by hand.
    pub regions: Option<(usize, usize)>,
    /// `None` if the conversion knows.
    pub results: Option<Vec<Wanted>>,
    /// What the types of letters have to be.
    pub classes: Vec<(u8, Class)>,
}

/// All operations by their names.
pub(crate) struct Rows<M> {
    rows: Vec<(Row<M>, OnceLock<Shape<M>>)>,
    /// A table of numbers of rows plus one, by hash.
    places: Vec<u16>,
}

fn token(word: &'static str) -> Token {
    let rest = &word[1..];
    match word.as_bytes()[0] {
        b'%' => match rest.as_bytes() {
            [] => Token::Operand(None),
            b"*" => Token::Operands,
            b"?" => Token::Maybe,
            b"&" => Token::Argument,
            digit => Token::Operand(Some(digit[0] - b'0')),
        },
        b'#' => match rest {
            "*" => Token::List(b'['),
            "(*" => Token::List(b'('),
            "[]" => Token::Indices,
            "()" => Token::MapOperands,
            "bounds" => Token::Bounds,
            word => Token::Bound(word),
        },
        b'{' if rest == "}" => Token::Dictionary,
        b'{' if rest == "#}" => Token::NamedDictionary,
        b'<' if !rest.is_empty() => Token::Bracketed(rest),
        b'&' => Token::Flags,
        b'=' if !rest.is_empty() => Token::Attribute(rest),
        b'~' => Token::Untyped(rest),
        b'$' => Token::Keyword(rest),
        b'@' => Token::Symbol(rest),
        b'?' if rest == "]" => Token::End,
        b'*' if rest == "]" => Token::Again(0),
        b'?' => Token::Flag(rest),
        b'^' => Token::Successor,
        b'!' if rest == "*" => Token::Regions,
        b'!' => Token::Region,
        b'[' if rest == "?" => Token::Optional(0),
        b'[' if rest == "*" => Token::Repeated(0),
        b'[' if rest == ",*" => Token::Separated(0),
        b'(' if rest == "%&*)" => Token::Arguments,
        b'(' if rest == "%&=%*)" => Token::Initialized,
        b'(' if rest.ends_with("*)") => Token::Grouped(rest.as_bytes()[0]),
        b'(' if rest.ends_with("*),") => Token::Ungrouped(rest.as_bytes()[0]),
        b'.' => Form::of(rest.trim_start_matches('.')).map_or(Token::Literal(word), Token::Hand),
        letter @ b'A'..=b'Z' if rest.is_empty() => Token::Type(letter),
        letter @ b'A'..=b'Z' if rest == "*" => Token::Types(letter),
        letter @ b'A'..=b'Z' if rest == "+" => Token::Another(letter),
        letter @ b'A'..=b'Z' if rest == "?," => Token::OptionalType(letter),
        sign if rest.is_empty() && sign.is_ascii_punctuation() => Token::Sign(sign),
        _ => Token::Literal(word),
    }
}

/// How many of the tokens are of words that may be missing, and of what stands after these.
fn optional_words(tokens: &[Token]) -> usize {
    let mut at = 0;
    loop {
        match &tokens[at..] {
            [Token::Flag(_), ..] => at += 1,
            [Token::Optional(_), Token::Literal(word), ..] if word.as_bytes()[0].is_ascii_alphabetic() => {
                let mut depth = 0;
                at += tokens[at..]
                    .iter()
                    .take_while(|token| {
                        depth += i32::from(matches!(token, Token::Optional(_))) - i32::from(**token == Token::End);
                        depth > 0
                    })
                    .count()
                    + 1;
            }
            _ => return at,
        }
    }
}

fn form(text: &'static str) -> Vec<Token> {
    let tokens: Vec<Token> = text.split_whitespace().map(token).collect();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let len = optional_words(&tokens[at..]);
        if len > 0 {
            all.push(Token::Words((all.len() + 1 + len) as u8));
        }
        all.extend_from_slice(&tokens[at..at + len.max(1)]);
        at += len.max(1);
    }
    let mut open = Vec::new();
    for i in 0..all.len() {
        match all[i] {
            Token::Optional(_) | Token::Repeated(_) | Token::Separated(_) => open.push(i),
            Token::End | Token::Again(_) => {
                let Some(at) = open.pop() else { continue };
                (all[at], all[i]) = match all[at] {
                    Token::Repeated(_) => (Token::Repeated(i as u8 + 1), Token::Again(at as u8)),
                    Token::Separated(_) => (Token::Separated(i as u8 + 1), Token::More(at as u8 + 1)),
                    _ => (Token::Optional(i as u8), Token::End),
                };
            }
            _ => {}
        }
    }
    all
}

/// How many regions a form has, at least and at most.
fn regions_of(form: &[Token]) -> Option<(usize, usize)> {
    let (mut least, mut most, mut optional) = (0, 0, 0);
    for token in form {
        match token {
            Token::Optional(_) | Token::Repeated(_) => optional += 1,
            Token::End | Token::Again(_) => optional -= 1,
            Token::Region => {
                least += usize::from(optional == 0);
                most += 1;
            }
            Token::Regions => most = usize::MAX / 2,
            Token::Hand(_) => return None,
            _ => {}
        }
        if optional > 0 && *token == Token::Region && form.iter().any(|t| matches!(t, Token::Repeated(_))) {
            most = usize::MAX / 2;
        }
    }
    Some((least, most))
}

fn wanted(word: &str) -> Wanted {
    let (word, many) = word.strip_suffix('*').map_or((word, false), |w| (w, true));
    let want = match word.as_bytes() {
        [letter @ b'A'..=b'Z'] => TypeConstraint::Slot(*letter),
        [b'e', letter] => TypeConstraint::Element(*letter),
        [b'b', letter] => TypeConstraint::Flags(*letter),
        [b'i', letter] => TypeConstraint::IndexOr(*letter),
        [b'1', letter] => TypeConstraint::BitOr(*letter),
        b"i" => TypeConstraint::Index,
        b"1" => TypeConstraint::Bit,
        b"f" => TypeConstraint::Function,
        b"p" => TypeConstraint::Pointer,
        _ => TypeConstraint::Any,
    };
    (want, many)
}

/// Reads pairs of letters and classes.
fn classes_of(text: &str) -> Vec<(u8, Class)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let class = |word: &str| CLASSES.iter().find(|row| row.0 == word).map(|row| row.1);
    words.chunks(2).filter_map(|pair| Some((pair[0].as_bytes()[0], class(pair.get(1)?)?))).collect()
}

/// Letters that a form and a rule of others may have: each has a place of its own.
const LETTERS: &[u8] = b"ABCIMPQRSTV";

/// Why a form and a rule of a foreign operation are not well-formed, if so. Those of this crate are tested.
pub(crate) fn check(form_text: &str, rule: &str) -> Result<(), String> {
    let (mut numbers, mut depth, mut letters) = (Vec::new(), 0, Vec::new());
    let words: Vec<&str> = form_text.split_whitespace().collect();
    for (i, word) in words.iter().enumerate() {
        let rest = &word[word.len().min(1)..];
        let wrong = match word.as_bytes() {
            [b'%', digit] if digit.is_ascii_digit() => {
                numbers.push(digit - b'0');
                false
            }
            b"%" | b"%*" | b"%?" | b"{}" => false,
            [b'%' | b'#' | b'^' | b'!' | b'&', ..] | [b'.', b'.', ..] | [b'<', _, ..] => true,
            [b'[', _, ..] | [b'*', b']'] | [b'{', b'#', ..] | [b'(', b'%', ..] if *word != "[?" => true,
            [.., b')', b','] | [_, b'+'] | [_, b'?', b','] => true,
            b"[?" => {
                depth += 1;
                let first = words.get(i + 1).map_or(&[][..], |w| w.as_bytes());
                !(first.first() == Some(&b'%')
                    || first.len() == 1 && first[0].is_ascii_punctuation()
                    || first.first().is_some_and(u8::is_ascii_lowercase))
            }
            b"?]" => {
                depth -= 1;
                depth < 0
            }
            [b'=' | b'~' | b'$' | b'@' | b'?', _, ..] => !rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
            [b'(', letter, b'*', b')'] | [letter @ b'A'..=b'Z', b'*'] | [letter @ b'A'..=b'Z'] => {
                letters.push(*letter);
                !LETTERS.contains(letter)
            }
            text => !text.is_ascii(),
        };
        if wrong {
            return Err(format!("the form has the token `{word}`, which is not for this"));
        }
    }
    numbers.sort_unstable();
    if depth != 0 || numbers.iter().enumerate().any(|(i, &n)| i != n as usize) {
        return Err("the form's brackets or numbers of operands do not fit each other".into());
    }
    let Some((operands, results)) = rule.split_once("->") else { return Err("the rule has no `->`".into()) };
    for (text, given) in [(operands, false), (results, true)] {
        for word in text.split_whitespace() {
            let known = match word.strip_suffix('*').unwrap_or(word).as_bytes() {
                [letter @ b'A'..=b'Z'] | [b'e' | b'b', letter @ b'A'..=b'Z'] => letters.contains(letter),
                b"i" | b"1" | b"p" => true,
                b"_" => !given,
                _ => false,
            };
            if !known {
                return Err(format!("the rule has the word `{word}`, whose type the form does not give"));
            }
        }
    }
    Ok(())
}

impl<M: Copy> Shape<M> {
    fn of(row: &Row<M>) -> Shape<M> {
        let (rule, classes) = row.rule.split_once('|').unwrap_or((row.rule, ""));
        let (operands, results) = rule.split_once("->").unwrap_or((rule, ""));
        let words = |text: &str| text.split_whitespace().map(wanted).collect();
        let results = (results.trim() != "...").then(|| words(results));
        let operands: Vec<Wanted> = words(operands);
        let least = operands.iter().filter(|w| !w.1).count();
        let lists = operands.len() - least;
        let classes = classes_of(classes);
        let form = form(row.form);
        let regions = regions_of(&form);
        let letters: Vec<u8> = operands.iter().filter(|w| w.1).filter_map(|w| w.0.letter()).collect();
        let counted = form.iter().any(|t| match t {
            Token::Types(l) | Token::Another(l) | Token::Grouped(l) | Token::Ungrouped(l) => letters.contains(l),
            Token::Hand(_) => true,
            _ => false,
        });
        Shape { row: *row, form, operands, least, lists, counted, regions, results, classes }
    }
}

impl<M: Copy> Rows<M> {
    /// A table of all of these.
    pub fn new(tables: &[&[Row<M>]]) -> Rows<M> {
        let all: Vec<_> = tables.iter().flat_map(|rows| rows.iter()).map(|row| (*row, OnceLock::new())).collect();
        let mut rows = Rows { places: vec![0; (all.len() * 4).next_power_of_two().max(1)], rows: all };
        for i in 0..rows.rows.len() {
            let mut at = rows.place(rows.rows[i].0.name.as_bytes());
            while rows.places[at] != 0 {
                at = (at + 1) & (rows.places.len() - 1);
            }
            rows.places[at] = i as u16 + 1;
        }
        rows
    }

    /// The first place of a name: by its length and its last bytes, as its first ones are the dialect's.
    #[inline(always)]
    fn place(&self, name: &[u8]) -> usize {
        let end = match name.last_chunk::<8>() {
            Some(&end) => u64::from_le_bytes(end),
            None => hash_bytes(name).into(),
        };
        let mixed = (end ^ (name.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize & (self.places.len() - 1)
    }

    /// Is there an operation of this dialect?
    pub fn has_dialect(&self, name: &str) -> bool {
        self.rows.iter().any(|(row, _)| row.name.split_once('.').is_some_and(|(dialect, _)| dialect == name))
    }

    /// The operation of a name.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<&Shape<M>> {
        let mut at = self.place(name);
        while let Some(i) = (self.places[at] as usize).checked_sub(1) {
            let (row, shape) = &self.rows[i];
            if is_same(row.name.as_bytes(), name) {
                return Some(shape.get_or_init(|| Shape::of(row)));
            }
            at = (at + 1) & (self.places.len() - 1);
        }
        None
    }
}

/// Are two names the same? Most have 9 to 24 bytes, which are compared in words.
#[inline(always)]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    match (a.first_chunk::<8>(), b.first_chunk::<8>(), a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(first), Some(other), Some(last), Some(end)) => {
            a.len() == b.len()
                && first == other
                && last == end
                && (a.len() <= 16 || a[8..a.len() - 8] == b[8..b.len() - 8])
        }
        _ => a == b,
    }
}
