//! The values of fields: from what a front end gives to numbers, strings and references.

use gusset_codegen::debug::{
    ChecksumKind, DiConstant, DiString, EmissionKind, NameTableKind, StringTable, di_flags, di_subprogram_flags,
};

use super::names::{KnownNames, Names};
use super::nodes::{DebugField, DebugInfoError, FieldValue};

/// What is said if a field is not what LLVM's parser takes.
pub(super) type Expected<T> = Result<T, &'static str>;

/// What reading a field needs.
pub(super) struct Context<'r, 'a> {
    pub strings: &'r mut StringTable,
    pub names: &'r mut KnownNames<'a>,
}

/// The type of a field.
pub(super) trait FromField: Sized {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<Self>;
}

/// A kind of node, as the list of its fields.
pub(super) trait Form: Default {
    /// Its name, for messages.
    const KIND: &'static str;
    /// The names of all fields, and the bits of those that must be there.
    const FIELDS: &'static [&'static str];
    const NEEDED: u64;

    /// Sets a field, and returns its number; `None` if there is no such field.
    fn set<'a>(&mut self, name: &[u8], value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<Option<u32>>;

    /// Reads a node whose fields are given. `place` gives that of the node.
    fn read<'a>(
        fields: &[DebugField<'a>],
        place: impl FnOnce() -> usize,
        context: &mut Context<'_, 'a>,
    ) -> Result<Self, DebugInfoError> {
        let (mut form, mut seen) = (Self::default(), 0u64);
        for field in fields {
            match form.set(field.name, &field.value, context) {
                Ok(Some(number)) if seen & 1 << number == 0 => seen |= 1 << number,
                wrong => return Err(wrong_field(Self::KIND, field, wrong)),
            }
        }
        match Self::NEEDED & !seen {
            0 => Ok(form),
            missing => Err(missing_field(Self::KIND, Self::FIELDS[missing.trailing_zeros() as usize], place())),
        }
    }
}

/// The error that a field cannot be set: `set` is its number if it has been set before.
#[cold]
#[inline(never)]
fn wrong_field(kind: &str, field: &DebugField<'_>, set: Expected<Option<u32>>) -> DebugInfoError {
    let name = String::from_utf8_lossy(field.name);
    let reason = match set {
        Ok(Some(_)) => format!("the field `{name}` is given twice"),
        Ok(None) if name.is_empty() => "a field has no name".into(),
        Ok(None) => format!("`{kind}` has no field `{name}`"),
        Err(expected) => format!("the field `{name}` must be {expected}"),
    };
    DebugInfoError::new(field.place, reason)
}

#[cold]
#[inline(never)]
fn missing_field(kind: &str, name: &str, place: usize) -> DebugInfoError {
    DebugInfoError::new(place, format!("`{kind}` lacks the field `{name}`"))
}

/// Declares kinds of nodes: `Name "DIName" { field "name": Type, … } needs […]`.
macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident $kind:literal {
        $($field:ident $name:literal: $ty:ty),* $(,)?
    } needs [$($needed:ident),*])*) => {$(
        $(#[$doc])*
        #[derive(Default)]
        pub(in crate::debug_info) struct $form { $(pub $field: $ty,)* }

        impl $crate::debug_info::fields::Form for $form {
            const KIND: &'static str = $kind;
            const FIELDS: &'static [&'static str] = &[$($name),*];
            const NEEDED: u64 = {
                #[allow(dead_code, non_camel_case_types)]
                enum Number { $($field),* }
                0 $(| 1 << Number::$needed as u32)*
            };

            fn set<'a>(
                &mut self,
                name: &[u8],
                value: &$crate::debug_info::nodes::FieldValue<'a>,
                context: &mut $crate::debug_info::fields::Context<'_, 'a>,
            ) -> $crate::debug_info::fields::Expected<Option<u32>> {
                #[allow(non_camel_case_types)]
                enum Number { $($field),* }
                $(if name == $name.as_bytes() {
                    self.$field = $crate::debug_info::fields::FromField::from_field(value, context)?;
                    return Ok(Some(Number::$field as u32));
                })*
                Ok(None)
            }
        }
    )*};
}
pub(super) use forms;

/// A node, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Node {
    /// The field is not there, or `null`.
    #[default]
    None,
    Number(u32),
    /// Metadata that is no node.
    Other,
}

impl FromField for Node {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<Node> {
        match value {
            FieldValue::Null => Ok(Node::None),
            FieldValue::Node(number) => Ok(Node::Number(*number)),
            FieldValue::Text(_) | FieldValue::Constant(_) | FieldValue::Value => Ok(Node::Other),
            FieldValue::Integer { .. } | FieldValue::Words(_) => Err("metadata"),
        }
    }
}

/// A number, or a node that tells it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum NumberOrNode {
    #[default]
    None,
    Number(i64),
    Node(u32),
    /// Metadata that is neither.
    Other,
}

impl FromField for NumberOrNode {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<NumberOrNode> {
        match value {
            FieldValue::Integer { .. } => Ok(NumberOrNode::Number(i64::from_field(value, context)?)),
            // As LLVM has it in memory.
            FieldValue::Constant(DiConstant { bits, width: width @ 1..=64, float: false }) => {
                let unused = 64 - u32::from(*width);
                Ok(NumberOrNode::Number((*bits as u64 as i64) << unused >> unused))
            }
            _ => Ok(match Node::from_field(value, context)? {
                Node::None => NumberOrNode::None,
                Node::Number(node) => NumberOrNode::Node(node),
                Node::Other => NumberOrNode::Other,
            }),
        }
    }
}

/// An unsigned number that a node may tell instead.
#[derive(Clone, Copy, Debug)]
pub(super) enum SizeOrNode {
    Size(u64),
    Node,
}

impl Default for SizeOrNode {
    fn default() -> SizeOrNode {
        SizeOrNode::Size(0)
    }
}

impl FromField for SizeOrNode {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<SizeOrNode> {
        match value {
            FieldValue::Null => Ok(SizeOrNode::default()),
            FieldValue::Node(_) => Ok(SizeOrNode::Node),
            FieldValue::Constant(constant) => Ok(SizeOrNode::Size(constant.bits as u64)),
            _ => Ok(SizeOrNode::Size(u64::from_field(value, context)?)),
        }
    }
}

/// Metadata of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum AnyValue {
    #[default]
    None,
    Node(u32),
    Text(DiString),
    Constant(DiConstant),
    Value,
}

impl FromField for AnyValue {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<AnyValue> {
        Ok(match value {
            FieldValue::Null => AnyValue::None,
            FieldValue::Node(number) => AnyValue::Node(*number),
            FieldValue::Text(text) => AnyValue::Text(context.strings.intern(text)),
            FieldValue::Constant(constant) => AnyValue::Constant(*constant),
            FieldValue::Value => AnyValue::Value,
            FieldValue::Integer { .. } | FieldValue::Words(_) => return Err("metadata"),
        })
    }
}

/// A field that is not used.
#[derive(Default)]
pub(super) struct Unused;

impl FromField for Unused {
    fn from_field(_: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<Unused> {
        Ok(Unused)
    }
}

impl<T: FromField> FromField for Option<T> {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<Option<T>> {
        T::from_field(value, context).map(Some)
    }
}

impl FromField for DiString {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<DiString> {
        match value {
            FieldValue::Text(text) => Ok(context.strings.intern(text)),
            _ => Err("a string"),
        }
    }
}

/// A string that is read where it is.
#[derive(Default)]
pub(super) struct Bytes(pub Box<[u8]>);

impl FromField for Bytes {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<Bytes> {
        match value {
            FieldValue::Text(text) => Ok(Bytes(text[..].into())),
            _ => Err("a string"),
        }
    }
}

impl FromField for bool {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<bool> {
        match value {
            FieldValue::Words(b"true") => Ok(true),
            FieldValue::Words(b"false") => Ok(false),
            _ => Err("`true` or `false`"),
        }
    }
}

/// An unsigned number up to a limit.
fn unsigned(value: &FieldValue<'_>, most: u64) -> Option<u64> {
    match *value {
        FieldValue::Integer { magnitude, negative: false } if magnitude <= most.into() => Some(magnitude as u64),
        _ => None,
    }
}

macro_rules! unsigned_fields {
    ($($ty:ty: $expected:literal),*) => {$(
        impl FromField for $ty {
            #[inline]
            fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<$ty> {
                unsigned(value, <$ty>::MAX.into()).map(|n| n as $ty).ok_or($expected)
            }
        }
    )*};
}
unsigned_fields!(u16: "a number of 16 bits", u32: "a number of 32 bits", u64: "a number of 64 bits");

impl FromField for i64 {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<i64> {
        let number = match *value {
            FieldValue::Integer { magnitude, negative } => {
                i128::try_from(magnitude).ok().map(|n| if negative { -n } else { n })
            }
            _ => None,
        };
        number.and_then(|n| n.try_into().ok()).ok_or("a signed number of 64 bits")
    }
}

impl FromField for i32 {
    fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<i32> {
        let expected = "a signed number of 32 bits";
        i64::from_field(value, context).ok().and_then(|n| n.try_into().ok()).ok_or(expected)
    }
}

/// A number of up to 128 bits, in two's complement.
#[derive(Clone, Copy, Default)]
pub(super) struct WideNumber(pub i128);

impl FromField for WideNumber {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<WideNumber> {
        match *value {
            FieldValue::Integer { magnitude, negative: false } => Ok(WideNumber(magnitude as i128)),
            FieldValue::Integer { magnitude, .. } => Ok(WideNumber((magnitude as i128).wrapping_neg())),
            _ => Err("a number"),
        }
    }
}

/// A name of DWARF's, or its number.
fn named<'a>(
    value: &FieldValue<'a>,
    context: &mut Context<'_, 'a>,
    names: Names,
    expected: &'static str,
) -> Expected<u16> {
    match *value {
        FieldValue::Words(words) => context.names.number(names, words).ok_or(expected),
        _ => unsigned(value, u16::MAX.into()).map(|n| n as u16).ok_or(expected),
    }
}

macro_rules! named_fields {
    ($($(#[$doc:meta])* $name:ident($ty:ty): $names:expr, $expected:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        pub(super) struct $name(pub $ty);

        impl FromField for $name {
            fn from_field<'a>(value: &FieldValue<'a>, context: &mut Context<'_, 'a>) -> Expected<$name> {
                let number = named(value, context, $names, $expected)?;
                number.try_into().map($name).map_err(|_| $expected)
            }
        }
    )*};
}
named_fields! {
    /// `DW_TAG_…`.
    Tag(u16): Names::Tag, "a tag of DWARF"
    /// `DW_ATE_…`.
    Encoding(u8): Names::Encoding, "an encoding of DWARF"
    /// `DW_LANG_…`.
    Language(u16): Names::Language, "a language of DWARF"
    /// `DW_CC_…`.
    CallingConvention(u8): Names::Convention, "a calling convention of DWARF"
    /// `DW_VIRTUALITY_…`.
    Virtuality(u8): Names::Virtuality, "a virtuality of DWARF"
}

/// The name of a language in DWARF 6 (`DW_LNAME_…`), for any version of it.
#[derive(Clone, Debug, Default)]
pub(super) struct LanguageName(pub Box<[u8]>);

impl FromField for LanguageName {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<LanguageName> {
        match *value {
            FieldValue::Words(words) => Ok(LanguageName(words.into())),
            FieldValue::Integer { .. } => Ok(LanguageName::default()),
            _ => Err("the name of a language of DWARF"),
        }
    }
}

/// Flags by names and numbers with bars between them.
fn flags(value: &FieldValue<'_>, prefix: &[u8], names: &[(&str, u32)]) -> Option<u32> {
    let FieldValue::Words(words) = value else { return unsigned(value, u32::MAX.into()).map(|n| n as u32) };
    let mut flags = 0;
    for word in words.split(|&b| b == b'|').map(<[u8]>::trim_ascii) {
        let name = word.strip_prefix(prefix);
        flags |= match (name, names.iter().find(|row| Some(row.0.as_bytes()) == name)) {
            (_, Some(row)) => row.1,
            (Some(b"Zero"), None) => 0,
            (Some(b"IndirectVirtualBase"), None) => di_flags::FORWARD_DECLARATION | di_flags::VIRTUAL,
            _ => std::str::from_utf8(word).ok()?.parse().ok()?,
        };
    }
    Some(flags)
}

/// `DIFlag…`.
#[derive(Clone, Copy, Default)]
pub(super) struct Flags(pub u32);

impl FromField for Flags {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<Flags> {
        flags(value, b"DIFlag", di_flags::NAMES).map(Flags).ok_or("flags of debug information")
    }
}

/// `DISPFlag…`.
#[derive(Clone, Copy, Default)]
pub(super) struct SubprogramFlags(pub u32);

impl FromField for SubprogramFlags {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<SubprogramFlags> {
        let flags = flags(value, b"DISPFlag", di_subprogram_flags::NAMES);
        flags.map(SubprogramFlags).ok_or("flags of a subprogram")
    }
}

/// One of several values, by its name or by its number among them.
fn choice<T: Copy>(value: &FieldValue<'_>, choices: &[(&[u8], T)]) -> Option<T> {
    match *value {
        FieldValue::Words(words) => choices.iter().find(|choice| choice.0 == words).map(|choice| choice.1),
        _ => choices.get(unsigned(value, u32::MAX.into())? as usize).map(|choice| choice.1),
    }
}

impl FromField for EmissionKind {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<EmissionKind> {
        let choices: [(&[u8], EmissionKind); 4] = [
            (b"NoDebug", EmissionKind::None),
            (b"FullDebug", EmissionKind::Full),
            (b"LineTablesOnly", EmissionKind::LineTablesOnly),
            (b"DebugDirectivesOnly", EmissionKind::DirectivesOnly),
        ];
        choice(value, &choices).ok_or("a kind of emission")
    }
}

impl FromField for NameTableKind {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<NameTableKind> {
        let choices: [(&[u8], NameTableKind); 4] = [
            (b"Default", NameTableKind::Default),
            (b"GNU", NameTableKind::Gnu),
            (b"None", NameTableKind::None),
            (b"Apple", NameTableKind::Apple),
        ];
        choice(value, &choices).ok_or("a kind of table of names")
    }
}

impl FromField for ChecksumKind {
    fn from_field(value: &FieldValue<'_>, _: &mut Context<'_, '_>) -> Expected<ChecksumKind> {
        match value {
            FieldValue::Words(b"CSK_MD5") => Ok(ChecksumKind::Md5),
            FieldValue::Words(b"CSK_SHA1") => Ok(ChecksumKind::Sha1),
            FieldValue::Words(b"CSK_SHA256") => Ok(ChecksumKind::Sha256),
            _ => Err("a kind of checksum"),
        }
    }
}
