//! Data layouts of older versions as LLVM's reader of bitcode completes them (`AutoUpgrade.cpp`, `UpgradeDataLayoutString`).

/// The sizes of pointers of 32 and 64 bits in programs of the other width.
const POINTERS: &str = "-p270:32:32-p271:32:32-p272:64:64";

/// The data layout of a module for a triple, as LLVM 19 completes it.
pub fn upgraded_layout(layout: &str, triple: &str) -> String {
    let parts: Vec<&str> = triple.split('-').collect();
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let arch = part(0);
    match arch {
        "r600" | "spir" | "spir64" | "spirv32" | "spirv64" if !layout.starts_with('G') && !layout.contains("-G") => {
            return if layout.is_empty() { "G1".into() } else { format!("{layout}-G1") };
        }
        "riscv64" | "loongarch64" => return layout.replacen("-n64-", "-n32:64-", 1),
        "amdgcn" => return of_amdgcn(layout),
        "aarch64" | "aarch64_be" | "arm64" | "arm64e" | "arm64ec" | "aarch64_32" | "arm64_32" => {
            let there = layout.is_empty() || layout.contains("-Fn32");
            return if there { layout.into() } else { format!("{layout}-Fn32") };
        }
        _ => {}
    }
    let x86 = matches!(arch, "x86_64" | "x86_64h" | "amd64")
        || arch.len() == 4 && arch.starts_with('i') && arch.ends_with("86");
    if !x86 {
        return layout.to_string();
    }
    let mut done = with_pointers(layout);
    if !done.contains("-i128:128")
        && !triple.contains("elfiamcu")
        && let Some(at) = after_ints(&done)
    {
        done.insert_str(at, "-i128:128");
    }
    let windows = part(2).starts_with("windows") || part(2).starts_with("win32");
    let microsoft = windows && (part(3).is_empty() || part(3).starts_with("msvc"));
    if arch.starts_with('i') && microsoft {
        done = done.replacen("-f80:32-", "-f80:128-", 1);
    }
    done
}

/// The layout with the sizes of pointers after its mangling, if it has the usual form and does not have them.
fn with_pointers(layout: &str) -> String {
    let head = |text: &str| {
        let mangled = text.strip_prefix(['e', 'E'])?.strip_prefix("-m:")?;
        let mut rest = mangled.strip_prefix(|letter: char| letter.is_ascii_lowercase())?;
        rest = rest.strip_prefix("-p:32:32").filter(|rest| rest.starts_with('-')).unwrap_or(rest);
        rest.starts_with('-').then_some(text.len() - rest.len())
    };
    match head(layout).filter(|_| !layout.contains(POINTERS)) {
        Some(at) => format!("{}{POINTERS}{}", &layout[..at], &layout[at..]),
        None => layout.to_string(),
    }
}

/// Where the specifications of integers of a little-endian layout end, if those of mangling, pointers and integers come first.
fn after_ints(layout: &str) -> Option<usize> {
    let rest = layout.strip_prefix('e')?;
    let is_int = |spec: &&str| spec.starts_with(['m', 'p', 'i']);
    let specs = rest.strip_prefix('-').map_or(Vec::new(), |specs| specs.split('-').collect());
    let (first, others): (Vec<&str>, Vec<&str>) = {
        let count = specs.iter().take_while(|spec| is_int(spec)).count();
        (specs[..count].to_vec(), specs[count..].to_vec())
    };
    let fits = (rest.is_empty() || rest.starts_with('-')) && !others.iter().any(|spec| is_int(spec) || spec.is_empty());
    fits.then(|| 1 + first.iter().map(|spec| spec.len() + 1).sum::<usize>())
}

fn of_amdgcn(layout: &str) -> String {
    let mut done = layout.to_string();
    if !layout.starts_with('G') && !layout.contains("-G") {
        done += if done.is_empty() { "G1" } else { "-G1" };
    }
    // The address spaces of buffers are not integers.
    done += match layout {
        _ if layout.ends_with("ni:7") => ":8:9",
        _ if layout.ends_with("ni:7:8") => ":9",
        _ if layout.contains("-ni") || layout.starts_with("ni") => "",
        _ => "-ni:7:8:9",
    };
    for (spec, known) in [("-p7:160:256:256:32", "-p7"), ("-p8:128:128", "-p8"), ("-p9:192:256:256:32", "-p9")] {
        if !layout.contains(known) {
            done += spec;
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `llvm-dis-19` prints of modules with these layouts.
    #[test]
    fn layouts_are_those_of_llvm() {
        let rows = [
            (
                "e-m:e-i64:64-f80:128-n8:16:32:64-S128",
                "x86_64-unknown-linux-gnu",
                "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
            ),
            (
                "e-m:x-p:32:32-i64:64-f80:32-n8:16:32-a:0:32-S32",
                "i686-pc-windows-msvc",
                "e-m:x-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32-a:0:32-S32",
            ),
            (
                "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128",
                "aarch64-linux-gnu",
                "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
            ),
            (
                "e-m:e-p:64:64-i64:64-i128:128-n64-S128",
                "riscv64-unknown-elf",
                "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128",
            ),
            ("e-p:64:64:64-f80:128:128-i1:8:8", "x86_64-apple-darwin", "e-p:64:64:64-f80:128:128-i1:8:8"),
            ("e-m:e-p:32:32-n32-S64", "armv7-linux-gnueabi", "e-m:e-p:32:32-n32-S64"),
            ("e-p:64:64-ni:7", "amdgcn--", "e-p:64:64-ni:7-G1:8:9-p7:160:256:256:32-p8:128:128-p9:192:256:256:32"),
            ("", "amdgcn--", "G1-ni:7:8:9-p7:160:256:256:32-p8:128:128-p9:192:256:256:32"),
            ("e", "spir64--", "e-G1"),
            ("e-f80:32-n8", "i386-pc-win32", "e-i128:128-f80:128-n8"),
            ("e-f80:32-n8", "i386-windows-gnu", "e-i128:128-f80:32-n8"),
            ("", "x86_64-linux-gnu", ""),
        ];
        for (before, triple, after) in rows {
            assert_eq!(upgraded_layout(before, triple), after);
        }
    }
}
