//! What the driver knows of options of clang and flang. All others go to the compiler as they are.

use gusset::{OptimizationLevel, Options};

use super::super::llc;

/// Options whose value is the next argument, if it is not attached.
const SEPARATE: &str = "-A -B -D -F -G -I -J -L -MF -MJ -MQ -MT -T -U -Xanalyzer -Xassembler -Xclang -Xflang -Xlinker -Xpreprocessor \
    -Xopenmp-target -aux-info -arch -ccc-gcc-name -ccc-install-dir -cxx-isystem -dependency-file -dumpbase -dumpdir -e -framework \
    -gcc-toolchain -idirafter -iframework -imacros -imultilib -include -include-pch -iprefix -iquote -isysroot -isystem -isystem-after \
    -ivfsoverlay -iwithprefix -iwithprefixbefore -iwithsysroot -l -mllvm -mmlir -module-dir -o -resource-dir -rpath \
    -serialize-diagnostics -stdlib++-isystem -target -u -undef-symbol -working-directory -x -z --analyzer-output --assert --config \
    --define-macro --dependency-file --include --include-directory --output --param --prefix --serialize-diagnostics --sysroot --target \
    --undefine-macro";

/// Options with which nothing becomes an object or assembly text, or something becomes what is not machine code.
const OTHER_WORK: &str = "-### -E -M -MM -cc1 -cc1as -fc1 -emit-ast -emit-llvm -emit-interface-stubs -extract-api -fdriver-only -fsyntax-only \
    -help -module-file-info -rewrite-objc -verify-pch --analyze --emit-static-lib --help --preprocess --precompile --version";

/// Beginnings of such options.
const OTHER_WORK_BEGINS: &str = "-print- --print- -dump --cuda --offload -fdump- -fmodule-header";

/// Options that clang's code generator obeys, which never sees the program; and those by which the front end would derive names of
/// files from that of an output that it does not make.
const REFUSED: &str = "-MJ -fdebug-types-section -fmodule-output -fropi -frwpi -fsjlj-exceptions -fstack-usage -gdwarf64 \
    -gstrict-dwarf -gz=zstd -mbranches-within-32B-boundaries -mdynamic-no-pic -mrelax-relocations=no -mtls-dialect=desc \
    -mtls-dialect=gnu2 -working-directory";

/// Beginnings of such options.
const REFUSED_BEGINS: &str = "-fbasic-block-sections= -femit-dwarf-unwind -fembed-bitcode -fsave-optimization-record -ftime-trace \
    -gsplit-dwarf -malign-branch -mpad-max-prefix-size -save-stats -working-directory=";

/// How the option begins that names a file of basic blocks that share sections.
const BLOCK_LIST: &str = "-fbasic-block-sections=list=";

/// Options for an assembler that ask for what objects are anyway.
const OF_ASSEMBLER: &str = "--noexecstack -n --64 --32 --fatal-warnings --no-warn -mrelax-relocations=yes -g --gdwarf-4 --gdwarf-5 -W \
    -mbig-obj -mimplicit-it=always -mimplicit-it=thumb";

/// Is a word in a list?
pub(super) fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// Does a word begin with one of a list?
fn begins(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|begin| word.starts_with(begin))
}

/// Is the next argument the value of this one?
pub(super) fn takes_next(word: &str) -> bool {
    is_in(SEPARATE, word)
}

/// Does an option ask for work that is not the driver's?
pub(super) fn is_other_work(word: &str) -> bool {
    is_in(OTHER_WORK, word) || begins(OTHER_WORK_BEGINS, word)
}

/// The level of the code generator for an option about that, as clang chooses it (`getCGOptLevel` in clang's `CodeGen/BackendUtil.cpp`).
pub(super) fn level(word: &str) -> Option<OptimizationLevel> {
    match word {
        "--optimize" => return Some(OptimizationLevel::O1),
        "-Ofast" => return Some(OptimizationLevel::O2),
        _ => {}
    }
    let value = word.strip_prefix("-O").or_else(|| word.strip_prefix("--optimize="))?;
    Some(match value {
        "0" => OptimizationLevel::O0,
        "" | "1" | "g" => OptimizationLevel::O1,
        "s" | "z" => OptimizationLevel::Os,
        // Clang takes higher numbers for 3.
        _ if value.bytes().all(|digit| digit.is_ascii_digit()) => OptimizationLevel::O2,
        _ => return None,
    })
}

/// An option that Gusset cannot obey.
pub(super) struct Refused;

/// Takes an option that clang tells its own code generator alone, so that it is not in the IR; others have no effect here.
///
/// # Errors
/// Gusset cannot obey it.
pub(super) fn take(word: &str, value: &str, options: &mut Options) -> Result<(), Refused> {
    match word {
        "-ffunction-sections" => options.function_sections = true,
        "-fno-function-sections" => options.function_sections = false,
        "-fdata-sections" => options.data_sections = true,
        "-fno-data-sections" => options.data_sections = false,
        "-funique-section-names" => options.unique_section_names = true,
        "-fno-unique-section-names" => options.unique_section_names = false,
        "-fuse-init-array" => options.old_structors = false,
        "-fno-use-init-array" => options.old_structors = true,
        "-femulated-tls" => options.emulated_tls = true,
        "-fno-emulated-tls" => options.emulated_tls = false,
        "-fforce-dwarf-frame" => options.debug_frame = true,
        "-fno-force-dwarf-frame" => options.debug_frame = false,
        "-gz" | "-gz=zlib" => options.compress_debug_sections = true,
        "-gz=none" => options.compress_debug_sections = false,
        // What it means for llc.
        "-mllvm" => return llc::take(value, options).map_err(|_| Refused),
        "-Xassembler" => return of_assembler(value, options),
        "-fbasic-block-sections=none" => (options.block_sections, options.block_list) = (false, None),
        "-fbasic-block-sections=all" => options.block_sections = true,
        "-fbasic-block-sections=labels" | "-fbasic-block-address-map" => options.block_map = true,
        "-fno-basic-block-address-map" => options.block_map = false,
        "-funique-basic-block-section-names" => options.unique_block_section_names = true,
        "-fno-unique-basic-block-section-names" => options.unique_block_section_names = false,
        "-fstack-size-section" => options.stack_sizes = true,
        "-fno-stack-size-section" => options.stack_sizes = false,
        "-fzero-initialized-in-bss" => options.zeros_in_data = false,
        "-fno-zero-initialized-in-bss" => options.zeros_in_data = true,
        _ if word.starts_with(BLOCK_LIST) => {
            // What it means for llc.
            let list = format!("-basic-block-sections={}", &word[BLOCK_LIST.len()..]);
            return llc::take(&list, options).map_err(|_| Refused);
        }
        _ if is_in(REFUSED, word) || begins(REFUSED_BEGINS, word) => return Err(Refused),
        _ => {
            if let Some(list) = word.strip_prefix("-Wa,") {
                return list.split(',').try_for_each(|word| of_assembler(word, options));
            }
            if let Some(bits) = word.strip_prefix("-mtls-size=") {
                options.tls_bits = Some(bits.parse().map_err(|_| Refused)?);
            }
        }
    }
    Ok(())
}

/// An option for the assembler, which nothing goes through.
fn of_assembler(word: &str, options: &mut Options) -> Result<(), Refused> {
    match word {
        "--compress-debug-sections" | "--compress-debug-sections=zlib" => options.compress_debug_sections = true,
        "--nocompress-debug-sections" | "--compress-debug-sections=none" => options.compress_debug_sections = false,
        _ if is_in(OF_ASSEMBLER, word) => {}
        _ => return Err(Refused),
    }
    Ok(())
}
