//! Modules that once failed: each is compiled in every setting and run, and does what the interpreter does. A file's second
//! line may name the platforms: `; x86_64-unknown-linux-gnu i686-unknown-linux-gnu`.

use std::path::Path;

use gusset_fuzz::case::Check;
use gusset_fuzz::platform::Platform;
use gusset_fuzz::supervise;

#[test]
fn what_once_failed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut failures = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let platforms: Vec<Platform> = match text.lines().nth(1).and_then(|line| line.strip_prefix("; ")) {
            Some(triples) => triples.split(' ').map(|triple| Platform::of(triple).unwrap()).collect(),
            None => vec![Platform::usual()],
        };
        let program = Path::new(env!("CARGO_BIN_EXE_gusset-fuzz"));
        for platform in platforms {
            let failure = supervise::failure_of_file(program, &platform, Check::Code, &file).unwrap();
            failures.extend(failure.map(|why| format!("{}: {}: {why}", file.display(), platform.triple)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
