//! Targets by triple or short name.

use gusset::abi;

/// A target, with the triple for it.
pub(crate) struct Chosen {
    pub triple: String,
    pub abi: abi::Target,
}

/// Short names.
const SHORT: &[(&str, &str)] = &[
    ("linux64", "x86_64-unknown-linux-gnu"),
    ("linux32", "i686-unknown-linux-gnu"),
    ("win64", "x86_64-pc-windows-msvc"),
    ("win32", "i686-pc-windows-msvc"),
    ("mingw64", "x86_64-pc-windows-gnu"),
    ("mingw32", "i686-pc-windows-gnu"),
    ("mac64", "x86_64-apple-darwin"),
    ("arm64", "aarch64-unknown-linux-gnu"),
    ("winarm64", "aarch64-pc-windows-msvc"),
    ("macarm64", "aarch64-apple-darwin"),
    ("armhf", "armv7-unknown-linux-gnueabihf"),
    ("armel", "armv7-unknown-linux-gnueabi"),
];

/// Features with which `long` vectors are passed in registers, and the registers' width in bytes.
const FEATURES: &[(&str, u8)] =
    &[("sse", 16), ("sse2", 16), ("avx", 32), ("avx2", 32), ("avx512", 64), ("avx512f", 64)];

/// The help on short names.
pub(crate) fn help() -> String {
    let names: Vec<String> = SHORT.iter().map(|(short, triple)| format!("  {short:<10} {triple}")).collect();
    names.join("\n")
}

/// The targets of a list, each a triple or a short name; this machine if the list is empty.
pub(crate) fn chosen(names: &[String], features: &[String]) -> Result<Vec<Chosen>, String> {
    let mut wanted = abi::Features::default();
    for feature in features.iter().flat_map(|list| list.split(',')).filter(|name| !name.is_empty()) {
        let plain = feature.strip_prefix('+').unwrap_or(feature);
        match FEATURES.iter().find(|(name, _)| *name == plain) {
            Some((_, bytes)) => wanted.vector_bytes = wanted.vector_bytes.max(*bytes),
            None if plain == "soft-float" => wanted.hard_float = false,
            None if plain == "static-chain-x18" => wanted.chain_in_x18 = true,
            None => {
                let known: Vec<&str> = FEATURES.iter().map(|(name, _)| *name).collect();
                let known = known.join(", ");
                return Err(format!(
                    "error: feature `{feature}` is not known (known: {known}, soft-float, static-chain-x18)"
                ));
            }
        }
    }
    let host = [gusset::host_triple()];
    let names = if names.is_empty() { &host } else { names };
    let mut targets = Vec::new();
    for name in names.iter().flat_map(|list| list.split(',')).filter(|name| !name.is_empty()) {
        let triple = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, triple)| triple);
        let target = abi::Target::from_triple(triple, wanted).map_err(|error| format!("error: {error}"))?;
        targets.push(Chosen { triple: triple.to_string(), abi: target });
    }
    Ok(targets)
}
