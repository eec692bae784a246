#!/usr/bin/python3
"""Test peer: the client side of dscv, as servers see it.

Source: the description of the reference peers, section 2 (benmechen/Discoverable) and section 4.
Written from that text only. Prints one JSON object a line: connected, sent, acknowledged,
lost, received, closed. Exit status 0 if a handshake came and every --message was acknowledged.

--message and --raw are sent in the order of the command line, after the handshake, each
waiting up to 2 s for an acknowledgement. --message refuses what the protocol cannot carry
(over 1024 bytes, not UTF-8, holding a word of the protocol); --raw refuses nothing, not even
bytes that are not UTF-8, and does not count for the exit status.

Not of the reference: it acknowledges texts of the server, for servers that send some.
"""
import argparse
import json
import os
import re
import select
import socket
import sys
import time

RESENDS, CLOCK = 5, 2.0  # section 2: five resends at most, a clock of 2 s for each send


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Closed(Exception):
    pass


class Client:
    def __init__(self, host, port, prefix, timeout):
        self.ack, self.shake, self.discover, self.disconnect = (
            prefix + word for word in ("_ack", "_shake", "_discover", "_disconnect"))
        self.deadline = time.monotonic() + timeout
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST)[0]
        self.socket = socket.socket(family, kind)
        self.socket.connect(address)  # connected: datagrams of anybody else are dropped
        self.answers = None  # the texts that came after our disconnect

    def send(self, data):
        for _ in range(2):
            try:
                self.socket.send(data)
                break
            except ConnectionRefusedError:  # the error of an earlier datagram: only a hint
                pass
        emit("sent", text=data.decode("utf-8", "backslashreplace"))

    def pump(self, seconds, until=None):
        """Handles what comes; the text of kind `until`, or None when the time is over."""
        end = min(time.monotonic() + seconds, self.deadline)
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                if time.monotonic() >= self.deadline:
                    raise Closed("timeout")
                return None
            try:
                text = self.socket.recv(65535).decode("utf-8", "backslashreplace")
            except ConnectionRefusedError:
                continue
            kind = self.kind(text)
            if self.answers is not None:
                self.answers.append(text)
            if kind == "received":
                emit("received", text=text)
                if self.answers is None:
                    self.send(self.ack.encode())
            if kind == until:
                return text
            if kind == "disconnect":
                self.send(self.disconnect.encode())  # section 2: close() sends one back
                raise Closed("peer")

    def kind(self, text):
        if text == self.ack:
            return "ack"
        if self.shake in text:  # substring, as the reference matches
            return "shake"
        return "disconnect" if self.disconnect in text else "received"

    def run(self, name, steps, linger):
        good, lost = False, [data for counted, data in steps if counted]
        try:
            for resends in range(RESENDS + 1):
                self.send(("%s:%s" % (self.discover, name)).encode())
                text = self.pump(CLOCK, "shake")
                if text is not None:
                    break
            else:
                raise Closed("no handshake")
            emit("connected", shake=text.partition(":")[2], resends=resends)
            self.pump(0.1)  # an ack of a discover may come after the shake
            for counted, data in steps:
                self.send(data)
                came = self.pump(CLOCK, "ack") is not None
                emit("acknowledged" if came else "lost", text=data.decode("utf-8", "backslashreplace"))
                if came and counted:
                    lost.remove(data)
            good = not lost
            self.pump(linger)
            self.answers = []
            self.send(self.disconnect.encode())
            self.pump(1.0, "disconnect")
            raise Closed("client")
        except Closed as closed:
            emit("closed", reason=str(closed), answers=self.answers or [])
        return 0 if good else 1


def endpoint(text):
    match = re.fullmatch(r"(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})", text)
    if not match or not 0 < int(match[3]) < 65536:
        raise argparse.ArgumentTypeError("not HOST:PORT or [HOST]:PORT: %r" % text)
    return match[1] or match[2], int(match[3])


class Step(argparse.Action):
    def __call__(self, parser, options, values, option_string=None):
        for text in values:
            options.steps.append((self.dest == "message", os.fsencode(text)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("endpoint", type=endpoint, metavar="HOST:PORT", help="IPv6: [addr%%scope]:port")
    parser.add_argument("--name", default="python-peer", metavar="DEVICE")
    parser.add_argument("--message", nargs="+", action=Step, default=[], metavar="TEXT")
    parser.add_argument("--raw", nargs="+", action=Step, default=[], metavar="TEXT")
    parser.add_argument("--prefix", choices=("dscv", "astv"), default="dscv")
    parser.add_argument("--linger", type=float, default=0.2, help="s to listen before the disconnect")
    parser.add_argument("--timeout", type=float, default=60, help="s for everything together")
    parser.set_defaults(steps=[])
    options = parser.parse_args()
    for counted, data in options.steps:
        text = data.decode("utf-8", "replace")
        if counted and (len(data) > 1024 or text.encode() != data or options.prefix + "_" in text):
            parser.error("not a message of the protocol, use --raw: %r" % text)
    try:
        client = Client(*options.endpoint, options.prefix, options.timeout)
        sys.exit(client.run(options.name, options.steps, options.linger))
    except OSError as error:
        parser.error("%s:%d: %s" % (*options.endpoint, error))
