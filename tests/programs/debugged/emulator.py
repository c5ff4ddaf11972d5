"""For scripts for gdb: programs of other machines run by an emulator that has a stub for gdb.

That is at the socket `stub` of the current folder, or where DEBUGGED_STUB says.
"""

import os
import subprocess
import time

import gdb


def connect(command):
    """Starts an emulator by its words, with tabulators between them, and connects to its stub."""
    nothing = subprocess.DEVNULL
    emulator = subprocess.Popen(command.split("\t"), stdin=nothing, stdout=nothing, stderr=nothing)
    stub = os.environ.get("DEBUGGED_STUB", "stub")
    for _ in range(600):
        try:
            gdb.execute(f"target remote {stub}", to_string=True)
            return emulator
        except gdb.error:
            time.sleep(0.05)
    emulator.kill()
    raise gdb.GdbError("the emulator's stub does not answer")


def end(process):
    """Ends the program, if it runs, and its emulator, if it has one."""
    if gdb.selected_inferior().pid:
        gdb.execute("kill")
    if process is not None:
        process.kill()
        process.wait()


def settings():
    """What all scripts want."""
    for setting in ["pagination off", "confirm off", "debuginfod enabled off", "width 0"]:
        gdb.execute(f"set {setting}")
    if "DEBUGGED_EMULATOR" not in os.environ:
        gdb.execute("set startup-with-shell off")
