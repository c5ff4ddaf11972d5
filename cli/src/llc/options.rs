//! The options of LLVM 19's llc, each with what it means here. `docs/llc-options.md` is made of this table.

use gusset::{BlockList, CodeModel, FramePointer, OptimizationLevel};

use super::super::output;
use super::request::{Form, Relocation, Request, Show};

/// An option, or several with the same meaning.
pub(super) struct Row {
    /// Their names.
    pub names: &'static [&'static str],
    pub values: Values,
    pub effect: Effect,
}

/// The values of an option.
pub(super) enum Values {
    /// True or false; without a value it is true.
    Flag,
    /// One of these words.
    Words(&'static [&'static str]),
    /// The same, or none.
    Optional(&'static [&'static str]),
    Number,
    Text,
}

/// What an option does.
pub(super) enum Effect {
    /// It is obeyed: what it says, and how it is taken. The value of a flag is `true` or `false`.
    Obeyed(&'static str, fn(&mut Request, &str) -> Result<(), String>),
    /// It has no effect, for this reason.
    Ignored(&'static str),
    /// It is an error, for this reason, unless its value is one of these words. Without any, `false` is no error.
    Refused(&'static str, &'static [&'static str]),
}

use Effect::{Ignored, Obeyed, Refused};
use Values::{Flag, Number, Optional, Text, Words};

/// A list of names, several to a line.
macro_rules! names {
    ($($name:literal)*) => { &[$($name),*] };
}

/// Is a flag's value true?
fn on(value: &str) -> bool {
    value == "true"
}

/// The number of a value that is known to be one.
fn number<T: TryFrom<u64>>(value: &str) -> Option<T> {
    value.parse().ok().and_then(|number: u64| T::try_from(number).ok())
}

/// The option of a name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    TABLES.iter().flat_map(|table| table.iter()).find(|row| row.names.contains(&name))
}

/// All names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter()).flat_map(|row| row.names.iter().copied())
}

/// All options: those of the output, those of the code, those without effect, those that are refused.
pub(super) const TABLES: [&[Row]; 4] = [OUTPUT, CODE, IGNORED, REFUSED];

const OUTPUT: &[Row] = &[
    Row {
        names: names!["o"],
        values: Text,
        effect: Obeyed(
            "the output; `-` is standard output [default: the input's name with another ending, beside it]",
            |r, v| {
                r.output = Some(v.into());
                Ok(())
            },
        ),
    },
    Row {
        names: names!["filetype"],
        values: Words(&["asm", "obj", "null"]),
        effect: Obeyed("assembly text, an object, or nothing [default: asm]", |r, v| {
            r.form = match v {
                "obj" => Form::Object,
                "null" => Form::Nothing,
                _ => Form::Assembly,
            };
            Ok(())
        }),
    },
    Row {
        names: names!["O"],
        values: Text,
        effect: Obeyed("the level of optimization, 0 to 3 [default: 2]; 3 is the same as 2", |r, v| {
            // As llc does, only the first character is looked at.
            r.level = Some(match v.as_bytes() {
                [b'0', ..] => OptimizationLevel::O0,
                [b'1', ..] => OptimizationLevel::O1,
                [b'2' | b'3', ..] => OptimizationLevel::O2,
                _ => return Err("error: invalid optimization level.".into()),
            });
            Ok(())
        }),
    },
    Row {
        names: names!["x"],
        values: Text,
        effect: Obeyed("the input's language: `ir`; `mir` is refused", |_, v| match v {
            "ir" => Ok(()),
            "mir" => Err("error: machine IR (-x mir) is not read".into()),
            _ => Err(format!("error: invalid input language '{v}'")),
        }),
    },
    Row {
        names: names!["time-passes"],
        values: Flag,
        effect: Obeyed("print a table of times", |r, v| {
            r.time = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["threads"],
        values: Number,
        effect: Obeyed("threads [default: 1]; the output does not depend on it", |r, v| {
            let threads = number(v).filter(|n| (1..=1024).contains(n));
            r.options.threads = threads.ok_or("error: the number of threads is 1 to 1024")?;
            Ok(())
        }),
    },
    Row {
        names: names!["verify-machineinstrs"],
        values: Flag,
        effect: Obeyed("check the intermediate representation and the allocation of registers", |r, v| {
            r.options.verify = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["dwarf-version"],
        values: Number,
        effect: Obeyed("4 or 5, whatever the module says; 0 leaves it to the module", |r, v| {
            r.options.dwarf_version = match number(v) {
                Some(0) => None,
                Some(version @ 4..=5) => Some(version),
                _ => return Err(format!("error: DWARF of version {v} is not written, but 4 and 5")),
            };
            Ok(())
        }),
    },
    Row {
        names: names!["compress-debug-sections"],
        values: Words(&["none", "zlib", "zstd"]),
        effect: Obeyed("compress debug information; `zstd` is refused", |r, v| {
            r.options.compress_debug_sections = v == "zlib";
            if v == "zstd" { Err("error: sections are not compressed by zstd, but by zlib".into()) } else { Ok(()) }
        }),
    },
    Row {
        names: names!["force-dwarf-frame-section"],
        values: Flag,
        effect: Obeyed("every function also has an entry in .debug_frame", |r, v| {
            r.options.debug_frame = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["generate-arange-section"],
        values: Flag,
        effect: Obeyed("debug information has a table of addresses, .debug_aranges", |r, v| {
            r.options.debug_aranges = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["disable-debug-info-print"],
        values: Flag,
        effect: Obeyed("debug information is left out", |r, v| {
            r.options.strip_debug = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["pass-remarks-output"],
        values: Text,
        effect: Obeyed("a file for remarks of passes, of which there are none: it is empty", |r, v| {
            r.remarks = Some(v.into());
            Ok(())
        }),
    },
    Row {
        names: names!["help" "help-hidden" "h"],
        values: Flag,
        effect: Obeyed("this list", |r, _| {
            r.show = Some(Show::Help);
            Ok(())
        }),
    },
    Row {
        names: names!["version"],
        values: Flag,
        effect: Obeyed("versions", |r, _| {
            r.show = Some(Show::Version);
            Ok(())
        }),
    },
];

const CODE: &[Row] = &[
    Row {
        names: names!["mtriple"],
        values: Text,
        effect: Obeyed(
            "the target [default: the module's, else this machine]; a system that LLVM does not know counts as none",
            |r, v| {
                r.triple = Some(v.to_string()).filter(|triple| !triple.is_empty());
                Ok(())
            },
        ),
    },
    Row {
        names: names!["march"],
        values: Text,
        effect: Obeyed("x86, x86-64, aarch64, arm64, arm or thumb, in place of the triple's", |r, v| {
            r.architecture = Some(v.to_string()).filter(|name| !name.is_empty());
            Ok(())
        }),
    },
    Row {
        names: names!["mcpu"],
        values: Text,
        effect: Obeyed("the processor; `native` is this machine's. An unknown one is an error", |r, v| {
            r.cpu = Some(v.to_string()).filter(|name| !name.is_empty());
            Ok(())
        }),
    },
    Row {
        names: names!["mattr"],
        values: Text,
        effect: Obeyed(
            "features such as +sse4.2,-popcnt; several are taken together. An unknown one is an error",
            |r, v| {
                r.attributes.push(v.to_ascii_lowercase());
                Ok(())
            },
        ),
    },
    Row {
        names: names!["relocation-model"],
        values: Words(&["static", "pic", "dynamic-no-pic", "ropi", "rwpi", "ropi-rwpi"]),
        effect: Obeyed(
            "where code may be loaded [default: the target's, static on ELF]; those with `ropi` or `rwpi` are features of ARM",
            |r, v| {
                r.relocation = Some(match v {
                    "pic" => Relocation::Pic,
                    "dynamic-no-pic" => Relocation::DynamicNoPic,
                    _ => Relocation::Static,
                });
                r.attributes.extend(v.split('-').filter(|part| part.ends_with("pi")).map(|part| format!("+{part}")));
                Ok(())
            },
        ),
    },
    Row {
        names: names!["code-model"],
        values: Words(&["tiny", "small", "kernel", "medium", "large"]),
        effect: Obeyed("how far apart code and data may be, whatever the module's flags say", |r, v| {
            r.options.code_model = Some(match v {
                "tiny" => CodeModel::Tiny,
                "kernel" => CodeModel::Kernel,
                "medium" => CodeModel::Medium,
                "large" => CodeModel::Large,
                _ => CodeModel::Small,
            });
            Ok(())
        }),
    },
    Row {
        names: names!["function-sections"],
        values: Flag,
        effect: Obeyed("every function has a section of its own", |r, v| {
            r.options.function_sections = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["data-sections"],
        values: Flag,
        effect: Obeyed("every variable has a section of its own", |r, v| {
            r.options.data_sections = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["unique-section-names"],
        values: Flag,
        effect: Obeyed(
            "sections of one function or variable are named for it [default: true]; without effect on Windows",
            |r, v| {
                r.options.unique_section_names = on(v);
                Ok(())
            },
        ),
    },
    Row {
        names: names!["use-ctors"],
        values: Flag,
        effect: Obeyed("constructors and destructors are in .ctors and .dtors (ELF)", |r, v| {
            r.options.old_structors = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["nozero-initialized-in-bss"],
        values: Flag,
        effect: Obeyed("variables whose bytes are all zero are in .data", |r, v| {
            r.options.zeros_in_data = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["basic-block-address-map"],
        values: Flag,
        effect: Obeyed("a section says where the basic blocks of each function are (ELF)", |r, v| {
            r.options.block_map = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["basic-block-sections"],
        values: Text,
        effect: Obeyed(
            "`all` puts every block into a section of its own (ELF; x86, AArch64); `labels` is `-basic-block-address-map`; else the file of a list of functions and blocks that share sections",
            |r, v| match v {
                "none" => {
                    (r.options.block_sections, r.options.block_list) = (false, None);
                    Ok(())
                }
                "all" => {
                    r.options.block_sections = true;
                    Ok(())
                }
                "labels" => {
                    r.options.block_map = true;
                    Ok(())
                }
                file => {
                    let text = std::fs::read_to_string(file);
                    let text = text.map_err(|why| format!("error: {file}: cannot read: {}", output::reason(&why)))?;
                    r.options.block_list = Some(BlockList { name: file.to_string(), text }.into());
                    Ok(())
                }
            },
        ),
    },
    Row {
        names: names!["unique-basic-block-section-names"],
        values: Flag,
        effect: Obeyed("sections of blocks are named for them", |r, v| {
            r.options.unique_block_section_names = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["stack-size-section"],
        values: Flag,
        effect: Obeyed("a section says how much stack each function takes (ELF)", |r, v| {
            r.options.stack_sizes = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["x86-indirect-branch-tracking"],
        values: Flag,
        effect: Obeyed(
            "functions and targets of jumps by address begin with a marker (x86), whatever the module's flags say",
            |r, v| {
                r.options.mark_branch_targets = on(v);
                Ok(())
            },
        ),
    },
    Row {
        names: names!["large-data-threshold"],
        values: Number,
        effect: Obeyed(
            "in the medium and large code models, data of more bytes may be far away [default: 0]",
            |r, v| {
                r.options.large_data_threshold = number(v);
                Ok(())
            },
        ),
    },
    Row {
        names: names!["frame-pointer"],
        values: Words(&["all", "non-leaf", "non-leaf-no-reserve", "reserved", "none"]),
        effect: Obeyed("of functions that say nothing about it", |r, v| {
            r.options.frame_pointers = match v {
                "all" => FramePointer::Keep,
                "non-leaf" | "non-leaf-no-reserve" => FramePointer::NonLeaf,
                "reserved" => FramePointer::Reserve,
                _ => FramePointer::Omit,
            };
            Ok(())
        }),
    },
    Row {
        names: names!["exception-model"],
        values: Words(&["default", "dwarf", "sjlj", "arm", "wineh", "wasm"]),
        effect: Obeyed("the target's own; another is an error", |r, v| {
            r.exceptions = Some(v.to_string()).filter(|model| model != "default");
            Ok(())
        }),
    },
    Row {
        names: names!["target-abi"],
        values: Words(&["aapcs", "aapcs-linux", "aapcs-gnu", "apcs", "apcs-gnu", "aapcs16"]),
        effect: Obeyed(
            "on ARM, the ABI: `aapcs`, `aapcs-linux` and `aapcs-gnu` are the same, `apcs` and `apcs-gnu` too; `aapcs16` is refused",
            |r, v| {
                match v {
                    "apcs" | "apcs-gnu" => r.attributes.push("+apcs".into()),
                    "aapcs16" => return Err(format!("error: the ABI '{v}' is not supported")),
                    _ => {}
                }
                Ok(())
            },
        ),
    },
    Row {
        names: names!["meabi"],
        values: Words(&["default", "4", "5", "gnu"]),
        effect: Ignored(
            "on ARM, names of functions for memory: they are those of C, which all systems' libraries have",
        ),
    },
    Row {
        names: names!["float-abi"],
        values: Words(&["default", "soft", "hard"]),
        effect: Obeyed("on ARM, whether floating-point numbers are passed in registers of their own", |r, v| {
            r.hard_float = (v != "default").then_some(v == "hard");
            Ok(())
        }),
    },
    Row {
        names: names!["tailcallopt"],
        values: Flag,
        effect: Obeyed("fastcc is tailcc: marked calls before a return are jumps (not on ARM, as in LLVM)", |r, v| {
            r.options.guaranteed_tail_calls = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["trap-func"],
        values: Text,
        effect: Obeyed("`llvm.trap` and `llvm.debugtrap` call this function", |r, v| {
            r.options.trap_function = Some(v.to_string()).filter(|name| !name.is_empty());
            Ok(())
        }),
    },
    Row {
        names: names!["disable-tail-calls"],
        values: Flag,
        effect: Obeyed("no call is a jump, unless the program requires it", |r, v| {
            r.options.no_tail_calls = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["stackrealign"],
        values: Flag,
        effect: Obeyed("every function aligns the stack itself", |r, v| {
            r.options.realign_stack = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["emulated-tls"],
        values: Flag,
        effect: Obeyed("thread-local data is left to the compiler's run-time library", |r, v| {
            r.options.emulated_tls = on(v);
            Ok(())
        }),
    },
    Row {
        names: names!["tls-size"],
        values: Number,
        effect: Obeyed("bits of offsets from the thread pointer (AArch64)", |r, v| {
            r.options.tls_bits = match number(v) {
                Some(0) => None,
                Some(bits @ (12 | 24 | 32 | 48)) => Some(bits),
                _ => return Err("error: offsets from the thread pointer have 12, 24, 32 or 48 bits".into()),
            };
            Ok(())
        }),
    },
];

/// Allowed, never required: programs mean the same without.
const IGNORED: &[Row] = &[
    Row {
        names: names!["enable-unsafe-fp-math" "enable-no-nans-fp-math" "enable-no-infs-fp-math" "enable-no-signed-zeros-fp-math"
            "enable-no-trapping-fp-math" "enable-approx-func-fp-math"],
        values: Flag,
        effect: Ignored("they allow other results of floating-point operations, and require none"),
    },
    Row {
        names: names!["fp-contract"],
        values: Words(&["fast", "on", "off"]),
        effect: Ignored("fused operations are allowed; only those that the IR itself allows are made"),
    },
    Row {
        names: names!["denormal-fp-math" "denormal-fp-math-f32"],
        values: Words(&["ieee", "preserve-sign", "positive-zero", "dynamic"]),
        effect: Ignored("it says what the program has set the processor to; code is right for every setting"),
    },
    Row {
        names: names!["limit-float-precision"],
        values: Number,
        effect: Ignored("less precise results are allowed, not required"),
    },
    Row {
        names: names!["thread-model"],
        values: Words(&["posix", "single"]),
        effect: Ignored("atomic operations are right with a single thread, too"),
    },
    Row {
        names: names!["fast-isel" "global-isel" "optimize-regalloc" "enable-misched" "enable-post-misched" "misched-postra"
            "post-RA-scheduler" "misched-topdown" "misched-bottomup" "enable-aa-sched-mi" "early-live-intervals" "disable-peephole"
            "enable-shrink-wrap" "no-stack-coloring" "disable-block-placement" "disable-branch-fold" "disable-tail-duplicate"
            "disable-machine-licm" "disable-machine-cse" "disable-machine-dce" "disable-machine-sink" "disable-postra-machine-sink"
            "disable-copyprop" "disable-early-ifcvt" "disable-early-taildup" "disable-ssc" "disable-post-ra" "disable-cgp"
            "disable-cgp-branch-opts" "disable-cgp-delete-phis" "disable-cgp-select2branch" "disable-lsr" "disable-constant-hoisting"
            "disable-partial-libcall-inlining" "disable-expand-reductions" "disable-preheader-prot" "enable-tail-merge"
            "enable-ipra" "enable-implicit-null-checks" "enable-ext-tsp-block-placement"
            "enable-gvn-hoist" "tls-load-hoist" "jump-is-expensive" "terminal-rule" "split-machine-functions"
            "enable-split-machine-functions" "no-phi-elim-live-out-early-exit" "stress-early-ifcvt"
            "combiner-global-alias-analysis" "combiner-reduce-load-op-store-width" "combiner-stress-load-slicing" "force-split-store"
            "enable-cse-in-irtranslator" "enable-cse-in-legalizer" "mul-constant-optimization" "stack-symbol-ordering"
            "fixup-byte-word-insts" "no-x86-call-frame-opt" "disable-x86-lea-opt" "x86-cmov-converter" "x86-cmov-converter-force-all"
            "x86-early-ifcvt" "x86-use-base-pointer" "x86-use-vzeroupper" "x86-disable-avoid-SFB" "x86-promote-anyext-load"
            "x86-machine-combiner" "x86-and-imm-shrink" "x86-use-fsrm-for-memcpy" "x86-tile-ra" "x86-bypass-prefetch-instructions"
            "aarch64-early-ifcvt" "aarch64-enable-atomic-cfg-tidy" "aarch64-enable-branch-relax" "aarch64-enable-ccmp"
            "aarch64-enable-collect-loh" "aarch64-enable-compress-jump-tables" "aarch64-enable-condopt"
            "aarch64-enable-copy-propagation" "aarch64-enable-copyelim" "aarch64-enable-dead-defs" "aarch64-enable-early-ifcvt"
            "aarch64-enable-ext-to-tbl" "aarch64-enable-gep-opt" "aarch64-enable-global-merge" "aarch64-enable-ldst-opt"
            "aarch64-enable-logical-imm" "aarch64-enable-loop-data-prefetch" "aarch64-enable-mcr" "aarch64-enable-promote-const"
            "aarch64-enable-simd-scalar" "aarch64-enable-sink-fold" "aarch64-enable-stp-suppress" "aarch64-load-store-renaming"
            "aarch64-order-frame-objects" "aarch64-redzone" "aarch64-select-opt" "aarch64-use-aa" "arm-adjust-jump-tables"
            "arm-atomic-cfg-tidy" "arm-force-fast-isel" "arm-global-merge" "arm-load-store-opt" "arm-promote-constant"
            "arm-use-mulops" "enable-arm-gisel-bigendian" "global-merge-on-external" "enable-global-merge" "aggressive-ext-opt" "regbankselect-fast"
            "regbankselect-greedy" "enable-selectiondag-sp" "phi-elim-split-all-critical-edges" "use-registers-for-deopt-values" "fixup-allow-gcptr-in-csr" "arm-restrict-it" "pbqp-coalescing" "outliner-leaf-descendants"
            "homogeneous-prolog-epilog" "aarch64-enable-cond-br-tune" "hoist-const-loads" "force-fast-cluster" "consthoist-gep"
            "cgp-icmp-eq2icmp-st" "sink-insts-to-avoid-spills" "tail-dup-placement" "aarch64-elf-ldtls-generation" "disable-strictnode-mutation"
            "disable-arm-loloops" "lower-interleaved-accesses" "disable-a15-sd-optimization" "join-globalcopies" "join-liveintervals"
            "stack-tagging-use-stack-safety" "aarch64-a57-fp-load-balancing-force-all"
            "restrict-statepoint-remat" "enable-patchpoint-liveness" "safepoint-ir-verifier-print-only" "enable-branch-hint"
            "precise-rotation-cost" "force-precise-rotation-cost" "combiner-shrink-load-replace-store-with-store" "schedmodel"
            "gc-empty-basic-blocks" "disable-ra-fsprofile-loader" "disable-layout-fsprofile-loader" "profile-isfs"],
        values: Flag,
        effect: Ignored("they choose among LLVM's selectors, allocators, schedulers and passes; Gusset has one way"),
    },
    Row {
        names: names!["regalloc" "pre-RA-sched" "misched" "break-anti-dependencies" "lsr-preferred-addressing-mode" "reserve-regs-for-regalloc"
            "aarch64-enable-global-isel-at-O" "arm-data-bank-mask" "debug-counter" "fs-profile-file" "prefetch-hints-file"],
        values: Text,
        effect: Ignored("the same"),
    },
    Row {
        names: names!["fast-isel-abort" "global-isel-abort" "jump-table-density" "optsize-jump-table-density" "min-jump-table-entries"
            "max-jump-table-size" "switch-peel-threshold" "tail-dup-placement-threshold" "tail-merge-threshold" "tail-dup-size"
            "max-loads-per-memcmp" "max-loads-per-memcmp-opt-size" "memcmp-num-loads-per-block" "machine-combiner-inc-threshold"
            "max-registers-for-gc-values" "arm-parallel-dsp-load-limit" "aarch64-min-jump-table-entries" "align-loops" "branch-hint-probability-threshold"
            "lcr-max-depth" "lcr-max-interf" "imp-null-max-insts-to-consider" "block-placement-exit-block-bias"
            "large-interval-size-threshold" "cgp-freq-ratio-to-skip-merge" "mfs-count-threshold"
            "x86-cmov-converter-threshold" "x86-sfb-inspection-limit" "early-ifcvt-limit" "misched-limit" "max-bytes-for-alignment" "t2-reduce-limit" "t2-reduce-limit2"
            "t2-reduce-limit3" "lsr-complexity-limit" "frame-helper-size-threshold" "aarch64-cbz-offset-bits"
            "aarch64-tbz-offset-bits" "aarch64-a57-fp-load-balancing-override" "ext-tsp-chain-split-threshold"
            "combiner-tokenfactor-inline-limit" "x86-experimental-pref-innermost-loop-alignment" "opt-bisect-limit"
            "x86-align-branch-boundary" "x86-pad-max-prefix-size"],
        values: Number,
        effect: Ignored("the same"),
    },
    Row {
        names: names!["trap-unreachable" "no-trap-after-noreturn"],
        values: Flag,
        effect: Ignored("what is never reached traps in any case"),
    },
    Row {
        names: names!["verify-coalescing" "verify-dom-info" "verify-regalloc" "verify-misched" "verify-loop-info"             "verify-machine-dom-info" "verify-scev" "verify-region-info" "machine-combiner-verify-pattern-order"
            "enable-legalize-types-checking" "simplifycfg-require-and-preserve-domtree" "disable-verify" "cgp-verify-bfi-updates" "debugify-and-strip-all-safe"
            "debugify-check-and-strip-all-safe" "check-bfi-unknown-block-queries"],
        values: Flag,
        effect: Ignored("they make LLVM check itself"),
    },
    Row {
        names: names!["try-experimental-debuginfo-iterators" "experimental-debuginfo-iterators" "write-experimental-debuginfo"
            "preserve-input-debuginfo-format" "experimental-debug-variable-locations" "enable-new-pm" "opaque-pointers"
            "emit-call-site-info" "debug-entry-values" "disable-auto-upgrade-debug-info"],
        values: Flag,
        effect: Ignored(
            "they choose LLVM's own form of debug information or of passes; both forms are read, and calls are always described",
        ),
    },
    Row {
        names: names!["enable-fs-discriminator" "improved-fs-discriminator"],
        values: Flag,
        effect: Ignored(
            "discriminators of LLVM's passes tell the copies apart that they make of a line; there are no copies here, and the object does not say that it has them",
        ),
    },
    Row {
        names: names!["x86-branches-within-32B-boundaries"],
        values: Flag,
        effect: Ignored("where branches lie is a matter of speed"),
    },
    Row { names: names!["x86-align-branch"], values: Text, effect: Ignored("the same") },
    Row {
        names: names!["disable-check-noreturn-call"],
        values: Flag,
        effect: Ignored("it allows LLVM to leave out checks of stack guards before calls that do not return"),
    },
    Row {
        names: names!["debugger-tune"],
        values: Words(&["gdb", "lldb", "dbx", "sce"]),
        effect: Ignored("debug information is for all debuggers of the target"),
    },
    Row {
        names: names!["asm-verbose" "show-mc-encoding" "asm-show-inst" "print-failed-fuse-candidates" "no-integrated-as" "no-warn" "no-deprecated-warn"
            "fatal-warnings" "color" "dwarf-directory" "use-leb128-directives"],
        values: Flag,
        effect: Ignored(
            "they are about comments in the text, warnings, remarks, or who assembles it; any assembler can",
        ),
    },
    Row {
        names: names!["x86-asm-syntax"],
        values: Words(&["att", "intel"]),
        effect: Ignored(
            "the text has directives for what is not in the assembler's own syntax, so that it assembles to the same",
        ),
    },
    Row { names: names!["aarch64-neon-syntax"], values: Words(&["generic", "apple"]), effect: Ignored("the same") },
    Row {
        names: names!["enable-machine-outliner"],
        values: Optional(&["always", "never"]),
        effect: Ignored("the same"),
    },
    Row {
        names: names!["binutils-version" "I" "info-output-file" "pass-remarks" "pass-remarks-missed" "pass-remarks-analysis"
            "pass-remarks-filter" "pass-remarks-format" "pass-remarks-hotness-threshold"],
        values: Text,
        effect: Ignored(
            "they are about the assembler, which is not needed, or about remarks and statistics of passes, of which there are none",
        ),
    },
    Row {
        names: names!["mc-relax-all" "addrsig" "incremental-linker-compatible" "relax-elf-relocations" 
            "arm-add-build-attributes"],
        values: Flag,
        effect: Ignored("they allow linkers something, or make code longer that means the same"),
    },
];

/// What would need other code or another output, or shows what is inside of LLVM.
const REFUSED: &[Row] = &[
    Row {
        names: names!["stop-after" "stop-before" "start-after" "start-before" "run-pass" "passes" "load"             "filter-print-funcs" "print-after" "print-before" "debug-only" "debug-pass" "print-bfi-func-name" "vector-library" ],
        values: Text,
        effect: Refused(
            "they are about LLVM's own passes; `gusset compile --dump` shows Gusset's stages",
            &["none", "None"],
        ),
    },
    Row {
        names: names!["debug" "stats" "stats-json" "print-after-all" "print-before-all" "print-regusage"
            "print-machine-bfi" "misched-print-dags" "view-isel-dags" "view-sched-dags" "show-fs-branchprob" "simplify-mir"
            "fast-isel-report-on-fallback" "time-trace"
            "remarks-section"],
        values: Flag,
        effect: Refused("the same", &[]),
    },
    Row {
        names: names!["split-dwarf-file" "split-dwarf-output" "time-trace-file"],
        values: Text,
        effect: Refused("they ask for another output, which is not written", &[]),
    },
    Row {
        names: names!["x86-relax-relocations"],
        values: Flag,
        effect: Refused("relocations are those that linkers may relax", &["true"]),
    },
    Row {
        names: names!["dwarf64" "strict-dwarf" "generate-type-units"
            "xray-function-index" "save-temp-labels" "crel" "separate-named-sections"
            "emit-compact-unwind-non-canonical" "mark-data-regions" "enable-tlsdesc" "fdpic"],
        values: Flag,
        effect: Refused("they ask for another object, which is not written", &[]),
    },
    Row {
        names: names!["emit-dwarf-unwind" "swift-async-fp" "align-all-functions" "align-all-blocks" "align-all-nofallthru-blocks"
            "expand-variadics-override" "pgo-analysis-map"],
        values: Text,
        effect: Refused("they ask for other code, which is not made", &["default", "auto", "unspecified"]),
    },
    Row {
        names: names!["x86-discriminate-memops"],
        values: Flag,
        effect: Refused(
            "it gives accesses to memory debug locations that differ, for profiles of caches that no pass reads here",
            &[],
        ),
    },
    Row {
        names: names!["x86-speculative-load-hardening"
            "x86-slh-lfence" "x86-slh-indirect" "x86-slh-loads" "x86-slh-ip" "x86-slh-post-load" "x86-slh-fence-call-and-ret"
            "x86-seses-enable-without-lvi-cfi" "x86-seses-omit-branch-lfences" "x86-seses-one-lfence-per-bb"
            "x86-seses-only-lfence-non-const" "x86-experimental-lvi-inline-asm-hardening" "x86-lvi-load-dot" "x86-lvi-load-dot-only"
            "x86-lvi-load-dot-verify" "x86-lvi-load-no-cbranch" "x86-sse2avx" "aarch64-slh-loads"
            "aarch64-enable-branch-targets" "aarch64-mark-bti-property" "safestack-use-pointer-address" "enable-jmc-instrument" "arm-interworking"],
        values: Flag,
        effect: Refused("they ask for other code, which is not made", &[]),
    },
];
