//! Chapter 6: callbacks. C's `qsort` calls a function of Tern.

use gusset::abi::CType;
use gusset::ir::IntCc;
use gusset::{BuilderOptions, Data, Linkage, ObjectBuilder, Target};

use super::{Result, link_and_run};

pub fn run() -> Result {
    let target = Target::host()?;
    let mut object = ObjectBuilder::new(&target, &BuilderOptions::new());
    let printf = object.declare_c("int printf(const char *, ...);")?;
    let qsort = object
        .declare_c("void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));")?;

    // fn compare(a: &int, b: &int) -> int { return (a > b) - (a < b); }
    let signature = object.c_signature("int compare(const void *, const void *);")?;
    let compare = object.declare("compare", signature, Linkage::Local)?;
    object.define(compare, |b| {
        let (left, right) = (b.param(0), b.param(1));
        let (left, right) = (b.load_i32(left, 0), b.load_i32(right, 0));
        let (more, less) = (b.icmp(IntCc::Sgt, left, right), b.icmp(IntCc::Slt, left, right));
        let (more, less) = (b.zext(more, gusset::ir::Type::I32), b.zext(less, gusset::ir::Type::I32));
        let order = b.isub(more, less);
        b.ret(Some(order));
    })?;

    // global numbers = [5, 2, 9, -4];
    let numbers: Vec<u8> = [5_i32, 2, 9, -4].iter().flat_map(|n| n.to_le_bytes()).collect();
    let numbers = object.data("numbers", Linkage::Local, Data::writable(numbers).aligned(4))?;

    // fn main() { qsort(numbers, 4, 4, compare); printf("%d %d %d %d\n", numbers[0], …); }
    let signature = object.c_signature("int main(void);")?;
    let main = object.declare("main", signature, Linkage::Export)?;
    object.define(main, |b| {
        let numbers = b.address(numbers);
        let (count, size) = (b.ptr_const(4), b.ptr_const(4));
        let compare = b.address(compare);
        b.call(qsort, &[numbers, count, size, compare]);

        let format = b.text(b"%d %d %d %d\n\0");
        let sorted = [0, 4, 8, 12].map(|offset| (CType::I32, b.load_i32(numbers, offset)));
        b.call_variadic(printf, &[format], &sorted);
        let zero = b.i32_const(0);
        b.ret(Some(zero));
    })?;

    link_and_run(&object.finish()?, &[])
}
