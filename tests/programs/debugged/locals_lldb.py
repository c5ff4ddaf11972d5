"""A script for lldb: writes down what `locals.py` does in gdb, in the same form.

What of a variable is nowhere while the rest of it is somewhere, lldb takes for zeros: with LOCALS_PIECES, zeros in parts of variables are said to
be optimized out.
"""

import os

import lldb

PARTS = 8  # of an array
FRAMES = 8


def show(value, path, out, is_part):
    """Appends the numbers in a value, with their paths."""
    ty = value.GetType().GetCanonicalType()
    kind = ty.GetTypeClass()
    if value.GetError().Fail():
        out.append((path, "-"))
    elif kind in (lldb.eTypeClassStruct, lldb.eTypeClassUnion, lldb.eTypeClassClass):
        for i in range(value.GetNumChildren()):
            field = value.GetChildAtIndex(i)
            if field.GetName():
                show(field, f"{path}.{field.GetName()}", out, True)
    elif kind == lldb.eTypeClassArray:
        for i in range(min(value.GetNumChildren(), PARTS)):
            show(value.GetChildAtIndex(i), f"{path}[{i}]", out, True)
    elif ty.IsPointerType():
        out.append((path, "0" if value.GetValueAsUnsigned() == 0 else "?"))
    elif is_part and "LOCALS_PIECES" in os.environ and value.GetValueAsUnsigned() == 0:
        out.append((path, "-"))
    else:
        value.SetFormat(lldb.eFormatHex)
        text = value.GetValue()
        out.append((path, "-" if text is None else text))


def stop(thread, call, out):
    frames = []
    for frame in thread.frames[1:]:
        if frame.GetFunctionName() is None or len(frames) == FRAMES:
            break
        frames.append(frame)
        if frame.GetFunctionName() == "main":
            break
    for index, frame in enumerate(frames):
        level, line = len(frames) - index, frame.GetLineEntry().GetLine()
        out.write(f"F {call} {level} {frame.GetFunctionName()} {line}\n")
        for value in frame.GetVariables(True, True, False, True):
            declared, numbers = value.GetDeclaration().GetLine(), []
            if value.GetValueType() == lldb.eValueTypeVariableLocal and declared > line:
                continue
            show(value, f"{value.GetName()}@{declared}", numbers, False)
            for path, text in numbers:
                out.write(f"V {call} {level} {path} {text}\n")


def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    target = debugger.GetSelectedTarget()
    symbol = target.FindSymbols("probe_done")[0].GetSymbol()
    target.BreakpointCreateBySBAddress(symbol.GetStartAddress())
    info = target.GetLaunchInfo()
    info.SetLaunchFlags(info.GetLaunchFlags() & ~lldb.eLaunchFlagDisableASLR)
    error = lldb.SBError()
    process = target.Launch(info, error)
    if error.Fail():
        raise RuntimeError(error.GetCString())
    with open(os.environ["LOCALS_OUT"], "w") as out:
        for call in range(int(os.environ["LOCALS_CALLS"])):
            if process.GetState() != lldb.eStateStopped:
                break
            stop(process.GetThreadAtIndex(0), call, out)
            process.Continue()
    process.Kill()
