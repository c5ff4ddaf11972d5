//! Debug information: `#llvm.di_…` as LLVM's nodes, and locations.
//!
//! MLIR, "'llvm' Dialect", "Debug Info"; LLVM LangRef, "Specialized Metadata Nodes".

use gusset_program::{Field, Metadata, Sink, Special};
use gusset_text::Result;

use crate::context::metadata_nodes::Place;
use crate::convert::reader::Reader;
use crate::metadata::debug_forms::{As, FORMS};
use crate::syntax::attributes::{AttributeKind, AttributeRef, find};
use crate::syntax::locations::Location;

impl<'r, E: Sink> Reader<'r, E> {
    /// Reads a node of debug information, whose word is given.
    pub(super) fn debug_node(&mut self, word: &'r [u8], value: AttributeRef<'r>) -> Result<Metadata> {
        match word {
            b"di_null_type" => return Ok(Metadata::Null),
            b"di_expression" => {
                let words = match value.opened("").1 {
                    Some(list) => list.words_with_arguments()?,
                    None => Vec::new(),
                };
                let fields = words.iter().map(|word| ("", Field::Words(word.to_vec())));
                return Ok(Metadata::Special(Special::new("DIExpression", fields)));
            }
            b"di_file" => {
                let [name, folder] = value.parameters()?[..] else { return Err(value.expected("a file and a folder")) };
                let (name, folder) = (Field::String(name.value.bytes()?), Field::String(folder.value.bytes()?));
                let special = Special::new("DIFile", [("filename", name), ("directory", folder)]);
                return Ok(self.s.metadata.node(false, Metadata::Special(special)));
            }
            _ => {}
        }
        let form = FORMS.iter().find(|f| f.word.as_bytes() == word);
        let form = form.ok_or_else(|| value.error("this debug information is not supported"))?;
        let all = value.parameters()?;
        let is = |name: &str, word: &[u8]| find(&all, name).is_some_and(|value| value.word() == word);
        let identity = |name: &str| -> Result<Option<Vec<u8>>> {
            let text = find(&all, name).map(AttributeRef::span).transpose()?;
            Ok(text.map(|text| [name.as_bytes(), text.trim_ascii_end()].concat()))
        };
        let recursion = identity("recId")?;
        if (is("isRecSelf", b"true") || is("tag", b"DW_TAG_null"))
            && let Some(id) = &recursion
        {
            let known = self.s.metadata.recursive.get(id).copied();
            return known.map(Metadata::Node).ok_or_else(|| value.error("what this stands for is not around it"));
        }
        // A subprogram may be named by other words inside its own type.
        let own = if word == b"di_subprogram" { identity("id")? } else { None };
        if let Some(&known) = own.as_ref().and_then(|id| self.s.metadata.recursive.get(id)) {
            return Ok(Metadata::Node(known));
        }
        let number = self.s.metadata.reserve();
        let recursive = recursion.is_some();
        for id in [recursion, own].into_iter().flatten() {
            self.s.metadata.recursive.insert(id, number);
        }
        let mut fields = Vec::new();
        for parameter in form.parameters {
            let given = find(&all, parameter.key).filter(|_| !parameter.key.is_empty());
            let field = match given {
                Some(value) => self.debug_field(value, parameter.value)?,
                None => None,
            };
            let absent = || (!parameter.absent.is_empty()).then(|| Field::Words(parameter.absent.into()));
            fields.extend(field.or_else(absent).map(|field| (parameter.field, field)));
        }
        match form.name {
            "DIGlobalVariableExpression" if find(&all, "expr").is_none() => {
                fields.push(("expr", Field::Metadata(Metadata::Special(Special::new("DIExpression", [])))));
            }
            "DICompileUnit" => self.s.metadata.add_named(b"llvm.dbg.cu", Metadata::Node(number)),
            _ => {}
        }
        let special = Special::new(form.name, fields);
        let defines = matches!(special.field("spFlags"), Some(Field::Words(words)) if memchr::memmem::find(words, b"DISPFlagDefinition").is_some());
        // Types that most languages tell apart by name are distinct.
        let nominal =
            [&b"DW_TAG_class_type"[..], b"DW_TAG_enumeration_type", b"DW_TAG_structure_type", b"DW_TAG_union_type"];
        let nominal = form.name == "DICompositeType" && nominal.iter().any(|tag| is("tag", tag));
        let distinct = form.distinct || defines || recursive || nominal;
        if !E::PRESERVES_METADATA && !distinct {
            // A translation leaves this to LLVM.
            return Ok(Metadata::Node(self.s.metadata.fill_unique(number, special)));
        }
        self.s.metadata.fill(number, distinct, Metadata::Special(special));
        Ok(Metadata::Node(number))
    }

    /// Reads a field; none if it has the default value.
    fn debug_field(&mut self, value: AttributeRef<'r>, how: As) -> Result<Option<Field>> {
        // The text of a list may begin with an alias.
        let value = if how == As::List { value } else { value.resolve(self.t) };
        let number = value.kind() == AttributeKind::Number;
        let word = || match value.keyword()? {
            b"" if value.kind() != AttributeKind::String => Err(value.expected("a word")),
            word => Ok(word),
        };
        let words = match how {
            As::Node(kind) => return Ok(Some(Field::Metadata(self.metadata_node(value, kind)?))),
            As::Count if !number => return Ok(Some(Field::Metadata(self.metadata_node(value, "di_expression")?))),
            As::List => {
                let list = Metadata::Tuple(self.metadata_nodes(value.bare_list(), "")?);
                return Ok(Some(Field::Metadata(self.s.metadata.node(false, list))));
            }
            As::Text => return Ok(Some(value.bytes()?).filter(|text| !text.is_empty()).map(Field::String)),
            As::Number => Some(value.integer()?).filter(|&n| n != 0).map_or(String::new(), |n| n.to_string()).into(),
            As::Plain | As::Count if number => value.integer()?.to_string().into(),
            As::Word | As::Plain | As::Count => word()?.to_vec(),
            As::Case(names) => {
                let word = word()?;
                names.iter().find(|name| name.1.as_bytes() == word).map_or(word, |name| name.0.as_bytes()).to_vec()
            }
            As::Flags(prefix, _) => {
                let names = word()?.split(|&b| b == b'|').map(<[u8]>::trim_ascii);
                let set = names.filter(|name| !matches!(*name, b"" | b"Zero"));
                set.map(|name| [prefix.as_bytes(), name].concat()).collect::<Vec<_>>().join(&b" | "[..])
            }
        };
        Ok(Some(words).filter(|words| !words.is_empty()).map(Field::Words))
    }

    // Locations.

    /// The location of an operation at byte `pos`; what follows the operation is its location, if it has one. None without
    /// a scope.
    pub fn op_location(&mut self, pos: usize, after: AttributeRef<'r>) -> Result<Option<Place>> {
        if after.word() == b"loc" {
            return self.location(after);
        }
        let Some(scope) = self.s.scope else { return Ok(None) };
        let (line, column) = self.s.lines.line_and_column(after, pos);
        Ok(Some(Place { line, column, scope, inlined_at: None }))
    }

    /// A location in the scope of the function; none if it gives no line, or there is no scope.
    pub(super) fn location(&mut self, at: AttributeRef<'r>) -> Result<Option<Place>> {
        let location = Location::read(at, self.t)?;
        self.scoped_location(&location, self.s.scope, None)
    }

    /// The place of a location in a scope, at a call into which it is inlined.
    fn scoped_location(
        &mut self,
        location: &Location<'r>,
        scope: Option<u32>,
        inlined_at: Option<&Place>,
    ) -> Result<Option<Place>> {
        let place = |line, column| {
            scope.map(|scope| Place { line, column, scope, inlined_at: inlined_at.cloned().map(Box::new) })
        };
        match location {
            Location::Unknown => Ok(None),
            Location::File { line, column, .. } => Ok(place(*line, *column)),
            Location::CallSite { callee, caller } => {
                self.scopes(callee)?;
                // A call without a location has that of the outer call.
                let caller = self.scoped_location(caller, scope, inlined_at)?;
                let Some(caller) = caller.or(inlined_at.cloned()) else { return Ok(None) };
                let callee = self.scoped_location(callee, None, Some(&caller))?;
                Ok(callee.or(Some(caller)))
            }
            Location::Fused { metadata, parts } => {
                let own = metadata.map(|metadata| self.location_scope(metadata)).transpose()?.flatten();
                let scope = own.or(scope);
                let parts = parts.iter().map(|part| self.scoped_location(part, scope, inlined_at));
                let parts = parts.collect::<Result<Vec<_>>>()?;
                let nowhere = scope.map(|scope| {
                    let inlined_at = inlined_at.cloned().map(Box::new);
                    Place { line: 0, column: 0, scope, inlined_at }
                });
                Ok(merged(parts, nowhere))
            }
        }
    }

    /// Makes the nodes of the scopes in a location, in the order of the text.
    fn scopes(&mut self, location: &Location<'r>) -> Result<()> {
        match location {
            Location::Unknown | Location::File { .. } => Ok(()),
            Location::CallSite { callee, caller } => {
                [callee, caller].into_iter().try_for_each(|inner| self.scopes(inner))
            }
            Location::Fused { metadata, parts } => {
                metadata.map(|metadata| self.location_scope(metadata)).transpose()?;
                parts.iter().try_for_each(|part| self.scopes(part))
            }
        }
    }

    /// The scope that the metadata of a fused location is, if it is one.
    fn location_scope(&mut self, metadata: AttributeRef<'r>) -> Result<Option<u32>> {
        let metadata = metadata.resolve(self.t);
        match metadata.opened("").0 {
            b"di_subprogram" | b"di_lexical_block" | b"di_lexical_block_file" => {
                Ok(self.metadata_node(metadata, "")?.node())
            }
            _ => Ok(None),
        }
    }

    /// The subprogram that a location names, if any.
    pub fn subprogram(&mut self, at: AttributeRef<'r>) -> Result<Option<Metadata>> {
        let Location::Fused { metadata: Some(metadata), .. } = Location::read(at, self.t)? else {
            return Ok(None);
        };
        let metadata = metadata.resolve(self.t);
        match metadata.opened("").0 {
            b"di_subprogram" => self.metadata_node(metadata, "").map(Some),
            _ => Ok(None),
        }
    }

    // Variables of the module.

    /// The nodes of a variable's attribute `dbg_exprs`; the variable will be listed in its compile unit.
    pub fn variable_nodes(&mut self, value: AttributeRef<'r>) -> Result<Vec<Metadata>> {
        let mut nodes = Vec::new();
        for value in value.resolve(self.t).values()? {
            let node = self.metadata_node(value, "di_global_variable_expression")?;
            if let Some(unit) = self.unit_of(value)? {
                self.s.metadata.variables.push((unit, node.clone()));
            }
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// The compile unit of a variable: that of its scope, or of a surrounding scope.
    fn unit_of(&mut self, value: AttributeRef<'r>) -> Result<Option<u32>> {
        let mut value = value.resolve(self.t);
        for _ in 0..gusset_program::MAX_DEPTH {
            if value.opened("").0 == b"di_compile_unit" {
                return Ok(self.metadata_node(value, "")?.node());
            }
            let all = value.parameters()?;
            let Some(up) = ["compileUnit", "var", "scope"].iter().find_map(|name| find(&all, name)) else { break };
            value = up.resolve(self.t);
        }
        Ok(None)
    }
}

/// The place of code that comes from several places; `nowhere` if they differ.
pub(crate) fn merged(parts: Vec<Option<Place>>, nowhere: Option<Place>) -> Option<Place> {
    let mut all = parts.into_iter();
    let mut merged = all.next()?;
    for next in all {
        merged = match (merged, next) {
            (known, next) if known == next => known,
            // One of the positions is the call at which the other was inlined.
            (Some(known), Some(next)) if known.is_inside(&next) => Some(next),
            (Some(known), Some(next)) if next.is_inside(&known) => Some(known),
            // Code of several positions has line 0.
            (Some(_), Some(_)) => nowhere.clone(),
            _ => None,
        };
    }
    merged
}
