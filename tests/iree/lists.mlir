// Lists that only compiled modules make: of numbers, of lists, of any type. The functions are those of lists.c.
util.func private @lists.length(%l: !util.list<i8>, %w: i32) -> i64
util.func private @lists.all(%l: !util.list<?>) -> f32
util.func private @lists.table(%l: !util.list<!util.list<f64>>) -> f64
util.func public @text(%w: i32) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = arith.constant 65 : i8
  %z = arith.constant -1 : i8
  %l = util.list.create %c3 : !util.list<i8>
  util.list.resize %l, %c3 : !util.list<i8>
  util.list.set %l[%c0], %a : !util.list<i8>
  util.list.set %l[%c1], %z : !util.list<i8>
  util.list.set %l[%c2], %a : !util.list<i8>
  %r = util.call @lists.length(%l, %w) : (!util.list<i8>, i32) -> i64
  util.return %r : i64
}
util.func public @views(%x: !hal.buffer_view, %y: !hal.buffer_view) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = util.list.create %c2 : !util.list<?>
  util.list.resize %l, %c2 : !util.list<?>
  util.list.set %l[%c0], %x : !hal.buffer_view -> !util.list<?>
  util.list.set %l[%c1], %y : !hal.buffer_view -> !util.list<?>
  %r = util.call @lists.all(%l) : (!util.list<?>) -> f32
  util.return %r : f32
}
util.func public @rows() -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = arith.constant 1.5 : f64
  %z = arith.constant 4.0 : f64
  %m = util.list.create %c2 : !util.list<f64>
  util.list.resize %m, %c2 : !util.list<f64>
  util.list.set %m[%c0], %a : !util.list<f64>
  util.list.set %m[%c1], %z : !util.list<f64>
  %l = util.list.create %c2 : !util.list<!util.list<f64>>
  util.list.resize %l, %c2 : !util.list<!util.list<f64>>
  util.list.set %l[%c0], %m : !util.list<!util.list<f64>>
  util.list.set %l[%c1], %m : !util.list<!util.list<f64>>
  %r = util.call @lists.table(%l) : (!util.list<!util.list<f64>>) -> f64
  util.return %r : f64
}
