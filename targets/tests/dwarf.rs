//! Debug information as DWARF, made by hand and read by LLVM's tools: one function with parameters, blocks, an inlined call and places
//! of all kinds, a struct, an array with a variable size, global variables.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use gusset_codegen::buffer::{LineEntry, Mark};
use gusset_codegen::compiled::CompiledFunction;
use gusset_codegen::debug::{
    CompiledDebugInfo, DebugInfo, DiBound, DiCompileUnit, DiCompileUnitId, DiComposite, DiConstant, DiDerived,
    DiElement, DiEntity, DiEnumerator, DiExpression, DiFile, DiFileId, DiGlobalVariable, DiGlobalVariableExpression,
    DiGlobalVariableId, DiImportedEntity, DiImportedEntityId, DiLabel, DiLabelId, DiLexicalScope, DiLexicalScopeId,
    DiLexicalScopeKind, DiLocalVariable, DiLocalVariableId, DiLocation, DiLocationId, DiScope, DiStringType,
    DiSubprogram, DiSubprogramId, DiSubrange, DiSubroutine, DiTemplateParameter, DiType, DiTypeId, DiTypeKind,
    FrameRegister, LabelPlace, Place, VariableOperand, VariableRange, di_flags, di_subprogram_flags,
};
use gusset_codegen::ir::{DataObject, Linkage, Module, Symbol, SymbolKind, TlsModel};
use gusset_codegen::object::{ObjectFormat, ObjectOptions, ObjectWriter};
use gusset_targets::aarch64::object::AARCH64;
use gusset_targets::arm::object::A32;
use gusset_targets::x86::object::{I386, X86_64, X86_64_MINGW};

const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const SUBROUTINE: u16 = 0x15;
const STRUCTURE: u16 = 0x13;
const ARRAY: u16 = 0x01;
const BASE: u16 = 0x24;
const SIGNED: u8 = 5;
const CLASS: u16 = 0x02;
const DEREF: u64 = 0x06;
const CONSTU: u64 = 0x10;
const PUSH_OBJECT_ADDRESS: u64 = 0x97;
const PLUS_UCONST: u64 = 0x23;
const STACK_VALUE: u64 = 0x9f;
const FRAGMENT: u64 = 0x1000;
/// Bytes of the function's code.
const LEN: u32 = 64;

/// What is read back.
struct Source {
    info: DebugInfo,
    module: Module,
    function: CompiledFunction,
}

impl Source {
    fn ty(&mut self, node: DiType) -> DiTypeId {
        self.info.types.push(node);
        DiTypeId::new(self.info.types.len() - 1)
    }

    fn variable(&mut self, name: &str, argument: u16, scope: DiScope, ty: DiTypeId) -> DiLocalVariableId {
        let name = self.info.strings.intern(name.as_bytes());
        let file = Some(DiFileId(0));
        let (scope, ty) = (Some(scope), Some(ty));
        self.info.variables.push(DiLocalVariable {
            name,
            argument,
            scope,
            file,
            line: 11,
            ty,
            ..DiLocalVariable::default()
        });
        DiLocalVariableId::new(self.info.variables.len() - 1)
    }

    fn location(&mut self, line: u32, scope: DiScope, inlined_at: Option<DiLocationId>) -> DiLocationId {
        self.info.locations.push(DiLocation { line, column: 3, scope: Some(scope), inlined_at });
        DiLocationId::new(self.info.locations.len() - 1)
    }

    fn line(&mut self, offset: u32, location: Option<DiLocationId>, epilogue_begin: bool) {
        let debug = Arc::make_mut(self.function.debug.get_or_insert_default());
        debug.lines.push(Mark { offset, value: LineEntry { location, epilogue_begin } });
    }

    /// A place of a variable.
    fn place(
        &mut self,
        (variable, inlined_at): (DiLocalVariableId, Option<DiLocationId>),
        code: std::ops::Range<u32>,
        operand: VariableOperand,
        (expression, is_address): (&[u64], bool),
    ) {
        let debug = Arc::make_mut(self.function.debug.get_or_insert_default());
        debug.operands.push(operand);
        debug.expressions.push(DiExpression(expression.into()));
        let operands = debug.operands.len() as u32 - 1..debug.operands.len() as u32;
        let expression = debug.expressions.len() as u32 - 1;
        debug.variables.push(VariableRange { variable, inlined_at, code, operands, expression, is_address });
    }

    fn subprogram(&mut self, name: &str, line: u32, ty: DiTypeId) -> DiSubprogramId {
        let name = self.info.strings.intern(name.as_bytes());
        self.info.subprograms.push(DiSubprogram {
            scope: Some(DiScope::File(DiFileId(0))),
            name,
            file: Some(DiFileId(0)),
            line,
            scope_line: line,
            ty: Some(ty),
            flags: di_flags::PROTOTYPED,
            subprogram_flags: di_subprogram_flags::DEFINITION,
            unit: Some(DiCompileUnitId(0)),
            ..DiSubprogram::default()
        });
        DiSubprogramId::new(self.info.subprograms.len() - 1)
    }

    fn global(&mut self, name: &str, kind: SymbolKind, ty: DiTypeId) {
        let symbol = self.module.add_symbol(Symbol::new(name, kind, Linkage::Export));
        self.module.data.push(DataObject {
            symbol,
            bytes: vec![1, 0, 0, 0].into(),
            size: 4,
            align: 4,
            constant: false,
            mergeable: false,
            relocs: Vec::new(),
        });
        let name = self.info.strings.intern(name.as_bytes());
        let file = Some(DiFileId(0));
        let node =
            DiGlobalVariable { name, file, line: 3, ty: Some(ty), definition: true, ..DiGlobalVariable::default() };
        self.info.globals.push(node);
        let variable = DiGlobalVariableId::new(self.info.globals.len() - 1);
        let expression = DiExpression::default();
        self.info.units[0].globals.push(DiGlobalVariableExpression { variable, expression, symbol: Some(symbol) });
    }
}

fn source(version: u16) -> Source {
    let mut s = Source { info: DebugInfo::default(), module: Module::default(), function: CompiledFunction::default() };
    s.info.dwarf_version = version;
    let mut text = |text: &str| s.info.strings.intern(text.as_bytes());
    let (name, directory, producer) = (text("a.c"), text("/source"), text("hand"));
    let names = ["int", "P", "x", "b", "next", "unsigned long"].map(text);
    s.info.files.push(DiFile { name, directory, ..DiFile::default() });
    let file = Some(DiFileId(0));
    s.info.units.push(DiCompileUnit { language: 0x1d, file, producer, ..DiCompileUnit::default() });
    let basic = |name, size_bits| DiType {
        tag: BASE,
        name,
        size_bits,
        kind: DiTypeKind::Basic { encoding: SIGNED },
        ..DiType::default()
    };
    let int = s.ty(basic(names[0], 32));
    let long = s.ty(basic(names[5], 64));
    let of = |base| DiTypeKind::Derived(DiDerived { base: Some(base), ..DiDerived::default() });
    // The struct and the pointer to it refer to each other.
    let (structure, pointer) = (DiTypeId(2), DiTypeId(3));
    let members =
        [(names[2], int, 32, 0, 0), (names[3], int, 3, 32, di_flags::BIT_FIELD), (names[4], pointer, 64, 64, 0)];
    let elements = (4..7).map(|member| DiElement::Type(DiTypeId(member))).collect();
    let kind = DiTypeKind::Composite(Box::new(DiComposite { elements, ..DiComposite::default() }));
    s.ty(DiType { tag: STRUCTURE, name: names[1], file, line: 1, size_bits: 128, kind, ..DiType::default() });
    s.ty(DiType { tag: POINTER, size_bits: 64, kind: of(structure), ..DiType::default() });
    for (name, ty, size_bits, offset_bits, flags) in members {
        let scope = Some(DiScope::Type(structure));
        s.ty(DiType {
            tag: MEMBER,
            name,
            file,
            line: 1,
            scope,
            size_bits,
            offset_bits,
            flags,
            kind: of(ty),
            ..DiType::default()
        });
    }
    let types = vec![Some(int), Some(int), Some(pointer)];
    let kind = DiTypeKind::Subroutine(DiSubroutine { types, convention: 0 });
    let signature = s.ty(DiType { tag: SUBROUTINE, kind, ..DiType::default() });

    let symbol = s.module.add_symbol(Symbol::new("f", SymbolKind::Function, Linkage::Export));
    let (twice, f) = (s.subprogram("twice", 4, signature), s.subprogram("f", 10, signature));
    s.info.subprograms[twice.index()].subprogram_flags |= di_subprogram_flags::LOCAL_TO_UNIT;
    let block = DiLexicalScope { scope: Some(DiScope::Subprogram(f)), file, line: 11, ..DiLexicalScope::default() };
    s.info.scopes.push(block);
    let (block, of_f, of_twice) =
        (DiScope::Lexical(DiLexicalScopeId(0)), DiScope::Subprogram(f), DiScope::Subprogram(twice));
    let call = s.location(12, block, None);
    let (first, inlined, inner, last) = (
        s.location(10, of_f, None),
        s.location(5, of_twice, Some(call)),
        s.location(13, block, None),
        s.location(15, of_f, None),
    );

    s.function.symbol = symbol;
    s.function.code = vec![0x90; LEN as usize];
    s.function.align = 4;
    s.function.debug = Some(Arc::new(CompiledDebugInfo {
        subprogram: Some(f),
        frame: FrameRegister { register: 6, to_cfa: Some(16) },
        ..CompiledDebugInfo::default()
    }));
    s.line(4, Some(first), false);
    s.line(8, Some(inlined), false);
    s.line(16, None, false);
    s.line(20, Some(inner), false);
    s.line(32, Some(inlined), false);
    s.line(36, Some(inner), false);
    s.line(40, Some(last), false);
    s.line(56, Some(last), true);

    let (a, p) = (s.variable("a", 1, of_f, int), s.variable("p", 2, of_f, pointer));
    let (sum, inner_variable) = (s.variable("sum", 0, of_f, long), s.variable("inner", 0, block, int));
    let (v, w) = (s.variable("v", 1, of_twice, int), s.variable("w", 0, of_twice, int));
    let count = DiSubrange { count: Some(DiBound::LocalVariable(sum)), ..DiSubrange::default() };
    let elements = vec![DiElement::Subrange(Box::new(count))];
    let kind = DiTypeKind::Composite(Box::new(DiComposite { base: Some(int), elements, ..DiComposite::default() }));
    let array = s.ty(DiType { tag: ARRAY, kind, ..DiType::default() });
    let list = s.variable("list", 0, of_f, array);
    let register = |number| VariableOperand::Value { low: Place::Register(number), high: None, bytes: 4 };
    let frame = |offset| VariableOperand::FrameAddress { register: 6, offset, align: 1 };
    s.place((a, None), 0..LEN, frame(-4), (&[], true));
    s.place((p, None), 0..12, register(5), (&[], false));
    s.place((p, None), 12..LEN, VariableOperand::EntryValue(5), (&[], false));
    s.place((sum, None), 8..20, register(0), (&[FRAGMENT, 0, 32], false));
    s.place((sum, None), 12..30, register(1), (&[FRAGMENT, 32, 32], false));
    s.place((inner_variable, None), 8..40, VariableOperand::Constant { bits: 7, bytes: 4 }, (&[], false));
    s.place((v, Some(call)), 8..36, register(2), (&[PLUS_UCONST, 1, STACK_VALUE], false));
    s.place((list, None), 0..LEN, frame(-40), (&[], true));
    Arc::make_mut(s.function.debug.get_or_insert_default()).lost.push((w, Some(call)));
    s.global("counter", SymbolKind::Data, int);
    s.global("each", SymbolKind::Tls(TlsModel::default()), int);
    s
}

/// Entities of C++, Fortran and Rust, most of which no code refers to.
fn entities(version: u16) -> Source {
    let mut s = source(version);
    s.info.units[0].language = 0x1a;
    let class = class_in_namespace(&mut s);
    let mut retained = types_without_code(&mut s, class);
    retained.extend(arrays_and_strings(&mut s));
    s.info.units[0].retained.extend(retained.into_iter().map(|ty| DiEntity::Scope(DiScope::Type(ty))));
    other_entities(&mut s);
    s
}

/// A namespace with a class, of which `f` is a method.
fn class_in_namespace(s: &mut Source) -> DiTypeId {
    let space = s.info.strings.intern(b"space");
    let class = s.info.strings.intern(b"Class");
    let base = s.info.strings.intern(b"Base");
    let field = s.info.strings.intern(b"shared");
    let method = s.info.strings.intern(b"method");
    let mangled = s.info.strings.intern(b"_ZN5space5Class6methodEv");
    let count = s.info.strings.intern(b"count");
    let tag = s.info.strings.intern(b"tag");
    let list = s.info.strings.intern(b"list");
    let int = Some(DiTypeId(0));
    let file = Some(DiFileId(0));
    let of = |base| DiTypeKind::Derived(DiDerived { base, ..DiDerived::default() });
    let kind = DiLexicalScopeKind::Namespace { export_symbols: true };
    s.info.scopes.push(DiLexicalScope { kind, name: space, ..DiLexicalScope::default() });
    let in_space = Some(DiScope::Lexical(DiLexicalScopeId(1)));
    let composite = |elements| DiTypeKind::Composite(Box::new(DiComposite { elements, ..DiComposite::default() }));
    let flags = di_flags::FORWARD_DECLARATION;
    let base = s.ty(DiType {
        tag: CLASS,
        name: base,
        scope: in_space,
        flags,
        kind: composite(Vec::new()),
        ..DiType::default()
    });
    // A class with a virtual base, a static member, a virtual method and arguments of a template.
    let class_id = DiTypeId::new(s.info.types.len());
    let in_class = Some(DiScope::Type(class_id));
    let [inherited, shared, this, signature] = [1, 2, 3, 4].map(|n| DiTypeId::new(class_id.index() + n));
    let declaration = DiSubprogramId::new(s.info.subprograms.len());
    let elements = vec![DiElement::Type(inherited), DiElement::Type(shared), DiElement::Subprogram(declaration)];
    let value = DiConstant { bits: 7, width: 32, float: false };
    let template_parameters = vec![
        DiTemplateParameter::Type { name: count, ty: int, default: true },
        DiTemplateParameter::Pack {
            name: list,
            arguments: vec![DiTemplateParameter::Value { name: count, ty: int, value: Some(value), default: false }],
        },
        DiTemplateParameter::Template { name: tag, template: class },
    ];
    let kind = DiTypeKind::Composite(Box::new(DiComposite {
        elements,
        template_parameters,
        vtable_holder: Some(class_id),
        ..DiComposite::default()
    }));
    let flags = di_flags::TYPE_PASS_BY_REFERENCE;
    s.ty(DiType {
        tag: CLASS,
        name: class,
        file,
        line: 20,
        scope: in_space,
        size_bits: 64,
        flags,
        kind,
        ..DiType::default()
    });
    let flags = di_flags::VIRTUAL | 3;
    s.ty(DiType { tag: 0x1c, offset_bits: 24, flags, kind: of(Some(base)), ..DiType::default() });
    let kind = DiTypeKind::Derived(DiDerived { base: int, extra: Some(value), ..DiDerived::default() });
    let flags = di_flags::STATIC_MEMBER | 1;
    s.ty(DiType { tag: MEMBER, name: field, file, line: 21, scope: in_class, flags, kind, ..DiType::default() });
    let flags = di_flags::ARTIFICIAL | di_flags::OBJECT_POINTER;
    s.ty(DiType { tag: POINTER, size_bits: 64, flags, kind: of(Some(class_id)), ..DiType::default() });
    let types = vec![None, Some(this), int, None];
    s.ty(DiType {
        tag: SUBROUTINE,
        kind: DiTypeKind::Subroutine(DiSubroutine { types, convention: 0 }),
        ..DiType::default()
    });
    s.info.subprograms.push(DiSubprogram {
        scope: in_class,
        name: method,
        linkage_name: mangled,
        file,
        line: 22,
        ty: Some(signature),
        containing_type: Some(class_id),
        virtual_index: 2,
        subprogram_flags: 1,
        ..DiSubprogram::default()
    });
    // `f` is the definition of the method, and the static member and a variable of the namespace are defined.
    let f = &mut s.info.subprograms[1];
    (f.declaration, f.name, f.linkage_name, f.ty) = (Some(declaration), method, mangled, Some(signature));
    s.info.variables[0].flags = di_flags::OBJECT_POINTER | di_flags::ARTIFICIAL;
    (s.info.globals[0].declaration, s.info.globals[0].name) = (Some(shared), field);
    s.info.globals[1].scope = in_space;
    class_id
}

/// Types by which no code goes.
fn types_without_code(s: &mut Source, class_id: DiTypeId) -> Vec<DiTypeId> {
    let (int, in_class) = (Some(DiTypeId(0)), Some(DiScope::Type(class_id)));
    let of = |base| DiTypeKind::Derived(DiDerived { base, ..DiDerived::default() });
    let composite = |elements| DiTypeKind::Composite(Box::new(DiComposite { elements, ..DiComposite::default() }));
    let value = DiConstant { bits: 7, width: 32, float: false };
    let enumeration = s.info.strings.intern(b"Choice");
    let one = s.info.strings.intern(b"one");
    let variant = s.info.strings.intern(b"Variant");
    let unknown = s.info.strings.intern(b"decltype(nullptr)");
    let enumerator = DiElement::Enumerator(DiEnumerator { name: one, value: -1, unsigned: false });
    let kind = DiTypeKind::Composite(Box::new(DiComposite {
        base: int,
        elements: vec![enumerator],
        ..DiComposite::default()
    }));
    let flags = di_flags::ENUM_CLASS;
    let choice =
        s.ty(DiType { tag: 0x04, name: enumeration, scope: in_class, size_bits: 32, flags, kind, ..DiType::default() });
    s.info.units[0].enums.push(choice);
    let part = DiTypeId::new(s.info.types.len() + 1);
    let elements = vec![DiElement::Type(part)];
    let owner =
        s.ty(DiType { tag: STRUCTURE, name: variant, size_bits: 64, kind: composite(elements), ..DiType::default() });
    let (discriminator, member) = (DiTypeId::new(part.index() + 1), DiTypeId::new(part.index() + 2));
    let kind = DiTypeKind::Composite(Box::new(DiComposite {
        elements: vec![DiElement::Type(member)],
        discriminator: Some(discriminator),
        ..DiComposite::default()
    }));
    s.ty(DiType { tag: 0x33, scope: Some(DiScope::Type(owner)), kind, ..DiType::default() });
    s.ty(DiType { tag: MEMBER, size_bits: 32, flags: di_flags::ARTIFICIAL, kind: of(int), ..DiType::default() });
    let kind = DiTypeKind::Derived(DiDerived { base: int, extra: Some(value), ..DiDerived::default() });
    s.ty(DiType { tag: MEMBER, name: one, size_bits: 32, offset_bits: 32, kind, ..DiType::default() });
    let kind = DiTypeKind::Derived(DiDerived { base: int, class: Some(class_id), ..DiDerived::default() });
    let to_member = s.ty(DiType { tag: 0x1f, size_bits: 64, kind, ..DiType::default() });
    let unspecified = s.ty(DiType { tag: 0x3b, name: unknown, ..DiType::default() });
    vec![owner, to_member, unspecified]
}

/// A vector, an array whose last index is computed, and a string whose length is.
fn arrays_and_strings(s: &mut Source) -> [DiTypeId; 3] {
    let int = Some(DiTypeId(0));
    let range = |subrange| vec![DiElement::Subrange(Box::new(subrange))];
    let elements = range(DiSubrange { count: Some(DiBound::Constant(3)), ..DiSubrange::default() });
    let kind = DiTypeKind::Composite(Box::new(DiComposite { base: int, elements, ..DiComposite::default() }));
    let vector = s.ty(DiType { tag: ARRAY, size_bits: 128, flags: di_flags::VECTOR, kind, ..DiType::default() });
    let upper = DiExpression([PUSH_OBJECT_ADDRESS, PLUS_UCONST, 8, DEREF].into());
    let elements = range(DiSubrange {
        lower: Some(DiBound::Constant(1)),
        upper: Some(DiBound::Expression(upper.clone())),
        ..DiSubrange::default()
    });
    let data_location = Some(DiBound::Expression(DiExpression([PUSH_OBJECT_ADDRESS, DEREF].into())));
    let kind =
        DiTypeKind::Composite(Box::new(DiComposite { base: int, elements, data_location, ..DiComposite::default() }));
    let dynamic = s.ty(DiType { tag: ARRAY, kind, ..DiType::default() });
    let length = Some(DiBound::Expression(upper));
    let kind = DiTypeKind::String(Box::new(DiStringType { length, ..DiStringType::default() }));
    let string = s.ty(DiType { tag: 0x12, kind, ..DiType::default() });
    [vector, dynamic, string]
}

/// A common block, a constant, a name from the namespace, and a label.
fn other_entities(s: &mut Source) {
    let (int, file) = (Some(DiTypeId(0)), Some(DiFileId(0)));
    let in_space = Some(DiScope::Lexical(DiLexicalScopeId(1)));
    let count = s.info.strings.intern(b"count");
    let one = s.info.strings.intern(b"one");
    let block = s.info.strings.intern(b"common");
    let kind = DiLexicalScopeKind::CommonBlock { variable: Some(DiGlobalVariableId(0)) };
    s.info.scopes.push(DiLexicalScope { kind, name: block, ..DiLexicalScope::default() });
    let scope = Some(DiScope::Lexical(DiLexicalScopeId(2)));
    s.info.globals.push(DiGlobalVariable {
        name: count,
        scope,
        ty: int,
        definition: true,
        ..DiGlobalVariable::default()
    });
    let expression = DiExpression([CONSTU, 42, STACK_VALUE].into());
    s.info.units[0].globals.push(DiGlobalVariableExpression {
        variable: DiGlobalVariableId(2),
        expression,
        symbol: None,
    });
    let entity = in_space.map(DiEntity::Scope);
    s.info.imported.push(DiImportedEntity { tag: 0x3a, entity, file, line: 30, ..DiImportedEntity::default() });
    s.info.units[0].imported.push(DiImportedEntityId(0));
    s.info.labels.push(DiLabel {
        name: one,
        scope: Some(DiScope::Lexical(DiLexicalScopeId(0))),
        file,
        line: 13,
        ..DiLabel::default()
    });
    let value = LabelPlace { label: DiLabelId(0), inlined_at: None };
    Arc::make_mut(s.function.debug.get_or_insert_default()).labels.push(Mark { offset: 20, value });
}

/// Writes the object, and returns what `llvm-dwarfdump` says of it.
fn dump(name: &str, format: &'static ObjectFormat, s: &Source) -> (String, String) {
    let version = s.info.dwarf_version;
    let mut writer =
        ObjectWriter::new(format, &s.module, ObjectOptions { debug_aranges: true, ..ObjectOptions::default() });
    writer.function(&s.function).unwrap();
    assert_eq!(writer.debug_info(&s.info).unwrap(), 0);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("dwarf-{name}-{version}.o"));
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    let tool = |argument: &[&str]| {
        let output = Command::new("llvm-dwarfdump-19").args(argument).arg(&path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{name}: {argument:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    };
    tool(&["--verify", "--error-display=full"]);
    (tool(&["--debug-info"]), tool(&["--debug-line"]))
}

/// The text without addresses, indentation and quotes, on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().filter(|word| !word.starts_with("0x0000")).collect::<Vec<_>>().join(" ")
}

#[test]
fn reads_back() {
    for version in [4, 5] {
        for (name, format) in
            [("x86_64", &X86_64), ("i386", &I386), ("aarch64", &AARCH64), ("a32", &A32), ("mingw", &X86_64_MINGW)]
        {
            let (info, lines) = dump(name, format, &source(version));
            let info = flat(&info);
            let base = if name == "mingw" { "(DW_OP_reg6 RBP)" } else { "(DW_OP_call_frame_cfa)" };
            let expected = [
                "DW_TAG_compile_unit DW_AT_producer (\"hand\") DW_AT_language (DW_LANG_C11) DW_AT_name (\"a.c\")",
                "DW_AT_name (\"b\") DW_AT_type",
                "DW_AT_bit_size (3) DW_AT_data_bit_offset (32)",
                "DW_AT_name (\"next\")",
                "DW_AT_inline (DW_INL_inlined)",
                "DW_AT_call_line (12) DW_AT_call_column (3)",
                "DW_AT_const_value (7)",
                "\"counter\"",
                base,
            ];
            for text in expected {
                assert!(info.contains(text), "{name} {version}: no {text} in {info}");
            }
            assert!(lines.contains("prologue_end") && lines.contains("epilogue_begin"), "{name}: {lines}");
            assert_eq!(lines.matches("end_sequence").count(), 1, "{lines}");
        }
    }
}

#[test]
fn places() {
    let (info, _) = dump("places", &X86_64, &source(5));
    let info = flat(&info);
    for text in [
        "DW_AT_location (DW_OP_fbreg -20) DW_AT_name (\"a\")",
        "DW_OP_reg5 RDI",
        "DW_OP_entry_value(DW_OP_reg5 RDI), DW_OP_stack_value",
        "DW_OP_reg0 RAX, DW_OP_piece 0x4",
        "DW_OP_reg0 RAX, DW_OP_piece 0x4, DW_OP_reg1 RDX, DW_OP_piece 0x4",
        "DW_OP_piece 0x4, DW_OP_reg1 RDX, DW_OP_piece 0x4",
        "DW_OP_breg2 RCX+0, DW_OP_plus_uconst 0x1, DW_OP_stack_value",
        "DW_OP_const8u 0x0, DW_OP_GNU_push_tls_address",
        "DW_OP_addr",
    ] {
        assert!(info.contains(text), "no {text} in {info}");
    }
    let (old, _) = dump("places", &X86_64, &source(4));
    assert!(old.contains("DW_OP_GNU_entry_value"), "{old}");
}

#[test]
fn describes_entities() {
    for version in [4, 5] {
        let (info, _) = dump("entities", &X86_64, &entities(version));
        let info = flat(&info);
        for text in [
            "DW_TAG_namespace DW_AT_name (\"space\")",
            "DW_TAG_class_type DW_AT_containing_type",
            "DW_TAG_template_type_parameter",
            "DW_TAG_GNU_template_parameter_pack DW_AT_name (\"list\")",
            "DW_AT_GNU_template_name (\"Class\")",
            "DW_OP_dup, DW_OP_deref, DW_OP_lit24, DW_OP_minus, DW_OP_deref, DW_OP_plus",
            "DW_AT_const_value (7)",
            "DW_AT_vtable_elem_location (DW_OP_constu 0x2)",
            "DW_AT_specification",
            "DW_AT_object_pointer",
            "DW_TAG_unspecified_parameters",
            "DW_AT_const_value (-1)",
            "DW_TAG_variant_part DW_AT_discr",
            "DW_TAG_variant DW_AT_discr_value (7)",
            "DW_TAG_ptr_to_member_type",
            "DW_TAG_unspecified_type DW_AT_name (\"decltype(nullptr)\")",
            "DW_AT_GNU_vector (true) DW_AT_byte_size (16)",
            "DW_AT_lower_bound (1)",
            "DW_AT_upper_bound (DW_OP_push_object_address, DW_OP_plus_uconst 0x8, DW_OP_deref)",
            "DW_AT_data_location (DW_OP_push_object_address, DW_OP_deref)",
            "DW_AT_string_length",
            "DW_TAG_common_block DW_AT_name (\"common\") DW_AT_location",
            "DW_AT_const_value (42)",
            "DW_TAG_imported_module DW_AT_decl_file",
            "DW_TAG_label DW_AT_name (\"one\")",
        ] {
            assert!(info.contains(text), "no {text} in {info}");
        }
    }
}
