//! Vector and scalar floating-point instructions.

use super::*;
use crate::x86::encode::ops::*;
use crate::x86::encode::vex::*;

/// The blends name their implicit mask.
fn mask(name: &str) -> &'static str {
    if matches!(name, "PBLENDVB" | "BLENDVPS" | "BLENDVPD" | "SHA256RNDS2") { ", xmm0" } else { "" }
}

#[test]
fn two_operands() {
    let mut f = Forms::new();
    for &(name, op, bytes) in SSE_OPS {
        for d in XMMS {
            for s in XMMS {
                f.add(format!("{name} {}, {}{}", xmm(d), xmm(s), mask(name)), |a| a.sse_rr(op, d, s));
            }
            for m in mems() {
                f.add(format!("{name} {}, {}{}", xmm(d), mem(bytes, m), mask(name)), |a| a.sse_rm(op, d, m));
            }
        }
    }
    for d in XMMS {
        for s in XMMS {
            f.add(format!("movhlps {}, {}", xmm(d), xmm(s)), |a| a.sse_rr(MOVHLPS, d, s));
            f.add(format!("movlhps {}, {}", xmm(d), xmm(s)), |a| a.sse_rr(MOVLHPS, d, s));
        }
        let halves = [(MOVLPS, "movlps"), (MOVLPD, "movlpd"), (MOVHPS, "movhps"), (MOVHPD, "movhpd")];
        for (op, name) in halves {
            for m in mems() {
                f.add(format!("{name} {}, {}", xmm(d), mem(8, m)), |a| a.sse_rm(op, d, m));
            }
        }
    }
    for m in all_mems() {
        f.add(format!("addsd xmm9, {}", mem(8, m)), |a| a.sse_rm(ADDSD, XMM9, m));
        f.add(format!("pshufb xmm9, {}", mem(16, m)), |a| a.sse_rm(PSHUFB, XMM9, m));
    }
    f.judge();
}

#[test]
fn immediates() {
    let mut f = Forms::new();
    for &(name, op, bytes) in SSE_IMM_OPS {
        for d in XMMS {
            for imm in [0, 1, 7] {
                for s in XMMS {
                    f.add(format!("{name} {}, {}, {imm}", xmm(d), xmm(s)), |a| a.sse_rri(op, d, s, imm));
                }
                for m in mems() {
                    f.add(format!("{name} {}, {}, {imm}", xmm(d), mem(bytes, m)), |a| a.sse_rmi(op, d, m, imm));
                }
            }
        }
    }
    for &(name, op, _) in SSE_SHIFT_OPS {
        for d in XMMS {
            for imm in [0, 1, 31, 200] {
                let name = name.trim_end_matches("_IMM");
                f.add(format!("{name} {}, {imm}", xmm(d)), |a| a.sse_shift_ri(op, d, imm));
            }
        }
    }
    f.judge();
}

#[test]
fn stores() {
    let mut f = Forms::new();
    for &(name, op, bytes) in SSE_STORE_OPS {
        for s in XMMS {
            for m in mems() {
                let name = name.trim_end_matches("_STORE");
                f.add(format!("{name} {}, {}", mem(bytes, m), xmm(s)), |a| a.sse_mr(op, m, s));
            }
        }
    }
    for m in mems() {
        for &(name, op, bytes) in MEM_OPS {
            f.add(format!("{name} {}", mem(bytes, m)), |a| a.memory(op, m));
        }
    }
    f.judge();
}

#[test]
fn between_register_files() {
    let mut f = Forms::new();
    for x in XMMS {
        for size in WIDE {
            let mov = if size == Size::B8 { "movq" } else { "movd" };
            for r in GPRS {
                f.add(format!("{mov} {}, {}", xmm(x), gpr(size, r)), |a| a.mov_xr(size, x, r));
                f.add(format!("{mov} {}, {}", gpr(size, r), xmm(x)), |a| a.mov_rx(size, r, x));
                for &(name, op, _) in SSE_TO_GPR_OPS {
                    f.add(format!("{name} {}, {}", gpr(size, r), xmm(x)), |a| a.sse_to_gpr_rr(op, size, r, x));
                }
                for &(name, op, _) in GPR_TO_SSE_OPS {
                    f.add(format!("{name} {}, {}", xmm(x), gpr(size, r)), |a| a.gpr_to_sse_rr(op, size, x, r));
                }
            }
            for m in mems() {
                for &(name, op, bytes) in SSE_TO_GPR_OPS {
                    let text = format!("{name} {}, {}", gpr(size, R9), mem(bytes, m));
                    f.add(text, |a| a.sse_to_gpr_rm(op, size, R9, m));
                }
                for &(name, op, _) in GPR_TO_SSE_OPS {
                    f.add(format!("{name} {}, {}", xmm(x), of(size, m)), |a| a.gpr_to_sse_rm(op, size, x, m));
                }
            }
        }
        for m in mems() {
            f.add(format!("movd {}, {}", xmm(x), mem(4, m)), |a| a.movd_xm(x, m));
        }
        for r in GPRS {
            for &(name, op, _) in SSE_MASK_OPS {
                f.add(format!("{name} {}, {}", gpr(Size::B4, r), xmm(x)), |a| a.sse_mask(op, r, x));
            }
        }
    }
    f.judge();
}

#[test]
fn lanes() {
    let mut f = Forms::new();
    for x in XMMS {
        for r in GPRS {
            f.add(format!("pextrw {}, {}, 5", gpr(Size::B4, r), xmm(x)), |a| a.pextrw_rri(r, x, 5));
            for &(name, op, bytes) in EXTRACT_OPS {
                let size = if bytes == 8 { Size::B8 } else { Size::B4 };
                f.add(format!("{name} {}, {}, 1", gpr(size, r), xmm(x)), |a| a.extract_rri(op, r, x, 1));
            }
            for &(name, op, bytes) in INSERT_OPS {
                let size = if bytes == 8 { Size::B8 } else { Size::B4 };
                f.add(format!("{name} {}, {}, 1", xmm(x), gpr(size, r)), |a| a.insert_rri(op, x, r, 1));
            }
        }
        for m in mems() {
            f.add(format!("pextrw {}, {}, 5", mem(2, m), xmm(x)), |a| a.pextrw_mri(m, x, 5));
            for &(name, op, bytes) in EXTRACT_OPS {
                f.add(format!("{name} {}, {}, 1", mem(bytes, m), xmm(x)), |a| a.extract_mri(op, m, x, 1));
            }
            for &(name, op, bytes) in INSERT_OPS {
                f.add(format!("{name} {}, {}, 1", xmm(x), mem(bytes, m)), |a| a.insert_rmi(op, x, m, 1));
            }
        }
    }
    f.judge();
}

/// The assembler exchanges the sources of commutative instructions where that saves a byte; the samples avoid this.
#[test]
fn avx_and_fma() {
    let mut f = Forms::new();
    let vector = |long: bool, x: Xmm| format!("{}mm{}", if long { "y" } else { "x" }, x.0);
    for &(name, op) in FMA_OPS {
        let (packed, bytes) = match &name[name.len() - 2..] {
            "SS" => (false, 4),
            "SD" => (false, 8),
            _ => (true, 16),
        };
        for long in if packed { &[false, true][..] } else { &[false] } {
            let v = |x| vector(*long, x);
            for d in XMMS {
                for s in XMMS {
                    f.add(format!("{name} {}, {}, {}", v(d), v(s), v(XMM9)), |a| a.fma_rrr(op, *long, d, s, XMM9));
                }
                for m in mems() {
                    let m_text = mem(if *long { 32 } else { bytes }, m);
                    f.add(format!("{name} {}, {}, {m_text}", v(d), v(XMM3)), |a| a.fma_rrm(op, *long, d, XMM3, m));
                }
            }
        }
    }
    for long in [false, true] {
        let v = |x| vector(long, x);
        let bytes = if long { 32 } else { 16 };
        for d in XMMS {
            for s in XMMS {
                for (op, name) in [(ADDPD, "vaddpd"), (PADDD, "vpaddd"), (PSHUFB, "vpshufb"), (ANDNPS, "vandnps")] {
                    let text = format!("{name} {}, {}, {}", v(d), v(s), v(XMM3));
                    f.add(text, |a| a.avx_rrr(op, long, d, s, XMM3));
                    for m in mems() {
                        let text = format!("{name} {}, {}, {}", v(d), v(s), mem(bytes, m));
                        f.add(text, |a| a.avx_rrm(op, long, d, s, m));
                    }
                }
            }
            f.add(format!("vmovaps {}, {}", v(d), v(XMM2)), |a| a.avx_rr(MOVAPS, long, d, XMM2));
            f.add(format!("vsqrtpd {}, {}", v(d), v(XMM12)), |a| a.avx_rr(SQRTPD, long, d, XMM12));
            for m in mems() {
                f.add(format!("vmovdqu {}, {}", v(d), mem(bytes, m)), |a| a.avx_rm(MOVDQU, long, d, m));
                f.add(format!("vmovdqu {}, {}", mem(bytes, m), v(d)), |a| a.avx_mr(MOVDQU_STORE, long, m, d));
            }
        }
    }
    f.add("vzeroupper", |a| a.vzeroupper());
    f.judge();
}
