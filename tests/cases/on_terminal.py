#!/usr/bin/env python3
"""Runs a command on a pseudo terminal: on_terminal.py COMMAND... < input; prints what it shows.

Each line of input is typed after the prompt has come; \\t in it is the tab key."""

import os
import pty
import select
import sys


def read_until(terminal, text, shown):
    while text not in shown[0]:
        ready, _, _ = select.select([terminal], [], [], 60)
        if not ready:
            sys.exit(f"no {text!r} after: {shown[0]!r}")
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is gone
            return
        if not piece:
            return
        shown[0] += piece.decode("utf-8", "replace")


def main():
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "dumb"
        os.execvp(sys.argv[1], sys.argv[1:])
    everything = ""
    for line in sys.stdin:
        shown = [""]
        read_until(terminal, "mneme> ", shown)
        everything += shown[0]
        os.write(terminal, line.replace("\\t", "\t").encode())
    shown = [""]
    read_until(terminal, "never shown", shown)
    everything += shown[0]
    sys.stdout.write(everything.replace("\r", ""))
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
