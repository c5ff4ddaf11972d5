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
                f.add(format!("{name} {}, {}{}", xmm(d), xmm(s), mask(name)), |a| a.sse(op, d, s));
            }
            for m in mems() {
                f.add(format!("{name} {}, {}{}", xmm(d), mem(bytes, m), mask(name)), |a| a.sse(op, d, m));
            }
        }
    }
    for d in XMMS {
        for s in XMMS {
            for &(name, op, _) in SSE_REGISTER_OPS {
                f.add(format!("{name} {}, {}", xmm(d), xmm(s)), |a| a.sse(op, d, s));
            }
        }
    }
    for m in all_mems() {
        f.add(format!("addsd xmm9, {}", mem(8, m)), |a| a.sse(ADDSD, XMM9, m));
        f.add(format!("pshufb xmm9, {}", mem(16, m)), |a| a.sse(PSHUFB, XMM9, m));
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
                    f.add(format!("{name} {}, {}, {imm}", xmm(d), xmm(s)), |a| a.sse_imm(op, d, s, imm));
                }
                for m in mems() {
                    f.add(format!("{name} {}, {}, {imm}", xmm(d), mem(bytes, m)), |a| a.sse_imm(op, d, m, imm));
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
fn bit_fields() {
    let mut f = Forms::new();
    for d in XMMS {
        for field in [0, 0x0203, 0x3f00] {
            let [length, index] = u16::to_le_bytes(field);
            f.add(format!("extrq {}, {length}, {index}", xmm(d)), |a| a.bit_field(EXTRQ_IMM, d, None, field));
            for s in XMMS {
                let text = format!("insertq {}, {}, {length}, {index}", xmm(d), xmm(s));
                f.add(text, |a| a.bit_field(INSERTQ_IMM, d, Some(s), field));
            }
        }
        for s in XMMS {
            for &(name, op, _) in SSE_FIELD_OPS {
                f.add(format!("{name} {}, {}", xmm(d), xmm(s)), |a| a.sse(op, d, s));
            }
        }
    }
    assert_eq!(BIT_FIELD_OPS.len(), 2);
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
                    f.add(format!("{name} {}, {}", gpr(size, r), xmm(x)), |a| a.sse_to_gpr(op, size, r, x));
                }
                for &(name, op, _) in GPR_TO_SSE_OPS {
                    f.add(format!("{name} {}, {}", xmm(x), gpr(size, r)), |a| a.gpr_to_sse(op, size, x, r));
                }
            }
            for m in mems() {
                for &(name, op, bytes) in SSE_TO_GPR_OPS {
                    let text = format!("{name} {}, {}", gpr(size, R9), mem(bytes, m));
                    f.add(text, |a| a.sse_to_gpr(op, size, R9, m));
                }
            }
        }
        for r in GPRS {
            f.add(format!("movmskpd {}, {}", gpr(Size::B4, r), xmm(x)), |a| a.movmskpd(r, x));
        }
    }
    f.judge();
}

#[test]
fn lanes() {
    let mut f = Forms::new();
    for x in XMMS {
        for r in GPRS {
            f.add(format!("pextrw {}, {}, 5", gpr(Size::B4, r), xmm(x)), |a| a.pextrw(r, x, 5));
            for &(name, op, bytes) in EXTRACT_OPS {
                let size = if bytes == 8 { Size::B8 } else { Size::B4 };
                f.add(format!("{name} {}, {}, 1", gpr(size, r), xmm(x)), |a| a.extract(op, r, x, 1));
            }
            for &(name, op, bytes) in INSERT_OPS {
                let size = if bytes == 8 { Size::B8 } else { Size::B4 };
                f.add(format!("{name} {}, {}, 1", xmm(x), gpr(size, r)), |a| a.insert(op, x, r, 1));
            }
        }
        for m in mems() {
            for &(name, op, bytes) in INSERT_OPS {
                f.add(format!("{name} {}, {}, 1", xmm(x), mem(bytes, m)), |a| a.insert(op, x, m, 1));
            }
        }
    }
    f.judge();
}

#[test]
fn fused_operations() {
    let mut f = Forms::new();
    for &(name, op) in FMA_OPS {
        for d in XMMS {
            for s in XMMS {
                f.add(format!("{name} {}, {}, {}", xmm(d), xmm(s), xmm(XMM3)), |a| a.fma(op, d, s, XMM3));
                f.add(format!("{name} {}, {}, {}", xmm(d), xmm(XMM3), xmm(s)), |a| a.fma(op, d, XMM3, s));
            }
        }
    }
    f.judge();
}
