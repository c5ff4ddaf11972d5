//! Classification results by signature.

use crate::classify::classify;
use crate::error::AbiError;
use crate::fnabi::FnAbi;
use crate::mixer::Mixer;
use crate::signature::Signature;
use crate::target::Target;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Remembers the ABI of every signature seen, so that a repeated signature is only looked up.
///
/// It serves one target; every thread keeps its own.
#[derive(Clone, Debug)]
pub struct AbiCache {
    target: Target,
    entries: Vec<(u64, Signature, Arc<FnAbi>)>,
    /// Open addressing; the length is a power of two. An entry is an index into the entries plus one, or 0.
    table: Vec<u32>,
}

impl AbiCache {
    /// An empty cache for `target`.
    pub fn new(target: Target) -> AbiCache {
        AbiCache { target, entries: Vec::new(), table: alloc::vec![0; 64] }
    }

    /// The target.
    pub fn target(&self) -> &Target {
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
        let hash = hash(signature);
        let mut place = self.start(hash);
        while self.table[place] != 0 {
            let (other_hash, other, abi) = &self.entries[self.table[place] as usize - 1];
            if *other_hash == hash && other == signature {
                return Ok(abi.clone());
            }
            place = (place + 1) & (self.table.len() - 1);
        }
        let abi = Arc::new(classify(&self.target, signature)?);
        self.entries.push((hash, signature.clone(), abi.clone()));
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
            let mut place = self.start(self.entries[i].0);
            while self.table[place] != 0 {
                place = (place + 1) & (len - 1);
            }
            self.table[place] = i as u32 + 1;
        }
    }
}

fn hash(signature: &Signature) -> u64 {
    let mut hasher = Mixer::default();
    signature.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::CType;

    #[test]
    fn repeated_signatures_share_one_result() {
        let mut cache = AbiCache::new(Target::X86_64_LINUX);
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
