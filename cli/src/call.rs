//! The text of a call, for `gusset abi`.

use gusset::explorer::{self, View};
use gusset::{Emit, Features, Options, Source, Target};

/// The function in [`explorer::call`]'s module.
const CALLER: &str = "caller:";

/// The instructions of a call with arguments from variables, as assembly text.
///
/// # Errors
/// Such a call is not shown, or there is no code for the target. As text for the user.
pub(crate) fn text(view: &View) -> Result<String, String> {
    let ir = explorer::call(view).map_err(|error| error.to_string())?;
    let target = Target::from_triple(view.triple(), &Features::default()).map_err(|error| format!("error: {error}"))?;
    let options = Options::new().emit(Emit::Assembly);
    let source = Source { name: "<call>", text: ir.as_bytes() };
    let compiled = gusset::compile_llvm(source, &target, &options, &mut |_| {}).map_err(|error| error.to_string())?;
    let mut assembly = Vec::new();
    compiled.bytes.write_to(&mut assembly).map_err(|error| error.to_string())?;
    Ok(body(&String::from_utf8_lossy(&assembly)))
}

/// The instructions of the function, without directives.
fn body(assembly: &str) -> String {
    let label = |line: &&str| line.trim_start_matches('_').starts_with(CALLER);
    let lines = assembly.lines().skip_while(|line| !label(line)).skip(1);
    let lines =
        lines.take_while(|line| !line.trim_start().starts_with(".size") && !line.trim_start().starts_with(".section"));
    lines.filter(|line| !line.trim_start().starts_with('.')).map(|line| format!("{}\n", line.trim_end())).collect()
}
