; targets: x86_64-unknown-linux-gnu i686-unknown-linux-gnu aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7-unknown-linux-gnueabihf
source_filename = "volatile.ll"

; Volatile accesses: every one is made, once and in order, also if nobody wants what it loads.

define void @unused(ptr %p) {
  %byte = load volatile i8, ptr %p, align 1
  %word = load volatile i64, ptr %p, align 8
  %both = load volatile i128, ptr %p, align 16
  %float = load volatile float, ptr %p, align 4
  %lanes = load volatile <4 x i32>, ptr %p, align 16
  %pair = load volatile { i32, i64 }, ptr %p, align 8
  %second = extractvalue { i32, i64 } %pair, 1
  %plain = load i64, ptr %p, align 8
  ret void
}

define i64 @used_in_vain(ptr %p) {
  %a = load volatile i64, ptr %p, align 8
  %b = add i64 %a, 1
  %c = load volatile i64, ptr %p, align 8
  %d = load volatile i64, ptr %p, align 8
  %e = add i64 %d, %c
  ret i64 %e
}

; A bit-field of a packed struct, as clang reads and writes it.
define i64 @bit_field(ptr %p) {
  %all = load volatile i168, ptr %p, align 1
  %moved = lshr i168 %all, 85
  %field = and i168 %moved, 8589934591
  %result = trunc i168 %field to i64
  ret i64 %result
}

define void @set_bit_field(ptr %p, i64 %n) {
  %all = load i168, ptr %p, align 1
  %wide = zext i64 %n to i168
  %cut = and i168 %wide, 8589934591
  %moved = shl i168 %cut, 85
  %rest = and i168 %all, -332306998907543341998283631479488513
  %new = or disjoint i168 %rest, %moved
  store i168 %new, ptr %p, align 1
  ret void
}
