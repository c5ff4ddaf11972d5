//! Files, compile units, functions and the other scopes.

use gusset_codegen::debug::{
    Checksum, ChecksumKind, DiCompileUnit, DiEntity, DiFile, DiLexicalScope, DiLexicalScopeKind, DiScope, DiString,
    DiSubprogram, EmissionKind, di_subprogram_flags,
};

use super::fields::Node;
use super::forms;
use super::names;
use super::reader::{DebugInfoReader, Kind, Known, Result};

/// The bytes of a checksum, which LLVM has as text.
fn checksum(kind: ChecksumKind, text: &[u8]) -> Option<Checksum> {
    let count = match kind {
        ChecksumKind::Md5 => 16,
        ChecksumKind::Sha1 => 20,
        ChecksumKind::Sha256 => 32,
    };
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    if text.len() != 2 * count {
        return None;
    }
    let bytes: Option<Box<[u8]>> = text.chunks_exact(2).map(byte).collect();
    Some(Checksum { kind, bytes: bytes? })
}

impl DebugInfoReader<'_> {
    pub(super) fn file_of(&mut self, node: u32) -> Result<DiFile> {
        let form: forms::File = self.form(node)?;
        let checksum = match (form.checksum_kind, form.checksum) {
            (Some(kind), Some(text)) => {
                checksum(kind, &text.0).or_else(|| self.wrong("the checksum does not have the form of its kind"))
            }
            (None, None) => None,
            _ => return Err(self.error(node, "`checksumkind` and `checksum` must be given together")),
        };
        Ok(DiFile { name: form.name, directory: form.directory, checksum, source: form.source })
    }

    pub(super) fn compile_unit_of(&mut self, node: u32) -> Result<DiCompileUnit> {
        let form: forms::CompileUnit = self.form(node)?;
        let language = match (form.language, form.language_name) {
            (Some(language), None) => language.0,
            (None, Some(name)) => {
                let language = names::language(&name.0, form.language_version);
                language.or_else(|| self.wrong("the unit's language is not known")).unwrap_or(0)
            }
            _ => return Err(self.error(node, "a unit must have one of `language` and `sourceLanguageName`")),
        };
        if form.file == Node::None {
            return Err(self.error(node, "the field `file` of `DICompileUnit` cannot be `null`"));
        }
        let retains = |known: Known| {
            let retained =
                |entity: &DiEntity| matches!(entity, DiEntity::Scope(DiScope::Type(_) | DiScope::Subprogram(_)));
            known.entity().filter(retained)
        };
        if form.split_name != DiString::default() {
            self.note("units are not split: all debug information is in the object, none in the file that `splitDebugFilename` names");
        }
        if form.macros != Node::None {
            self.note("macros are not described");
        }
        Ok(DiCompileUnit {
            language,
            file: self.file(form.file),
            producer: form.producer,
            optimized: form.optimized,
            flags: form.flags,
            runtime_version: form.runtime_version,
            split_name: form.split_name,
            dwo_id: form.dwo_id,
            // LLVM's default is none.
            emission: form.emission.unwrap_or(EmissionKind::None),
            split_debug_inlining: form.split_inlining.unwrap_or(true),
            profiling: form.profiling,
            name_table: form.name_table,
            ranges_base_address: form.ranges_base_address,
            sysroot: form.sysroot,
            sdk: form.sdk,
            enums: self.list_of(form.enums, "an enumeration of a unit must be a type", Known::ty)?,
            retained: self.list_of(form.retained, "what a unit retains must be a type or a function", retains)?,
            globals: self.globals_of_unit(form.globals)?,
            imported: self.list_of(
                form.imports,
                "what a unit imports must be an imported entity",
                Known::imported_entity,
            )?,
            has_macros: form.macros != Node::None,
        })
    }

    pub(super) fn subprogram_of(&mut self, node: u32) -> Result<DiSubprogram> {
        let form: forms::Subprogram = self.form(node)?;
        let flags = match form.subprogram_flags {
            Some(flags) => flags.0,
            // As before LLVM 8.
            None => {
                let flag = |is: bool, flag: u32| if is { flag } else { 0 };
                u32::from(form.virtuality.0) & di_subprogram_flags::VIRTUALITY
                    | flag(form.local, di_subprogram_flags::LOCAL_TO_UNIT)
                    | flag(form.definition.unwrap_or(true), di_subprogram_flags::DEFINITION)
                    | flag(form.optimized, di_subprogram_flags::OPTIMIZED)
            }
        };
        Ok(DiSubprogram {
            scope: self.scope(form.scope),
            name: form.name,
            linkage_name: form.linkage_name,
            file: self.file(form.file),
            line: form.line,
            scope_line: form.scope_line,
            ty: self.ty(form.ty),
            containing_type: self.ty(form.containing_type),
            virtual_index: form.virtual_index,
            this_adjustment: form.this_adjustment,
            flags: form.flags.0,
            subprogram_flags: flags,
            unit: self.reference(form.unit, "`unit` must refer to a compile unit", Known::compile_unit),
            template_parameters: self.template_parameters(form.template_parameters, 0)?,
            declaration: self.reference(
                form.declaration,
                "`declaration` must refer to a subprogram",
                Known::subprogram,
            ),
            retained: self.list_of(form.retained, "what a function retains must have a name", Known::entity)?,
            thrown_types: self.list_of(form.thrown_types, "what a function throws must be a type", Known::ty)?,
            target_name: form.target_name,
        })
    }

    pub(super) fn lexical_scope_of(&mut self, node: u32, kind: Kind) -> Result<DiLexicalScope> {
        match kind {
            Kind::LexicalBlock => {
                let form = match self.source.lexical_block(node) {
                    Some(fields) => forms::LexicalBlock::from(fields),
                    None => self.form(node)?,
                };
                Ok(DiLexicalScope {
                    kind: DiLexicalScopeKind::Block { column: form.column.into() },
                    scope: self.scope(form.scope),
                    file: self.file(form.file),
                    line: form.line,
                    ..DiLexicalScope::default()
                })
            }
            Kind::LexicalBlockFile => {
                let form: forms::LexicalBlockFile = self.form(node)?;
                Ok(DiLexicalScope {
                    kind: DiLexicalScopeKind::BlockFile { discriminator: form.discriminator },
                    scope: self.scope(form.scope),
                    file: self.file(form.file),
                    ..DiLexicalScope::default()
                })
            }
            Kind::Namespace => {
                let form: forms::Namespace = self.form(node)?;
                Ok(DiLexicalScope {
                    kind: DiLexicalScopeKind::Namespace { export_symbols: form.export_symbols },
                    scope: self.scope(form.scope),
                    name: form.name,
                    ..DiLexicalScope::default()
                })
            }
            Kind::Module => {
                let form: forms::Module = self.form(node)?;
                Ok(DiLexicalScope {
                    kind: DiLexicalScopeKind::Module {
                        configuration_macros: form.configuration_macros,
                        include_path: form.include_path,
                        api_notes: form.api_notes,
                        declaration: form.declaration,
                    },
                    scope: self.scope(form.scope),
                    name: form.name,
                    file: self.file(form.file),
                    line: form.line,
                })
            }
            _ => {
                let form: forms::CommonBlock = self.form(node)?;
                let wrong = "a common block must refer to a global variable";
                let variable = self.reference(form.declaration, wrong, Known::global_variable);
                Ok(DiLexicalScope {
                    kind: DiLexicalScopeKind::CommonBlock { variable },
                    scope: self.scope(form.scope),
                    name: form.name,
                    file: self.file(form.file),
                    line: form.line,
                })
            }
        }
    }
}
