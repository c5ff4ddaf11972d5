//! Uses each of its dependencies a little and prints what they make, the same every time.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, mpsc};

use base64::Engine;
use indexmap::IndexMap;
use itertools::Itertools;
use num_bigint::{BigInt, BigUint};
use num_traits::{CheckedMul, One, ToPrimitive};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

bitflags::bitflags! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Rights: u16 {
        const READ = 1;
        const WRITE = 2;
        const RUN = 1 << 9;
    }
}

/// Tells when it goes, so that the order of destructors shows.
struct Loud(&'static str);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("dropped {}", self.0);
    }
}

fn numbers() {
    let factorial: BigUint = (1u32..=120).map(BigUint::from).product();
    println!("120! = {factorial}");
    let power = BigInt::from(-7).pow(91) / (BigInt::one() << 40u32);
    println!("{power} {:x} {:?}", factorial % 1_000_007u32, power.to_f64());
    println!("{:?} {:?}", CheckedMul::checked_mul(&i64::MAX, &3), 77i128.checked_mul(i128::MAX / 78));
    let mut floats = ryu::Buffer::new();
    let mut ints = itoa::Buffer::new();
    for k in 0..8i64 {
        let number = (k as f64 + 0.1).powi(k as i32 * 5 - 17) * if k % 2 == 0 { -1.0 } else { 1.0 };
        print!("{} {} {number:.3e} ", floats.format(number), ints.format(k.wrapping_mul(-0x1234_5678_9abc)));
    }
    println!("{}", itoa::Buffer::new().format(u128::MAX / 3));
    let sums: (u64, i64, f32) = (1..=1000u64).fold((0, 0, 0.0), |(a, b, c), k| {
        (a.wrapping_mul(31).rotate_left(7) ^ k, b.saturating_sub((k * k * k) as i64) % 1_000_003, c + (k as f32).sqrt())
    });
    println!("{sums:?} {:?}", (u8::try_from(300u32), i16::try_from(-5i64), "12x".parse::<u32>(), f64::NAN.max(1.5)));
}

fn texts() -> Result<(), anyhow::Error> {
    let value: serde_json::Value = serde_json::from_str(
        r#"{"name": "gus\u0073et", "list": [1, 2.5, -3e10, null, true, {"deep": [[[]]]}], "empty": {}, "text": "\"\\/\ttab ☃"}"#,
    )
    .map_err(anyhow::Error::msg)?;
    println!("{value} {}", serde_json::to_string_pretty(&value["list"]).map_err(anyhow::Error::msg)?);
    for bad in ["{\"a\":1,}", "[1, 2", "nul", "\"\\ud800\"", "1e999999"] {
        println!("{bad}: {:?}", serde_json::from_str::<serde_json::Value>(bad).map_err(|e| e.to_string()));
    }
    let words = regex_lite::Regex::new(r"(?i)\b([a-z]+)-(\d{2,4})\b").map_err(anyhow::Error::msg)?;
    for found in words.captures_iter("alpha-12, Beta-345; gamma-6 DELTA-78901 eps-2024.") {
        println!("{} {} {:?}", &found[1], &found[2], found.get(0).map(|m| m.range()));
    }
    let text = "Grüße, 世界! e\u{301}👩‍👩‍👧 ok";
    println!("{} {} {:?}", text.width(), text.graphemes(true).count(), text.unicode_words().collect::<Vec<_>>());
    println!("{} {:.4}", strsim::levenshtein("kitten", "sitting"), strsim::jaro_winkler("martha", "marhta"));
    let versions = ["1.2.3", "1.2.3-rc.1", "0.9.12+build", "1.10.0"].map(|v| semver::Version::parse(v).unwrap());
    let wanted = semver::VersionReq::parse(">=0.9, <1.9")?;
    println!("{} {:?}", versions.iter().sorted().join(" < "), versions.iter().map(|v| wanted.matches(v)).collect_vec());
    println!("{:?}", sum("12+30 +8-  5*2"));
    anyhow::bail!("{} is left", text.chars().rev().take(3).collect::<String>())
}

/// Sums and products by nom, from left to right.
fn sum(text: &str) -> Result<i64, String> {
    use nom::{IResult, Parser, branch::alt, bytes::complete::tag, character::complete as c, multi::fold_many0, sequence};
    fn number(text: &str) -> IResult<&str, i64> {
        sequence::delimited(c::multispace0, c::i64, c::multispace0).parse(text)
    }
    let first = number(text).map_err(|e| e.to_string())?;
    let operator = alt((tag("+"), tag("-"), tag("*")));
    let mut rest = fold_many0((operator, number), move || first.1, |sum, (operator, n): (&str, i64)| match operator {
        "+" => sum + n,
        "-" => sum - n,
        _ => sum * n,
    });
    rest.parse(first.0).map(|(_, sum)| sum).map_err(|e: nom::Err<nom::error::Error<&str>>| e.to_string())
}

fn bytes() {
    let mut rng = fastrand::Rng::with_seed(42);
    let data: Vec<u8> = (0..20_000).map(|k| if k % 7 < 4 { b'a' + rng.u8(0..4) } else { (k / 100) as u8 }).collect();
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&data, 7);
    let short = lz4_flex::block::compress_prepend_size(&data);
    let same = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).is_ok_and(|d| d == data)
        && lz4_flex::block::decompress_size_prepended(&short).as_deref().ok() == Some(&data[..]);
    println!("{same} {} {} {:08x}", packed.len(), short.len(), adler2::adler32_slice(&data));
    println!("{} {}", sha1_smol::Sha1::from(&packed).digest(), hex::encode(&short[..20]));
    let coded = base64::engine::general_purpose::STANDARD.encode(&data[..50]);
    println!("{coded} {:?}", base64::engine::general_purpose::URL_SAFE.decode("_-8*").map_err(|e| e.to_string()));
    let mut hasher = fnv::FnvHasher::default();
    data.hash(&mut hasher);
    println!("{:x} {:?}", hasher.finish(), miniz_oxide::inflate::decompress_to_vec_zlib(&packed[..99]).map_err(|e| e.status));
}

fn collections() {
    let mut map: IndexMap<String, usize> = IndexMap::new();
    for word in "the cat and the dog and the bird".split(' ') {
        *map.entry(word.into()).or_default() += word.len();
    }
    map.sort_by(|a, x, b, y| y.cmp(x).then(a.cmp(b)));
    println!("{map:?}");
    let mut short: smallvec::SmallVec<[u16; 4]> = (0..9).collect();
    short.retain(|x| *x % 3 != 1);
    let fixed: arrayvec::ArrayVec<String, 3> = (0..3).map(|k| "x".repeat(k)).collect();
    let mut slab = slab::Slab::new();
    let keys: Vec<usize> = (0..5).map(|k| slab.insert(k * k)).collect();
    slab.remove(keys[2]);
    println!("{short:?} {fixed:?} {} {:?}", slab.insert(99), slab.iter().collect::<Vec<_>>());
    let mut graph = petgraph::graph::UnGraph::<(), u32>::new_undirected();
    let nodes: Vec<_> = (0..12).map(|_| graph.add_node(())).collect();
    for (i, j) in (0..12).tuple_combinations().filter(|(i, j)| (i * 5 + j * 3) % 7 == 2) {
        graph.add_edge(nodes[i], nodes[j], ((i ^ j) * 3 + 1) as u32);
    }
    let paths = petgraph::algo::dijkstra(&graph, nodes[0], None, |e| *e.weight());
    println!("{:?} {}", paths.into_iter().map(|(n, d)| (n.index(), d)).sorted().collect_vec(), petgraph::algo::connected_components(&graph));
    let counted: HashMap<u32, usize, BuildHasherDefault<fnv::FnvHasher>> = (0..1000u32).map(|k| k * k % 13).counts_by_hash();
    println!("{:?}", counted.into_iter().sorted().collect_vec());
    let either: either::Either<std::ops::Range<i32>, std::iter::Rev<std::ops::Range<i32>>> =
        if short.len() > 4 { either::Either::Right((0..5).rev()) } else { either::Either::Left(0..5) };
    println!("{:?} {:?}", either.collect_vec(), Rights::READ | Rights::from_bits_truncate(0x202));
}

/// Counts with a hasher that is not random.
trait Counts: Iterator {
    fn counts_by_hash<S: Default + std::hash::BuildHasher>(self) -> HashMap<Self::Item, usize, S>
    where
        Self: Sized,
        Self::Item: Eq + Hash,
    {
        let mut counts = HashMap::default();
        self.for_each(|item| *counts.entry(item).or_insert(0) += 1);
        counts
    }
}

impl<I: Iterator> Counts for I {}

fn threads() {
    let total = Arc::new(Mutex::new(0u64));
    let (sender, receiver) = mpsc::channel();
    let all: Vec<_> = (0..4u64)
        .map(|k| {
            let (total, sender) = (total.clone(), sender.clone());
            std::thread::spawn(move || {
                (0..1000).for_each(|n| *total.lock().unwrap() += n * k);
                sender.send(k * k).unwrap();
            })
        })
        .collect();
    all.into_iter().for_each(|thread| thread.join().unwrap());
    drop(sender);
    println!("{} {}", total.lock().unwrap(), receiver.iter().sum::<u64>());
}

/// Panics that are caught, where panics unwind.
fn panics() {
    std::panic::set_hook(Box::new(|info| println!("panic: {}", info.payload().downcast_ref::<String>().map_or("?", |s| s))));
    for k in 0..4usize {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _first = Loud("first");
            let list = vec![Loud("in a list"); 0].len() + [10, 20, 30][..].iter().sum::<usize>();
            let _second = Loud("second");
            let values: Vec<usize> = (0..3).collect();
            let divisor = 2 - k.min(2);
            values[k] * list / divisor
        }));
        println!("{k}: {:?}", outcome.map_err(|e| e.downcast_ref::<String>().cloned()));
    }
}

impl Clone for Loud {
    fn clone(&self) -> Self {
        Loud(self.0)
    }
}

fn main() {
    numbers();
    println!("{}", texts().unwrap_err());
    bytes();
    collections();
    threads();
    if cfg!(panic = "unwind") {
        panics();
    }
    let mut line = String::new();
    let _ = write!(line, "{:>8}|{:<6}|{:^9}|{:+}|{:#010b}|{:?}", "right", 'l', 1.5, 7, 5u8, Some(&["x"]));
    println!("{line}");
}
