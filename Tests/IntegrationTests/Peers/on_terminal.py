#!/usr/bin/python3
"""Runs a command on a pseudo terminal of a given size.

What comes on standard input is typed, until its end, which types nothing; ^C for SIGINT. What the command writes
goes to standard output as it is. A command that stops is continued, as by a shell's fg, after a line [stopped].
Exits with the command's status, 128+n for signal n.
"""
import argparse
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=80)
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("--term", default="xterm")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    options = parser.parse_args()
    size = struct.pack("HHHH", options.rows, options.columns, 0, 0)

    parent, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
    child = os.fork()
    if child == 0:
        login(terminal, parent)
        os.environ["TERM"] = options.term
        os.execvp(options.command[0], options.command)
    os.close(terminal)
    signal.signal(signal.SIGINT, lambda *_: os.write(parent, b"\x03"))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    signal.signal(signal.SIGCHLD, lambda *_: resume(parent, child))
    copy(parent)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.exit(code if code >= 0 else 128 - code)


def resume(parent, child):
    try:  # without WEXITED: the end stays for whoever waits for it
        if not os.waitid(os.P_PID, child, os.WSTOPPED | os.WNOHANG):
            return
    except ChildProcessError:
        return
    while select.select([parent], [], [], 0)[0]:
        os.write(1, os.read(parent, 4096))
    os.write(1, b"\n[stopped]\n")
    os.kill(child, signal.SIGCONT)


def login(terminal, parent):
    os.close(parent)
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for descriptor in range(3):
        os.dup2(terminal, descriptor)
    os.close(terminal)


def copy(parent):
    sources = [parent, 0]
    while True:
        ready = select.select(sources, [], [])[0]
        if 0 in ready:
            typed = os.read(0, 4096)
            if typed:
                os.write(parent, typed)
            else:
                sources.remove(0)
        if parent in ready:
            try:
                written = os.read(parent, 4096)
            except OSError:  # EIO: nobody has the terminal open any more
                return
            if not written:
                return
            os.write(1, written)


if __name__ == "__main__":
    main()
