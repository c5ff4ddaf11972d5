//! The ABI layer: what classifying a signature costs, and finding it again.

use gusset_abi::{AbiCache, AbiFeatures, AbiTarget, CType, Signature, classify};
use gusset_tests::tools::{Failure, work_folder};
use std::hint::black_box;
use std::time::Instant;

use crate::measure::Counter;
use crate::table::Table;

const TARGETS: [&str; 9] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-pc-windows-msvc",
    "i686-unknown-linux-gnu",
    "i686-pc-windows-msvc",
    "i686-pc-windows-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-pc-windows-msvc",
    "armv7-unknown-linux-gnueabihf",
    "armv7-unknown-linux-gnueabi",
];

/// Rounds, of which the least disturbed counts, and how often each goes through its signatures.
const ROUNDS: usize = 40;
const TIMES: usize = 400;

/// Signatures of two, four and eight arguments, their types taken in turn from `types`.
fn signatures(types: &[CType], result: CType) -> Vec<Signature> {
    let of = |count: usize, from: usize| {
        (0..count).fold(Signature::c(result.clone()), |s, i| s.param(types[(from + i) % types.len()].clone()))
    };
    [2, 4, 8].into_iter().flat_map(|count| (0..types.len()).map(move |from| of(count, from))).collect()
}

fn kinds() -> [(&'static str, Vec<Signature>); 3] {
    let scalars = [CType::I32, CType::PTR, CType::F64, CType::I64, CType::U8, CType::F32];
    let point = CType::structure([CType::F64, CType::F64]);
    let pair = CType::structure([CType::I32, CType::PTR]);
    let small = CType::structure([CType::I8, CType::I16]);
    let large = CType::structure([CType::array(CType::I64, 5), CType::F32]);
    let records = [point.clone(), pair, small, large];
    let mixed: Vec<CType> = scalars.iter().chain(&records).cloned().collect();
    [
        ("scalars", signatures(&scalars, CType::I32)),
        ("records", signatures(&records, point)),
        ("both", signatures(&mixed, CType::F64)),
    ]
}

/// Nanoseconds per item of the least disturbed round.
fn least(items: usize, mut round: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        for _ in 0..TIMES {
            round();
        }
        start.elapsed().as_nanos()
    });
    times.min().unwrap_or(0) as f64 / (TIMES * items) as f64
}

/// The first argument by which this program knows that its instructions are counted.
pub const CHILD: &str = "--classify";

/// Classifies the list of one kind for one target as often as the arguments say: triple, number of the kind, times.
pub fn child(words: &[String]) -> i32 {
    let [triple, kind, times] = words else { return 2 };
    let (Ok(kind), Ok(times)) = (kind.parse::<usize>(), times.parse::<usize>()) else { return 2 };
    let (Ok(target), Some((_, signatures))) =
        (AbiTarget::from_triple(triple, AbiFeatures::default()), kinds().into_iter().nth(kind))
    else {
        return 2;
    };
    for _ in 0..times {
        classify_all(&target, &signatures);
    }
    0
}

fn classify_all(target: &AbiTarget, signatures: &[Signature]) {
    for signature in signatures {
        let result = classify(target, black_box(signature));
        black_box(&result);
    }
}

/// Instructions that classifying the list of a kind executes for each of its arguments, the result and its end included: the
/// difference of two runs, so that the start of the process does not count.
fn executed(counter: Counter, triple: &str, kind: usize, arguments: usize) -> Result<f64, Failure> {
    const MORE: usize = 1000;
    let folder = work_folder("benches/classify");
    let exe = std::env::current_exe()?;
    let count = |times: usize| {
        let words = [CHILD.to_string(), triple.to_string(), kind.to_string(), times.to_string()];
        counter.count(&folder, &exe, &words).map(|(count, _)| count)
    };
    // The first time, the records' measures are found out.
    Ok((count(MORE + 1)? - count(1)?) / (MORE * arguments) as f64)
}

/// Prints the time and the instructions of classification for each argument, and the time of a look-up for each signature.
pub fn classification() -> Result<(), Failure> {
    let counter = Counter::find()?;
    let mut table = Table::new(
        &format!(
            "Classification, ns per argument, look-up of a known signature, ns, and instructions per argument ({counter:?})"
        ),
        &["target", "scalars", "records", "both", "look-up", "instructions"],
    );
    for triple in TARGETS {
        let target = AbiTarget::from_triple(triple, AbiFeatures::default()).map_err(|e| Failure::new(e.to_string()))?;
        let mut cells = vec![triple.to_string()];
        let mut counts = Vec::new();
        let mut look_up = 0.0;
        for (kind, (_, signatures)) in kinds().into_iter().enumerate() {
            let mut arguments = 0;
            for signature in &signatures {
                let abi = classify(&target, signature).map_err(|e| Failure::new(format!("{triple}: {e}")))?;
                arguments += abi.args.len();
            }
            let each = least(arguments, || classify_all(&target, &signatures));
            cells.push(format!("{each:.0}"));
            counts.push(format!("{:.0}", executed(counter, triple, kind, arguments)?));
            let mut cache = AbiCache::new(target);
            look_up = least(signatures.len(), || {
                for signature in &signatures {
                    let _ = black_box(cache.classify(black_box(signature)));
                }
            });
        }
        cells.push(format!("{look_up:.0}"));
        cells.push(counts.join(", "));
        table.row(cells);
    }
    table.print();
    Ok(())
}
