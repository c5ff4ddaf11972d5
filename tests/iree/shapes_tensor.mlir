// Functions of every shape that IREE's compiler wraps for callers from outside, as it takes them. A line of dashes begins a shape and
// names it; shapes_memref.mlir has the same with memrefs.

// ----- two_sums
util.func public @two_sums(%x: tensor<?x8x8x3xf32>, %y: tensor<?x8x8x3xf32>) -> (tensor<?x8x8x3xf32>, tensor<?x8x8x3xf32>) {
  %once = arith.addf %x, %y : tensor<?x8x8x3xf32>
  %twice = arith.addf %once, %y : tensor<?x8x8x3xf32>
  util.return %once, %twice : tensor<?x8x8x3xf32>, tensor<?x8x8x3xf32>
}

// ----- reflected
util.func public @reflected() attributes { iree.reflection = { maker.version = "4" } } {
  util.return
}

// ----- declared
util.func public @declared(%x: tensor<i32>) attributes { iree.abi.declaration = "def declared(x: int)" } {
  util.return
}

// ----- named
util.func public @named(%x: tensor<3xf32> {iree.abi.name = "left"}, %y: tensor<3xf32>) -> (tensor<3xf32> {iree.abi.name = "product"}, tensor<3xf32>) {
  %product = arith.mulf %x, %y : tensor<3xf32>
  %sum = arith.addf %x, %y : tensor<3xf32>
  util.return %product, %sum : tensor<3xf32>, tensor<3xf32>
}

// ----- encoded
util.func public @encoded(%x: tensor<?x8x8x3xf32> {iree.abi.encoding = tensor<?x8x8x3xi32>}) -> (tensor<?x8x8x3xf32> {iree.abi.encoding = tensor<?x8x8x3xi32>}) {
  %sum = arith.addf %x, %x : tensor<?x8x8x3xf32>
  util.return %sum : tensor<?x8x8x3xf32>
}

// ----- output_buffer
util.func public @output_buffer(%x: tensor<?x8x8x3xf32>, %out: !hal.buffer {iree.abi.output = 1 : index}) -> (tensor<?x8x8x3xf32>, tensor<?x8x8x3xf32>) {
  %double = arith.addf %x, %x : tensor<?x8x8x3xf32>
  %square = arith.mulf %x, %x : tensor<?x8x8x3xf32>
  util.return %double, %square : tensor<?x8x8x3xf32>, tensor<?x8x8x3xf32>
}

// ----- output_tensor
util.func public @output_tensor(%x: tensor<4xf32>, %out: tensor<4xf32> {iree.abi.output = 0 : index}) -> tensor<4xf32> {
  %double = arith.addf %x, %x : tensor<4xf32>
  util.return %double : tensor<4xf32>
}

// ----- wrapped
util.func public @wrapped(%view: !hal.buffer_view) -> !hal.buffer_view attributes {iree.abi.stub} {
  util.return %view : !hal.buffer_view
}

// ----- called
util.func public @called(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %sum = arith.addi %x, %x : tensor<?x?xi32>
  util.return %sum : tensor<?x?xi32>
}
util.func public @caller(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %sum = util.call @called(%x) : (tensor<?x?xi32>) -> tensor<?x?xi32>
  util.return %sum : tensor<?x?xi32>
}

// ----- import
util.func private @host.transpose(tensor<?x2xi32>) -> tensor<2x?xi32>
util.func public @import(%x: tensor<?x2xi32>) -> tensor<2x?xi32> {
  %turned = util.call @host.transpose(%x) : (tensor<?x2xi32>) -> tensor<2x?xi32>
  util.return %turned : tensor<2x?xi32>
}

// ----- import_affinity
util.func private @host.near(tensor<2xi32> {iree.abi.affinity = #hal.device.promise<@cpu>}) -> (tensor<2xi32> {iree.abi.affinity = #hal.device.promise<@cpu>})
util.func public @import_affinity(%x: tensor<2xi32>) -> tensor<2xi32> {
  %same = util.call @host.near(%x) : (tensor<2xi32>) -> tensor<2xi32>
  util.return %same : tensor<2xi32>
}

// ----- import_encoded
util.func private @host.bits(tensor<?x2xi32> {iree.abi.encoding = tensor<?x2xf32>}) -> (tensor<2x?xi32> {iree.abi.encoding = tensor<2x?xf32>})
util.func public @import_encoded(%x: tensor<?x2xi32>) -> tensor<2x?xi32> {
  %turned = util.call @host.bits(%x) : (tensor<?x2xi32>) -> tensor<2x?xi32>
  util.return %turned : tensor<2x?xi32>
}

// ----- transients
util.func public @transients(%x: tensor<?xf32>, %scratch: !hal.buffer {iree.abi.transients}) -> tensor<?xf32> {
  %sum = arith.addf %x, %x : tensor<?xf32>
  util.return %sum : tensor<?xf32>
}

// ----- transients_two
util.func public @transients_two(%x: tensor<?xf32>, %scratch: !hal.buffer {iree.abi.transients}) -> (tensor<?xf32>, tensor<?xf32>) {
  %sum = arith.addf %x, %x : tensor<?xf32>
  %square = arith.mulf %x, %x : tensor<?xf32>
  util.return %sum, %square : tensor<?xf32>, tensor<?xf32>
}

// ----- transients_static
util.func public @transients_static(%x: tensor<4xf32>, %scratch: !hal.buffer {iree.abi.transients}) -> tensor<4xf32> {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- transients_view
util.func public @transients_view(%x: tensor<4xf32>, %scratch: !hal.buffer_view {iree.abi.transients}) -> tensor<4xf32> {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- fences
util.func public @fences(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %y : tensor<4xf32>
  %product = arith.mulf %x, %y : tensor<4xf32>
  util.return %sum, %product : tensor<4xf32>, tensor<4xf32>
}

// ----- fences_nothing
util.func public @fences_nothing() attributes {iree.abi.model = "coarse-fences"} {
  util.return
}

// ----- fences_number
util.func public @fences_number(%n: i32) attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addi %n, %n : i32
  util.optimization_barrier %sum : i32
  util.return
}

// ----- fences_argument
util.func public @fences_argument(%x: tensor<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.optimization_barrier %sum : tensor<4xf32>
  util.return
}

// ----- fences_number_result
util.func public @fences_number_result() -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %seven = arith.constant 7 : i32
  %kept = util.optimization_barrier %seven : i32
  util.return %kept : i32
}

// ----- fences_result
util.func public @fences_result() -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %row = arith.constant dense<[4.0, 3.0, 2.0, 1.0]> : tensor<4xf32>
  %kept = util.optimization_barrier %row : tensor<4xf32>
  util.return %kept : tensor<4xf32>
}

// ----- fences_output
util.func public @fences_output(%x: tensor<4xf32>, %y: tensor<4xf32>, %out0: !hal.buffer {iree.abi.output = 0 : index}, %out1: !hal.buffer {iree.abi.output = 1 : index}) -> (tensor<4xf32>, tensor<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %y : tensor<4xf32>
  %product = arith.mulf %x, %y : tensor<4xf32>
  util.return %sum, %product : tensor<4xf32>, tensor<4xf32>
}

// ----- fences_import
util.func private @host.pair(tensor<?x2xi32>, tensor<?x3xi32>) -> (tensor<2x?xi32>, tensor<3x?xi32>) attributes {iree.abi.model = "coarse-fences", nosideeffects}
util.func public @fences_import(%x: tensor<?x2xi32>, %y: tensor<?x3xi32>) -> (tensor<2x?xi32>, tensor<3x?xi32>) attributes {iree.abi.model = "coarse-fences"} {
  %pair:2 = util.call @host.pair(%x, %y) : (tensor<?x2xi32>, tensor<?x3xi32>) -> (tensor<2x?xi32>, tensor<3x?xi32>)
  util.return %pair#0, %pair#1 : tensor<2x?xi32>, tensor<3x?xi32>
}

// ----- fences_affinity
util.func private @host.far(tensor<2xi32> {iree.abi.affinity = #hal.device.promise<@cpu>}) -> (tensor<2xi32> {iree.abi.affinity = #hal.device.promise<@cpu>}) attributes {iree.abi.affinity = #hal.device.promise<@cpu>, iree.abi.model = "coarse-fences", nosideeffects}
util.func public @fences_affinity(%x: tensor<2xi32>) -> tensor<2xi32> attributes {iree.abi.model = "coarse-fences"} {
  %same = util.call @host.far(%x) : (tensor<2xi32>) -> tensor<2xi32>
  util.return %same : tensor<2xi32>
}

// ----- fences_import_pure
util.func private @host.next(i32) -> i32 attributes {iree.abi.model = "coarse-fences", nosideeffects}
util.func public @fences_import_pure(%n: i32) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %next = util.call @host.next(%n) : (i32) -> i32
  util.return %next : i32
}

// ----- fences_import_number
util.func private @host.count(tensor<4xf32>) -> i32 attributes {iree.abi.model = "coarse-fences"}
util.func public @fences_import_number(%x: tensor<4xf32>) -> i32 attributes {iree.abi.model = "coarse-fences"} {
  %count = util.call @host.count(%x) : (tensor<4xf32>) -> i32
  util.return %count : i32
}

// ----- fences_import_effects
util.func private @host.show(tensor<4xf32>) -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"}
util.func public @fences_import_effects(%x: tensor<4xf32>) -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %shown = util.call @host.show(%x) : (tensor<4xf32>) -> tensor<4xf32>
  util.return %shown : tensor<4xf32>
}

// ----- fences_transients
util.func public @fences_transients(%x: tensor<4xf32>, %scratch: !hal.buffer {iree.abi.transients}) -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- fences_transients_dynamic
util.func public @fences_transients_dynamic(%x: tensor<?xf32>, %scratch: !hal.buffer {iree.abi.transients}) -> tensor<?xf32> attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %x : tensor<?xf32>
  util.return %sum : tensor<?xf32>
}

// ----- fences_output_transients
util.func public @fences_output_transients(%x: tensor<4xf32>, %y: tensor<4xf32>, %out0: !hal.buffer {iree.abi.output = 0 : index}, %out1: !hal.buffer {iree.abi.output = 1 : index}, %scratch: !hal.buffer {iree.abi.transients}) -> (tensor<4xf32>, tensor<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %y : tensor<4xf32>
  %product = arith.mulf %x, %y : tensor<4xf32>
  util.return %sum, %product : tensor<4xf32>, tensor<4xf32>
}

// ----- fences_transients_two
util.func public @fences_transients_two(%x: tensor<4xf32>, %scratch: !hal.buffer {iree.abi.transients}) -> (tensor<4xf32>, tensor<4xf32>) attributes {iree.abi.model = "coarse-fences"} {
  %sum = arith.addf %x, %x : tensor<4xf32>
  %square = arith.mulf %x, %x : tensor<4xf32>
  util.return %sum, %square : tensor<4xf32>, tensor<4xf32>
}

// ----- tied
util.func public @tied(%x: tensor<4xf32>) -> (tensor<4xf32> {iree.abi.tied = 0 : i64}) {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- consumed
util.func public @consumed(%x: tensor<4xf32> {iree.abi.consume}) -> tensor<4xf32> {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- affinity
util.func public @affinity(%x: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@cpu>}) -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@cpu>}) {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- affinity_function
util.func public @affinity_function(%x: tensor<4xf32>) -> tensor<4xf32> attributes {iree.abi.affinity = #hal.device.promise<@cpu>} {
  %sum = arith.addf %x, %x : tensor<4xf32>
  util.return %sum : tensor<4xf32>
}

// ----- numbers
util.func public @numbers(%a: i8, %b: i16, %c: i32, %d: i64, %e: f32, %f: f64, %g: i1, %h: index) -> (i8, i16, i32, i64, f32, f64, i1, index) {
  util.return %a, %b, %c, %d, %e, %f, %g, %h : i8, i16, i32, i64, f32, f64, i1, index
}

// ----- ranks
util.func public @ranks(%a: tensor<f64>, %b: tensor<0x2xi64>, %c: tensor<1x1x1x1x1x1x1x1xi8>) -> (tensor<f64>, tensor<0x2xi64>, tensor<1x1x1x1x1x1x1x1xi8>) {
  util.return %a, %b, %c : tensor<f64>, tensor<0x2xi64>, tensor<1x1x1x1x1x1x1x1xi8>
}

// ----- elements
util.func public @elements(%a: tensor<2xi1>, %b: tensor<2xi16>, %c: tensor<2xf16>, %d: tensor<2xbf16>, %e: tensor<2xcomplex<f32>>) -> (tensor<2xi1>, tensor<2xi16>, tensor<2xf16>, tensor<2xbf16>, tensor<2xcomplex<f32>>) {
  util.return %a, %b, %c, %d, %e : tensor<2xi1>, tensor<2xi16>, tensor<2xf16>, tensor<2xbf16>, tensor<2xcomplex<f32>>
}

// ----- named_fences
util.func public @named_fences(%x: tensor<?xf64> {iree.abi.name = "row"}, %k: f64 {iree.abi.name = "factor"}) -> (tensor<?xf64> {iree.abi.name = "scaled"}) attributes {iree.abi.model = "coarse-fences", iree.reflection = { unit = "metre" }} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %empty = tensor.empty(%n) : tensor<?xf64>
  %ks = linalg.fill ins(%k : f64) outs(%empty : tensor<?xf64>) -> tensor<?xf64>
  %scaled = arith.mulf %x, %ks : tensor<?xf64>
  util.return %scaled : tensor<?xf64>
}

// ----- classes
util.func public @classes(%a: tensor<?xui8>, %b: tensor<2xsi16>, %c: tensor<2xf8E4M3FN>, %d: tensor<2xindex>, %e: tensor<2xf32> {iree.abi.encoding = tensor<2xui32>}) -> (tensor<?xui8>, tensor<2xsi16>, tensor<2xf8E4M3FN>, tensor<2xindex>, tensor<2xf32> {iree.abi.encoding = tensor<2xsi32>}) {
  util.return %a, %b, %c, %d, %e : tensor<?xui8>, tensor<2xsi16>, tensor<2xf8E4M3FN>, tensor<2xindex>, tensor<2xf32>
}
