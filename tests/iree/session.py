"""Modules in shared objects used by IREE's runtime for Python, which has no way to load them: a module of its own is made to be them."""

import gc
import sys

import numpy as np
from iree import runtime as rt

import native

config = rt.Config(sys.argv[3])


def context(*modules):
    return rt.SystemContext(vm_modules=[rt.create_hal_module(config.vm_instance, config.device), *modules], config=config)


def same(got, expected):
    got = got.to_host() if hasattr(got, "to_host") else np.asarray(got)
    assert got.dtype == expected.dtype and got.shape == expected.shape and (got == expected).all(), (got, expected)


def refused(function, *args, of):
    try:
        function(*args)
    except Exception as e:
        assert of in str(e), str(e)
    else:
        raise AssertionError(f"not refused: {of}")


arrays, elements = (native.adopt(file, instance=config.vm_instance) for file in sys.argv[1:3])
assert arrays.name == "arrays" and "saxpy" in arrays.function_names, arrays.function_names
first = context(arrays, elements)
gus = first.modules.arrays

x, y = np.arange(5, dtype=np.float32), np.full(5, 10, np.float32)
same(gus["saxpy"](2.0, x, y), 2 * x + y)
same(gus["saxpy_into"](2.0, x, y), 2 * x + y)
same(gus["table"](7), np.full((2, 3), 7, np.int64))
same(gus["constants"](), np.array([2, 3, 5, 7], np.int32))
assert gus["sum"](x) == 10.0 and gus["columns"](np.zeros((3, 4), np.int32)) == 4
assert gus["rank"](np.zeros((1, 2, 3))) == 3 and gus["rank"](np.zeros(())) == 0
one, two = gus["twice"](np.array([1, -1], np.int16))
same(one, np.array([1, -1], np.int16))
same(two, np.array([1, -1], np.int16))
# Results of one call are arguments of the next.
same(gus["saxpy"](1.0, gus["saxpy"](2.0, x, y), y), 2 * x + 2 * y)
# Unsigned integers, which numpy says, are those of the same width.
same(gus["evens"](np.arange(6, dtype=np.int32)), np.array([0, 2, 4], np.int32))
# A large one, so that memory is not all in one page.
big = np.arange(1 << 20, dtype=np.float32)
same(gus["saxpy"](1.0, big, big), 2 * big)

refused(gus["saxpy"], 2.0, x, y[:3], of="arrays of two lengths")
refused(gus["saxpy"], 2.0, x, of="mismatched call arity")
refused(gus["columns"], np.zeros((2, 4), np.int32), of="INVALID_ARGUMENT")

# Every element type, as numpy has it, and those that it has not by itself.
small = {}
if native.version() >= (3, 12):
    import ml_dtypes

    small = {name: getattr(ml_dtypes, name) for name in ("float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu")}
plain = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
for name in plain + list(small):
    values = np.array([1, 2, 4, 8], small.get(name, name))
    raw = first.modules.elements.vm_module.lookup_function(name)
    # Stock Python's table of records lacks some of them: called without.
    into, out = rt.VmVariantList(1), rt.VmVariantList(1)
    kind = rt.array_interop.map_dtype_to_element_type(values.dtype)
    buffer = config.device.allocator.allocate_buffer_copy(
        rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE, rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING, config.device, values.view(np.uint8)
    )
    into.push_ref(rt.HalBufferView(buffer, values.shape, kind))
    first.vm_context.invoke(raw, into, out)
    view = out.get_as_object(0, rt.HalBufferView)
    got = rt.DeviceArray(config.device, view, implicit_host_transfer=True)
    if name in small:
        # Some of the bytes are no numbers, which are equal to nothing.
        assert got.to_host().dtype == values.dtype
        same(got.to_host().view(np.uint8), values.view(np.uint8) ^ 0x80)
    else:
        same(got, ~values if name == "bool" else values + values)
# Without records, which do not say so, Python's invoker has the views' own types.
unsigned = first.modules.elements["uint8"](np.array([1, 100], np.uint8))
same(unsigned, np.array([2, 200], np.uint8))

# Other contexts over the same module, of the same device and of another.
other = rt.Config(sys.argv[3])
for device in (config.device, other.device):
    hal = rt.create_hal_module(config.vm_instance, device)
    second = rt.SystemContext(vm_modules=[hal, arrays], config=config if device is config.device else other)
    for _ in range(3):
        same(second.modules.arrays["saxpy"](2.0, x, y), 2 * x + y)
        same(gus["saxpy"](3.0, x, y), 3 * x + y)
    assert device.allocator.statistics["device_bytes_allocated"] > 0
    del second
same(gus["saxpy"](2.0, x, y), 2 * x + y)

# Nothing is left of all that.
del into, out, view, got, buffer, one, two, unsigned
gc.collect()
for device in (config.device, other.device):
    native.all_freed(device.allocator.statistics)
print("done")
