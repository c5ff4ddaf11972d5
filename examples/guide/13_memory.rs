//! Chapter 13: code in memory. The compiler runs what it makes, and replaces a function while the program goes on.

use gusset::abi::{CType, Signature};
use gusset::memory::ObjectImage;
use gusset::{BuilderOptions, Linkage, Memory, ObjectBuilder, Target};

use super::Result;

/// A function of the host that Tern calls.
extern "C" fn report(value: i64) {
    println!("Tern reports {value}");
}

pub fn run() -> Result {
    let target = Target::host()?;
    let memory = Memory::options()
        .symbols(|name| (name == "report").then_some(report as *const ()))
        .replaceable(|name| name == "price")
        .build();

    let prices = memory.add(price(&target, 3)?)?;
    let shop = memory.add(total(&target)?)?;

    // SAFETY: these are the functions' signatures.
    let (price_of, total) = unsafe {
        (
            prices.function::<extern "C" fn(i64) -> i64>("price")?,
            shop.function::<extern "C" fn(i64, i64) -> i64>("total")?,
        )
    };
    println!("price(10) = {}, total(10, 20) = {}", price_of(10), total(10, 20));

    // SAFETY: both modules stay until the end.
    let _newer = unsafe { memory.replace(price(&target, 4)?)? };
    println!("now total(10, 20) = {}", total(10, 20));
    Ok(())
}

/// `fn price(n) { return n * factor; }`
fn price(target: &Target, factor: i64) -> Result<ObjectImage> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    let price = object.declare("price", Signature::c(CType::I64).param(CType::I64), Linkage::Export)?;
    object.define(price, |b| {
        let (n, factor) = (b.param(0), b.i64_const(factor));
        let product = b.imul(n, factor);
        b.ret(Some(product));
    })?;
    Ok(object.finish_image()?)
}

/// `fn total(a, b) { let sum = price(a) + price(b); report(sum); return sum; }`
fn total(target: &Target) -> Result<ObjectImage> {
    let mut object = ObjectBuilder::new(target, &BuilderOptions::new());
    let price = object.declare("price", Signature::c(CType::I64).param(CType::I64), Linkage::Import)?;
    let report = object.declare_c("void report(long long);")?;
    let signature = Signature::c(CType::I64).param(CType::I64).param(CType::I64);
    let total = object.declare("total", signature, Linkage::Export)?;
    object.define(total, |b| {
        let (first, second) = (b.param(0), b.param(1));
        let first = b.call(price, &[first]).ok_or("`price` returns a number")?;
        let second = b.call(price, &[second]).ok_or("`price` returns a number")?;
        let sum = b.iadd(first, second);
        b.call(report, &[sum]);
        b.ret(Some(sum));
        Result::Ok(())
    })?;
    Ok(object.finish_image()?)
}
