"""Runs commands in network namespaces for the tests, which start no processes themselves: a child process holds copies of all
sockets of its parent for a moment, and so keeps ports in use that tests have just freed.

keeper.py PORT: PORT of 127.0.0.1 is told "ready". A command is a datagram of three parts, a line each: the path of a namespace,
"wait" or "start", and the command's words; what follows is its input. The answer is its exit status. Ends with its own input.
"""

import shlex
import socket
import subprocess
import sys
import threading


def run(control, request, source):
    namespace, manner, words, text = request.decode().split("\n", 3)
    command = ["nsenter", f"--net={namespace}", "--", *shlex.split(words)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if manner == "start":
        subprocess.Popen(command, stdin=subprocess.DEVNULL, **quiet)
        status = 0
    else:
        status = subprocess.run(command, input=text.encode(), check=False, **quiet).returncode
    control.sendto(str(status).encode(), source)


def serve(control):
    while True:
        request, source = control.recvfrom(65535)
        threading.Thread(target=run, args=(control, request, source), daemon=True).start()


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    control.bind(("127.0.0.1", 0))
    control.sendto(b"ready", ("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=serve, args=(control,), daemon=True).start()
    sys.stdin.read()
