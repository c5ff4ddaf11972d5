//! Nodes of debug information, by the records that they are (`DebugNodes`).
//!
//! A node of the module has the number that the file gives it. Those of functions follow: a function's own nodes have numbers from
//! [`FunctionNodes::first`](crate::debug_tables::FunctionNodes::first) on. Locations of instructions are no nodes in the file; they get numbers with [`IN_PLACE`].
//!
//! LLVM, `BitcodeWriter.cpp`, `writeDI…`: the fields of each record.

use std::borrow::Cow;

use gusset_codegen::debug::DiConstant;
use gusset_lower::debug_info::{
    DebugField, DebugInfoError, DebugInfoReader, DebugInfoUses, DebugNodes, FieldValue, IN_PLACE, LocationFields,
};
use gusset_program::Kind;
use gusset_text::ReadError;

use crate::codes::metadata as code;
use crate::constants::{Form, float_bits, signed};
use crate::expressions::upgraded;
use crate::metadata::{Metadata, Node};
use crate::tables::{ParsedModule, Tables};

/// The nodes of a module.
struct BitcodeNodes<'t>(&'t Tables<'t>);

/// Where a node is: its metadata, the node, and the number of the first node of the function, if it is a function's.
pub(crate) type Found<'t> = (&'t Metadata, Node, Option<u32>);

impl<'t> Tables<'t> {
    /// The node with a number.
    pub(crate) fn debug_node(&self, number: u32) -> Option<Found<'_>> {
        if let Some(&node) = self.metadata.nodes.get(number as usize) {
            return Some((&self.metadata, node, None));
        }
        let functions = &self.debug.functions;
        let after = functions.partition_point(|function| function.first <= number);
        let function = after.checked_sub(1).map(|at| &functions[at])?;
        let node = *function.metadata.nodes.get((number - function.first) as usize)?;
        Some((&function.metadata, node, Some(function.first)))
    }

    /// The number among all nodes of a node that a function or module calls by another.
    pub(crate) fn node_number(&self, number: u64, first: Option<u32>) -> u32 {
        let own = number.checked_sub(self.metadata.nodes.len() as u64);
        match (own, first) {
            (Some(own), Some(first)) => u32::try_from(own).map_or(u32::MAX >> 1, |own| first.saturating_add(own)),
            _ => u32::try_from(number).unwrap_or(u32::MAX >> 1),
        }
    }

    /// The line of the location that a node is, 0 if it is none, and the node at which the code was inlined.
    pub(crate) fn line_and_call(&self, node: u32) -> (u32, Option<u32>) {
        self.location(node).map_or((0, None), |fields| (fields.line, fields.inlined_at))
    }

    fn location(&self, node: u32) -> Option<LocationFields> {
        if node & IN_PLACE != 0 {
            return self.debug.locations().get((node & !IN_PLACE) as usize).copied();
        }
        let (all, node, first) = self.debug_node(node)?;
        match (u64::from(node.code), all.fields(node)) {
            (code::LOCATION, &[_, line, column, scope, inlined_at, ..]) => Some(LocationFields {
                line: u32::try_from(line).unwrap_or(0),
                column: u16::try_from(column).unwrap_or(0),
                scope: self.node_number(scope, first),
                inlined_at: inlined_at.checked_sub(1).map(|node| self.node_number(node, first)),
            }),
            _ => None,
        }
    }

    /// The number of the value of the function that a subprogram of before LLVM 3.9 describes.
    pub(crate) fn function_of(&self, node: u32) -> Option<usize> {
        let (all, node, _) = self.debug_node(node)?;
        let words = all.fields(node);
        let old = words.first().is_some_and(|flags| flags & 6 == 0) && words.len() >= 19;
        if u64::from(node.code) != code::SUBPROGRAM || !old {
            return None;
        }
        let (all, node, _) = self.debug_node(u32::try_from(words[15].checked_sub(1)?).ok()?)?;
        match (u64::from(node.code), all.fields(node)) {
            (code::VALUE, &[_, value]) => usize::try_from(value).ok(),
            _ => None,
        }
    }

    /// The words of the expression that a node is.
    pub(crate) fn expression(&self, node: u32) -> Option<Cow<'_, [u64]>> {
        let (all, node, _) = self.debug_node(node)?;
        if u64::from(node.code) == code::EXPRESSION { upgraded(all.fields(node)) } else { None }
    }
}

impl<'t> DebugNodes<'t> for BitcodeNodes<'t> {
    fn kind(&self, node: u32) -> Option<&'t [u8]> {
        let (_, node, _) = self.0.debug_node(node)?;
        kind_of(node)
    }

    fn fields(&self, node: u32, fields: &mut Vec<DebugField<'t>>) -> Result<(), DebugInfoError> {
        let place = self.place(node);
        let Some((all, own, first)) = self.0.debug_node(node) else {
            return Err(DebugInfoError::new(place, format!("the metadata `!{node}` is not defined")));
        };
        let mut out = Out { t: self.0, words: all.fields(own), first, fields, place, raw: false, of: own.code.into() };
        out.node(own.code.into()).map_err(|why| DebugInfoError::new(place, why))
    }

    fn location(&self, node: u32) -> Option<LocationFields> {
        self.0.location(node)
    }

    fn place(&self, node: u32) -> usize {
        node as usize
    }
}

/// LLVM's name of a node's kind, empty for a tuple; none for what is no node.
fn kind_of(node: Node) -> Option<&'static [u8]> {
    Some(match u64::from(node.code) {
        code::NODE | code::DISTINCT_NODE | code::NODE_OLD => b"",
        code::LOCATION => b"DILocation",
        code::SUBRANGE => b"DISubrange",
        code::ENUMERATOR => b"DIEnumerator",
        code::BASIC_TYPE => b"DIBasicType",
        code::FILE => b"DIFile",
        code::DERIVED_TYPE => b"DIDerivedType",
        code::COMPOSITE_TYPE => b"DICompositeType",
        code::SUBROUTINE_TYPE => b"DISubroutineType",
        code::COMPILE_UNIT => b"DICompileUnit",
        code::SUBPROGRAM => b"DISubprogram",
        code::LEXICAL_BLOCK => b"DILexicalBlock",
        code::LEXICAL_BLOCK_FILE => b"DILexicalBlockFile",
        code::NAMESPACE => b"DINamespace",
        code::TEMPLATE_TYPE => b"DITemplateTypeParameter",
        code::TEMPLATE_VALUE => b"DITemplateValueParameter",
        code::GLOBAL_VAR => b"DIGlobalVariable",
        code::LOCAL_VAR => b"DILocalVariable",
        code::EXPRESSION => b"DIExpression",
        code::OBJC_PROPERTY => b"DIObjCProperty",
        code::IMPORTED_ENTITY => b"DIImportedEntity",
        code::MODULE => b"DIModule",
        code::GLOBAL_VAR_EXPR => b"DIGlobalVariableExpression",
        code::LABEL => b"DILabel",
        code::STRING_TYPE => b"DIStringType",
        code::COMMON_BLOCK => b"DICommonBlock",
        code::GENERIC_SUBRANGE => b"DIGenericSubrange",
        code::VALUE => return None,
        code::MACRO => b"DIMacro",
        code::MACRO_FILE => b"DIMacroFile",
        code::ASSIGN_ID => b"DIAssignID",
        code::GENERIC_DEBUG => b"GenericDINode",
        code::ARG_LIST => b"DIArgList",
        _ if node.code != crate::metadata::STRING => b"other",
        _ => return None,
    })
}

/// For translation: LLVM's name of a node's kind, empty for a tuple, and its fields. Values are nodes here.
///
/// # Errors
/// The record is not known.
pub(crate) fn written_fields<'t>(
    t: &'t Tables<'t>,
    number: u32,
) -> Result<(&'static [u8], Vec<DebugField<'t>>), String> {
    let (all, node, first) = t.debug_node(number).ok_or_else(|| format!("the metadata `!{number}` is not defined"))?;
    let kind = kind_of(node).ok_or("the metadata is no node")?;
    let mut fields = Vec::new();
    let place = number as usize;
    let mut out =
        Out { t, words: all.fields(node), first, fields: &mut fields, place, raw: true, of: node.code.into() };
    out.node(node.code.into())?;
    Ok((kind, fields))
}

/// Whether a field of LLVM's text is a string, not metadata that may be one.
pub(crate) fn has_string(of: u64, name: &str) -> bool {
    let metadata =
        ["scope", "type", "baseType", "extraData", "vtableHolder", "containingType", "entity", "declaration"];
    !metadata.contains(&name) && (name != "value" || of == code::MACRO)
}

/// A number whose sign is its lowest bit, as metadata have it: the bits of negative numbers are complements.
fn unrotated(word: u64) -> i64 {
    (if word & 1 == 1 { !(word >> 1) } else { word >> 1 }) as i64
}

/// Whether a node is distinct.
pub(crate) fn is_distinct(all: &Metadata, node: Node) -> bool {
    let words = all.fields(node);
    let flag = words.first().is_some_and(|flags| flags & 1 == 1);
    match u64::from(node.code) {
        code::NODE | code::NODE_OLD => false,
        code::DISTINCT_NODE | code::COMPILE_UNIT => true,
        // Definitions are, even where older files do not say it.
        code::SUBPROGRAM => {
            let word = |index: usize| words.get(index).copied().unwrap_or(0);
            let definition = if word(0) & 4 != 0 { word(9) >> 3 & 1 } else { word(8) };
            flag || definition != 0
        }
        _ => flag,
    }
}

/// Appends the fields of a record, in the order in which LLVM's text has them.
struct Out<'t, 'f> {
    t: &'t Tables<'t>,
    words: &'t [u64],
    first: Option<u32>,
    fields: &'f mut Vec<DebugField<'t>>,
    place: usize,
    /// Metadata that stand for values stay nodes.
    raw: bool,
    /// The code of the record.
    of: u64,
}

impl<'t> Out<'t, '_> {
    fn word(&self, index: usize) -> u64 {
        self.words.get(index).copied().unwrap_or(0)
    }

    fn push(&mut self, name: &'static str, value: FieldValue<'t>) {
        self.fields.push(DebugField { name: name.as_bytes(), value, place: self.place });
    }

    fn numbers(&mut self, all: &[(&'static str, usize)]) {
        for &(name, index) in all {
            let magnitude = self.word(index).into();
            self.push(name, FieldValue::Integer { magnitude, negative: false });
        }
    }

    /// Sizes, which are metadata in records whose first field has a bit of `mask` (LLVM 21 and later).
    fn sizes(&mut self, all: &[(&'static str, usize)], mask: u64) {
        if self.word(0) & mask != 0 { self.metadata(all) } else { self.numbers(all) }
    }

    fn flags(&mut self, all: &[(&'static str, usize)]) {
        for &(name, index) in all {
            let value = if self.word(index) != 0 { b"true" as &[u8] } else { b"false" };
            self.push(name, FieldValue::Words(value));
        }
    }

    fn signed(&mut self, name: &'static str, number: i64) {
        let magnitude = u128::from(number.unsigned_abs());
        self.push(name, FieldValue::Integer { magnitude, negative: number < 0 });
    }

    /// Metadata by a number plus one; 0 is none, which is left out.
    fn metadata(&mut self, all: &[(&'static str, usize)]) {
        for &(name, index) in all {
            if let Some(number) = self.word(index).checked_sub(1) {
                let value = self.value_of(name, number);
                self.push(name, value);
            }
        }
    }

    /// What the metadata in a field are: a type, if they are the identifier of one where a type is to be.
    fn value_of(&self, name: &str, number: u64) -> FieldValue<'t> {
        let value = self.value(number);
        let known = match &value {
            FieldValue::Text(text) if !has_string(self.of, name) => self.t.debug.identifiers.get(&**text),
            _ => None,
        };
        known.map_or(value, |&ty| FieldValue::Node(ty))
    }

    /// The same of metadata that must be there.
    fn needed(&mut self, all: &[(&'static str, usize)]) {
        for &(name, index) in all {
            let value = self.word(index).checked_sub(1).map_or(FieldValue::Null, |number| self.value_of(name, number));
            self.push(name, value);
        }
    }

    /// Strings; one that is needed is empty if it is not there.
    fn needed_text(&mut self, name: &'static str, index: usize) {
        match self.word(index) {
            0 => self.push(name, FieldValue::Text(Cow::Borrowed(b""))),
            _ => self.metadata(&[(name, index)]),
        }
    }

    /// What metadata with a number are.
    fn value(&self, number: u64) -> FieldValue<'t> {
        let number = self.t.node_number(number, self.first);
        let Some((all, node, _)) = self.t.debug_node(number) else { return FieldValue::Node(number) };
        if let Some(text) = all.string(node) {
            return FieldValue::Text(Cow::Borrowed(text));
        }
        match (u64::from(node.code), all.fields(node)) {
            (code::VALUE, &[ty, value]) if !self.raw => {
                self.constant(ty, value).map_or(FieldValue::Value, FieldValue::Constant)
            }
            _ => FieldValue::Node(number),
        }
    }

    /// A number that is a constant of the module.
    fn constant(&self, ty: u64, value: u64) -> Option<DiConstant> {
        let ty = self.t.table.get(ty).ok()?;
        let index = usize::try_from(value).ok()?.checked_sub(self.t.globals.len())?;
        let constants = &self.t.constants;
        let constant = *constants.list.get(index)?;
        let (kind, ir) = (self.t.types.get(ty).kind, self.t.types.ir(ty));
        let bits = match (kind, constant.form) {
            (Kind::Int | Kind::Float, Form::Null) => 0,
            (Kind::Int, Form::Integer) => i128::from(constant.word as i64) as u128,
            (Kind::Int, Form::Wide) => {
                let word = |at: usize| u128::from(constants.words(constant).get(at).copied().unwrap_or(0));
                word(1) << 64 | word(0)
            }
            (Kind::Float, Form::Float) => float_bits(constants.words(constant), ir),
            _ => return None,
        };
        let width = u16::try_from(ir.bits()).ok().filter(|width| (1..=128).contains(width))?;
        Some(DiConstant { bits: bits & u128::MAX >> (128 - width), width, float: kind == Kind::Float })
    }

    /// The fields of a node whose record has a code.
    fn node(&mut self, of: u64) -> Result<(), String> {
        match of {
            code::NODE | code::DISTINCT_NODE => {
                for &word in self.words {
                    let value = word.checked_sub(1).map_or(FieldValue::Null, |number| self.value(number));
                    self.push("", value);
                }
            }
            code::EXPRESSION => {
                for &word in upgraded(self.words).unwrap_or_default().iter() {
                    self.push("", FieldValue::Integer { magnitude: word.into(), negative: false });
                }
            }
            code::FILE => self.file(),
            code::COMPILE_UNIT => return self.compile_unit(),
            code::SUBPROGRAM => return self.subprogram(),
            code::LEXICAL_BLOCK => {
                self.needed(&[("scope", 1)]);
                self.metadata(&[("file", 2)]);
                self.numbers(&[("line", 3), ("column", 4)]);
            }
            code::LEXICAL_BLOCK_FILE => {
                self.needed(&[("scope", 1)]);
                self.metadata(&[("file", 2)]);
                self.numbers(&[("discriminator", 3)]);
            }
            code::NAMESPACE => {
                let exports = self.word(0) >> 1 & 1;
                // Before LLVM 5 there was a file, and a line.
                self.metadata(&[("name", if self.words.len() == 3 { 2 } else { 3 })]);
                self.needed(&[("scope", 1)]);
                self.push("exportSymbols", FieldValue::Words(if exports == 1 { b"true" } else { b"false" }));
            }
            code::MODULE => {
                // Before LLVM 11 there was no file.
                let at = if self.words.len() >= 8 { 2 } else { 1 };
                self.needed(&[("scope", at)]);
                self.needed_text("name", at + 1);
                self.metadata(&[("configMacros", at + 2), ("includePath", at + 3), ("apinotes", at + 4)]);
                if at == 2 {
                    self.metadata(&[("file", 1)]);
                    self.numbers(&[("line", 7)]);
                    self.flags(&[("isDecl", 8)]);
                }
            }
            code::COMMON_BLOCK => {
                self.needed(&[("scope", 1)]);
                self.metadata(&[("declaration", 2), ("name", 3), ("file", 4)]);
                self.numbers(&[("line", 5)]);
            }
            code::TEMPLATE_TYPE => {
                self.metadata(&[("name", 1)]);
                self.needed(&[("type", 2)]);
                self.flags(&[("defaulted", 3)]);
            }
            code::TEMPLATE_VALUE => {
                // Before LLVM 11 none was said to be the default.
                let says = usize::from(self.words.len() > 5);
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("name", 2), ("type", 3)]);
                self.push(
                    "defaulted",
                    FieldValue::Words(if says * self.word(4) as usize > 0 { b"true" } else { b"false" }),
                );
                self.needed(&[("value", 4 + says)]);
            }
            code::GLOBAL_VAR => {
                let version = self.word(0) >> 1;
                self.metadata(&[("name", 2), ("linkageName", 3), ("scope", 1), ("file", 4)]);
                self.numbers(&[("line", 5)]);
                self.metadata(&[("type", 6)]);
                self.flags(&[("isLocal", 7), ("isDefinition", 8)]);
                // Before LLVM 7 there was no list of parameters.
                match version {
                    1 => self.metadata(&[("declaration", 10)]),
                    _ => self.metadata(&[("declaration", 9), ("templateParams", 10)]),
                }
                self.numbers(&[("align", 11)]);
                self.metadata(&[("annotations", 12)]);
            }
            code::LOCAL_VAR => {
                // Before LLVM 4 there was no alignment, and the first field could be a tag.
                let aligned = self.word(0) & 2 != 0;
                let tag = usize::from(!aligned && self.words.len() > 8);
                self.metadata(&[("name", 2 + tag)]);
                self.numbers(&[("arg", 6 + tag)]);
                self.needed(&[("scope", 1 + tag)]);
                self.metadata(&[("file", 3 + tag)]);
                self.numbers(&[("line", 4 + tag)]);
                self.metadata(&[("type", 5 + tag)]);
                self.numbers(&[("flags", 7 + tag)]);
                if aligned {
                    self.numbers(&[("align", 8)]);
                    self.metadata(&[("annotations", 9)]);
                }
            }
            code::LABEL => {
                self.needed(&[("scope", 1)]);
                self.needed_text("name", 2);
                self.needed(&[("file", 3)]);
                self.numbers(&[("line", 4), ("column", 5)]);
                if self.word(0) & 2 != 0 {
                    self.push("isArtificial", FieldValue::Words(b"true"));
                }
                // That of no suspension point is -1.
                if self.words.len() > 6 && self.word(6) <= u32::MAX.into() {
                    self.numbers(&[("coroSuspendIdx", 6)]);
                }
            }
            code::IMPORTED_ENTITY => {
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("name", 5)]);
                self.needed(&[("scope", 2)]);
                self.metadata(&[("entity", 3), ("file", 6)]);
                // Before LLVM 6 there was no file.
                if self.words.len() > 6 {
                    self.numbers(&[("line", 4)]);
                }
                self.metadata(&[("elements", 7)]);
            }
            code::GLOBAL_VAR_EXPR => self.needed(&[("var", 1), ("expr", 2)]),
            code::ENUMERATOR => return self.enumerator(),
            _ => return self.type_node(of),
        }
        Ok(())
    }

    fn file(&mut self) {
        self.needed_text("filename", 1);
        self.needed_text("directory", 2);
        let kind = match self.word(3) {
            1 => Some(b"CSK_MD5" as &[u8]),
            2 => Some(b"CSK_SHA1" as &[u8]),
            3 => Some(b"CSK_SHA256" as &[u8]),
            _ => None,
        };
        if let Some(kind) = kind {
            self.push("checksumkind", FieldValue::Words(kind));
            self.metadata(&[("checksum", 4)]);
        }
        self.metadata(&[("source", 5)]);
    }

    fn compile_unit(&mut self) -> Result<(), String> {
        if self.word(1) >> 63 != 0 {
            return Err("units whose language has a version of its own are not supported in bitcode".into());
        }
        self.numbers(&[("language", 1)]);
        self.needed(&[("file", 2)]);
        self.metadata(&[("producer", 3)]);
        self.flags(&[("isOptimized", 4)]);
        self.metadata(&[("flags", 5)]);
        self.numbers(&[("runtimeVersion", 6)]);
        self.metadata(&[("splitDebugFilename", 7)]);
        self.numbers(&[("emissionKind", 8)]);
        self.metadata(&[("enums", 9), ("retainedTypes", 10), ("globals", 12), ("imports", 13), ("macros", 15)]);
        self.numbers(&[("dwoId", 14)]);
        let inlining = self.words.get(16).is_none_or(|&inlining| inlining != 0);
        self.push("splitDebugInlining", FieldValue::Words(if inlining { b"true" } else { b"false" }));
        self.flags(&[("debugInfoForProfiling", 17)]);
        self.numbers(&[("nameTableKind", 18)]);
        self.flags(&[("rangesBaseAddress", 19)]);
        self.metadata(&[("sysroot", 20), ("sdk", 21)]);
        Ok(())
    }

    /// A subprogram. Before LLVM 8 its flags were fields, of which two came before the line of its scope; the first of all was at field 15
    /// a function, then nothing, then the unit (`BitcodeReader`, `METADATA_SUBPROGRAM`).
    fn subprogram(&mut self) -> Result<(), String> {
        let (length, has_unit, packed) = (self.words.len(), self.word(0) & 2 != 0, self.word(0) & 4 != 0);
        let (a, b) = match (packed, length >= 19) {
            (true, _) => (0, 0),
            (false, false) => (2, 2),
            (false, true) => (2, 3),
        };
        self.metadata(&[("name", 2), ("linkageName", 3), ("scope", 1), ("file", 4)]);
        self.numbers(&[("line", 5)]);
        self.metadata(&[("type", 6)]);
        self.numbers(&[("scopeLine", 7 + a)]);
        self.metadata(&[("containingType", 8 + a)]);
        self.numbers(&[("virtualIndex", 10 + a)]);
        let adjusts = packed || length >= 20;
        self.signed("thisAdjustment", if adjusts { self.word(16 + b) as u32 as i32 as i64 } else { 0 });
        let (flags, of_program) = self.subprogram_flags();
        for (name, flags) in [("flags", flags), ("spFlags", of_program)] {
            self.push(name, FieldValue::Integer { magnitude: flags.into(), negative: false });
        }
        match self.t.debug.units.get(&(self.place as u32)) {
            _ if has_unit => self.metadata(&[("unit", 12 + b)]),
            Some(&unit) => self.push("unit", FieldValue::Node(unit)),
            None => {}
        }
        self.metadata(&[("templateParams", 13 + b), ("declaration", 14 + b), ("retainedNodes", 15 + b)]);
        if packed || length >= 21 {
            self.metadata(&[("thrownTypes", 17 + b)]);
        }
        if packed {
            self.metadata(&[("annotations", 18), ("targetFuncName", 19)]);
        }
        Ok(())
    }

    /// The flags of a subprogram: those of all nodes, and its own.
    fn subprogram_flags(&self) -> (u64, u64) {
        const MAIN: u64 = 1 << 21;
        const IS_MAIN: u64 = 1 << 8;
        let packed = self.word(0) & 4 != 0;
        let flags = self.word(if packed { 11 } else { 13 });
        let main = if flags & MAIN != 0 { IS_MAIN } else { 0 };
        let own = match packed {
            true => self.word(9),
            false => {
                let flag = |index: usize, bit: u32| u64::from(self.word(index) != 0) << bit;
                self.word(11) & 3 | flag(7, 2) | flag(8, 3) | flag(14, 4)
            }
        };
        (flags & !MAIN, own | main)
    }

    fn enumerator(&mut self) -> Result<(), String> {
        const WIDE: u64 = 4;
        let unsigned = self.word(0) & 2 != 0;
        // Of older files, the number is one field without a width.
        let (name, value) = match self.word(0) & WIDE {
            0 => (2, i128::from(unrotated(self.word(1)))),
            _ => {
                let word = |at: usize| self.words.get(at).map_or(0, |&word| signed(word) as u64);
                if self.raw && self.word(1) > 128 {
                    return Err("enumerators of more than 128 bits are not translated".into());
                }
                let width = self.word(1).clamp(1, 128) as u32;
                let bits = (u128::from(word(4)) << 64 | u128::from(word(3))) << (128 - width);
                (2, if unsigned { (bits >> (128 - width)) as i128 } else { bits as i128 >> (128 - width) })
            }
        };
        self.needed_text("name", name);
        let negative = value < 0 && !unsigned;
        let magnitude = if negative { value.unsigned_abs() } else { value as u128 };
        self.push("value", FieldValue::Integer { magnitude, negative });
        self.push("isUnsigned", FieldValue::Words(if unsigned { b"true" } else { b"false" }));
        Ok(())
    }

    /// The fields of a type, or of a range in one.
    fn type_node(&mut self, of: u64) -> Result<(), String> {
        match of {
            code::BASIC_TYPE => {
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("name", 2)]);
                self.sizes(&[("size", 3)], 2);
                self.numbers(&[("align", 4), ("encoding", 5), ("flags", 6)]);
            }
            code::STRING_TYPE => {
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("name", 2), ("stringLength", 3)]);
                self.metadata(&[("stringLengthExpression", 4), ("stringLocationExpression", 5)]);
                self.sizes(&[("size", 6)], 2);
                self.numbers(&[("align", 7), ("encoding", 8)]);
            }
            code::DERIVED_TYPE => {
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("name", 2), ("scope", 5), ("file", 3)]);
                self.numbers(&[("line", 4)]);
                self.needed(&[("baseType", 6)]);
                self.sizes(&[("size", 7), ("offset", 9)], 2);
                self.numbers(&[("align", 8), ("flags", 10)]);
                self.metadata(&[("extraData", 11)]);
                if let Some(space) = self.word(12).checked_sub(1) {
                    self.push("dwarfAddressSpace", FieldValue::Integer { magnitude: space.into(), negative: false });
                }
                self.metadata(&[("annotations", 13)]);
                self.signed_pointer(self.word(14));
            }
            code::COMPOSITE_TYPE => {
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("name", 2), ("scope", 5), ("file", 3)]);
                self.numbers(&[("line", 4)]);
                self.metadata(&[("baseType", 6)]);
                self.sizes(&[("size", 7), ("offset", 9)], 4);
                self.numbers(&[("align", 8), ("flags", 10)]);
                self.metadata(&[("elements", 11)]);
                self.numbers(&[("runtimeLang", 12)]);
                self.metadata(&[("vtableHolder", 13), ("templateParams", 14), ("identifier", 15)]);
                self.metadata(&[("discriminator", 16), ("dataLocation", 17), ("associated", 18), ("allocated", 19)]);
                self.metadata(&[("rank", 20), ("annotations", 21), ("specification", 22), ("bitStride", 25)]);
            }
            code::SUBROUTINE_TYPE => {
                self.numbers(&[("flags", 1), ("cc", 3)]);
                self.needed(&[("types", 2)]);
            }
            code::SUBRANGE => {
                // Before LLVM 11 the lower bound was a number, and before LLVM 7 the count, too.
                match self.word(0) >> 1 {
                    0 => self.signed("count", self.word(1) as i64),
                    1 => self.metadata(&[("count", 1)]),
                    _ => self.metadata(&[("count", 1), ("lowerBound", 2), ("upperBound", 3), ("stride", 4)]),
                }
                if self.word(0) >> 1 < 2 {
                    self.signed("lowerBound", unrotated(self.word(2)));
                }
            }
            code::GENERIC_SUBRANGE => {
                for (name, index) in [("count", 1), ("lowerBound", 2), ("upperBound", 3), ("stride", 4)] {
                    match self.constant_bound(index) {
                        Some(number) => self.signed(name, number),
                        None => self.metadata(&[(name, index)]),
                    }
                }
            }
            _ => return self.rare(of),
        }
        Ok(())
    }

    /// The fields of nodes about which code says nothing.
    fn rare(&mut self, of: u64) -> Result<(), String> {
        match of {
            code::MACRO => {
                self.numbers(&[("type", 1), ("line", 2)]);
                self.needed_text("name", 3);
                self.metadata(&[("value", 4)]);
            }
            code::MACRO_FILE => {
                self.numbers(&[("type", 1), ("line", 2)]);
                self.metadata(&[("file", 3), ("nodes", 4)]);
            }
            code::OBJC_PROPERTY => {
                self.metadata(&[("name", 1), ("file", 2)]);
                self.numbers(&[("line", 3)]);
                self.metadata(&[("setter", 4), ("getter", 5)]);
                self.numbers(&[("attributes", 6)]);
                self.metadata(&[("type", 7)]);
            }
            code::LOCATION => {
                self.numbers(&[("line", 1), ("column", 2)]);
                let scope = self.value(self.word(3));
                self.push("scope", scope);
                self.metadata(&[("inlinedAt", 4)]);
                self.flags(&[("isImplicitCode", 5)]);
            }
            code::GENERIC_DEBUG => {
                self.numbers(&[("tag", 1)]);
                self.metadata(&[("header", 3)]);
                for index in 4..self.words.len() {
                    self.needed(&[("operands", index)]);
                }
            }
            code::ASSIGN_ID => {}
            _ => return Err("this kind of metadata is not known".into()),
        }
        Ok(())
    }

    /// What a signed pointer is signed with.
    fn signed_pointer(&mut self, bits: u64) {
        if bits == 0 {
            return;
        }
        for (name, value) in [("ptrAuthKey", bits & 15), ("ptrAuthExtraDiscriminator", bits >> 5 & 0xffff)] {
            self.push(name, FieldValue::Integer { magnitude: value.into(), negative: false });
        }
        let flags =
            [("ptrAuthIsAddressDiscriminated", 4), ("ptrAuthIsaPointer", 21), ("ptrAuthAuthenticatesNullValues", 22)];
        for (name, bit) in flags {
            self.push(name, FieldValue::Words(if bits >> bit & 1 == 1 { b"true" } else { b"false" }));
        }
    }

    /// The number that a bound is, which LLVM's text shows instead of its expression.
    fn constant_bound(&self, index: usize) -> Option<i64> {
        const SIGNED: u64 = 0x11;
        const STACK_VALUE: u64 = 0x9f;
        let number = self.word(index).checked_sub(1)?;
        match self.t.expression(self.t.node_number(number, self.first))?[..] {
            [SIGNED, number] | [SIGNED, number, STACK_VALUE] => Some(number as i64),
            _ => None,
        }
    }
}

impl ParsedModule<'_> {
    /// Where it refers to its debug information.
    pub fn debug_info_uses(&self) -> &DebugInfoUses {
        &self.tables.debug.uses
    }

    /// Functions keep their debug information, and it is to be written.
    pub fn keeps_debug_info(&self) -> bool {
        self.tables.debug.keeps
    }

    /// A reader of the module's debug information that has read the units with all that they list.
    ///
    /// # Errors
    /// The metadata is not LLVM's.
    pub fn debug_info_reader(&self) -> Result<DebugInfoReader<'_>, ReadError> {
        let reader = self.tables.debug.uses.reader(BitcodeNodes(&self.tables), self.tables.debug.count);
        reader.map_err(|error| self.debug_info_error(&error))
    }

    /// The error of a reader of debug information, with the number of its node.
    pub fn debug_info_error(&self, error: &DebugInfoError) -> ReadError {
        let message = format!("{} (metadata {})", error.reason(), error.place());
        ReadError::of_file(&message).in_file(&self.tables.file)
    }
}
