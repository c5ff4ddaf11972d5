//! Classification results by signature.

use crate::classify::classify;
use crate::error::AbiError;
use crate::fnabi::FnAbi;
use crate::mixer::Mixer;
use crate::signature::{AbiType, Modifiers, Param, Signature};
use crate::target::AbiTarget;
use crate::types::{CType, Scalar};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Remembers the ABI of every signature seen, so that a repeated signature is only looked up.
///
/// It serves one target; every thread keeps its own.
///
/// ```
/// use gusset_abi::{AbiCache, AbiTarget, CType, Signature};
///
/// let mut cache = AbiCache::new(AbiTarget::X86_64_LINUX);
/// let signature = Signature::c(CType::I32).param(CType::PTR);
/// let (first, again) = (cache.classify(&signature)?, cache.classify(&signature)?);
/// assert!(std::sync::Arc::ptr_eq(&first, &again) && cache.len() == 1);
/// # Ok::<(), gusset_abi::AbiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AbiCache {
    target: AbiTarget,
    entries: Vec<Entry>,
    /// Open addressing; the length is a power of two. An entry is an index into the entries plus one, or 0.
    table: Vec<u32>,
    /// Those of the signature that is looked up.
    words: Vec<u64>,
}

/// A signature and its ABI.
#[derive(Clone, Debug)]
struct Entry {
    hash: u64,
    /// The signature as words: its head, its parameters, its result. Equal words with [`EXACT`] mean equal parts.
    words: Box<[u64]>,
    signature: Signature,
    abi: Arc<FnAbi>,
}

const EXACT: u64 = 1;

/// The word of what is not parameter or result. It is exact for numbers of parameters below 2^32.
fn head(signature: &Signature) -> u64 {
    let Modifiers { regparm, sse_regparm, member, preserves } = signature.modifiers;
    let modifiers =
        u64::from(regparm) << 1 | u64::from(sse_regparm) << 9 | (member as u64) << 10 | (preserves as u64) << 12;
    let named = signature.variadic.map_or(0, |named| named as u64 + 1);
    named << 32 | (signature.convention as u64) << 16 | modifiers | u64::from(named >> 32 == 0)
}

/// The word of a parameter or result. That of a scalar of C without attributes, as nearly all are, is exact.
fn word(param: &Param) -> u64 {
    match &param.ty {
        AbiType::C(CType::Scalar(scalar)) if param.attrs.is_default() => {
            let number = match *scalar {
                Scalar::Bool => 0,
                Scalar::Pointer => 1,
                Scalar::Int { bits, signed } => 2 | u64::from(signed) << 2 | u64::from(bits) << 3,
                Scalar::Float(kind) => 3 | (kind as u64) << 2,
            };
            number << 1 | EXACT
        }
        ty => {
            let mut hasher = Mixer::default();
            match ty {
                AbiType::C(CType::Record(record)) => hasher.write_u64(record.members_hash()),
                ty => ty.hash(&mut hasher),
            }
            hasher.finish() & !EXACT
        }
    }
}

impl Entry {
    /// Is it that of `signature`, which has these words?
    fn is_of(&self, signature: &Signature, words: &[u64]) -> bool {
        if *self.words != *words {
            return false;
        }
        let Signature { ret, params, variadic, .. } = &self.signature;
        let same = |a: &Param, b: &Param, word: u64| word & EXACT != 0 || a == b;
        words.iter().fold(EXACT, |all, word| all & word) == EXACT
            || *variadic == signature.variadic
                && same(ret, &signature.ret, words[words.len() - 1])
                && params.iter().zip(&signature.params).zip(&words[1..]).all(|((a, b), word)| same(a, b, *word))
    }
}

impl AbiCache {
    /// An empty cache for `target`.
    pub fn new(target: AbiTarget) -> AbiCache {
        AbiCache { target, entries: Vec::new(), table: alloc::vec![0; 64], words: Vec::new() }
    }

    /// The target.
    pub fn target(&self) -> &AbiTarget {
        &self.target
    }

    /// Number of signatures remembered.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no signature is remembered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Like [`classify`], with the result for an equal signature if there was one.
    ///
    /// # Errors
    /// As for [`classify`]; errors are not remembered.
    pub fn classify(&mut self, signature: &Signature) -> Result<Arc<FnAbi>, AbiError> {
        self.words.clear();
        self.words.push(head(signature));
        self.words.extend(signature.params.iter().map(word));
        self.words.push(word(&signature.ret));
        let mut hasher = Mixer::default();
        self.words.iter().for_each(|word| hasher.write_u64(*word));
        let hash = hasher.finish();
        let mut place = self.start(hash);
        while self.table[place] != 0 {
            let entry = &self.entries[self.table[place] as usize - 1];
            if entry.hash == hash && entry.is_of(signature, &self.words) {
                return Ok(entry.abi.clone());
            }
            place = (place + 1) & (self.table.len() - 1);
        }
        let abi = Arc::new(classify(&self.target, signature)?);
        let words = self.words.as_slice().into();
        self.entries.push(Entry { hash, words, signature: signature.clone(), abi: abi.clone() });
        self.table[place] = self.entries.len() as u32;
        if 2 * self.entries.len() > self.table.len() {
            self.grow();
        }
        Ok(abi)
    }

    fn start(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        let len = 2 * self.table.len();
        self.table.clear();
        self.table.resize(len, 0);
        for i in 0..self.entries.len() {
            let mut place = self.start(self.entries[i].hash);
            while self.table[place] != 0 {
                place = (place + 1) & (len - 1);
            }
            self.table[place] = i as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::CType;

    #[test]
    fn repeated_signatures_share_one_result() {
        let mut cache = AbiCache::new(AbiTarget::X86_64_LINUX);
        let mut seen = Vec::new();
        for round in 0..2 {
            for n in 0..100 {
                let signature = (0..n).fold(Signature::c(CType::I32), |s, _| s.param(CType::F64));
                let abi = cache.classify(&signature).unwrap();
                assert_eq!(abi.args.len(), n);
                if round == 0 {
                    seen.push(abi);
                } else {
                    assert!(Arc::ptr_eq(&abi, &seen[n]));
                }
            }
        }
        assert_eq!(cache.len(), 100);
    }
}
