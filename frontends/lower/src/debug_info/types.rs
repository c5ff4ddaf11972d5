//! Types, their parts, and arguments of templates.

use gusset_codegen::debug::{
    DiBound, DiComposite, DiDerived, DiElement, DiEnumerator, DiStringType, DiSubrange, DiSubrangeType, DiSubroutine,
    DiTemplateParameter, DiType, DiTypeKind,
};

use super::fields::{AnyValue, Node, NumberOrNode, SizeOrNode};
use super::forms;
use super::reader::{DebugInfoReader, Kind, Known, Result};

// Tags of DWARF.
const STRING_TYPE: u16 = 0x12;
const SUBRANGE_TYPE: u16 = 0x21;
const SUBROUTINE_TYPE: u16 = 0x15;
const BASE_TYPE: u16 = 0x24;
const TEMPLATE_ALIAS: u16 = 0x43;
const GNU_TEMPLATE_TEMPLATE_PARAMETER: u16 = 0x4106;
const GNU_TEMPLATE_PARAMETER_PACK: u16 = 0x4107;

/// How deep packs of template arguments may be in each other.
const MOST_PACKS: u32 = 8;

impl DebugInfoReader<'_> {
    pub(super) fn type_of(&mut self, node: u32, kind: Kind) -> Result<DiType> {
        match kind {
            Kind::BasicType => {
                let form: forms::BasicType = self.form(node)?;
                Ok(DiType {
                    tag: form.tag.map_or(BASE_TYPE, |tag| tag.0),
                    name: form.name,
                    file: self.file(form.file),
                    line: form.line,
                    scope: self.scope(form.scope),
                    size_bits: self.size(form.size),
                    align_bits: form.align,
                    offset_bits: 0,
                    flags: form.flags.0,
                    kind: DiTypeKind::Basic { encoding: form.encoding.0 },
                })
            }
            Kind::FixedPointType => {
                let form: forms::FixedPointType = self.form(node)?;
                Ok(DiType {
                    tag: form.tag.map_or(BASE_TYPE, |tag| tag.0),
                    name: form.name,
                    file: self.file(form.file),
                    line: form.line,
                    scope: self.scope(form.scope),
                    size_bits: self.size(form.size),
                    align_bits: form.align,
                    offset_bits: 0,
                    flags: form.flags.0,
                    kind: DiTypeKind::Basic { encoding: form.encoding.0 },
                })
            }
            Kind::DerivedType => self.derived_type_of(node),
            Kind::CompositeType => self.composite_type_of(node),
            Kind::SubroutineType => {
                let form: forms::SubroutineType = self.form(node)?;
                let mut types = Vec::new();
                for ty in self.list(form.types)? {
                    types.push(self.ty(ty.map_or(Node::None, Node::Number)));
                }
                let kind = DiTypeKind::Subroutine(DiSubroutine { types, convention: form.convention.0 });
                Ok(DiType { tag: SUBROUTINE_TYPE, flags: form.flags.0, kind, ..DiType::default() })
            }
            Kind::StringType => {
                let form: forms::StringType = self.form(node)?;
                let length = match form.length {
                    Node::None => form.length_expression,
                    length => length,
                };
                let location = match form.location {
                    Node::Number(location) => self.expression(location)?,
                    _ => None,
                };
                let string = DiStringType { length: self.bound(length.into())?, location, encoding: form.encoding.0 };
                Ok(DiType {
                    tag: form.tag.map_or(STRING_TYPE, |tag| tag.0),
                    name: form.name,
                    size_bits: self.size(form.size),
                    align_bits: form.align,
                    kind: DiTypeKind::String(Box::new(string)),
                    ..DiType::default()
                })
            }
            _ => {
                let form: forms::SubrangeType = self.form(node)?;
                let subrange = DiSubrangeType {
                    base: self.ty(form.base),
                    lower: self.bound(form.lower)?,
                    upper: self.bound(form.upper)?,
                    stride: self.bound(form.stride)?,
                    bias: self.bound(form.bias)?,
                };
                Ok(DiType {
                    tag: SUBRANGE_TYPE,
                    name: form.name,
                    file: self.file(form.file),
                    line: form.line,
                    scope: self.scope(form.scope),
                    size_bits: self.size(form.size),
                    align_bits: form.align,
                    offset_bits: 0,
                    flags: form.flags.0,
                    kind: DiTypeKind::Subrange(Box::new(subrange)),
                })
            }
        }
    }

    fn size(&mut self, size: SizeOrNode) -> u64 {
        match size {
            SizeOrNode::Size(size) => size,
            SizeOrNode::Node => self.wrong("a size or place that the program computes is not described").unwrap_or(0),
        }
    }

    fn derived_type_of(&mut self, node: u32) -> Result<DiType> {
        let form: forms::DerivedType = self.form(node)?;
        let tag = form.tag.0;
        let base = self.ty(form.base);
        let mut derived = DiDerived { base, address_space: form.address_space, ..DiDerived::default() };
        let mut template_parameters = Vec::new();
        match form.extra {
            AnyValue::None | AnyValue::Value => {}
            AnyValue::Constant(constant) => derived.extra = Some(constant),
            AnyValue::Node(extra) => match self.node(extra) {
                Known::Type(class) => derived.class = Some(class),
                Known::Value(Kind::Tuple) if tag == TEMPLATE_ALIAS => {
                    template_parameters = self.template_parameters(Node::Number(extra), 0)?;
                }
                Known::Value(Kind::Property) => {}
                _ => self.note("`extraData` does not fit the type"),
            },
            AnyValue::Text(_) => self.note("`extraData` does not fit the type"),
        }
        let kind = match tag {
            TEMPLATE_ALIAS => {
                DiTypeKind::Composite(Box::new(DiComposite { base, template_parameters, ..DiComposite::default() }))
            }
            _ => DiTypeKind::Derived(derived),
        };
        Ok(DiType {
            tag,
            name: form.name,
            file: self.file(form.file),
            line: form.line,
            scope: self.scope(form.scope),
            size_bits: self.size(form.size),
            align_bits: form.align,
            offset_bits: self.size(form.offset),
            flags: form.flags.0,
            kind,
        })
    }

    fn composite_type_of(&mut self, node: u32) -> Result<DiType> {
        let form: forms::CompositeType = self.form(node)?;
        let mut elements = Vec::new();
        for element in self.list(form.elements)?.into_iter().flatten() {
            elements.extend(self.element(element)?);
        }
        let composite = DiComposite {
            base: self.ty(form.base),
            elements,
            runtime_language: form.runtime_language.0,
            vtable_holder: self.ty(form.vtable_holder),
            template_parameters: self.template_parameters(form.template_parameters, 0)?,
            identifier: form.identifier,
            discriminator: self.ty(form.discriminator),
            data_location: self.bound(form.data_location.into())?,
            associated: self.bound(form.associated.into())?,
            allocated: self.bound(form.allocated.into())?,
            rank: self.bound(form.rank)?,
            specification: self.ty(form.specification),
            bit_stride: self.bound(form.bit_stride)?,
        };
        Ok(DiType {
            tag: form.tag.0,
            name: form.name,
            file: self.file(form.file),
            line: form.line,
            scope: self.scope(form.scope),
            size_bits: self.size(form.size),
            align_bits: form.align,
            offset_bits: self.size(form.offset),
            flags: form.flags.0,
            kind: DiTypeKind::Composite(Box::new(composite)),
        })
    }

    /// A part of a composite type.
    fn element(&mut self, node: u32) -> Result<Option<DiElement>> {
        Ok(match self.node(node) {
            Known::Type(id) => Some(DiElement::Type(id)),
            Known::Subprogram(id) => Some(DiElement::Subprogram(id)),
            Known::Value(Kind::Enumerator) => {
                let form: forms::Enumerator = self.form(node)?;
                let (value, unsigned) = (form.value.0, form.unsigned);
                Some(DiElement::Enumerator(DiEnumerator { name: form.name, value, unsigned }))
            }
            Known::Value(Kind::Subrange) => {
                let form: forms::Subrange = self.form(node)?;
                Some(self.subrange(false, [form.count, form.lower, form.upper, form.stride])?)
            }
            Known::Value(Kind::GenericSubrange) => {
                let form: forms::GenericSubrange = self.form(node)?;
                Some(self.subrange(true, [form.count, form.lower, form.upper, form.stride])?)
            }
            Known::Value(Kind::Property) => None,
            _ => self.wrong("this cannot be an element of a type"),
        })
    }

    fn subrange(&mut self, generic: bool, [count, lower, upper, stride]: [NumberOrNode; 4]) -> Result<DiElement> {
        Ok(DiElement::Subrange(Box::new(DiSubrange {
            generic,
            count: self.bound(count)?,
            lower: self.bound(lower)?,
            upper: self.bound(upper)?,
            stride: self.bound(stride)?,
        })))
    }

    /// A number that may be computed when the program runs.
    fn bound(&mut self, number: NumberOrNode) -> Result<Option<DiBound>> {
        Ok(match number {
            NumberOrNode::None => None,
            NumberOrNode::Number(n) => Some(DiBound::Constant(n)),
            NumberOrNode::Node(node) => match self.node(node) {
                Known::LocalVariable(id) => Some(DiBound::LocalVariable(id)),
                Known::GlobalVariable(id) => Some(DiBound::GlobalVariable(id)),
                Known::Type(id) => Some(DiBound::Member(id)),
                Known::Value(Kind::Expression) => self.expression(node)?.map(DiBound::Expression),
                _ => self.wrong("this must refer to a variable, a member or an expression"),
            },
            NumberOrNode::Other => self.wrong("this must refer to a variable, a member or an expression"),
        })
    }

    /// The arguments of a template. Packs may contain packs.
    pub(super) fn template_parameters(&mut self, list: Node, depth: u32) -> Result<Vec<DiTemplateParameter>> {
        let list = self.list(list)?;
        let mut parameters = Vec::with_capacity(list.len());
        for node in list {
            let parameter = match node.map(|node| (node, self.node(node))) {
                Some((node, Known::Value(Kind::TemplateTypeParameter))) => {
                    let form: forms::TemplateTypeParameter = self.form(node)?;
                    let (name, ty, default) = (form.name, self.ty(form.ty), form.default);
                    Some(DiTemplateParameter::Type { name, ty, default })
                }
                Some((node, Known::Value(Kind::TemplateValueParameter))) => {
                    self.template_value_parameter(node, depth)?
                }
                _ => self.wrong("this must refer to a parameter of a template"),
            };
            parameters.extend(parameter);
        }
        Ok(parameters)
    }

    fn template_value_parameter(&mut self, node: u32, depth: u32) -> Result<Option<DiTemplateParameter>> {
        let form: forms::TemplateValueParameter = self.form(node)?;
        let name = form.name;
        Ok(match (form.tag.map(|tag| tag.0), form.value) {
            (Some(GNU_TEMPLATE_TEMPLATE_PARAMETER), AnyValue::Text(template)) => {
                Some(DiTemplateParameter::Template { name, template })
            }
            (Some(GNU_TEMPLATE_PARAMETER_PACK), AnyValue::Node(list)) if depth < MOST_PACKS => {
                let arguments = self.template_parameters(Node::Number(list), depth + 1)?;
                Some(DiTemplateParameter::Pack { name, arguments })
            }
            (Some(GNU_TEMPLATE_PARAMETER_PACK), AnyValue::None) => {
                Some(DiTemplateParameter::Pack { name, arguments: Vec::new() })
            }
            (Some(GNU_TEMPLATE_TEMPLATE_PARAMETER | GNU_TEMPLATE_PARAMETER_PACK), _)
            | (_, AnyValue::Node(_) | AnyValue::Text(_)) => self.wrong("this cannot be an argument of a template"),
            (_, value) => {
                let value = match value {
                    AnyValue::Constant(constant) => Some(constant),
                    _ => None,
                };
                Some(DiTemplateParameter::Value { name, ty: self.ty(form.ty), value, default: form.default })
            }
        })
    }
}

impl From<Node> for NumberOrNode {
    fn from(node: Node) -> NumberOrNode {
        match node {
            Node::None => NumberOrNode::None,
            Node::Number(node) => NumberOrNode::Node(node),
            Node::Other => NumberOrNode::Other,
        }
    }
}
