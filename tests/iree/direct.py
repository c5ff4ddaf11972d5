"""Calls functions of numbers of a module directly, as the virtual machine would: blocks of any length, any bits in them."""

import struct
import sys

import native

module = native.create(sys.argv[1])
said = native.reflect(module)
assert said["imports"] == [] and said["dependencies"] == [], said

INCOMPATIBLE, INVALID, NOT_FOUND = 18, 3, 5


def call(name, layout, *arguments, gives):
    code, text, results = native.begin(module, native.find(module, name), struct.pack(layout, *arguments), struct.calcsize(gives))
    assert code == 0, (name, code, text)
    return struct.unpack(gives, results)


def wrong(name, arguments, results, *codes):
    code, text, _ = native.begin(module, native.find(module, name), arguments, results)
    assert code in codes, (name, len(arguments), results, code, text)
    return text


# Natural alignment, as the format letters of `struct` without a prefix have it.
assert call("mix", "<i4xqf4xd", 1, 40, 0.5, 2.25, gives="<qdif") == (41, 2.75, 41, 2.75)
# Whatever is above a small integer.
for high in (0, 0xFFFFFF00, 0x12345600):
    for a, b, total in ((1, 2, 3), (100, 100, -56), (0x80, 0x80, 0), (0xFF, 0xFF, -2)):
        assert call("add_i8", "<II", high | a, (high ^ 0x0A0B0C00) | b, gives="<i") == (total,), (high, a, b)
for a, b, total in ((1, 2, 3), (30000, 30000, -5536), (0x8000, 0x8000, 0), (0xFFFF, 0xFFFF, -2)):
    assert call("add_i16", "<II", 0xABCD0000 | a, 0x7FFF0000 | b, gives="<i") == (total,), (a, b)
signed, unsigned = call("half_i8", "<I", 0xFFFFFF9C, gives="<ii")
assert (signed, unsigned) == (-50, 78), (signed, unsigned)
assert [call("not", "<I", bits, gives="<i")[0] & 1 for bits in (0, 1, 2, 0xFFFFFFFF)] == [1, 0, 1, 0]
# Halves are bits: 1.5 and 2.0 are 3.5.
assert [bits & 0xFFFF for bits in call("halves", "<II", 0x77773E00, 0x12344000, gives="<II")] == [0x4300, 0x4060]

# Runtimes before 3.10 pack blocks.
text = wrong("mix", struct.pack("<iqfd", 1, 40, 0.5, 2.25), 28, INCOMPATIBLE)
assert "3.10" in text, text
for length in (0, 1, 16, 31, 33, 40, 4096):
    text = wrong("mix", bytes(length), 24, INCOMPATIBLE, INVALID)
    assert text, length
for length in (0, 8, 23):
    wrong("mix", struct.pack("<i4xqf4xd", 1, 40, 0.5, 2.25), length, INCOMPATIBLE, INVALID)
code, text, _ = native.begin(module, native.find(module, "divide"), struct.pack("<ii", 1, 0), 4)
assert code != 0 and "division by zero" in text, (code, text)
assert call("divide", "<ii", 7, 2, gives="<i") == (3,)

for name in ("", "mi", "mixx", "Mix", "__init", "__deinit"):
    try:
        native.find(module, name)
        raise AssertionError(f"there is no {name}")
    except KeyError:
        pass

native.destroy(module)
assert not native.held, native.held
# Asked for an interface of another version, it says so.
for version in (0, 1, 2, 0xFFFFFFFF):
    try:
        made = native.create(sys.argv[1], version=version)
        assert version != 0
        native.destroy(made)
    except RuntimeError:
        assert version == 0, version
