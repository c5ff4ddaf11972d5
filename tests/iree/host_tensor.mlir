// The module `host`, whose functions those of the shapes call, as IREE's compiler takes it.

module @host {
  util.func public @transpose(%x: tensor<?x2xi32>) -> tensor<2x?xi32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x2xi32>
    %empty = tensor.empty(%n) : tensor<2x?xi32>
    %turned = linalg.transpose ins(%x : tensor<?x2xi32>) outs(%empty : tensor<2x?xi32>) permutation = [1, 0]
    util.return %turned : tensor<2x?xi32>
  }
  util.func public @bits(%x: tensor<?x2xf32>) -> tensor<2x?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x2xf32>
    %empty = tensor.empty(%n) : tensor<2x?xf32>
    %turned = linalg.transpose ins(%x : tensor<?x2xf32>) outs(%empty : tensor<2x?xf32>) permutation = [1, 0]
    util.return %turned : tensor<2x?xf32>
  }
  util.func public @near(%x: tensor<2xi32>) -> tensor<2xi32> {
    util.return %x : tensor<2xi32>
  }
  util.func public @pair(%x: tensor<?x2xi32>, %y: tensor<?x3xi32>) -> (tensor<2x?xi32>, tensor<3x?xi32>) attributes {iree.abi.model = "coarse-fences"} {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x2xi32>
    %m = tensor.dim %y, %c0 : tensor<?x3xi32>
    %empty0 = tensor.empty(%n) : tensor<2x?xi32>
    %empty1 = tensor.empty(%m) : tensor<3x?xi32>
    %turned0 = linalg.transpose ins(%x : tensor<?x2xi32>) outs(%empty0 : tensor<2x?xi32>) permutation = [1, 0]
    %turned1 = linalg.transpose ins(%y : tensor<?x3xi32>) outs(%empty1 : tensor<3x?xi32>) permutation = [1, 0]
    util.return %turned0, %turned1 : tensor<2x?xi32>, tensor<3x?xi32>
  }
  util.func public @far(%x: tensor<2xi32>) -> tensor<2xi32> attributes {iree.abi.model = "coarse-fences"} {
    util.return %x : tensor<2xi32>
  }
  util.func public @next(%n: i32) -> i32 attributes {iree.abi.model = "coarse-fences"} {
    %one = arith.constant 1 : i32
    %next = arith.addi %n, %one : i32
    util.return %next : i32
  }
  util.func public @count(%x: tensor<4xf32>) -> i32 attributes {iree.abi.model = "coarse-fences"} {
    %four = arith.constant 4 : i32
    util.return %four : i32
  }
  util.func public @show(%x: tensor<4xf32>) -> tensor<4xf32> attributes {iree.abi.model = "coarse-fences"} {
    %sum = arith.addf %x, %x : tensor<4xf32>
    util.return %sum : tensor<4xf32>
  }
}
