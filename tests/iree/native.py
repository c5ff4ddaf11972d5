"""Modules for IREE's virtual machine in shared objects, seen without its runtime: what a module tells callers of itself.

As a program (native.py FILE.so [SYMBOL]) it prints that as JSON. The offsets are those of the interface of 144 bytes of 64-bit systems.
"""

import ctypes as c
import json
import sys

OUT_OF_RANGE, NOT_FOUND = 11, 5
IMPORT, EXPORT = 1, 2


class View(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]

    def text(self):
        return c.string_at(self.data, self.size).decode() if self.size else ""


class Pair(c.Structure):
    _fields_ = [("key", View), ("value", View)]


class Function(c.Structure):
    _fields_ = [("module", c.c_void_p), ("linkage", c.c_uint16), ("ordinal", c.c_uint16)]


class Signature(c.Structure):
    _fields_ = [("version", c.c_uint32)] + [(n, c.c_size_t) for n in ("attributes", "imports", "exports", "internals")]


class Dependency(c.Structure):
    _fields_ = [("name", View), ("minimum", c.c_uint32), ("flags", c.c_uint32)]


CONTROL = c.CFUNCTYPE(c.c_size_t, c.c_void_p, c.c_uint32, c.POINTER(c.c_size_t), c.POINTER(c.c_void_p))


class Allocator(c.Structure):
    _fields_ = [("self", c.c_void_p), ("control", c.c_void_p)]


libc = c.CDLL(None)
libc.calloc.restype = libc.realloc.restype = c.c_void_p
libc.realloc.argtypes = [c.c_void_p, c.c_size_t]
libc.free.argtypes = [c.c_void_p]
# Blocks of memory that modules hold.
held = set()


@CONTROL
def control(_self, command, params, inout):
    old = inout[0]
    if command == 3:
        held.discard(old)
        libc.free(old)
        inout[0] = None
        return 0
    if command == 2:
        held.discard(old)
        inout[0] = libc.realloc(old, params[0])
    else:
        inout[0] = libc.calloc(1, params[0])
    held.add(inout[0])
    return 0


def status(value):
    """Code and message of a status, which is freed."""
    if not value & ~31:
        return value & 31, ""
    size, text = c.c_size_t.from_address((value & ~31) + 40).value, c.c_void_p.from_address((value & ~31) + 32).value
    said = c.string_at(text, size).decode() if text else ""
    libc.free(value & ~31)
    return value & 31, said


OWN = Allocator(None, c.cast(control, c.c_void_p))


def create(path, symbol="iree_vm_dynamic_module_create", version=1, instance=None, allocator=OWN):
    """The address of a new module."""
    make = c.CDLL(path)[symbol]
    make.restype = c.c_size_t
    make.argtypes = [c.c_uint32, c.c_void_p, c.c_size_t, c.c_void_p, Allocator, c.POINTER(c.c_void_p)]
    module = c.c_void_p()
    code, said = status(make(version, instance, 0, None, allocator, module))
    if code:
        raise RuntimeError(f"{code} {said}")
    return module.value


def method(module, offset, result, *args):
    """A function of a module's interface, bound to its own state."""
    address = c.c_void_p.from_address(module + offset).value
    this = c.c_void_p.from_address(module).value
    function = c.CFUNCTYPE(result, c.c_void_p, *args)(address)
    return lambda *given: function(this, *given)


def destroy(module):
    method(module, 16, None)()


def name(module):
    return method(module, 24, View)().text()


def attributes(get, *where):
    """All pairs that a function of the interface gives, until the index is out of range."""
    pairs = []
    while True:
        pair = Pair()
        code, said = status(get(*where, len(pairs), c.byref(pair)))
        if code == OUT_OF_RANGE:
            return pairs
        if code:
            raise RuntimeError(f"{code} {said}")
        pairs.append((pair.key.text(), pair.value.text()))


def functions(module, linkage, count):
    get = method(module, 64, c.c_size_t, c.c_uint32, c.c_size_t, c.c_void_p, c.c_void_p, c.c_void_p)
    get_attr = method(module, 72, c.c_size_t, c.c_uint32, c.c_size_t, c.c_size_t, c.c_void_p)
    found = []
    for ordinal in range(count):
        function, called, signature = Function(), View(), View()
        code, said = status(get(linkage, ordinal, c.byref(function), c.byref(called), c.byref(signature)))
        if code:
            raise RuntimeError(f"{code} {said}")
        entry = {"name": called.text(), "convention": signature.text()}
        if linkage == EXPORT:
            entry["attributes"] = dict(attributes(get_attr, linkage, ordinal))
        else:
            entry["optional"] = function.linkage == 3
        found.append(entry)
    for ordinal in (count, 1 << 40):
        code, _ = status(get(linkage, ordinal, None, None, None))
        if code not in (OUT_OF_RANGE, NOT_FOUND):
            raise RuntimeError(f"function {ordinal} of {count}: code {code}")
    return found


def reflect(module):
    """Everything that a module says of itself."""
    counts = method(module, 32, Signature)()
    dependencies = []
    callback = c.CFUNCTYPE(c.c_size_t, c.c_void_p, c.POINTER(Dependency))

    @callback
    def note(_user, dependency):
        of = dependency[0]
        dependencies.append({"name": of.name.text(), "minimum": of.minimum, "required": of.flags & 1 == 1})
        return 0

    code, said = status(method(module, 40, c.c_size_t, callback, c.c_void_p)(note, None))
    if code:
        raise RuntimeError(f"{code} {said}")
    return {
        "name": name(module),
        "dependencies": dependencies,
        "attributes": dict(attributes(method(module, 48, c.c_size_t, c.c_size_t, c.c_void_p))),
        "imports": functions(module, IMPORT, counts.imports),
        "exports": functions(module, EXPORT, counts.exports),
    }


class Span(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]


class Call(c.Structure):
    _fields_ = [("function", Function), ("arguments", Span), ("results", Span)]


def find(module, called):
    """The export of this name."""
    function = Function()
    lookup = method(module, 56, c.c_size_t, c.c_uint32, View, c.c_void_p, c.c_void_p)
    text = called.encode()
    held_text = c.create_string_buffer(text, len(text))
    code, said = status(lookup(EXPORT, View(c.addressof(held_text), len(text)), None, c.byref(function)))
    if code:
        raise KeyError(f"{called}: {code} {said}")
    return function


def begin(module, function, arguments, results):
    """Calls a function of numbers with these bytes as its arguments; code and message, and the bytes of its results."""
    given = c.create_string_buffer(arguments, max(len(arguments), 1))
    taken = c.create_string_buffer(max(results, 1))
    call = Call(function, Span(c.addressof(given), len(arguments)), Span(c.addressof(taken), results))
    code, said = status(method(module, 128, c.c_size_t, c.c_void_p, Call)(None, call))
    return code, said, taken.raw[:results]


def pointer(of):
    """Where an object of the runtime's for Python has its pointer: as the word after the object's head says."""
    return c.c_void_p.from_address(id(of) + c.c_int32.from_address(id(of) + 16).value)


def adopt(path, symbol="iree_vm_dynamic_module_create", instance=None):
    """A module of Python's that is the one in this file: IREE's runtime for Python has no way to load one, so a module of its own is
    made to be it. With the runtime's instance it has its memory from where the runtime has its own."""
    from iree import runtime as rt

    if instance is None:
        address = create(path, symbol)
    else:
        own = pointer(instance).value
        address = create(path, symbol, instance=own, allocator=Allocator.from_address(own + 8))
    shell = rt.PyModuleInterface("shell", lambda _: None).create()
    destroy(pointer(shell).value)
    pointer(shell).value = address
    return shell


def version():
    """That of IREE's runtime for Python: (3, 13)."""
    from iree.runtime import version as of

    return tuple(int(part) for part in of.VERSION.split(".")[:2])


def all_freed(counted):
    """An error if a device's allocator has given more than it has got back. Python of IREE 3.11 keeps what it has looked at itself
    (as nanobind says at its end), which is in the host's memory."""
    assert counted["device_bytes_allocated"] == counted["device_bytes_freed"], counted
    kept = counted["host_bytes_allocated"] - counted["host_bytes_freed"]
    assert (kept > 0) == (version() == (3, 11)), counted


if __name__ == "__main__":
    made = create(*sys.argv[1:3])
    print(json.dumps(reflect(made), indent=1))
    destroy(made)
    if held:
        sys.exit(f"{len(held)} blocks of memory are left")
