//! `gusset translate` from LLVM IR to LLVM IR: everything is carried. What LLVM's `opt -S` prints of a program and of its translation
//! is the same text, but for the numbers of attribute groups and the order of what phis list; `gusset compile` makes the same object
//! of both. Judged are files in `data/translate`, which have every instruction, attribute and kind of metadata, those that no code
//! is made for included, and programs by clang with debug information, sanitizers and exceptions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Unit, ir};
use gusset_tests::corpus;
use gusset_tests::parallel;
use gusset_tests::tools::{
    Failure, Outcome, files_below, gusset, limited, llvm_as, opt, root, run, same_lines, succeed, work_folder,
};

fn folder() -> PathBuf {
    work_folder("translate")
}

fn translate(input: &Path, output: &Path) -> Result<Outcome, Failure> {
    run(limited(60, gusset()?).arg("translate").arg(input).arg("-o").arg(output))
}

/// What `opt` prints of a file.
fn printed(file: &Path) -> Result<String, Failure> {
    Ok(normal(&succeed(limited(120, opt()).arg("-S").arg(file))?.text()))
}

/// The text with attribute groups where they are used, and with what phis list in order.
fn normal(text: &str) -> String {
    let group = |line: &str| -> Option<(String, String)> {
        let (number, list) = line.strip_prefix("attributes #")?.split_once(" = ")?;
        Some((number.to_string(), list.to_string()))
    };
    let groups: HashMap<String, String> = text.lines().filter_map(group).collect();
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("; ModuleID") || line.starts_with("; Function Attrs") || group(line).is_some() {
            continue;
        }
        let line = line.split("; preds = ").next().unwrap_or(line).trim_end();
        let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
        for word in &mut words {
            let number = word.strip_prefix('#').map(|n| n.trim_end_matches(','));
            if let Some(list) = number.and_then(|n| groups.get(n)) {
                word.clone_from(list);
            }
        }
        let mut line = words.join(" ");
        if let Some((head, list)) = line.split_once(" = phi ").and_then(|_| line.split_once(" [ ")) {
            let (list, tail) = list.rsplit_once(" ]").unwrap_or((list, ""));
            let mut incoming: Vec<&str> = list.split(" ], [ ").collect();
            incoming.sort_unstable();
            line = format!("{head} [ {} ]{tail}", incoming.join(" ], [ "));
        }
        out += &line;
        out.push('\n');
    }
    out
}

/// Translates a file and compares what LLVM prints of both.
fn same_text(input: &Path, output: &Path) -> Result<(), Failure> {
    let place = |f: Failure| f.at(input.display());
    let outcome = translate(input, output)?;
    if outcome.code != 0 {
        return Err(Failure::new(outcome.errors()));
    }
    let (before, after) = (printed(input).map_err(place)?, printed(output).map_err(place)?);
    same_lines(&before, &after)
        .map_err(|f| Failure::new(f.to_string().replace("by clang", "input").replace("by gusset", "output")))
        .map_err(place)
}

/// Compiles a file and its translation; the objects are the same, or neither is there.
fn same_object(input: &Path, output: &Path) -> Result<(), Failure> {
    let object = |file: &Path, ending: &str| -> Result<Option<Vec<u8>>, Failure> {
        let object = output.with_extension(ending);
        let outcome = run(limited(60, gusset()?).arg("compile").arg(file).arg("-o").arg(&object))?;
        Ok(if outcome.code == 0 { Some(std::fs::read(&object)?) } else { None })
    };
    match object(input, "1.o")? == object(output, "2.o")? {
        true => Ok(()),
        false => Err(Failure::new("the objects differ").at(input.display())),
    }
}

fn hand_written() -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(root().join("tests/data/translate"))? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

fn output_of(input: &Path) -> PathBuf {
    folder().join(input.file_name().unwrap_or_default())
}

#[test]
fn everything_is_carried() -> Result<(), Failure> {
    for input in hand_written()?.iter().filter(|file| !file.ends_with("later.ll")) {
        same_text(input, &output_of(input))?;
        same_object(input, &output_of(input))?;
    }
    Ok(())
}

/// Bitcode is translated as its text is: all programs as LLVM IR, and those with everything as MLIR.
#[test]
fn bitcode() -> Result<(), Failure> {
    let mut files = hand_written()?;
    for folder in ["tests/goldens", "frontends/llvm/tests", "tests/tests", "memory/tests"] {
        files.extend(files_below(&root().join(folder), "ll")?);
    }
    for version in 13..=16 {
        let input = root().join(format!("tests/data/bitcode/clang-{version}.bc"));
        same_text(&input, &output_of(&input).with_extension("5.ll"))?;
    }
    let all = parallel::map(files.len(), |i| {
        let name = files[i].strip_prefix(root()).unwrap_or(&files[i]).to_string_lossy().replace('/', "_");
        let (input, output) = (folder().join(format!("{name}.bc")), folder().join(format!("{name}.5.ll")));
        // Some texts are not for LLVM 19.
        if run(limited(60, llvm_as()).arg(&files[i]).arg("-o").arg(&input))?.code != 0 {
            return Ok(0);
        }
        same_text(&input, &output)?;
        if !files[i].starts_with(root().join("tests/data/translate")) {
            return Ok(1);
        }
        let [of_bitcode, of_text] = ["6.mlir", "7.mlir"].map(|ending| output.with_extension(ending));
        let text = output.with_extension("dis.ll");
        succeed(limited(60, "llvm-dis-19").arg(&input).arg("-o").arg(&text))?;
        let [one, other] = [(&input, &of_bitcode), (&text, &of_text)].map(|(from, to)| translate(from, to));
        assert_eq!(one?.code, other?.code, "{name}");
        if of_text.exists() {
            assert!(std::fs::read(&of_bitcode)? == std::fs::read(&of_text)?, "{name}: MLIR of bitcode is another");
        }
        Ok::<_, Failure>(1)
    });
    let compared: usize = all.into_iter().sum::<Result<usize, _>>()?;
    assert!(compared > 20, "{compared} programs are translated");
    Ok(())
}

/// What later versions of LLVM write becomes what LLVM 19 reads.
#[test]
fn later_versions() -> Result<(), Failure> {
    let input = root().join("tests/data/translate/later.ll");
    let output = output_of(&input);
    assert_eq!(translate(&input, &output)?.errors(), "");
    let text = printed(&output)?;
    for words in [
        "define i1 @f(ptr nocapture %p, ptr %q, i8 %c) { nounwind }",
        "call void @llvm.lifetime.start.p0(i64 -1, ptr %p)",
        "icmp ult i8 %c, 5",
        "call void @g(ptr nocapture %p)\n",
    ] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
    same_object(&input, &output)
}

/// A second translation changes nothing.
#[test]
fn translations_are_fixed_points() -> Result<(), Failure> {
    for input in hand_written()? {
        let (first, second) = (output_of(&input).with_extension("3.ll"), output_of(&input).with_extension("4.ll"));
        assert_eq!(translate(&input, &first)?.errors(), "");
        assert_eq!(translate(&first, &second)?.errors(), "");
        assert!(std::fs::read(&first)? == std::fs::read(&second)?, "{}", input.display());
    }
    Ok(())
}

#[test]
fn programs() -> Result<(), Failure> {
    let zstd = corpus::zstd()?.units;
    let lua = corpus::lua()?.units;
    let exceptions = Unit { source: root().join("tests/programs/coff_landing.cpp"), flags: Vec::new() };
    let mut inputs = Vec::new();
    for unit in &lua {
        inputs.push(ir(unit, Level::O1, &["-g"])?);
    }
    for unit in lua.iter().take(6) {
        inputs.push(ir(unit, Level::O2, &["-fsanitize=address,undefined"])?);
        inputs.push(ir(unit, Level::O0, &["-fprofile-instr-generate", "-fcoverage-mapping"])?);
        inputs.push(ir(unit, Level::Opt, &["-ffast-math", "--target=aarch64-linux-gnu"])?);
    }
    for unit in zstd.iter().take(8).chain([&exceptions]) {
        inputs.push(ir(unit, Level::Opt, &[])?);
    }
    let all = parallel::map(inputs.len(), |i| {
        let output = folder().join(format!("program-{i}.ll"));
        same_text(&inputs[i], &output)?;
        same_object(&inputs[i], &output)?;
        Ok(std::fs::remove_file(output)?)
    });
    all.into_iter().collect()
}

/// Bad input is an error that names its place, whatever is cut off or changed; what is not carried is one, too.
#[test]
fn bad_input() -> Result<(), Failure> {
    let cases = [
        (
            "@x = global ppc_fp128 0xM00000000000000000000000000000000\n",
            "1:23: error: a number is not a value of this type",
        ),
        ("@x = global i1 icmp eq (i32 1, i32 2)\n", "1:21: error: this constant expression is not supported here"),
        ("define void @f() {\n  call void @g()\n  ret void\n}\n", "2:13: error: `@g` is not defined"),
        ("!0 = !DIFile(filename: )\n", "1:24: error: expected a field of metadata"),
        ("define void @f() {\n  ret void, !foo !7\n}\n", "2:18: error: the metadata `!7` is not defined"),
        ("!x = !{!0}\n!0 = !{!1, !\"a\"}\n", "2:8: error: the metadata `!1` is not defined"),
        ("!x = !{!3}\n", "1:8: error: the metadata `!3` is not defined"),
        ("define void @f() !dbg !4 {\n  ret void\n}\n", "1:23: error: the metadata `!4` is not defined"),
        (
            "define void @f(ptr %p) {\n  store i8 0, ptr %p, align 4294967296\n  ret void\n}\n",
            "2:29: error: an alignment of 4 GB is not translated",
        ),
        ("attributes #0 = { 7up( }\n", "2:1: error: expected an attribute"),
    ];
    for (i, (text, message)) in cases.into_iter().enumerate() {
        let input = folder().join(format!("bad-{i}.ll"));
        std::fs::write(&input, text)?;
        let output = folder().join("bad.out.ll");
        let outcome = translate(&input, &output)?;
        assert!(outcome.code == 1 && outcome.errors().contains(message), "{text}: {}", outcome.errors());
        assert!(!output.exists());
    }
    let mut damaged = Vec::new();
    for file in hand_written()? {
        let text = std::fs::read(&file)?;
        for k in 0..24 {
            let at = text.len() * (k * 2 + 1) / 48;
            damaged.push(text[..at].to_vec());
            let mut changed = text.clone();
            changed[at] = b"({[<%@!#\"0,x"[k % 12];
            damaged.push(changed);
        }
    }
    let all = parallel::map(damaged.len(), |i| {
        let input = folder().join(format!("damaged-{i}.ll"));
        std::fs::write(&input, &damaged[i])?;
        let outcome = translate(&input, &input.with_extension("out.ll"))?;
        match outcome.code {
            0 | 1 => Ok(std::fs::remove_file(input)?),
            code => Err(Failure::new(format!("exit code {code}: {}", outcome.errors())).at(input.display())),
        }
    });
    all.into_iter().collect()
}
