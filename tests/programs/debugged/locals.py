"""A script for gdb: writes down the local variables of all frames whenever the program calls `probe`.

The environment has the file to write (LOCALS_OUT), how many calls to look at (LOCALS_CALLS), and for other machines the command of an
emulator (DEBUGGED_EMULATOR).

Lines: `F call level function line` for a frame, level 1 being `main`'s, and `V call level variable value` for each number in a variable.
Values are `-` if they are optimized out and `?` for pointers to what has no name.
"""

import os
import sys

import gdb

sys.path.insert(0, os.environ["DEBUGGED_SCRIPTS"])
import emulator

PARTS = 8  # of an array
FRAMES = 8


def show(value, ty, path, out):
    """Appends the numbers in a value, with their paths."""
    try:
        if ty.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            for field in ty.fields():
                if field.name is not None:
                    show(value[field], field.type.strip_typedefs(), f"{path}.{field.name}", out)
        elif ty.code == gdb.TYPE_CODE_ARRAY:
            low, high = ty.range()
            for i in range(low, min(high + 1, low + PARTS)):
                show(value[i], ty.target().strip_typedefs(), f"{path}[{i}]", out)
        elif value.is_optimized_out:
            out.append((path, "-"))
        elif ty.code == gdb.TYPE_CODE_PTR:
            text = value.format_string(symbols=True)
            named = "<" in text and "synthetic" not in text
            nothing = "-" if "synthetic" in text else "?"
            out.append((path, text[text.index("<") : text.rindex(">") + 1] if named else "0" if int(value) == 0 else nothing))
        elif ty.code == gdb.TYPE_CODE_FLT:
            out.append((path, str(value)))
        else:
            text = value.format_string(format="x")
            out.append((path, "-" if "synthetic" in text else text))
    except gdb.error:
        out.append((path, "-"))


def variables(frame, line):
    """The variables of a frame that are declared before a line."""
    seen = set()
    block = frame.block()
    while block is not None:
        for symbol in block:
            is_local = symbol.is_variable or symbol.is_argument
            kept = symbol.needs_frame or symbol.addr_class in (gdb.SYMBOL_LOC_OPTIMIZED_OUT, gdb.SYMBOL_LOC_CONST)
            is_new = symbol.name not in seen and (symbol.is_argument or symbol.line <= line)
            if is_local and kept and is_new:
                seen.add(symbol.name)
                yield symbol
        if block.function:
            return
        block = block.superblock


def stop(call, out):
    frame, frames = gdb.newest_frame().older(), []
    while frame is not None and frame.name() is not None and len(frames) < FRAMES:
        frames.append(frame)
        frame = None if frame.name() == "main" else frame.older()
    for index, frame in enumerate(frames):
        level, line = len(frames) - index, frame.find_sal().line
        out.write(f"F {call} {level} {frame.name()} {line}\n")
        for symbol in variables(frame, line):
            path, numbers = f"{symbol.name}@{symbol.line}", []
            try:
                show(symbol.value(frame), symbol.type.strip_typedefs(), path, numbers)
            except gdb.error:
                numbers.append((path, "-"))
            for path, value in numbers:
                out.write(f"V {call} {level} {path} {value}\n")


def main():
    emulator.settings()
    gdb.execute("set print elements 0")
    command = os.environ.get("DEBUGGED_EMULATOR")
    gdb.execute("break *probe_done", to_string=True)
    process = emulator.connect(command) if command else None
    try:
        with open(os.environ["LOCALS_OUT"], "w") as out:
            gdb.execute("continue" if command else "run", to_string=True)
            for call in range(int(os.environ["LOCALS_CALLS"])):
                if not gdb.selected_inferior().pid or not gdb.selected_thread() or not gdb.selected_thread().is_valid():
                    break
                stop(call, out)
                gdb.execute("continue", to_string=True)
    except gdb.error as error:
        # The program has ended.
        if gdb.selected_inferior().pid:
            raise error
    finally:
        emulator.end(process)


main()
