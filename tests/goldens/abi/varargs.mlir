// --target linux64,linux32
func.func private @log(%level: i32, %line: memref<?xi8>) attributes {func.varargs = true}
