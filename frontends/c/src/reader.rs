//! Reads declarations in order and gives them their meaning.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use gusset_abi::{AbiError, AbiTarget, CType, DataLayout, Env, Field, Layout, Record, RecordKind};
use lang_c::ast::{
    ArraySize, Declaration, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, Expression, ExternalDeclaration,
    FunctionDeclarator, ParameterDeclaration, PointerQualifier, TranslationUnit, TypeName, TypeQualifier,
};
use lang_c::span::{Node, Span};

use crate::class::Special;
use crate::constant::Value;
use crate::cxx;
use crate::fault::{Checked, Fault};
use crate::marks::Marks;
use crate::names;
use crate::prototype::Declared;
use crate::rewrite::{DOTS, Rewritten};
use crate::specifiers::Part;
use crate::types::{Function, OfMember, Param, Quals, Type, TypeKind};

/// A struct or union of the source.
pub(crate) struct RecordType {
    pub kind: RecordKind,
    /// The struct's tag, or the typedef that names it.
    pub tag: Option<String>,
    pub typedef: Option<String>,
    /// The struct is declared with the keyword `class`.
    pub class: bool,
    pub special: Special,
    /// It has constructors, but no default constructor.
    pub undefaulted: bool,
    pub body: Option<Body>,
}

/// A complete struct or union.
pub(crate) struct Body {
    pub ctype: CType,
    /// The members, one for each field of the type.
    pub members: Vec<MemberType>,
}

#[derive(Clone)]
pub(crate) struct MemberType {
    pub name: Option<String>,
    pub ty: Type,
}

/// What a tag names.
#[derive(Clone)]
pub(crate) enum Tag {
    Record(usize),
    Enum(Type),
}

/// The declaration of a function, or of something whose type leads to a function.
pub(crate) struct Prototype {
    pub declared: Declared,
    pub name: String,
    pub function: Rc<Function>,
    pub symbol: Option<String>,
    pub at: usize,
}

/// The state between declarations.
pub(crate) struct Reader<'a> {
    pub(crate) target: AbiTarget,
    pub(crate) layout: DataLayout,
    pub(crate) text: &'a Rewritten,
    pub(crate) records: Vec<RecordType>,
    pub(crate) tags: BTreeMap<String, Tag>,
    pub(crate) typedefs: BTreeMap<String, Type>,
    pub(crate) constants: HashMap<String, Value>,
    pub(crate) prototypes: Vec<Prototype>,
    /// The type that was declared last, or the type of what was, other than functions, with its position.
    pub(crate) last_type: Option<(Type, usize)>,
}

/// A declarator's result.
pub(crate) struct Declared1 {
    pub name: Option<String>,
    pub ty: Type,
    pub marks: Marks,
    pub at: usize,
}

/// One step of a declarator, from the name outwards.
enum Step<'a> {
    Pointer(Quals),
    Array(&'a ArraySize, Span),
    Function(&'a FunctionDeclarator),
    Unprototyped,
}

impl<'a> Reader<'a> {
    pub fn new(target: &AbiTarget, text: &'a Rewritten) -> Reader<'a> {
        Reader {
            target: *target,
            layout: DataLayout::new(target),
            text,
            records: Vec::new(),
            tags: BTreeMap::new(),
            typedefs: BTreeMap::new(),
            constants: HashMap::new(),
            prototypes: Vec::new(),
            last_type: None,
        }
    }

    /// Position of a node in the source.
    pub fn at(&self, span: Span) -> usize {
        self.text.source_of(span.start)
    }

    #[cold]
    pub fn fault(&self, span: Span, message: impl Into<String>) -> Fault {
        Fault::new(self.at(span), message)
    }

    /// All declarations of a source.
    pub fn unit(&mut self, unit: &TranslationUnit) -> Checked<()> {
        for item in unit.0.iter().skip(self.text.prelude) {
            match &item.node {
                ExternalDeclaration::Declaration(declaration) => self.declaration(&declaration.node)?,
                ExternalDeclaration::StaticAssert(assert) => self.static_assert(&assert.node.expression)?,
                // Function bodies are dropped already; a definition with something else between its head and body is in
                // K&R's form.
                ExternalDeclaration::FunctionDefinition(definition) => {
                    return Err(self.fault(definition.span, "this form of declaration is not supported"));
                }
            }
        }
        Ok(())
    }

    pub fn static_assert(&mut self, expression: &Node<Expression>) -> Checked<()> {
        if self.constant(expression)?.value == 0 {
            return Err(self.fault(expression.span, "this static assertion fails"));
        }
        Ok(())
    }

    fn declaration(&mut self, declaration: &Declaration) -> Checked<()> {
        let parts: Vec<Part<'_>> = declaration.specifiers.iter().map(|s| Part::of_declaration(&s.node)).collect();
        let span = declaration.specifiers.first().map_or(Span::none(), |s| s.span);
        let specified = self.specifiers(&parts, span)?;
        if declaration.declarators.is_empty() && specified.marks.align.is_some() {
            let message = "this alignment applies to nothing: it belongs after `struct` or the closing brace";
            return Err(Fault::new(specified.marks.at.unwrap_or(self.at(span)), message));
        }
        if declaration.declarators.is_empty() {
            self.last_type = Some((specified.ty.clone(), self.at(span)));
        }
        for init in &declaration.declarators {
            let declarator = &init.node.declarator;
            let declared =
                self.declarator(&specified.ty, &specified.marks, Some(declarator), declarator.span, false)?;
            let Some(name) = declared.name else { continue };
            if specified.typedef {
                if let TypeKind::Record(id) = declared.ty.kind() {
                    let record = &mut self.records[*id];
                    if record.tag.is_none() && record.typedef.is_none() {
                        record.typedef = Some(name.clone());
                    }
                }
                let ty = declared.ty.with_align(declared.marks.align);
                let ty = Type::above(TypeKind::Name(name.as_str().into(), ty), declared.at)?;
                self.typedefs.insert(name.clone(), ty);
            }
            if declared.ty.function().is_none() {
                let typedef = self.typedefs.get(&name).filter(|_| specified.typedef);
                self.last_type = Some((typedef.unwrap_or(&declared.ty).clone(), declared.at));
            }
            let (declared_as, function) = match (declared.ty.function(), declared.ty.pointed_function()) {
                (Some(function), _) if specified.typedef => (Declared::Typedef, function),
                (Some(function), _) => (Declared::Function, function),
                (None, Some(function)) => (Declared::Pointer, function),
                (None, None) => continue,
            };
            let (function, symbol) = (function.clone(), declared.marks.symbol);
            let name = cxx::shown(&self.text.shown, &name).to_string();
            self.prototypes.push(Prototype { declared: declared_as, name, function, symbol, at: declared.at });
        }
        Ok(())
    }

    /// Reads a type name, as in casts and `sizeof`.
    pub fn type_name(&mut self, name: &Node<TypeName>) -> Checked<Type> {
        let parts: Vec<Part<'_>> = name.node.specifiers.iter().map(|s| Part::of_member(&s.node)).collect();
        let specified = self.specifiers(&parts, name.span)?;
        let declarator = name.node.declarator.as_ref();
        let declared = self.declarator(&specified.ty, &specified.marks, declarator, name.span, false)?;
        Ok(declared.ty.with_align(declared.marks.align))
    }

    /// Applies a declarator to the type `base`; `marks` are the attributes of the specifiers. Without a declarator the
    /// type is `base`.
    pub fn declarator(
        &mut self,
        base: &Type,
        marks: &Marks,
        declarator: Option<&Node<Declarator>>,
        span: Span,
        parameter: bool,
    ) -> Checked<Declared1> {
        let mut own = Marks::default();
        let mut steps = Vec::new();
        let mut name = None;
        let mut at = self.at(span);
        if let Some(declarator) = declarator {
            self.steps(&declarator.node, &mut steps, &mut own)?;
            let mut kind = &declarator.node.kind;
            while let DeclaratorKind::Declarator(inner) = &kind.node {
                kind = &inner.node.kind;
            }
            if let DeclaratorKind::Identifier(identifier) = &kind.node {
                name = Some(identifier.node.name.clone());
                at = self.at(identifier.span);
            }
        }
        let mut ty = self.revalued(base.clone(), &own, at)?;
        let mut call = own.call.or(marks.call);
        let innermost_function = steps.iter().position(|s| matches!(s, Step::Function(_) | Step::Unprototyped));
        let count = steps.len();
        for (i, step) in steps.into_iter().enumerate().rev() {
            ty = match step {
                Step::Pointer(quals) => Type::above(TypeKind::Pointer(ty), at)?.with_quals(quals),
                Step::Array(_, _) if parameter && i == 0 => Type::above(TypeKind::Pointer(ty), at)?,
                Step::Array(size, span) => {
                    let len = match size {
                        ArraySize::Unknown => None,
                        ArraySize::VariableUnknown => {
                            return Err(self.fault(span, "arrays of variable length are not supported"));
                        }
                        ArraySize::VariableExpression(n) | ArraySize::StaticExpression(n) => {
                            Some(self.number(n, "an array length", 1 << 31)?)
                        }
                    };
                    if ty.function().is_some() || matches!(ty.resolved().kind(), TypeKind::Void) {
                        return Err(self.fault(span, "there are no arrays of this type"));
                    }
                    Type::above(TypeKind::Array(ty, len), at)?
                }
                Step::Function(_) | Step::Unprototyped => {
                    if matches!(ty.resolved().kind(), TypeKind::Array(..) | TypeKind::Function(_)) {
                        return Err(Fault::new(at, "a function returns neither arrays nor functions"));
                    }
                    let call =
                        if innermost_function == Some(i) { std::mem::take(&mut call) } else { Default::default() };
                    let (params, dots) = match step {
                        Step::Function(function) => self.params(function)?,
                        _ => (Vec::new(), None),
                    };
                    Type::above(TypeKind::Function(Rc::new(Function { ret: ty, params, dots, call })), at)?
                }
            };
        }
        // A convention on a declaration that names a function type makes another type of it.
        if let (true, 0, Some(function)) = (!call.is_default(), count, ty.function()) {
            let function = Function { call: call.or(function.call), ..Function::clone(function) };
            ty = Type::above(TypeKind::Function(Rc::new(function)), at)?;
        }
        own.inherit(marks);
        Ok(Declared1 { name, ty, marks: own, at })
    }

    /// Collects the steps of a declarator from its name outwards, and the attributes in it.
    fn steps<'b>(&mut self, declarator: &'b Declarator, steps: &mut Vec<Step<'b>>, marks: &mut Marks) -> Checked<()> {
        if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
            self.steps(&inner.node, steps, marks)?;
        }
        self.extensions(&declarator.extensions, marks)?;
        let mut pointers = Vec::new();
        for derived in &declarator.derived {
            match &derived.node {
                DerivedDeclarator::Pointer(qualifiers) | DerivedDeclarator::Block(qualifiers) => {
                    let mut quals = Quals::default();
                    for qualifier in qualifiers {
                        match &qualifier.node {
                            PointerQualifier::TypeQualifier(q) => quals.add(&q.node),
                            PointerQualifier::Extension(extensions) => {
                                self.extensions(extensions, marks)?;
                                quals.reference |= std::mem::take(&mut marks.reference);
                                quals.member = quals.member.max(std::mem::take(&mut marks.of_member));
                            }
                        }
                    }
                    pointers.push(Step::Pointer(quals));
                }
                DerivedDeclarator::Array(array) => steps.push(Step::Array(&array.node.size, derived.span)),
                DerivedDeclarator::Function(function) => steps.push(Step::Function(&function.node)),
                DerivedDeclarator::KRFunction(names) if names.is_empty() => steps.push(Step::Unprototyped),
                DerivedDeclarator::KRFunction(names) => {
                    let name = &names[0];
                    let own = self.typedefs.keys().map(String::as_str);
                    return Err(names::unknown_type(self.at(name.span), &name.node.name, own, &self.target));
                }
            }
        }
        steps.extend(pointers.into_iter().rev());
        Ok(())
    }

    fn params(&mut self, function: &FunctionDeclarator) -> Checked<(Vec<Param>, Option<usize>)> {
        let mut params = Vec::new();
        let mut dots = None;
        if matches!(function.ellipsis, Ellipsis::Some) {
            dots = Some(function.parameters.len());
        }
        let only = function.parameters.len() == 1;
        for node in &function.parameters {
            let ParameterDeclaration { specifiers, declarator, extensions } = &node.node;
            let parts: Vec<Part<'_>> = specifiers.iter().map(|s| Part::of_declaration(&s.node)).collect();
            let specified = self.specifiers(&parts, node.span)?;
            let mut marks = Marks::default();
            self.extensions(extensions, &mut marks)?;
            let base = self.revalued(specified.ty, &marks, self.at(node.span))?;
            marks.inherit(&specified.marks);
            marks.call = marks.call.or(specified.marks.call);
            let declared = self.declarator(&base, &marks, declarator.as_ref(), node.span, true)?;
            if declared.name.as_deref() == Some(DOTS) {
                if dots.replace(params.len()).is_some() {
                    return Err(Fault::new(declared.at, "there are dots already"));
                }
                continue;
            }
            if declared.marks.align.is_some() {
                return Err(Fault::new(declared.at, "a parameter has no alignment of its own"));
            }
            let ty = declared.ty;
            if matches!(ty.resolved().kind(), TypeKind::Void) {
                if only && declared.name.is_none() {
                    break;
                }
                return Err(Fault::new(declared.at, "a parameter cannot be void"));
            }
            let ty = self.decayed(ty, declared.at)?;
            params.push(Param { name: declared.name, ty, at: declared.at });
        }
        Ok((params, dots))
    }

    /// C11, 6.7.6.3: arrays and functions as parameters become pointers.
    fn decayed(&self, ty: Type, at: usize) -> Checked<Type> {
        let pointer = match ty.resolved().kind() {
            TypeKind::Array(of, _) => Type::above(TypeKind::Pointer(of.clone()), at)?,
            TypeKind::Function(_) => Type::above(TypeKind::Pointer(ty.resolved().clone()), at)?,
            _ => return Ok(ty),
        };
        match ty.kind() {
            TypeKind::Name(name, _) => Type::above(TypeKind::Name(name.clone(), pointer), at),
            _ => Ok(pointer),
        }
    }

    /// The type of a value, for the ABI.
    pub fn value_type(&self, ty: &Type, at: usize) -> Checked<CType> {
        match ty.kind() {
            TypeKind::Void => Ok(CType::Void),
            TypeKind::Basic(ctype, _) | TypeKind::Enum(ctype, ..) => Ok(ctype.clone()),
            TypeKind::Name(_, of) => self.value_type(of, at),
            TypeKind::Pointer(to) if ty.of_member() != OfMember::No => self.member_pointer(to, ty.of_member(), at),
            TypeKind::Pointer(_) => Ok(CType::PTR),
            TypeKind::Record(id) => match &self.records[*id].body {
                Some(body) => Ok(body.ctype.clone()),
                None => Err(Fault::new(at, format!("`{}` is not complete here", self.spell(ty, "")))),
            },
            TypeKind::Array(of, len) => match len {
                Some(len) => Ok(CType::array(self.value_type(of, at)?, *len)),
                None => Err(Fault::new(at, "an array without a length has no size")),
            },
            TypeKind::Function(_) => Err(Fault::new(at, "a function is no value")),
            TypeKind::Opaque(name) => Err(Fault::new(at, format!("`{name}` is known here only behind a pointer"))),
        }
    }

    /// A pointer to a member of type `to` (Itanium C++ ABI, section 2.3, "Member Pointers"; Microsoft's has the size of
    /// one for a class without bases).
    fn member_pointer(&self, to: &Type, class: OfMember, at: usize) -> Checked<CType> {
        let function = to.function().is_some();
        let word = CType::int(8 * self.target.pointer_bytes() as u16, true);
        match (self.target.env == Env::Msvc, function) {
            (true, _) if class == OfMember::Unknown => Err(Fault::new(
                at,
                "how wide a pointer to a member is depends on the class, which is not complete here or has several bases",
            )),
            (true, true) => Ok(CType::PTR),
            (true, false) => Ok(CType::int(32, true)),
            (false, true) => Ok(CType::record(Record::structure(vec![Field::new(word.clone()), Field::new(word)]))),
            (false, false) => Ok(word),
        }
    }

    /// C's spelling of a type, around a name.
    pub fn spell(&self, ty: &Type, name: &str) -> String {
        ty.spell(name, &|id| {
            let record = &self.records[id];
            let keyword = if record.kind == RecordKind::Union { "union" } else { "struct" };
            match (&record.tag, &record.typedef) {
                (Some(tag), _) => format!("{keyword} {tag}"),
                (None, Some(name)) => name.clone(),
                (None, None) => format!("{keyword} {{…}}"),
            }
        })
    }

    /// Size and alignment of a type, without the alignment of a typedef.
    pub fn layout_of(&self, ty: &Type, span: Span) -> Checked<Layout> {
        let at = self.at(span);
        let ctype = self.value_type(ty, at)?;
        self.layout.layout(&ctype).map_err(|error| self.abi_fault(at, &error))
    }

    pub fn align_of(&self, ty: &Type, span: Span) -> Checked<u32> {
        let natural = self.layout_of(ty, span)?.align;
        Ok(ty.typedef_align().unwrap_or(natural))
    }

    #[cold]
    pub fn abi_fault(&self, at: usize, error: &AbiError) -> Fault {
        Fault::new(at, error.reason())
    }

    /// Offset in bits and type of the member `name`, which may be a member of an anonymous member.
    pub fn member(&self, ty: &Type, name: &str, span: Span) -> Checked<Option<(u64, Type)>> {
        let TypeKind::Record(id) = ty.resolved().kind() else {
            return Err(self.fault(span, "only structs and unions have members"));
        };
        let at = self.at(span);
        let (Some(body), CType::Record(record)) = (&self.records[*id].body, self.value_type(ty, at)?) else {
            return Err(self.fault(span, "the type is not complete here"));
        };
        let layout = self.layout.record(&record).map_err(|error| self.abi_fault(at, &error))?;
        for (member, offset) in body.members.iter().zip(&layout.bit_offsets) {
            if member.name.as_deref() == Some(name) {
                return Ok(Some((*offset, member.ty.clone())));
            }
            if member.name.is_none()
                && matches!(member.ty.resolved().kind(), TypeKind::Record(_))
                && let Some((inner, ty)) = self.member(&member.ty, name, span)?
            {
                return Ok(Some((offset + inner, ty)));
            }
        }
        Ok(None)
    }
}

impl Quals {
    pub fn add(&mut self, qualifier: &TypeQualifier) {
        match qualifier {
            TypeQualifier::Const => self.constant = true,
            TypeQualifier::Volatile => self.volatile = true,
            TypeQualifier::Restrict => self.restrict = true,
            _ => {}
        }
    }
}
