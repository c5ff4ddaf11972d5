//! Atomic accesses of 1 to 16 bytes on AArch64, by every way that a feature brings: a program of several threads by QEMU, its halves by
//! Gusset and by clang or GCC, against what clang's prints. What has a function in the run-time library is linked with it.

use std::path::{Path, PathBuf};

use gusset_tests::build::{Level, Mode, Unit, by_clang, by_gcc, ir};
use gusset_tests::parallel;
use gusset_tests::tools::{Failure, gusset, limited, same_lines, succeed, work_folder};

/// Every operation, on every size.
const OPERATIONS: &str = r#"
typedef unsigned __int128 u128;
typedef signed __int128 s128;
#define ALL(T) \
    T load_##T(T *p) { return __atomic_load_n(p, 5) + __atomic_load_n(p, 2) + __atomic_load_n(p, 0); } \
    void store_##T(T *p, T v) { __atomic_store_n(p, v + 1, 0); __atomic_store_n(p, v + 2, 3); __atomic_store_n(p, v, 5); } \
    T swap_##T(T *p, T v) { return __atomic_exchange_n(p, v, 4) * 3 + __atomic_exchange_n(p, v + 1, 0); } \
    T add_##T(T *p, T v) { return __atomic_fetch_add(p, v, 5) * 5 + __atomic_sub_fetch(p, v * 3, 2); } \
    T bits_##T(T *p, T v) { T r = __atomic_fetch_and(p, ~v, 3); r = r * 3 + __atomic_fetch_or(p, v * 5, 0); \
        return r * 7 + __atomic_xor_fetch(p, v, 4) + __atomic_nand_fetch(p, v | 3, 5); } \
    T limits_##T(T *p, T v) { T r = __atomic_fetch_max(p, v, 5); return r * 3 + __atomic_fetch_min(p, v / 3, 2); } \
    int exchange_##T(T *p, T *expected, T v) { return __atomic_compare_exchange_n(p, expected, v, 0, 2, 0) * 2 \
        + __atomic_compare_exchange_n(p, expected, v + 1, 0, 5, 5); } \
    int weak_##T(T *p, T expected, T v) { return __atomic_compare_exchange_n(p, &expected, v, 1, 0, 0); }
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;
typedef signed char s8; typedef short s16; typedef int s32; typedef long s64;
ALL(u8) ALL(u16) ALL(u32) ALL(u64) ALL(u128) ALL(s8) ALL(s16) ALL(s32) ALL(s64) ALL(s128)
struct __attribute__((packed)) loose { char c; long n; };
long unaligned(struct loose *p, long v) {
    long old, r = __atomic_fetch_add(&p->n, v, 5);
    __atomic_load(&p->n, &old, 5);
    return r * 3 + old;
}
"#;

const MAIN: &str = r#"
#include <pthread.h>
#include <stdio.h>
#define ALL(T) T load_##T(T *); void store_##T(T *, T); T swap_##T(T *, T); T add_##T(T *, T); T bits_##T(T *, T); \
    T limits_##T(T *, T); int exchange_##T(T *, T *, T); int weak_##T(T *, T, T); \
    static void all_##T(void) { \
        static T at[3]; unsigned __int128 seed = 0x123456789abcdef5, sum = 0; \
        for (int k = 0; k < 40; k++) { \
            seed = seed * 0x5851f42d4c957f2d + ((seed >> 64) ^ 0x14057b7ef767814f); T v = (T)(seed >> 40); \
            if (k % 7 == 0) store_##T(&at[1], v); \
            sum = sum * 31 + (T)swap_##T(&at[1], v); sum = sum * 31 + add_##T(&at[1], v / 5); \
            sum = sum * 31 + bits_##T(&at[1], v ^ 77); sum = sum * 31 + limits_##T(&at[1], v * 3); \
            T e = k % 3 ? at[1] : v, same = at[1]; \
            sum = sum * 31 + exchange_##T(&at[1], &e, v + 9); sum = sum * 31 + e; \
            same = at[1]; while (!weak_##T(&at[1], same, v)) { } \
            sum = sum * 31 + weak_##T(&at[1], v + 1, 0) + load_##T(&at[1]); \
        } \
        printf(#T " %lx %lx %d\n", (long)(sum >> 64), (long)sum, at[0] || at[2]); \
    }
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;
typedef signed char s8; typedef short s16; typedef int s32; typedef long s64;
typedef unsigned __int128 u128; typedef signed __int128 s128;
ALL(u8) ALL(u16) ALL(u32) ALL(u64) ALL(u128) ALL(s8) ALL(s16) ALL(s32) ALL(s64) ALL(s128)
struct __attribute__((packed)) loose { char c; long n; } loose;
long unaligned(struct loose *, long);
static u128 wide, other; static u32 narrow; static u8 byte; static _Atomic long torn;
static void *work(void *arg) {
    const u128 step = ((u128)1 << 64) + 3;
    for (int k = 0; k < 4000; k++) {
        add_u32(&narrow, 4); add_u8(&byte, 2); unaligned(&loose, 1);
        for (u128 old = 0; !weak_u128(&wide, old = __atomic_load_n(&wide, 0), old + step); ) { }
        u128 v = __atomic_load_n(&wide, 5);
        store_u128(&other, (u128)k << 64 | k);
        u128 w = __atomic_load_n(&other, 2);
        // Both halves are always of one store.
        torn += (u64)v != 3 * (u64)(v >> 64) || (u64)w - (u64)(w >> 64) > 2;
    }
    return 0;
}
int main(void) {
    all_u8(); all_u16(); all_u32(); all_u64(); all_u128(); all_s8(); all_s16(); all_s32(); all_s64(); all_s128();
    pthread_t t[3];
    for (long k = 0; k < 3; k++) pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < 3; k++) pthread_join(t[k], 0);
    printf("%d %d %ld %d\n", narrow, byte, loose.n, (int)torn);
    return 0;
}
"#;

/// A way to compile, whether any processor runs the code, and what is in it or not.
struct Way {
    clang: &'static str,
    attributes: &'static str,
    everywhere: bool,
    has: &'static [&'static str],
    lacks: &'static [&'static str],
}

const INLINE: &str = "-mno-outline-atomics";
const WAYS: &[Way] = &[
    Way {
        clang: INLINE,
        attributes: "",
        everywhere: true,
        has: &["ldaxp", "stxp"],
        lacks: &["cas", "__aarch64_", "__atomic_fetch"],
    },
    Way {
        clang: INLINE,
        attributes: "+lse",
        everywhere: false,
        has: &["caspal", "ldaddal"],
        lacks: &["stlxp", "ldxp"],
    },
    Way { clang: INLINE, attributes: "+lse2", everywhere: false, has: &["ldp", "dmb\tishld"], lacks: &["casp"] },
    Way { clang: INLINE, attributes: "+lse,+lse2,+rcpc", everywhere: false, has: &["casp", "ldapr"], lacks: &["ldxp"] },
    // Clang's default on Linux, from the functions' attributes.
    Way {
        clang: "-moutline-atomics",
        attributes: "",
        everywhere: true,
        has: &["__aarch64_cas16_acq", "__aarch64_ldadd4_acq_rel", "__aarch64_swp1_relax", "__aarch64_ldclr8_rel"],
        lacks: &["casp"],
    },
    Way {
        clang: INLINE,
        attributes: "+outline-atomics",
        everywhere: true,
        has: &["__aarch64_ldeor2_"],
        lacks: &["casp"],
    },
    Way { clang: "-moutline-atomics", attributes: "+lse", everywhere: false, has: &["caspal"], lacks: &["__aarch64_"] },
];

fn printed(objects: &[PathBuf], cpu: &str, program: &Path) -> Result<String, Failure> {
    Mode::Aarch64.link(objects, &["-latomic", "-lpthread"], program)?;
    succeed(limited(60, "qemu-aarch64").args(["-cpu", cpu]).arg(program)).map(|outcome| outcome.text())
}

#[test]
fn every_way() -> Result<(), Failure> {
    let mode = Mode::Aarch64;
    let folder = work_folder("atomics");
    let unit = |name: &str, text: &str| {
        let source = folder.join(name);
        std::fs::write(&source, text).map(|()| Unit { source, flags: Vec::new() })
    };
    let (operations, main) = (unit("operations.c", OPERATIONS)?, unit("main.c", MAIN)?);
    let by_judge = |unit| by_clang(unit, &[mode.clang_flags(), &["-O1"]].concat());
    let mains = [by_judge(&main)?, by_gcc(mode, &main)?];
    let expected = printed(&[by_judge(&operations)?, mains[0].clone()], "max", &folder.join("judge"))?;
    assert!(expected.ends_with(" 12000 0\n"), "{expected}");
    let cases: Vec<_> = WAYS.iter().flat_map(|way| [Level::O0, Level::O1].map(|level| (way, level))).collect();
    let results = parallel::map(cases.len(), |k| -> Result<(), Failure> {
        let (way, level) = cases[k];
        let place = |f: Failure| f.at(format!("{} {} {level}", way.clang, way.attributes));
        let text = ir(&operations, level, &[mode.clang_flags(), &[way.clang]].concat())?;
        let emitted = |kind: &str, name: &str| {
            let out = folder.join(format!("{k}.{name}"));
            let mut command = limited(60, gusset()?);
            command.args(["compile", "--verify", "--emit", kind, "--attr", way.attributes]).arg(&text);
            succeed(command.arg("-o").arg(&out)).map(|_| out).map_err(place)
        };
        let code = std::fs::read_to_string(emitted("asm", "s")?)?;
        let lines: Vec<&str> = code.lines().filter(|l| l.starts_with('\t')).collect();
        for word in way.has {
            assert!(lines.iter().any(|l| l.contains(word)), "{} {}: no {word}", way.clang, way.attributes);
        }
        for word in way.lacks {
            assert!(!lines.iter().any(|l| l.contains(word)), "{} {}: {word}", way.clang, way.attributes);
        }
        let object = emitted("obj", "o")?;
        let cpu = if way.everywhere && k % 4 < 2 { "cortex-a53" } else { "max" };
        let got = printed(&[object, mains[k % 2].clone()], cpu, &folder.join(format!("{k}"))).map_err(place)?;
        // QEMU before version 8 makes two accesses of `ldp` and `stp`, and GCC's half leaves sixteen bytes to a library that may
        // lock what ours does not: whether these tear says nothing of the code.
        let said = |text: &str| match way.attributes.contains("lse2") || k % 2 == 1 {
            true => text.trim_end().rsplit_once(' ').map_or(String::new(), |(all, _torn)| all.to_string()),
            false => text.to_string(),
        };
        same_lines(&said(&expected), &said(&got)).map_err(place)
    });
    results.into_iter().collect()
}
