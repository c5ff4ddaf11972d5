//! Code pages: the ABI layer's stubs, one for each slot.

use crate::arch;
use core::mem::offset_of;
use core::sync::atomic::{AtomicPtr, Ordering};
use gusset_abi::{
    AbiError, AbiFeatures, AbiTarget, Arch, Convention, Endian, Env, Os, PoolStub, Reg, TrampolineOptions, static_chain,
};

/// What a stub loads. Another thread may look at it where a trampoline's host is left.
#[repr(C)]
pub(crate) struct Slot {
    #[cfg(target_arch = "arm")]
    pub chain: *const (),
    callee: AtomicPtr<()>,
    #[cfg(not(target_arch = "arm"))]
    pub chain: *const (),
}

impl Slot {
    /// Where the stub goes.
    #[inline]
    pub(crate) fn callee(&self) -> *const () {
        self.callee.load(Ordering::Acquire)
    }

    /// Makes the stub go to `callee`.
    #[inline]
    pub(crate) fn lead_to(&self, callee: *const ()) {
        self.callee.store(callee.cast_mut(), Ordering::Release);
    }
}

/// Conventions whose static chains are in different registers: each has stubs of its own, a *kind*.
const CHAINS: &[Convention] =
    if cfg!(target_arch = "x86") { &[Convention::C, Convention::Fastcall] } else { &[Convention::C] };

/// Number of kinds.
pub(crate) const KINDS: usize = CHAINS.len();

/// A kind as an index that needs no check.
pub(crate) fn kind_index(kind: usize) -> usize {
    if kind < KINDS { kind } else { 0 }
}

/// The register for the static chain of a kind.
pub(crate) fn chain_register(kind: usize) -> Reg {
    static_chain(&HOST, CHAINS.get(kind).copied().unwrap_or_default())
}

/// Bytes of stubs in a block, and of slots; it is also the distance from a stub to its slot. A multiple of the system's
/// pages, which have up to 64 KiB on AArch64; on ARM as far as a stub's loads reach.
pub(crate) const UNIT: usize = match () {
    () if cfg!(target_arch = "arm") => 4 << 10,
    () if cfg!(target_arch = "aarch64") => 64 << 10,
    () => 32 << 10,
};

/// Distance of stubs, and of slots, in bytes.
pub(crate) const STRIDE: usize = arch::STRIDE;

/// Stubs in a block.
pub(crate) const COUNT: usize = UNIT / STRIDE;

/// The target of this library.
pub(crate) const HOST: AbiTarget = AbiTarget {
    endian: if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little },
    arch: match () {
        () if cfg!(target_arch = "x86_64") => Arch::X86_64,
        () if cfg!(target_arch = "x86") => Arch::X86,
        () if cfg!(target_arch = "aarch64") => Arch::Aarch64,
        () => Arch::Arm,
    },
    os: if cfg!(windows) { Os::Windows } else { Os::Linux },
    env: if cfg!(target_env = "msvc") { Env::Msvc } else { Env::Gnu },
    features: AbiFeatures::DEFAULT,
};

/// Every stub begins with a landing pad where the architecture has them: the library cannot know which modules of the
/// program ask for them.
pub(crate) const OPTIONS: TrampolineOptions =
    TrampolineOptions { landing_pad: !cfg!(target_arch = "arm"), isa: gusset_abi::Isa::Base };

/// Fills the code of a block of this kind; `code` is at `address`, and the slots follow it.
///
/// # Errors
/// The ABI layer does not make such stubs.
pub(crate) fn fill(kind: usize, code: &mut [u8], address: usize) -> Result<(), AbiError> {
    let stub = PoolStub::new(&HOST, chain_register(kind), OPTIONS)?;
    debug_assert_eq!(
        [stub.stride as usize, stub.callee_at as usize, stub.chain_at as usize, stub.adjust as usize],
        [STRIDE, offset_of!(Slot, callee), offset_of!(Slot, chain), 0],
    );
    code.fill(arch::TRAP);
    for (i, place) in code.chunks_exact_mut(STRIDE).enumerate() {
        let at = (address + i * STRIDE) as u64;
        stub.write(place, at, at + UNIT as u64)?;
    }
    Ok(())
}
