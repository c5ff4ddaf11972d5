"""Lists as arguments of functions of a module, called from Python by IREE's own invoker and below it."""

import gc
import sys

import numpy as np
from iree import runtime as rt
from iree.runtime._binding import VmVariantList

import native

config = rt.Config("local-sync")
shell = native.adopt(sys.argv[1])
context = rt.SystemContext(vm_modules=[rt.create_hal_module(config.vm_instance, config.device), shell], config=config)
module = context.modules.lists


def f32(*values):
    return np.array(values, np.float32)


def view(values):
    buffer = config.device.allocator.allocate_buffer_copy(
        rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE, rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING, config.device, values
    )
    return rt.HalBufferView(buffer, values.shape, rt.array_interop.map_dtype_to_element_type(values.dtype))


def items(*values):
    made = VmVariantList(len(values))
    for value in values:
        if value is None:
            made.push_ref(NULL)
        elif isinstance(value, int):
            made.push_int(value)
        elif isinstance(value, float):
            made.push_float(value)
        elif isinstance(value, VmVariantList):
            made.push_list(value)
        else:
            made.push_ref(value)
    return made


def raw(name, *args):
    """Below the invoker, which does not know all records."""
    into, out = items(*args), VmVariantList(1)
    context.vm_context.invoke(module.vm_module.lookup_function(name), into, out)
    return out.get_variant(0)


def refused(name, *args, of):
    try:
        raw(name, *args)
    except Exception as e:
        assert of in str(e), str(e)
    else:
        raise AssertionError(f"not refused: {of}")


# By the invoker: dictionaries, tuples and lists by their records.
assert module["sum_numbers"]({"d": 0.25, "a": -3, "b": 1 << 40, "c": 0.5}) == (1 << 40) - 3 + 0.75
result = module["pair"](9, 4)
assert result == {"sum": 13, "diff": 5}, result

# Below it.
assert raw("sum_more", items(-3, 1 << 40, 0.5, 0.25, 7)) == (1 << 40) - 3 + 0.75 + 1
many = items(1, 2, 3)
outer = items(2, items(view(f32(1, 2, 3)), many), view(np.zeros((1, 2, 3), np.float32)))
assert raw("nested", outer) == 2 * 6 + 100 * 6 + 30000
assert raw("length", items(*b"a list of bytes"), ord("s")) == 15000 + 2
assert raw("length", items(), 1) == 0
assert raw("all", items(view(f32(1, 2)), view(f32(3)), view(f32()), view(f32(4, 5)))) == 3 + 2 * 3 + 4 * 9
assert raw("all", items(*[view(f32(1)) for _ in range(100)])) == 5050
assert raw("reach", items(view(f32(*range(12))), 3, items(4, 3), items(-1, 4))) == 3 - 3 + 8
assert raw("table", items(items(1.0, 2.0), items(), items(0.5))) == 3 + 1.5
text = items(items(*b"ab"), items(*b"c"), items(), items(*b"def"), items(*b"g"), items(*b"h"))
assert raw("string_array", items(text, items(2, 3))) == 8023

for _ in range(3):
    into, out = items(items(view(f32(1)), view(f32(7, 8)))), VmVariantList(1)
    context.vm_context.invoke(module.vm_module.lookup_function("last"), into, out)
    got = rt.DeviceArray(config.device, out.get_as_object(0, rt.HalBufferView), implicit_host_transfer=True)
    assert (got.to_host() == f32(7, 8)).all()

refused("sum_more", items(1, 2, 0.5, 0.25), of="sum_more: argument 0 has 4 items, not 5")
refused("sum_more", items(1, 2.0, 0.5, 0.25, 1), of="sum_more: argument 0, slot 1 is no number of its type")
refused("sum_more", items(1, 2, 3, 0.25, 1), of="sum_more: argument 0, slot 2 is no number of its type")
refused("sum_more", view(f32(1)), of="sum_more: argument 0 is no list")
refused("reach", items(view(f32(1)), 3, items(4, 3), 4), of="reach: argument 0, slot 3 is a number")
refused("nested", items(2, view(f32(1)), view(f32(1))), of="nested: argument 0, slot 1 is no list")
refused("nested", items(2, items(view(np.zeros((1, 1), np.float32)), many), view(f32(1))), of="slot 1, slot 0 has rank 2, not 1")
refused("all", items(view(f32(1)), view(np.zeros(1, np.int32))), of="an element of all: argument 0 has elements of type 0x")
refused("all", items(view(f32(1)), 7), of="an element of all: argument 0 is a number")
refused("all", items(items()), of="INVALID_ARGUMENT")

del outer, many, text, into, out, got, result
gc.collect()
native.all_freed(config.device.allocator.statistics)
# What the modules' memory comes from must outlive them.
del module, context, shell
gc.collect()
assert not native.held, native.held
print("done")
