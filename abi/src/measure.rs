//! Size and alignment of a type, and what was found out about a record, which is cached in it: types are shared, and
//! one is measured and classified many times.
//!
//! A memo holds each result for one target in a single word, so that threads can share it without locks: a word is
//! either for the target that asks, or it is not used.

use crate::target::AbiTarget;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// The largest object, in bytes.
pub(crate) const MAX_SIZE: u64 = 1 << 31;

/// Size and alignment of a type. An example is at [`DataLayout`](crate::DataLayout).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Size in bytes, a multiple of the alignment except for `x86_fp80` stores and packed records.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
}

impl Layout {
    /// The layout of `void`: no bytes, aligned to 1.
    pub const NOTHING: Layout = Layout::new(0, 1);

    pub(crate) const fn new(size: u64, align: u32) -> Layout {
        Layout { size, align }
    }
}

/// What layout finds out about a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    pub(crate) layout: Layout,
    /// Required alignment in bytes, 0 or 1 if there is none; see [`RecordLayout::required_align`](crate::RecordLayout::required_align).
    pub(crate) required: u32,
    /// Alignment in bytes without attributes of the record itself: the largest of its members' alignments.
    pub(crate) natural: u32,
}

/// A record's measure and its classification, for the targets that asked last; 0 is none.
#[derive(Default)]
pub(crate) struct Memo {
    measure: AtomicU64,
    classes: AtomicU64,
}

/// Bits of the word from the lowest: size, logarithms of the three alignments, the target. The highest bit says that
/// the word is set.
const SIZE_BITS: u32 = 32;
const LOG_BITS: u32 = 6;
const TARGET_AT: u32 = SIZE_BITS + 3 * LOG_BITS;
const THERE: u64 = 1 << 63;
/// The word of classes has the number of the rules above the classes and below the target.
const RULES_AT: u32 = u16::BITS;

/// The properties of a target that layout depends on, as the highest bits of a word; the others are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TargetKey(u64);

impl TargetKey {
    pub(crate) fn of(target: &AbiTarget) -> TargetKey {
        let vectors = u64::from(target.features.vector_bytes.leading_zeros());
        let all = target.arch as u64 | (target.os as u64) << 2 | (target.env as u64) << 5 | vectors << 7;
        let all = all | u64::from(target.features.apcs) << 11;
        TargetKey(all << TARGET_AT | THERE)
    }
}

/// The logarithm of a power of two, plus one; 0 for 0.
fn log(align: u32) -> u64 {
    u64::from(u32::BITS - align.leading_zeros())
}

/// The inverse of [`log`].
fn power(log: u64) -> u32 {
    ((1u64 << log) >> 1) as u32
}

impl Memo {
    /// The word of the measure, if it is for this target.
    fn word(&self, key: TargetKey) -> Option<u64> {
        let word = self.measure.load(Ordering::Relaxed);
        (word >> TARGET_AT == key.0 >> TARGET_AT).then_some(word)
    }

    /// One of the alignments in a word of a measure.
    fn align(word: u64, index: u32) -> u32 {
        power(word >> (SIZE_BITS + index * LOG_BITS) & ((1 << LOG_BITS) - 1))
    }

    /// Size and alignment.
    #[inline]
    pub(crate) fn layout(&self, key: TargetKey) -> Option<Layout> {
        let word = self.word(key)?;
        Some(Layout { size: word & ((1 << SIZE_BITS) - 1), align: Self::align(word, 0) })
    }

    /// Alignment without attributes of the record itself.
    #[inline]
    pub(crate) fn natural(&self, key: TargetKey) -> Option<u32> {
        Some(Self::align(self.word(key)?, 2))
    }

    /// Required alignment.
    #[inline]
    pub(crate) fn required(&self, key: TargetKey) -> Option<u32> {
        Some(Self::align(self.word(key)?, 1))
    }

    pub(crate) fn get(&self, key: TargetKey) -> Option<Measure> {
        let required = self.required(key)?;
        Some(Measure { layout: self.layout(key)?, required, natural: self.natural(key)? })
    }

    pub(crate) fn set(&self, key: TargetKey, measure: &Measure) {
        let Measure { layout, required, natural } = *measure;
        let logs = log(layout.align) | log(required) << LOG_BITS | log(natural) << (2 * LOG_BITS);
        self.measure.store(key.0 | logs << SIZE_BITS | layout.size, Ordering::Relaxed);
    }

    /// The numbers that a classification with the number `rules` has cached.
    pub(crate) fn classes(&self, key: TargetKey, rules: u8) -> Option<u16> {
        let word = self.classes.load(Ordering::Relaxed);
        let wanted = key.0 | u64::from(rules) << RULES_AT;
        (word >> RULES_AT == wanted >> RULES_AT).then_some(word as u16)
    }

    pub(crate) fn set_classes(&self, key: TargetKey, rules: u8, classes: u16) {
        self.classes.store(key.0 | u64::from(rules) << RULES_AT | u64::from(classes), Ordering::Relaxed);
    }
}

impl Clone for Memo {
    /// A changed clone of a record has another measure, so nothing is copied.
    fn clone(&self) -> Memo {
        Memo::default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

impl Eq for Memo {}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{AbiFeatures, Arch, Env, Os};

    #[test]
    fn a_memo_is_of_one_target() {
        let memo = Memo::default();
        let target = AbiTarget::X86_64_LINUX;
        let key = TargetKey::of(&target);
        assert!(memo.get(key).is_none());
        for (size, align, required, natural) in [(0, 1, 0, 1), (1 << 31, 1 << 28, 1 << 28, 8), (24, 8, 1, 4)] {
            let measure = Measure { layout: Layout { size, align }, required, natural };
            memo.set(key, &measure);
            let got = memo.get(key).map(|m| (m.layout.size, m.layout.align, m.required, m.natural));
            assert_eq!(got, Some((size, align, required, natural)));
        }
        let mut wide = target;
        wide.features.vector_bytes = 32;
        for other in [AbiTarget { os: Os::None, ..target }, AbiTarget { arch: Arch::Arm, ..target }, wide] {
            assert!(memo.get(TargetKey::of(&other)).is_none());
        }
        assert!(memo.clone().get(key).is_none());
    }

    #[test]
    fn classes_are_of_one_target_and_set_of_rules() {
        let (memo, target) = (Memo::default(), AbiTarget::X86_64_LINUX);
        let key = TargetKey::of(&target);
        assert_eq!(memo.classes(key, 0), None);
        memo.set_classes(key, 1, 0xffff);
        assert_eq!((memo.classes(key, 1), memo.classes(key, 0)), (Some(0xffff), None));
        assert_eq!(memo.classes(TargetKey::of(&AbiTarget { os: Os::None, ..target }), 1), None);
        assert!(memo.get(key).is_none());
    }

    #[test]
    fn targets_have_keys_of_their_own() {
        let mut keys = alloc::collections::BTreeSet::new();
        for arch in [Arch::X86, Arch::X86_64, Arch::Aarch64, Arch::Arm] {
            for os in [Os::Linux, Os::Bsd, Os::NetBsd, Os::Darwin, Os::Windows, Os::None] {
                for env in [Env::Gnu, Env::Msvc, Env::Itanium, Env::Cygnus] {
                    for vector_bytes in [0, 8, 16, 32, 64] {
                        let features = AbiFeatures { vector_bytes, ..AbiFeatures::default() };
                        keys.insert(TargetKey::of(&AbiTarget { arch, os, env, features, ..AbiTarget::X86_64_LINUX }).0);
                    }
                }
            }
        }
        assert_eq!(keys.len(), 4 * 6 * 4 * 5);
        let lowest = keys.iter().fold(0, |all, key| all | key).trailing_zeros();
        assert!(lowest >= TARGET_AT);
    }
}
