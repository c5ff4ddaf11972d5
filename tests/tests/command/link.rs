//! `gusset cc` as the driver that links bitcode: of objects and static libraries by clang, flang and rustc, whatever the linker.

use std::path::{Path, PathBuf};
use std::process::Command;

use gusset_tests::tools::{Failure, clang, files_below, left_out, limited, run, succeed, work_folder};

use super::driver::{by, driver};

const SOURCES: &[(&str, &str)] = &[
    (
        "main.c",
        "#include <stdio.h>\nint one(void), two(void), three(void), native(void);\nint main(void) { printf(\"%d %d %d %d\\n\", one(), two(), \
         three(), native()); return 0; }\n",
    ),
    ("1/part.c", "int one(void) { return 1; }\n"),
    ("2/part.c", "int two(void) { return 2; }\nint never_used(void) { return 0; }\n"),
    ("3/a_longer_name_than_headers_hold.c", "static int x = 3;\nint three(void) { return x; }\n"),
    ("native.c", "int native(void) { return 4; }\n"),
];

/// The folder of a test with objects of bitcode, one of machine code, and a static library of all but the first.
fn prepared(name: &str, flags: &[&str]) -> Result<PathBuf, Failure> {
    let folder = work_folder(&format!("link/{name}"));
    std::fs::remove_dir_all(&folder)?;
    for place in ["", "1", "2", "3"] {
        std::fs::create_dir_all(folder.join(place))?;
    }
    for (name, text) in SOURCES {
        std::fs::write(folder.join(name), text)?;
        let flags = if *name == "native.c" { &[][..] } else { flags };
        let object = Path::new(name).with_extension("o");
        succeed(limited(60, clang()).args(flags).args(["-O1", "-c", name, "-o"]).arg(object).current_dir(&folder))?;
    }
    library(&folder, "rcS", "libparts.a")?;
    Ok(folder)
}

/// Makes the static library, whose members have two names in common, and which has no index.
fn library(folder: &Path, how: &str, name: &str) -> Result<(), Failure> {
    let members = ["native.o", "1/part.o", "2/part.o", "3/a_longer_name_than_headers_hold.o"];
    succeed(limited(20, "llvm-ar-19").args([how, name]).args(members).current_dir(folder)).map(drop)
}

/// A link with a cache in the folder.
fn link(folder: &Path, words: &[&str]) -> Result<Command, Failure> {
    let mut command = by(120, &driver("gusset-cc")?);
    command.args(words).current_dir(folder).env("GUSSET_CACHE_DIR", folder.join("cache"));
    command.env_remove("GUSSET_CACHE_SIZE");
    Ok(command)
}

fn printed(folder: &Path) -> Result<String, Failure> {
    let program = folder.join("prog");
    let text = succeed(&mut limited(20, &program))?.text();
    std::fs::remove_file(&program)?;
    Ok(text)
}

/// How many objects the cache holds.
fn entries(folder: &Path) -> Result<usize, Failure> {
    Ok(files_below(&folder.join("cache"), "o")?.len())
}

#[test]
fn every_linker_gets_machine_code() -> Result<(), Failure> {
    let ways: [&[&str]; 5] = [
        &["main.o", "libparts.a"],
        &["-flto", "main.o", "libthin.a"],
        &["main.o", "-L.", "-lparts"],
        &["-Wl,-plugin-opt=O2,-plugin-opt=mcpu=x86-64,--start-group,main.o,libparts.a,--end-group"],
        &[
            "-Xlinker",
            "-plugin-opt",
            "-Xlinker",
            "-fast-isel",
            "main.c",
            "-Wl,-L.,--whole-archive",
            "-Wl,-lparts,--no-whole-archive",
        ],
    ];
    for (thin, flags) in [&["-flto"][..], &["-flto=thin"]].into_iter().enumerate() {
        let folder = prepared(&flags[0][1..], flags)?;
        library(&folder, "rcST", "libthin.a")?;
        for (way, parts) in ways.iter().enumerate() {
            let linker = format!("-fuse-ld={}", ["lld-19", "bfd", "gold"][(way + thin) % 3]);
            let place = |f: Failure| f.at(format!("{flags:?} {linker} {parts:?}"));
            let words = [&[&linker, "-v", "-o", "prog"][..], parts].concat();
            let said = succeed(&mut link(&folder, &words)?).map_err(place)?.errors();
            let modules = if parts.contains(&"main.c") { 3 } else { 4 };
            assert!(said.contains(&format!("{modules} modules of bitcode")), "{said}");
            assert_eq!(printed(&folder).map_err(place)?, "1 2 3 4\n", "{linker} {parts:?}");
        }
        // The libraries are the same, and each module was compiled once for each choice.
        assert_eq!(entries(&folder)?, 8);
    }
    Ok(())
}

/// A stand-in for the driver that links, which keeps the words it is given and the files that they name.
const STAND_IN: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\" >words\nfor word; do case $word in /*.a|/*.o) cp \"$word\" kept-${word##*/};; esac; done\n";

#[test]
fn all_else_reaches_the_driver_unchanged() -> Result<(), Failure> {
    let folder = prepared("unchanged", &["-flto"])?;
    succeed(limited(20, "llvm-ar-19").args(["rcs", "libnative.a", "native.o"]).current_dir(&folder))?;
    let stand_in = folder.join("stand-in");
    std::fs::write(&stand_in, STAND_IN)?;
    succeed(limited(20, "chmod").arg("+x").arg(&stand_in))?;
    let words = |line: &[&str]| {
        succeed(link(&folder, line)?.env("GUSSET_CLANG", &stand_in))?;
        let words = std::fs::read_to_string(folder.join("words"))?;
        Ok::<_, Failure>(words.lines().map(str::to_string).collect::<Vec<_>>())
    };
    let plain = [
        "native.o",
        "-Wl,-z,now,--as-needed",
        "libnative.a",
        "-L.",
        "-lnative",
        "-pie",
        "-o",
        "prog",
        "-Xlinker",
        "-s",
    ];
    assert_eq!(words(&plain)?, plain);
    let with_bitcode =
        words(&["main.o", "-Wl,-z,now,-plugin-opt=O3,-s", "libnative.a", "-L.", "-lparts", "-fuse-ld=lld", "-O2"])?;
    let expected =
        ["", "-Wl,-z,now,-s", "libnative.a", "-L.", "", "-fuse-ld=lld", "-O2", "-Wno-unused-command-line-argument"];
    assert_eq!(with_bitcode.len(), expected.len(), "{with_bitcode:?}");
    for (word, expected) in with_bitcode.iter().zip(expected) {
        assert!(if expected.is_empty() { word.starts_with('/') } else { word == expected }, "{with_bitcode:?}");
    }
    assert!(with_bitcode[0].ends_with("/main.o") && with_bitcode[4].ends_with("/libparts.a"), "{with_bitcode:?}");
    // The library has the members that it had, and now an index.
    let list = |name: &str, how: &str| {
        let tool = if how == "-M" { ("llvm-nm-19", "--print-armap") } else { ("llvm-ar-19", "tO") };
        Ok::<_, Failure>(succeed(limited(20, tool.0).args([tool.1, name]).current_dir(&folder))?.text())
    };
    let names = |name: &str| {
        let listed = list(name, "t")?;
        Ok::<_, Failure>(
            listed.lines().filter_map(|line| Some(line.split(' ').next()?.to_string())).collect::<Vec<_>>(),
        )
    };
    assert_eq!(names("kept-libparts.a")?, names("libparts.a")?);
    let map = list("kept-libparts.a", "-M")?;
    let index: Vec<&str> = map.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    let expected = [
        "native in native.o",
        "one in part.o",
        "never_used in part.o",
        "two in part.o",
        "three in a_longer_name_than_headers_hold.o",
    ];
    let sorted = |mut lines: Vec<&str>| {
        lines.sort_unstable();
        lines.join("\n")
    };
    assert_eq!(sorted(index), sorted(expected.to_vec()));
    Ok(())
}

#[test]
fn objects_are_made_once() -> Result<(), Failure> {
    let folder = prepared("cache", &["-flto"])?;
    let say = |more: &[&str]| {
        let words = [&["main.o", "libparts.a", "-v", "-o", "prog"][..], more].concat();
        let outcome = succeed(&mut link(&folder, &words)?)?;
        assert_eq!(printed(&folder)?, "1 2 3 4\n");
        let errors = outcome.errors();
        let at = errors.find("4 modules of bitcode, ").ok_or_else(|| Failure::new(errors.clone()))?;
        Ok::<_, Failure>(errors[at..].split(' ').nth(4).unwrap_or_default().to_string())
    };
    assert_eq!([say(&[])?, say(&[])?], ["0", "4"]);
    // Another number of threads makes the same objects, other options others.
    assert_eq!(say(&["-Wl,-plugin-opt=jobs=2"])?, "4");
    assert_eq!([say(&["-Wl,-plugin-opt=mcpu=haswell"])?, say(&["-fno-function-sections"])?], ["0", "0"]);
    assert_eq!(entries(&folder)?, 12);
    // What is damaged is made again.
    for file in files_below(&folder.join("cache"), "o")? {
        std::fs::write(file, "damaged")?;
    }
    assert_eq!([say(&[])?, say(&[])?], ["0", "4"]);
    // Another folder, none, and a limit that nothing fits into.
    assert_eq!(say(&["-Wl,-plugin-opt=cache-dir=elsewhere"])?, "0");
    assert_eq!(files_below(&folder.join("elsewhere"), "o")?.len(), 4);
    let words = ["main.o", "libparts.a", "-o", "prog", "-Wl,-plugin-opt=mcpu=core2"];
    succeed(link(&folder, &words)?.env("GUSSET_CACHE_DIR", ""))?;
    assert_eq!(entries(&folder)?, 12);
    succeed(link(&folder, &words)?.env("GUSSET_CACHE_SIZE", "0"))?;
    assert_eq!(entries(&folder)?, 0);
    Ok(())
}

#[test]
fn what_is_refused_is_named() -> Result<(), Failure> {
    let folder = prepared("refused", &["-flto"])?;
    let assembly = "int two(void) { int r; __asm__(\"movl $2, %0\" : \"=r\"(r)); return r; }\n";
    std::fs::write(folder.join("2/part.c"), assembly)?;
    succeed(limited(60, clang()).args(["-flto", "-c", "2/part.c", "-o", "2/part.o"]).current_dir(&folder))?;
    std::fs::remove_file(folder.join("libparts.a"))?;
    library(&folder, "rcs", "libparts.a")?;
    let words = ["main.o", "libparts.a", "-o", "prog"];
    let refused = run(&mut link(&folder, &words)?)?;
    let said = refused.errors();
    assert!(refused.code == 1 && said.contains("libparts.a(part.o, number 2): error: in function `@two`"), "{said}");
    assert!(!folder.join("prog").exists());
    let fallen_back = succeed(link(&folder, &words)?.arg("--fallback"))?;
    assert_eq!(printed(&folder)?, "1 2 3 4\n");
    let said = fallen_back.errors();
    assert!(
        said.contains("own code generator") && said.matches("\n  ").count() == 1 && said.contains("number 2"),
        "{said}"
    );
    for option in ["save-temps", "thinlto-index-only", "-stop-after=x", "no-such-option"] {
        let option = format!("-plugin-opt={option}");
        let refused = run(link(&folder, &words)?.arg(format!("-Wl,{option}")))?;
        let expected = format!("main.o: error: the option `{option}` is not supported");
        assert!(refused.code == 1 && refused.errors().contains(&expected), "{}", refused.errors());
    }
    // What is damaged is an error that names it; what is no library is the linker's to judge.
    std::fs::write(folder.join("main.o"), b"BC\xc0\xde and nothing")?;
    let damaged = run(&mut link(&folder, &words)?)?;
    assert!(damaged.code == 1 && damaged.errors().contains("main.o: "), "{}", damaged.errors());
    std::fs::write(folder.join("libparts.a"), b"!<arch>\nbroken")?;
    let damaged = run(&mut link(&folder, &["native.o", "libparts.a", "-o", "prog"])?)?;
    assert!(damaged.code != 0 && damaged.errors().contains("libparts.a"), "{}", damaged.errors());
    Ok(())
}

/// Objects with both: their machine code is linked unless bitcode is asked for.
#[test]
fn fat_objects() -> Result<(), Failure> {
    let folder = prepared("fat", &["-flto", "-ffat-lto-objects"])?;
    library(&folder, "rcs", "libparts.a")?;
    let words = ["main.o", "libparts.a", "-o", "prog", "-v"];
    for (more, modules) in [
        (&[][..], None),
        (&["-flto", "-ffat-lto-objects"], Some(4)),
        (&["-fuse-ld=lld-19", "-Wl,--fat-lto-objects"], Some(4)),
    ] {
        let outcome = succeed(link(&folder, &words)?.args(more))?;
        assert_eq!(printed(&folder)?, "1 2 3 4\n");
        let said = outcome.errors();
        let expected = modules.map(|modules| format!("{modules} modules of bitcode"));
        assert!(expected.map_or(!said.contains("modules of bitcode"), |text| said.contains(&text)), "{said}");
    }
    Ok(())
}

#[test]
fn fortran() -> Result<(), Failure> {
    let folder = work_folder("link/fortran");
    std::fs::write(folder.join("p.f90"), "program p\n  print *, 6 * 7\nend program\n")?;
    succeed(limited(60, "flang-new-19").args(["-flto", "-c", "p.f90", "-o", "p.o"]).current_dir(&folder))?;
    let mut command = by(60, &driver("gusset-fc")?);
    let outcome =
        succeed(command.args(["-flto", "p.o", "-o", "prog", "-v"]).env("GUSSET_CACHE_DIR", "").current_dir(&folder))?;
    assert!(outcome.errors().contains("1 modules of bitcode"), "{}", outcome.errors());
    assert_eq!(printed(&folder)?.trim(), "42");
    Ok(())
}

/// A program of two crates with Rust's own library: cargo has bitcode in all that it makes, and Gusset is the only code generator.
#[test]
fn cargo_with_linker_plugin_lto() -> Result<(), Failure> {
    if !run(limited(20, "cargo").arg("--version")).is_ok_and(|outcome| outcome.code == 0) {
        return left_out("cargo");
    }
    let folder = work_folder("link/cargo");
    for place in ["shapes/src", "app/src"] {
        std::fs::create_dir_all(folder.join(place))?;
    }
    let package = |name: &str, more: &str| format!("[package]\nname = \"{name}\"\nedition = \"2021\"\n{more}");
    std::fs::write(folder.join("Cargo.toml"), "[workspace]\nmembers = [\"shapes\", \"app\"]\nresolver = \"2\"\n")?;
    std::fs::write(folder.join("shapes/Cargo.toml"), package("shapes", ""))?;
    std::fs::write(
        folder.join("app/Cargo.toml"),
        package("app", "[dependencies]\nshapes = { path = \"../shapes\" }\n"),
    )?;
    std::fs::write(
        folder.join("shapes/src/lib.rs"),
        "use std::collections::BTreeMap;\npub trait Shape { fn area(&self) -> f64; }\npub struct Square(pub f64);\nimpl Shape for Square {\n    fn \
         area(&self) -> f64 { self.0 * self.0 }\n}\npub fn by_area(all: Vec<Box<dyn Shape>>) -> BTreeMap<String, usize> {\n    \
         all.iter().enumerate().map(|(n, shape)| (format!(\"{:.2}\", shape.area()), n)).collect()\n}\n",
    )?;
    std::fs::write(
        folder.join("app/src/main.rs"),
        "fn main() {\n    let all: Vec<Box<dyn shapes::Shape>> = vec![Box::new(shapes::Square(2.0)), Box::new(shapes::Square(1.5))];\n    \
         println!(\"{:?}\", shapes::by_area(all));\n    let threads: Vec<_> = (0..3).map(|n| std::thread::spawn(move || n * \
         14)).collect();\n    println!(\"{}\", threads.into_iter().map(|thread| thread.join().unwrap()).sum::<i32>());\n    let caught = \
         std::panic::catch_unwind(|| shapes::Square(std::hint::black_box(1.0)).0 as u8 / std::hint::black_box(0));\n    \
         println!(\"{}\", caught.is_err());\n}\n",
    )?;
    for profile in ["dev", "release"] {
        let place = |f: Failure| f.at(profile);
        let mut cargo = by(300, Path::new("cargo"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") || name.starts_with("RUST")) {
            if name != "CARGO_HOME" && name != "RUSTUP_HOME" && name != "RUSTUP_TOOLCHAIN" {
                cargo.env_remove(name);
            }
        }
        let flags = format!(
            "-C linker-plugin-lto -C linker={} -C link-arg=-v -W linker-messages",
            driver("gusset-cc")?.display()
        );
        cargo.args(["build", "--offline", "--profile", profile]).current_dir(&folder);
        cargo.env("RUSTFLAGS", flags).env("CARGO_TARGET_DIR", folder.join("target"));
        let cache = folder.join("cache");
        let said = succeed(cargo.env("GUSSET_CACHE_DIR", &cache)).map_err(place)?.errors();
        // What is up to date is not linked again.
        assert!(!said.contains("Compiling app") || said.contains("modules of bitcode"), "{said}");
        let program = folder.join("target").join(if profile == "dev" { "debug" } else { profile }).join("app");
        let text = succeed(&mut limited(20, program)).map_err(place)?.text();
        assert_eq!(text, "{\"2.25\": 1, \"4.00\": 0}\n42\ntrue\n", "{profile}");
    }
    assert!(entries(&folder)? > 4);
    Ok(())
}
