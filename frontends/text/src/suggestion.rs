//! What a writer may have meant by a word that is not known.

/// How alike two words have to be, from 0 to 1.
const ALIKE: f64 = 0.8;

/// A phrase for messages about an unknown word: which of the known words is meant, perhaps. Empty if none is alike.
#[cold]
pub fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let alike = known.into_iter().map(|known| (strsim::jaro_winkler(word, known), known));
    match alike.filter(|(score, _)| *score >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, meant)) => format!(" (did you mean `{meant}`?)"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_alike() {
        assert_eq!(did_you_mean("uint32", ["int32_t", "uint32_t", "double"]), " (did you mean `uint32_t`?)");
        assert_eq!(did_you_mean("mars", ["linux64", "win32"]), "");
    }
}
