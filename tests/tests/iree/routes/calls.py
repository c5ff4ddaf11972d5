"""Calls functions of a compiled program; says `fine`."""
import sys

import numpy as np
import iree.runtime as rt

for option in sys.argv[2:]:
    rt.flags.parse_flags(option)
for device in "local-sync", "local-task":
    config = rt.Config(device)
    module = rt.load_vm_flatbuffer_file(sys.argv[1], driver=device)

    f = module["mix"]
    assert f(1, 2, 0.5, 4.0, -3, 1, 5) == (6, 2.0, -4, 0), f(1, 2, 0.5, 4.0, -3, 1, 5)
    x = np.arange(6, dtype=np.float32)
    got = module["saxpy"](3.0, x, np.ones(6, np.float32)).to_host()
    assert (got == 3 * x + 1).all(), got
    assert module["dot"](x, x) == 55
    x = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
    got = module["turn"](x).to_host()
    assert (got == x.transpose(2, 1, 0)).all(), got
    x = np.arange(9, dtype=np.int32).reshape(3, 3)
    got = module["table"](x)
    assert list(got) == ["negated", "rows", "sums"], got
    assert got["rows"] == 3 and (got["negated"].to_host() == -x).all() and (got["sums"].to_host() == [9, 12, 15]).all(), got
    # The result is the argument's own memory.
    x = rt.asdevicearray(config.device, np.arange(4, dtype=np.int32))
    got = module["raise"](x, 5)
    assert (got.to_host() == [5, 6, 7, 8]).all() and (x.to_host() == [5, 6, 7, 8]).all(), (got, x)
    got = module["many"](5).to_host()
    assert (got.reshape(-1) == np.arange(5, 261)).all() and got.shape == (2,) * 8, got
    got, _ = module["flip"](np.array([True, False, False]), np.array(3, np.int16))
    assert (got.to_host() == [False, True, True]).all(), got
print("fine")
