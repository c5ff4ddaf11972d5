//! The forms in which Gusset takes and gives a module, and llc's object of it.

use std::path::{Path, PathBuf};

use gusset_tests::objects;
use gusset_tests::tools::{Failure, gusset, limited, llc, succeed};

/// Gusset's object of a module in a file. Checks that the module's bitcode and Gusset's assembly give the same object.
pub fn object_of_all_forms(ir: &Path, triple: &str) -> Result<Vec<u8>, Failure> {
    let bitcode = ir.with_extension("bc");
    succeed(limited(20, "llvm-as-19").arg(ir).arg("-o").arg(&bitcode))?;
    let compile = |file: &Path, form: &str| {
        let mut command = limited(20, gusset()?);
        command.args(["compile", "--verify", "--target", triple, "--emit", form, "-o", "-"]).arg(file);
        Ok::<_, Failure>(succeed(&mut command)?.stdout)
    };
    let (object, text) = (compile(ir, "obj")?, compile(ir, "asm")?);
    let assembled = objects::assemble(triple, &String::from_utf8_lossy(&text))?;
    let place = ir.display();
    assert_eq!(objects::differences(&object, &assembled)?, [""; 0], "{place}: text");
    assert_eq!(objects::differences(&object, &compile(&bitcode, "obj")?)?, [""; 0], "{place}: bitcode");
    Ok(object)
}

/// The files of llc's object and of Gusset's, of a module that is written to a file of this name. The forms are checked, too.
pub fn by_both(folder: &Path, name: &str, triple: &str, module: &str) -> Result<[PathBuf; 2], Failure> {
    let [ir, by_llc, by_gusset] = ["ll", "llc.o", "o"].map(|end| folder.join(format!("{name}.{end}")));
    std::fs::write(&ir, module)?;
    let target = format!("-mtriple={triple}");
    succeed(limited(20, llc()).args(["-O0", "-filetype=obj", &target]).arg(&ir).arg("-o").arg(&by_llc))?;
    std::fs::write(&by_gusset, object_of_all_forms(&ir, triple)?)?;
    Ok([by_llc, by_gusset])
}
