// A module by IREE's compiler that calls functions of Gusset's.

func.func private @scalars.add_i8(i8, i8) -> i8
func.func private @scalars.add_i16(i16, i16) -> i16
func.func private @scalars.divide(i32, i32) -> i32
func.func private @arrays.saxpy(f32, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
func.func private @arrays.sum(tensor<?xf32>) -> f32
util.func private @arrays.total(!hal.buffer_view) -> f32
util.func private @arrays.saxpy_into(f32, !hal.buffer_view, !hal.buffer_view) -> !hal.buffer_view

func.func @small(%a: i8, %b: i8) -> i8 {
  %sum = call @scalars.add_i8(%a, %b) : (i8, i8) -> i8
  return %sum : i8
}

// The argument has twice its bits above it, if nobody takes them away.
func.func @small16(%a: i16) -> i16 {
  %sum = call @scalars.add_i16(%a, %a) : (i16, i16) -> i16
  return %sum : i16
}

func.func @both(%k: f32, %x: tensor<?xf32>) -> (f32, tensor<?xf32>) {
  %y = call @arrays.saxpy(%k, %x, %x) : (f32, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %z = arith.addf %y, %y : tensor<?xf32>
  %sum = call @arrays.sum(%x) : (tensor<?xf32>) -> f32
  %hundred = arith.constant 100.0 : f32
  %more = arith.addf %sum, %hundred : f32
  return %more, %z : f32, tensor<?xf32>
}

// The middle of the memory of the argument.
util.func public @part(%view: !hal.buffer_view) -> (f32, !hal.buffer_view) attributes {iree.abi.stub} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %k = arith.constant 2.0 : f32
  %f32 = hal.element_type<f32> : i32
  %dense = hal.encoding_type<dense_row_major> : i32
  %buffer = hal.buffer_view.buffer<%view : !hal.buffer_view> : !hal.buffer
  %inner = hal.buffer.subspan<%buffer : !hal.buffer>[%c8, %c16] : !hal.buffer
  %part = hal.buffer_view.create buffer(%inner : !hal.buffer)[%c0, %c16] shape([%c4]) type(%f32) encoding(%dense) : !hal.buffer_view
  %sum = util.call @arrays.total(%part) : (!hal.buffer_view) -> f32
  %three = util.call @arrays.saxpy_into(%k, %part, %part) : (f32, !hal.buffer_view, !hal.buffer_view) -> !hal.buffer_view
  util.return %sum, %three : f32, !hal.buffer_view
}

func.func @fails(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %q = call @scalars.divide(%a, %zero) : (i32, i32) -> i32
  return %q : i32
}

func.func @lengths(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %k = arith.constant 1.0 : f32
  %z = call @arrays.saxpy(%k, %x, %y) : (f32, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
