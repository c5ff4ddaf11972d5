//! Chapter 3: strings and globals. Variables of the program, constant tables, text.

use gusset::abi::{CType, Signature};
use gusset::ir::Type;
use gusset::{BuilderOptions, Data, Linkage, ObjectBuilder, Target};

use super::{Result, link_and_run};

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let puts = object.declare_c("int puts(const char *);")?;

    // global counter = 40;
    let counter = object.data("counter", Linkage::Export, Data::writable(40_i64.to_le_bytes()).aligned(8))?;

    // const DAYS = ["Monday", "Tuesday", "Wednesday"];
    let pointer = object.layout(&CType::PTR)?.size;
    let mut days = Data::zeroed(3 * pointer, pointer).read_only(true);
    for (i, name) in ["Monday", "Tuesday", "Wednesday"].into_iter().enumerate() {
        let text = Data::constant(format!("{name}\0")).mergeable(true);
        let text = object.data(&format!("day.{i}"), Linkage::Local, text)?;
        days.add_address(i as u64 * pointer, text, 0);
    }
    let days = object.data("DAYS", Linkage::Local, days)?;

    // fn next() { counter = counter + 1; return counter; }
    let next = object.declare("next", Signature::c(CType::I64), Linkage::Export)?;
    object.define(next, |b| {
        let address = b.address(counter);
        let (old, one) = (b.load_i64(address, 0), b.i64_const(1));
        let new = b.iadd(old, one);
        b.store(new, address, 0);
        b.ret(Some(new));
    })?;

    // fn main() { puts("a constant string"); puts(DAYS[next() - 40]); return 0; }
    let main = object.declare("main", Signature::c(CType::I32), Linkage::Export)?;
    object.define(main, |b| {
        let text = b.text(b"a constant string\0");
        b.call(puts, &[text]);
        let number = b.call(next, &[]).ok_or("`next` returns a number")?;
        let first = b.i64_const(40);
        let number = b.isub(number, first);
        let table = b.address(days);
        let word = b.ptr_type();
        let number = b.sext_or_trunc(number, word);
        let entry = b.index(table, number, pointer as i32);
        let day = b.load_pointer(entry, 0);
        b.call(puts, &[day]);
        let zero = b.zero(Type::I32);
        b.ret(Some(zero));
        Result::Ok(())
    })?;

    link_and_run(&object.finish()?, &[])
}
