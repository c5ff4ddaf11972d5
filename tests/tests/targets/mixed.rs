//! What functions of different compilers agree on: each case is two modules, a caller with `main` and its callees. All four
//! ways to link ours and llc's objects print the same.

mod cases;

use gusset_tests::build::Mode;
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, llc, same_lines, succeed, work_folder};

use cases::CASES;

/// Two modules that call each other.
struct Case {
    name: &'static str,
    modes: &'static [Mode],
    /// Features of the machine; none if empty.
    features: &'static str,
    /// Functions that others call.
    callees: &'static str,
    /// `main` and what it needs. `SHOW` stands for the declaration of `printf` and a format.
    caller: &'static str,
}

const SHOW: &str = "@format = private constant [6 x i8] c\"%llx\\0A\\00\"\ndeclare i32 @printf(ptr, ...)\n\
    define internal void @show(i64 %n) noinline {\n  %r = call i32 (ptr, ...) @printf(ptr @format, i64 %n)\n  ret void\n}\n";

fn check(case: &Case, mode: Mode) -> Result<(), Failure> {
    let folder = work_folder(&format!("mixed/{}-{mode:?}", case.name));
    let caller = case.caller.replace("SHOW", SHOW);
    for (name, text) in [("callees", case.callees), ("caller", &caller)] {
        let source = folder.join(format!("{name}.ll"));
        std::fs::write(&source, text)?;
        let mut ours = limited(20, gusset()?);
        ours.args(["compile", "--verify", "--pic", "--target", mode.triple()]).arg(&source);
        let mut theirs = limited(20, llc());
        theirs.args(["-O1", "-filetype=obj", "-relocation-model=pic", "-mtriple", mode.triple()]).arg(&source);
        if !case.features.is_empty() {
            ours.arg(format!("--attr={}", case.features));
            theirs.arg(format!("-mattr={}", case.features));
        }
        succeed(ours.arg("-o").arg(folder.join(format!("{name}-ours.o"))))?;
        succeed(theirs.arg("-o").arg(folder.join(format!("{name}-theirs.o"))))?;
    }
    let mut expected = None;
    for (callees, caller) in [("theirs", "theirs"), ("ours", "theirs"), ("theirs", "ours"), ("ours", "ours")] {
        let objects = [folder.join(format!("callees-{callees}.o")), folder.join(format!("caller-{caller}.o"))];
        let program = folder.join(format!("{callees}-{caller}"));
        mode.link(&objects, &[], &program)?;
        let text = succeed(&mut mode.runner(20, &program)).map_err(|f| f.at(program.display()))?.text();
        let expected = expected.get_or_insert_with(|| text.clone());
        assert!(!expected.is_empty(), "{} prints nothing", case.name);
        same_lines(expected, &text).map_err(|f| f.at(program.display()))?;
    }
    Ok(())
}

#[test]
fn objects_mix_with_those_of_llc() -> Result<(), Failure> {
    let all: Vec<(&Case, Mode)> =
        CASES.iter().flat_map(|case| case.modes.iter().map(move |&mode| (case, mode))).collect();
    let results = parallel::map(all.len(), |i| check(all[i].0, all[i].1).map_err(|f| f.at(all[i].0.name)));
    results.into_iter().collect()
}
