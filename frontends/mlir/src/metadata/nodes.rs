//! Metadata, for translations: attributes of the dialect `llvm` as nodes of LLVM's.
//!
//! MLIR, "'llvm' Dialect", "Attributes"; LLVM LangRef, "Metadata".

use gusset_program::{I1, I32, I64, MAX_DEPTH, Metadata, TypeId};

use gusset_lower::{Recorder, Sink};
use gusset_text::Result;

use crate::convert::build::Build;
use crate::convert::reader::Reader;
use crate::syntax::attributes::read_int;
use crate::syntax::lexer::{Cursor, Tokens, unescape};
use crate::syntax::op::Op;
use crate::syntax::parameters::{opened, parameter, parameters, skip_parameter};

fn string(text: &str) -> Metadata {
    Metadata::String(text.as_bytes().to_vec())
}

/// How a loop property is expressed (MLIR, `LoopAnnotationAttr`; LLVM LangRef, "`llvm.loop`").
#[derive(Clone, Copy)]
enum Says {
    /// By its presence if it holds.
    Unit,
    /// `i1`, or the contrary.
    Truth(bool),
    /// `i32`.
    Number,
    /// By one of two words.
    Either(&'static str),
    /// Another loop annotation.
    Loop,
}

/// Properties by their names in groups: group, name, LLVM's word.
const LOOPS: &[(&str, &str, &str, Says)] = &[
    ("", "disableNonforced", "disable_nonforced", Says::Unit),
    ("", "mustProgress", "mustprogress", Says::Unit),
    ("", "isVectorized", "isvectorized", Says::Number),
    ("vectorize", "disable", "vectorize.enable", Says::Truth(false)),
    ("vectorize", "predicateEnable", "vectorize.predicate.enable", Says::Truth(true)),
    ("vectorize", "scalableEnable", "vectorize.scalable.enable", Says::Truth(true)),
    ("vectorize", "width", "vectorize.width", Says::Number),
    ("vectorize", "followupVectorized", "vectorize.followup_vectorized", Says::Loop),
    ("vectorize", "followupEpilogue", "vectorize.followup_epilogue", Says::Loop),
    ("vectorize", "followupAll", "vectorize.followup_all", Says::Loop),
    ("interleave", "count", "interleave.count", Says::Number),
    ("unroll", "disable", "unroll.disable", Says::Either("unroll.enable")),
    ("unroll", "count", "unroll.count", Says::Number),
    ("unroll", "runtimeDisable", "unroll.runtime.disable", Says::Truth(true)),
    ("unroll", "full", "unroll.full", Says::Unit),
    ("unroll", "followupUnrolled", "unroll.followup_unrolled", Says::Loop),
    ("unroll", "followupRemainder", "unroll.followup_remainder", Says::Loop),
    ("unroll", "followupAll", "unroll.followup_all", Says::Loop),
    ("unrollAndJam", "disable", "unroll_and_jam.disable", Says::Either("unroll_and_jam.enable")),
    ("unrollAndJam", "count", "unroll_and_jam.count", Says::Number),
    ("unrollAndJam", "followupOuter", "unroll_and_jam.followup_outer", Says::Loop),
    ("unrollAndJam", "followupInner", "unroll_and_jam.followup_inner", Says::Loop),
    ("unrollAndJam", "followupRemainderOuter", "unroll_and_jam.followup_remainder_outer", Says::Loop),
    ("unrollAndJam", "followupRemainderInner", "unroll_and_jam.followup_remainder_inner", Says::Loop),
    ("unrollAndJam", "followupAll", "unroll_and_jam.followup_all", Says::Loop),
    ("licm", "disable", "llvm.licm.disable", Says::Unit),
    ("licm", "versioningDisable", "licm_versioning.disable", Says::Unit),
    ("distribute", "disable", "distribute.enable", Says::Truth(false)),
    ("distribute", "followupCoincident", "distribute.followup_coincident", Says::Loop),
    ("distribute", "followupSequential", "distribute.followup_sequential", Says::Loop),
    ("distribute", "followupFallback", "distribute.followup_fallback", Says::Loop),
    ("distribute", "followupAll", "distribute.followup_all", Says::Loop),
    ("pipeline", "disable", "pipeline.disable", Says::Truth(true)),
    ("pipeline", "initiationinterval", "pipeline.initiationinterval", Says::Number),
    ("peeled", "count", "peeled.count", Says::Number),
    ("unswitch", "partialDisable", "unswitch.partial.disable", Says::Unit),
];

impl<'r, E: Sink> Reader<'r, E> {
    /// A number in a node of the module.
    pub fn metadata_number(&mut self, ty: TypeId, n: i64) -> Metadata {
        let val = Recorder::more(self.l.types_mut(), &mut self.s.metadata.constants).integer(ty, n.into());
        Metadata::Value(ty, val)
    }

    /// The node of an attribute of the dialect `llvm`; `kind` is its word if the text omits it.
    pub fn metadata_node(&mut self, c: Cursor<'r>, kind: &'static str) -> Result<Metadata> {
        let c = self.resolve(c);
        let mut end = c;
        skip_parameter(&mut end)?;
        let (word, inner) = opened(c, kind);
        let mut key = word.to_vec();
        key.extend_from_slice(self.c.src[inner.pos..end.pos].trim_ascii_end());
        if let Some(&number) = self.s.metadata.known.get(&key) {
            return Ok(Metadata::Node(number));
        }
        c.refuse_if(self.s.metadata.depth >= MAX_DEPTH, c.pos, "metadata is nested too deeply")?;
        self.s.metadata.depth += 1;
        let made = self.new_metadata_node(word, c, inner);
        self.s.metadata.depth -= 1;
        let made = made?;
        if let Metadata::Node(number) = made {
            self.s.metadata.known.insert(key, number);
        }
        Ok(made)
    }

    fn new_metadata_node(&mut self, word: &'r [u8], c: Cursor<'r>, inner: Cursor<'r>) -> Result<Metadata> {
        match word {
            b"tbaa_root" => {
                let all = parameters(inner)?;
                let id = parameter(&all, "id").map(|at| Cursor::new(c.src, at).quoted()).transpose()?;
                let id = Metadata::String(unescape(id.unwrap_or(b"")));
                Ok(self.s.metadata.node(false, Metadata::Tuple(vec![id])))
            }
            b"tbaa_type_desc" => self.tbaa_type(c, inner),
            b"tbaa_tag" => {
                let all = parameters(inner)?;
                let need = |name: &str| parameter(&all, name).ok_or_else(|| c.error(format!("`{name}` is missing")));
                let base = self.metadata_node(Cursor::new(c.src, need("base_type")?), "tbaa_type_desc")?;
                let access = self.metadata_node(Cursor::new(c.src, need("access_type")?), "tbaa_type_desc")?;
                let offset = read_int(&mut Cursor::new(c.src, need("offset")?))?;
                let mut list = vec![base, access, self.metadata_number(I64, offset)];
                if let Some(at) = parameter(&all, "constant")
                    && read_int(&mut Cursor::new(c.src, at))? != 0
                {
                    list.push(self.metadata_number(I64, 1));
                }
                Ok(self.s.metadata.node(false, Metadata::Tuple(list)))
            }
            b"access_group" => Ok(self.s.metadata.node(true, Metadata::Tuple(Vec::new()))),
            b"alias_scope_domain" | b"alias_scope" => {
                let all = parameters(inner)?;
                let number = self.s.metadata.reserve();
                let mut list = vec![Metadata::Node(number)];
                if let Some(at) = parameter(&all, "domain") {
                    list.push(self.metadata_node(Cursor::new(c.src, at), "alias_scope_domain")?);
                }
                if let Some(at) = parameter(&all, "description") {
                    list.push(Metadata::String(unescape(Cursor::new(c.src, at).quoted()?)));
                }
                self.s.metadata.fill(number, true, Metadata::Tuple(list));
                Ok(Metadata::Node(number))
            }
            b"loop_annotation" => self.loop_node(inner),
            _ if word.starts_with(b"di_") => self.debug_node(word, c, inner),
            _ => Err(c.error("this attribute is no metadata that is known")),
        }
    }

    /// `<id = "int", members = {<#type, 0>, …}>`.
    fn tbaa_type(&mut self, c: Cursor<'r>, inner: Cursor<'r>) -> Result<Metadata> {
        let all = parameters(inner)?;
        let id = parameter(&all, "id").ok_or_else(|| c.error("`id` is missing"))?;
        let mut list = vec![Metadata::String(unescape(Cursor::new(c.src, id).quoted()?))];
        if let Some(at) = parameter(&all, "members") {
            let mut c = Cursor::new(c.src, at);
            c.expect(b'{')?;
            let mut more = !c.eat(b'}');
            while more {
                // A member's word may be omitted, and that of its type.
                let (_, mut member) = opened(c, "tbaa_member");
                let ty = member;
                skip_parameter(&mut member)?;
                member.expect(b',')?;
                let offset = read_int(&mut member)?;
                list.push(self.metadata_node(ty, "tbaa_type_desc")?);
                list.push(self.metadata_number(I64, offset));
                skip_parameter(&mut c)?;
                more = c.more(b'}')?;
            }
        }
        Ok(self.s.metadata.node(false, Metadata::Tuple(list)))
    }

    fn loop_node(&mut self, inner: Cursor<'r>) -> Result<Metadata> {
        let number = self.s.metadata.reserve();
        let mut list = vec![Metadata::Node(number)];
        let all = parameters(inner)?;
        for name in ["startLoc", "endLoc"] {
            if let Some(at) = parameter(&all, name) {
                let scope = self.s.metadata.scope.clone();
                let place = self.location(self.resolve(Cursor::new(inner.src, at)), scope, None)?;
                list.extend(place);
            }
        }
        let mut groups = vec![("", all.clone())];
        for group in [
            "vectorize",
            "interleave",
            "unroll",
            "unrollAndJam",
            "licm",
            "distribute",
            "pipeline",
            "peeled",
            "unswitch",
        ] {
            if let Some(at) = parameter(&all, group) {
                let c = self.resolve(Cursor::new(inner.src, at));
                groups.push((group, parameters(opened(c, "").1)?));
            }
        }
        for &(group, name, word, says) in LOOPS {
            let values = groups.iter().find(|g| g.0 == group).map(|g| &g.1);
            let Some(at) = values.and_then(|all| parameter(all, name)) else { continue };
            let c = Cursor::new(inner.src, at);
            let full = if word.starts_with("llvm.") { word.to_string() } else { format!("llvm.loop.{word}") };
            let number = |c: Cursor<'r>| read_int(&mut c.clone());
            let tuple = match says {
                Says::Unit if number(c)? == 0 => continue,
                Says::Unit => vec![string(&full)],
                Says::Truth(plain) => {
                    let holds = (number(c)? != 0) == plain;
                    vec![string(&full), self.metadata_number(I1, holds.into())]
                }
                Says::Number => {
                    let n = number(c)?;
                    vec![string(&full), self.metadata_number(I32, n)]
                }
                Says::Either(other) => match number(c)? {
                    0 => vec![string(&format!("llvm.loop.{other}"))],
                    _ => vec![string(&full)],
                },
                Says::Loop => vec![string(&full), self.metadata_node(c, "loop_annotation")?],
            };
            list.push(Metadata::Tuple(tuple));
        }
        if let Some(at) = parameter(&all, "parallelAccesses") {
            let mut tuple = vec![string("llvm.loop.parallel_accesses")];
            let mut c = Cursor::new(inner.src, at);
            loop {
                tuple.push(self.metadata_node(c, "access_group")?);
                skip_parameter(&mut c)?;
                let mut next = c;
                if !next.eat(b',') || next.peek() != b'#' {
                    break;
                }
                c = next;
            }
            list.push(Metadata::Tuple(tuple));
        }
        self.s.metadata.fill(number, true, Metadata::Tuple(list));
        Ok(Metadata::Node(number))
    }

    // Metadata of operations.

    /// Reads what follows an operation, its location, and the metadata that its attributes give for its instructions,
    /// from `first` on.
    pub fn attach_metadata(&mut self, op: &Op<'r>, first: usize) -> Result<()> {
        for i in 0..op.attrs.len() {
            let value = op.attrs[i].value.resolve(self.t);
            let c = value.cursor();
            let (kind, node): (&[u8], Metadata) = match op.attrs[i].name {
                b"tbaa" => (b"tbaa", self.metadata_list(c, "tbaa_tag", true)?),
                b"alias_scopes" => (b"alias.scope", self.metadata_list(c, "alias_scope", false)?),
                b"noalias_scopes" => (b"noalias", self.metadata_list(c, "alias_scope", false)?),
                b"access_groups" => (b"llvm.access.group", self.metadata_list(c, "access_group", true)?),
                b"loop_annotation" => (b"llvm.loop", self.metadata_node(c, "loop_annotation")?),
                b"branch_weights" => {
                    let mut list = vec![string("branch_weights")];
                    for n in value.integers()? {
                        list.push(self.metadata_number(I32, n));
                    }
                    (b"prof", self.s.metadata.node(false, Metadata::Tuple(list)))
                }
                b"nontemporal" if value.holds() => {
                    let one = self.metadata_number(I32, 1);
                    (b"nontemporal", self.s.metadata.node(false, Metadata::Tuple(vec![one])))
                }
                b"invariant" if value.holds() => (b"invariant.load", Metadata::Tuple(Vec::new())),
                b"invariantGroup" | b"invariant_group" if value.holds() => {
                    (b"invariant.group", Metadata::Tuple(Vec::new()))
                }
                _ => continue,
            };
            self.l.attach_from(first, kind, &node);
        }
        let place = self.op_location(op.pos)?;
        if let Some(place) = place {
            self.l.attach_from(first, b"dbg", &place);
        }
        self.c.skip_location()
    }

    /// Nodes in brackets: a single one that may stand for itself, or a node of all.
    fn metadata_list(&mut self, mut c: Cursor<'r>, kind: &'static str, single: bool) -> Result<Metadata> {
        let mut list = Vec::new();
        if c.peek() != b'[' {
            return self.metadata_node(c, kind);
        }
        c.bump(1);
        let mut more = !c.eat(b']');
        while more {
            list.push(self.metadata_node(c, kind)?);
            skip_parameter(&mut c)?;
            more = c.more(b']')?;
        }
        match &list[..] {
            [one] if single => Ok(one.clone()),
            _ => Ok(self.s.metadata.node(false, Metadata::Tuple(list))),
        }
    }
}
