//! What judges of the Windows x64 conventions do otherwise: see the table at the head of `win64.rs` in the ABI layer.

use super::signature::Call;
use gusset_abi::{ArgAbi, CType, DataLayout, FloatKind, PassMode, Piece, RegClass};

/// clang 19 for MSVC targets: `va_arg` of a vector or `__int128` reads the value where its caller left an address.
pub fn msvc_clang(_: &DataLayout, call: &Call) -> bool {
    let named = call.signature.named();
    call.types.iter().zip(&call.abi.args).skip(named).any(|(n, arg)| {
        let scalar = matches!(n.ty, CType::Scalar(_) | CType::Vector { .. });
        scalar && matches!(arg.mode, PassMode::Indirect { .. })
    })
}

/// clang 19 elsewhere: also `__float128` as arguments and results, vectors of less than 16 bytes, results of no size.
pub fn gnu_clang(layout: &DataLayout, call: &Call) -> bool {
    let size = |ty: &CType| layout.layout(ty).map_or(0, |l| l.size);
    let empty_result = call.ret.ty != CType::Void && size(&call.ret.ty) == 0;
    msvc_clang(layout, call)
        || empty_result
        || call.all().any(|(n, _)| n.ty == CType::F128 || matches!(n.ty, CType::Vector { .. }) && size(&n.ty) < 16)
}

/// clang 19 in `ms_abi` functions: also results of 80 bits.
pub fn ms_abi_clang(layout: &DataLayout, call: &Call) -> bool {
    gnu_clang(layout, call) || call.ret.ty == CType::LONG_DOUBLE
}

/// clang 19 in `__vectorcall` functions: four `_Float16` as a result are in memory.
pub fn vectorcall_clang(_: &DataLayout, call: &Call) -> bool {
    let pieces = call.abi.ret.mode.pieces();
    pieces.len() == 4 && pieces[0].size == 2
}

/// GCC 12: `_Float16` in general registers, and nothing that it passes by address is aligned to more than 16 bytes.
pub fn gcc(_: &DataLayout, call: &Call) -> bool {
    let aligned = |arg: &ArgAbi| matches!(arg.mode, PassMode::Indirect { .. }) && arg.layout.align > 16;
    call.abi.args.iter().any(aligned) || call.all().any(|(n, _)| n.ty == CType::float(FloatKind::F16))
}

/// GCC 12 in `ms_abi` functions: also, its `va_arg` reads the value where its caller left an address.
pub fn ms_abi_gcc(layout: &DataLayout, call: &Call) -> bool {
    let mut unnamed = call.abi.args.iter().skip(call.signature.named());
    gcc(layout, call) || unnamed.any(|arg| matches!(arg.mode, PassMode::Indirect { .. }))
}

/// clang 19 in `sysv_abi` functions on Windows: an 80-bit result is in memory.
pub fn sysv_abi_clang(_: &DataLayout, call: &Call) -> bool {
    call.abi.ret.mode.pieces().iter().filter_map(Piece::reg).any(|reg| reg.class == RegClass::X87)
}
