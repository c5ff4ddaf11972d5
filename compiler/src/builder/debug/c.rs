//! Types and functions that C's text declares, with their names.

use gimli::constants as dw;
use gusset_abi::{CType, RecordKind, Scalar};
use gusset_c::{Prototype, SourceRecord, SourceType, SourceTypes, TypeLayout, WithTypes};
use gusset_codegen::debug::DiTypeId;

use super::description::{DebugFunction, DebugType, DebugTypeRef};
use super::types::{DebugTypes, TypeMaker};
use super::{Nodes, ObjectDebug};
use crate::builder::c::NAME;
use crate::builder::items::ObjectId;
use crate::builder::lock;
use crate::{Error, Target};

impl ObjectDebug {
    /// Takes the names of a type that C's text has.
    pub fn name_c_type(&self, target: &Target, named: &WithTypes<TypeLayout>) -> Result<(), Error> {
        lock(&self.nodes).type_maker(target.abi()).source_types(&named.types).map(drop)
    }

    /// Takes the names of functions that C's text declares, and of their parameters and types.
    pub fn name_c_functions(
        &self,
        target: &Target,
        object: ObjectId,
        named: &WithTypes<Vec<Prototype>>,
    ) -> Result<(), Error> {
        let Nodes { info, types, c_functions } = &mut *lock(&self.nodes);
        let nodes = TypeMaker { info, nodes: types, target: target.abi() }.source_types(&named.types)?;
        let ty = |number: usize| DebugTypeRef::Named(DebugType { ty: nodes[number], object });
        for (found, roots) in named.found.iter().zip(&named.roots) {
            let Some((&ret, params)) = roots.split_first() else { continue };
            let name = |param: &gusset_c::Param| param.name.clone().unwrap_or_default();
            let params = found.params.iter().zip(params).map(|(param, &number)| (name(param), Some(ty(number))));
            let (result, params) = (Some(ty(ret)), params.collect());
            let described = DebugFunction { result, params, ..DebugFunction::default() };
            c_functions.insert(found.name.clone(), (found.signature.clone(), described));
        }
        Ok(())
    }
}

impl DebugTypes<'_> {
    /// A type that C's text declares, as [`ObjectBuilder::c_type`](crate::ObjectBuilder::c_type) finds it, with all names in it and what
    /// its pointers lead to.
    ///
    /// ```
    /// # use gusset_compiler::{BuilderOptions, DebugOptions, Features, ObjectBuilder, Target};
    /// # let target = Target::from_triple("x86_64-unknown-linux-gnu", &Features::default())?;
    /// # let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    /// object.debug_info(&DebugOptions::new("list.tern"))?;
    /// let list = object.debug_types().c_text("struct list { int first; struct list *rest; };", None)?;
    /// let pointer = object.debug_types().c_text("const char *text;", None)?;
    /// # assert!(list.node() != pointer.node());
    /// # Ok::<(), gusset_compiler::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text is not C or has no such type, with the place.
    pub fn c_text(&self, source: &str, name: Option<&str>) -> Result<DebugType, Error> {
        let named = gusset_c::layout_with_types(source, self.target(), name).map_err(|error| error.in_file(NAME))?;
        let nodes = self.with(|maker| maker.source_types(&named.types)).transpose()?;
        let root = named.roots.first().and_then(|roots| roots.first()).copied();
        Ok(self.of_node(nodes.zip(root).and_then(|(nodes, root)| nodes[root])))
    }
}

impl TypeMaker<'_> {
    /// The nodes of types as C's text spells them, by number.
    pub fn source_types(&mut self, all: &SourceTypes) -> Result<Vec<Option<DiTypeId>>, Error> {
        let records: Vec<DiTypeId> = all.records.iter().map(|record| self.source_record(record)).collect();
        let mut nodes: Vec<Option<DiTypeId>> = Vec::with_capacity(all.types.len());
        for ty in &all.types {
            let node = self.source_type(ty, &nodes, &records)?;
            nodes.push(node);
        }
        for (record, &id) in all.records.iter().zip(&records) {
            let Some(ty @ CType::Record(data)) = &record.ctype else { continue };
            if self.nodes.named(data).is_some() {
                continue;
            }
            let member = |n: usize| {
                let (name, ty): &(Option<String>, usize) = &record.members[n];
                (name.as_deref().unwrap_or(""), nodes[*ty])
            };
            self.fill_record(id, ty, data, member)?;
            self.name_record(data, id);
        }
        Ok(nodes)
    }

    fn source_record(&mut self, record: &SourceRecord) -> DiTypeId {
        let known = match &record.ctype {
            Some(CType::Record(data)) => self.nodes.named(data),
            _ => None,
        };
        known.unwrap_or_else(|| self.declare_record(record.tag.as_deref().unwrap_or(""), record.kind, None))
    }

    fn source_type(
        &mut self,
        ty: &SourceType,
        nodes: &[Option<DiTypeId>],
        records: &[DiTypeId],
    ) -> Result<Option<DiTypeId>, Error> {
        Ok(Some(match ty {
            SourceType::Void => return Ok(None),
            SourceType::Basic {
                name,
                ctype: ctype @ (CType::Scalar(_) | CType::BitInt { .. } | CType::Complex(_)),
            } => self.named_number(name, ctype)?,
            SourceType::Basic { ctype, .. } => return self.c(ctype),
            SourceType::Typedef { name, of } => self.typedef(name, nodes[*of], None),
            SourceType::Record(number) => records[*number],
            SourceType::Enum { tag, ctype, values } => {
                let signed = matches!(ctype, CType::Scalar(Scalar::Int { signed: true, .. }));
                let values = values.iter().map(|(name, value)| (&**name, *value));
                self.enumeration(tag.as_deref().unwrap_or(""), (ctype, signed), values, None)?
            }
            SourceType::Pointer { to, reference: false } => self.pointer(nodes[*to]),
            SourceType::Pointer { to, .. } => self.derived(dw::DW_TAG_reference_type, nodes[*to]),
            SourceType::Array { of, len } => self.array(nodes[*of], *len)?,
            SourceType::Function { ret, params, variadic } => {
                let types = std::iter::once(ret).chain(params).map(|&number| nodes[number]).collect();
                self.function(types, *variadic)
            }
            SourceType::Qualified { constant, volatile, restrict, of } => {
                let mut node = nodes[*of];
                let qualifiers = [
                    (*restrict, dw::DW_TAG_restrict_type),
                    (*volatile, dw::DW_TAG_volatile_type),
                    (*constant, dw::DW_TAG_const_type),
                ];
                for (_, tag) in qualifiers.into_iter().filter(|(is, _)| *is) {
                    node = Some(self.derived(tag, node));
                }
                return Ok(node);
            }
            SourceType::Opaque(name) => match name.strip_prefix("enum ") {
                Some(tag) => self.declare(tag, dw::DW_TAG_enumeration_type, None),
                None => self.declare_record(name.rsplit(' ').next().unwrap_or(name), RecordKind::Struct, None),
            },
            // Any that is new.
            _ => return Err(Error::unsupported("", "a type of C's text cannot be described")),
        }))
    }
}
