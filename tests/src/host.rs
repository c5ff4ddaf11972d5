//! What this processor can run, or the older one that `GUSSET_HOST` names: `sse2`, `avx` (with what came before it) or
//! `avx512` (with what came before it, AVX2 and BMI too).
//!
//! What is tested depends on seeds alone. Code that needs more than the processor has is made and checked all the same, as far
//! as that goes without running it, and [`left_out`] says so.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, OnceLock};

/// Extensions by their names in compilers' options, with the oldest setting of `GUSSET_HOST` that has each.
const EXTENSIONS: &[(&str, Host)] = &[
    ("sse3", Host::Avx),
    ("ssse3", Host::Avx),
    ("sse4.1", Host::Avx),
    ("sse4.2", Host::Avx),
    ("crc32", Host::Avx),
    ("mmx", Host::Sse2),
    ("popcnt", Host::Avx),
    ("cx16", Host::Avx),
    ("avx", Host::Avx),
    ("lzcnt", Host::Avx512),
    ("bmi", Host::Avx512),
    ("bmi2", Host::Avx512),
    ("fma", Host::Avx512),
    ("avx512bw", Host::Avx512),
    ("aes", Host::Avx512),
    ("pclmul", Host::Avx512),
    ("sha", Host::Avx512),
    ("gfni", Host::Avx512),
];

/// A setting of `GUSSET_HOST`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Host {
    Sse2,
    Avx,
    Avx512,
}

/// The processor that is played; without `GUSSET_HOST`, this one, whatever it has.
fn played() -> Host {
    static PLAYED: OnceLock<Host> = OnceLock::new();
    *PLAYED.get_or_init(|| match std::env::var("GUSSET_HOST").as_deref() {
        Ok("sse2") => Host::Sse2,
        Ok("avx") => Host::Avx,
        Ok("avx512") | Err(_) => Host::Avx512,
        Ok(other) => panic!("GUSSET_HOST is sse2, avx or avx512, not `{other}`"),
    })
}

/// Whether code that uses these extensions runs here.
#[must_use]
pub fn runs(extensions: &[&str]) -> bool {
    extensions.iter().all(|name| {
        let known = EXTENSIONS.iter().find(|(extension, _)| extension == name);
        let (_, since) = known.unwrap_or_else(|| panic!("no test uses `{name}` yet: add it to the hosts"));
        *since <= played() && is_there(name)
    })
}

#[cfg(target_arch = "x86_64")]
fn is_there(extension: &str) -> bool {
    match extension {
        "sse3" => is_x86_feature_detected!("sse3"),
        "ssse3" => is_x86_feature_detected!("ssse3"),
        "sse4.1" => is_x86_feature_detected!("sse4.1"),
        "sse4.2" | "crc32" => is_x86_feature_detected!("sse4.2"),
        "mmx" => is_x86_feature_detected!("mmx"),
        "popcnt" => is_x86_feature_detected!("popcnt"),
        "cx16" => is_x86_feature_detected!("cmpxchg16b"),
        "avx" => is_x86_feature_detected!("avx"),
        "lzcnt" => is_x86_feature_detected!("lzcnt"),
        "bmi" => is_x86_feature_detected!("bmi1"),
        "bmi2" => is_x86_feature_detected!("bmi2"),
        "fma" => is_x86_feature_detected!("fma"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "aes" => is_x86_feature_detected!("aes"),
        "pclmul" => is_x86_feature_detected!("pclmulqdq"),
        "sha" => is_x86_feature_detected!("sha"),
        "gfni" => is_x86_feature_detected!("gfni"),
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_there(_: &str) -> bool {
    false
}

/// Says, once for each `what`, that it was made but not run, past the test harness, which hides what passing tests print.
pub fn left_out(what: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().expect("nothing panics here").insert(what.into()) {
        let _ = writeln!(std::io::stderr(), "left out, as this processor does not run it: {what}");
    }
}
