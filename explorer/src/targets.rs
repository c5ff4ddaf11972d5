//! Targets by triple or short name.

use gusset_abi::AbiFeatures;

use crate::error::Error;

/// A target, with the triple for it. An example is at [the crate's page](crate).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedTarget {
    /// Its triple, as it is shown.
    pub triple: String,
    /// What conventions depend on.
    pub abi: gusset_abi::AbiTarget,
}

/// Short names of targets, with their triples.
pub const SHORT_NAMES: &[(&str, &str)] = &[
    ("linux64", "x86_64-unknown-linux-gnu"),
    ("linux32", "i686-unknown-linux-gnu"),
    ("win64", "x86_64-pc-windows-msvc"),
    ("win32", "i686-pc-windows-msvc"),
    ("mingw64", "x86_64-w64-mingw32"),
    ("mingw32", "i686-w64-mingw32"),
    ("winitanium64", "x86_64-pc-windows-itanium"),
    ("winitanium32", "i686-pc-windows-itanium"),
    ("cygwin64", "x86_64-pc-cygwin"),
    ("cygwin32", "i686-pc-cygwin"),
    ("mac64", "x86_64-apple-darwin"),
    ("arm64", "aarch64-unknown-linux-gnu"),
    ("arm64be", "aarch64_be-unknown-linux-gnu"),
    ("winarm64", "aarch64-pc-windows-msvc"),
    ("mingwarm64", "aarch64-w64-windows-gnu"),
    ("macarm64", "aarch64-apple-darwin"),
    ("armhf", "armv7-unknown-linux-gnueabihf"),
    ("armel", "armv7-unknown-linux-gnueabi"),
    ("thumbhf", "thumbv7-unknown-linux-gnueabihf"),
    ("thumbel", "thumbv7-unknown-linux-gnueabi"),
    ("armbe", "armebv7-unknown-linux-gnueabihf"),
    ("thumbbe", "thumbebv7-unknown-linux-gnueabihf"),
    ("cortexm", "thumbv7em-none-eabihf"),
    ("winarm32", "thumbv7-pc-windows-msvc"),
    ("mingwarm32", "thumbv7-w64-windows-gnu"),
];

/// Features with which `long` vectors are passed in registers, and the registers' width in bytes.
const FEATURES: &[(&str, u8)] =
    &[("sse", 16), ("sse2", 16), ("avx", 32), ("avx2", 32), ("avx512", 64), ("avx512f", 64)];

/// The triple of a target that is called by its short name; any other name is a triple itself.
pub fn triple_of(name: &str) -> &str {
    SHORT_NAMES.iter().find(|(short, _)| *short == name).map_or(name, |(_, triple)| triple)
}

/// The phrase on which target may be meant by a name that is not known; empty if none is similar.
pub fn similar(name: &str) -> String {
    gusset_text::did_you_mean(name, SHORT_NAMES.iter().flat_map(|(short, triple)| [*short, *triple]))
}

impl NamedTarget {
    /// The target of a triple or short name, with its usual features.
    ///
    /// # Errors
    /// The target is not known.
    pub fn new(name: &str) -> Result<NamedTarget, Error> {
        NamedTarget::with_features(name, AbiFeatures::default())
    }

    /// The same with other features.
    ///
    /// # Errors
    /// The target is not known.
    pub fn with_features(name: &str, features: AbiFeatures) -> Result<NamedTarget, Error> {
        let triple = triple_of(name);
        let abi = gusset_abi::AbiTarget::from_triple(triple, features)
            .map_err(|error| Error::Target(format!("{error}{}", similar(name))))?;
        Ok(NamedTarget { triple: triple.to_string(), abi })
    }
}

/// The features in lists such as `avx,soft-float`.
///
/// # Errors
/// A feature is not known.
pub fn features(lists: &[String]) -> Result<AbiFeatures, Error> {
    let mut wanted = AbiFeatures::default();
    for feature in lists.iter().flat_map(|list| list.split(',')).filter(|name| !name.is_empty()) {
        let plain = feature.strip_prefix('+').unwrap_or(feature);
        match FEATURES.iter().find(|(name, _)| *name == plain) {
            Some((_, bytes)) => wanted.vector_bytes = wanted.vector_bytes.max(*bytes),
            None if plain == "soft-float" => wanted.hard_float = false,
            None if plain == "static-chain-x18" => wanted.chain_in_x18 = true,
            None => {
                let known: Vec<&str> = FEATURES.iter().map(|(name, _)| *name).collect();
                let known = known.join(", ");
                let message =
                    format!("feature `{feature}` is not known (known: {known}, soft-float, static-chain-x18)");
                return Err(Error::Target(message));
            }
        }
    }
    Ok(wanted)
}
