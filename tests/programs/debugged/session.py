"""A script for gdb: gives it the commands of a file (DEBUGGED_COMMANDS), of which `run` begins a program of another machine, too.

DEBUGGED_EMULATOR is the command of an emulator for such a program. What a command says when it fails is output like any other.
"""

import os
import sys

import gdb

sys.path.insert(0, os.environ["DEBUGGED_SCRIPTS"])
import emulator


def main():
    emulator.settings()
    command, process = os.environ.get("DEBUGGED_EMULATOR"), None
    try:
        with open(os.environ["DEBUGGED_COMMANDS"]) as commands:
            for line in commands:
                line = line.strip()
                if command and line == "run":
                    process, line = emulator.connect(command), "continue"
                try:
                    print(gdb.execute(line, to_string=True), end="")
                except gdb.error as error:
                    print(error)
    finally:
        emulator.end(process)


main()
