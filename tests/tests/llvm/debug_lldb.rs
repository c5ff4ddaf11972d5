//! lldb as a judge, of ELF programs: what it says is what it says of clang's program.

use gusset_tests::build::Mode;
use gusset_tests::debuggers::{lldb_says, programs, programs_of};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, same_lines, work_folder};

/// Structs, unions, bit-fields, arrays, complex numbers and thread-local variables of C; classes, references, templates, containers and
/// exceptions of C++.
#[test]
fn lldb_says_what_it_does_for_clang() -> Result<(), Failure> {
    let cases = [
        (
            "kinds",
            "c",
            "-gdwarf-4",
            ["lengths = ([0] = 0, [1] = 4", "(_Complex double) z = 1 + 2i", "(int:5) p->more = -3"],
        ),
        ("kinds", "c", "-gdwarf-5", ["lengths = ([0] = 0, [1] = 4", "Return value: (int) $0 = 97", "(int) 9"]),
        (
            "classes",
            "cpp",
            "-gdwarf-5",
            ["names = size=2 {", "virtual int area(int) const;", "(std::string) text = \"deep\""],
        ),
    ];
    let done = parallel::map(cases.len(), |i| -> Result<(), Failure> {
        let (name, extension, version, expected) = cases[i];
        let folder = work_folder(&format!("debug_lldb/{name}{version}"));
        let source = programs().join(format!("{name}.{extension}"));
        let mut said = Vec::new();
        for program in programs_of(&folder, Mode::Bits64, &["-O0", version, "-fstandalone-debug"], &source)? {
            let commands = programs().join(format!("{name}.lldb"));
            // Those lines have the program's place.
            said.push(lldb_says(&program, &commands, &["executable set to", "Process ", "match found in"])?);
        }
        let at = |failure: Failure| failure.at(format!("{name} {version}"));
        if let Some(missing) = expected.iter().find(|text| !said[0].contains(**text)) {
            return Err(at(Failure::new(format!("no {missing}: {}", said[0]))));
        }
        same_lines(&said[0], &said[1]).map_err(at)
    });
    done.into_iter().collect()
}
