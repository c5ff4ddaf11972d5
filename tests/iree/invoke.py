"""Calls through the invoker of IREE's runtime for Python, of functions that are none.

A line of standard input is a JSON object: "abi" is the text of the function's records (null: it has none), "args" and "named" are
what the caller gives, "results" what the function gives back. The line of standard output for it has what the function got
("packed") or why it was not called ("refused"), then what the caller got ("unpacked") or why not ("failed").
"""

import json
import sys

import iree.runtime as rt
import numpy as np
from iree.runtime._binding import VmVariantList

DTYPES = {
    "i1": "?", "si8": "i1", "si16": "i2", "si32": "i4", "si64": "i8", "f16": "f2", "f32": "f4", "f64": "f8", "cf64": "c8",
    "cf128": "c16",
}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
DEVICE = rt.Config("local-sync").device


class Function:
    def __init__(self, abi):
        self.reflection = {} if abi is None else {"iree.abi": abi}


class Context:
    """What stands for a context: its one function says what it gets, and gives back what it is told."""

    def __init__(self, results):
        self.results = results
        self.packed = None

    def invoke(self, function, args, results):
        self.packed = [item_text(args, i) for i in range(len(args))]
        for item in self.results:
            push(results, item)


def array(name, dims, contents):
    return np.frombuffer(bytes.fromhex(contents), DTYPES[name]).reshape(dims)


def value(text):
    kind, *rest = text
    if kind == "list":
        return [value(one) for one in rest[0]]
    if kind == "tuple":
        return tuple(value(one) for one in rest[0])
    if kind == "dict":
        return {key: value(one) for key, one in rest[0]}
    if kind == "array":
        return array(*rest)
    # Numbers, truths and texts are JSON's.
    return rest[0] if rest else None


def value_text(got):
    if got is None:
        return ["null"]
    if isinstance(got, bool):
        return ["bool", got]
    if isinstance(got, int):
        return ["int", got]
    if isinstance(got, float):
        return ["float", got]
    if isinstance(got, (list, tuple)):
        return ["tuple" if isinstance(got, tuple) else "list", [value_text(one) for one in got]]
    if isinstance(got, dict):
        return ["dict", [[key, value_text(one)] for key, one in got.items()]]
    if isinstance(got, rt.DeviceArray):
        host = got.to_host()
        return ["array", NAMES[host.dtype], list(host.shape), np.ascontiguousarray(host).tobytes().hex()]
    # Without records lists come as references; their items are as they would be by themselves.
    items = got.deref(VmVariantList)
    return ["list", [dynamic_text(items, i) for i in range(len(items))]]


def dynamic_text(items, i):
    invoker = rt.FunctionInvoker(Repeat(items, i), DEVICE, Function(None))
    return value_text(invoker())


class Repeat:
    """A context whose function gives back one item of a list."""

    def __init__(self, items, i):
        self.items, self.i = items, i

    def invoke(self, function, args, results):
        push(results, item_text(self.items, self.i))


def item_text(items, i):
    return trace_text(items.get_serialized_trace_value(i))


def trace_text(trace):
    kind = trace.pop("type")
    if kind == "value":
        [(name, number)] = trace.items()
        return [name, number]
    if kind == "vm.list":
        return ["list", [trace_text(item) for item in trace["items"]]]
    if kind == "hal.buffer_view":
        return ["view", trace["element_type"], list(trace["shape"]), trace["contents"].hex()]
    return [kind]


def push(items, text):
    kind, *rest = text
    if kind == "i64":
        items.push_int(rest[0])
    elif kind == "f64":
        items.push_float(rest[0])
    elif kind == "list":
        inner = VmVariantList(len(rest[0]))
        for item in rest[0]:
            push(inner, item)
        items.push_list(inner)
    elif kind == "view":
        host = array(*rest)
        items.push_ref(
            DEVICE.allocator.allocate_buffer_copy(
                memory_type=rt.MemoryType.DEVICE_LOCAL,
                allowed_usage=rt.BufferUsage.DEFAULT,
                device=DEVICE,
                buffer=host,
                element_type=rt.array_interop.map_dtype_to_element_type(host.dtype),
            )
        )
    else:
        raise AssertionError(f"Python cannot make an item of kind {kind}")


def call(case):
    context = Context(case["results"])
    args, named = [value(one) for one in case["args"]], {key: value(one) for key, one in case["named"]}
    try:
        got = rt.FunctionInvoker(context, DEVICE, Function(case["abi"]))(*args, **named)
        # An array that cannot be read is none.
        return {"packed": context.packed, "unpacked": value_text(got)}
    except AssertionError:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return {"refused": message} if context.packed is None else {"packed": context.packed, "failed": message}


for line in sys.stdin:
    print(json.dumps(call(json.loads(line))))
