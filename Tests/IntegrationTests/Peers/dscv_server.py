#!/usr/bin/python3
"""Test peer: the dscv reference server (IPv4 UDP), without its Bonjour part.

Source: the description of the reference peers, section 1 (benmechen/Discoverable-Client server.py)
and, for the variants, sections 3 and 4. Written from that text only.
Prints one JSON object a line: listening, received, sent, closed.
Exit status 0 after a disconnect or a signal, 1 after a failure (such as a datagram not UTF-8).

windows is the predecessor's server of section 3: it acknowledges what is not empty, admits once, with an IPv6 address,
and answers a disconnect that is nothing else, unacknowledged. whole-discover is that section's old Python server, which
takes only a discover without a name. silent-for-N-ms ends when nothing has come for so long, as the windows server does.

Not said by the source, chosen here: a datagram that is not UTF-8 gets no acknowledgement,
since decoding it comes first; its sender counts as the last sender.
"""
import argparse
import contextlib
import ipaddress
import json
import re
import select
import signal
import socket
import sys

VARIANTS = re.compile(r"(normal|no-ack|ack-only|shake-twice|shake-other-port|silent|echo"
                      r"|second-discover-not-shaken|drop-first-\d+|disconnect-after-\d+"
                      r"|windows|whole-discover|silent-for-\d+-ms)\Z")


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def show(address):
    return "%s:%d" % address


class Stopped(Exception):
    pass


class Server:
    def __init__(self, address, port, prefix, variants):
        self.prefix, self.variants = prefix, variants
        self.drop = self.number("drop-first-", 0)
        self.payloads_left = self.number("disconnect-after-", None)
        patience = next((v for v in self.variants if v.startswith("silent-for-")), None)
        self.patience = int(patience.split("-")[2]) / 1000 if patience else None
        self.shaken = False
        self.last_sender = None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, port))
        self.other_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.other_socket.bind((address, 0))
        # A signal is taken between two datagrams, never in the middle of an answer.
        self.wake, self.wake_end = socket.socketpair()
        self.wake_end.setblocking(False)
        signal.set_wakeup_fd(self.wake_end.fileno())
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def number(self, start, default):
        return next((int(v[len(start):]) for v in self.variants if v.startswith(start)), default)

    def send(self, text, to, via=None):
        if "silent" not in self.variants:
            (via or self.socket).sendto(text.encode(), to)
            emit("sent", to=show(to), text=text)

    def own_address(self, client):
        """The server's IPv4 address as the client sees it (no datagram is sent for it)."""
        address = self.socket.getsockname()[0]
        if address != "0.0.0.0":
            return address
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(client)
            return probe.getsockname()[0]

    def shake(self, to):
        if "ack-only" in self.variants or self.shaken and self.variants & {"second-discover-not-shaken", "windows"}:
            return
        self.shaken = True
        via = self.other_socket if "shake-other-port" in self.variants else None
        text = "fe80::1%4" if "windows" in self.variants else self.own_address(to)
        for _ in range(2 if "shake-twice" in self.variants else 1):
            self.send("%s_shake:%s" % (self.prefix, text), to, via)

    def handle_one(self):
        ready = select.select([self.socket, self.wake], [], [], self.patience)[0]
        if not ready:
            raise Stopped("silence")
        if self.wake in ready:
            raise Stopped("signal")
        data, sender = self.socket.recvfrom(1024)  # the rest of a longer datagram is lost
        text = data.decode("utf-8", "backslashreplace")
        if self.drop > 0:
            self.drop -= 1
            return emit("received", **{"from": show(sender)}, text=text, dropped=True)
        self.last_sender = sender
        emit("received", **{"from": show(sender)}, text=text)
        data.decode("utf-8")  # strict: one invalid byte ends the server
        # Departure from the reference, which acknowledges every datagram: a peer that
        # acknowledges our echoes would otherwise be answered for its answers, without end.
        if "echo" in self.variants and text == self.prefix + "_ack":
            return
        if "windows" in self.variants and text == self.prefix + "_disconnect":
            raise Stopped("disconnect")
        if "no-ack" not in self.variants and not ("windows" in self.variants and not text):
            self.send(self.prefix + "_ack", sender)
        if text == self.prefix + "_discover" or self.prefix + "_discover" in text and "whole-discover" not in self.variants:
            self.shake(sender)
        elif self.prefix + "_disconnect" in text:
            raise Stopped("disconnect")
        else:
            if "echo" in self.variants and text:
                self.send(text, sender)
            if self.payloads_left is not None:
                self.payloads_left -= 1
                if self.payloads_left <= 0:
                    raise Stopped("disconnect-after")

    def run(self):
        emit("listening", port=self.socket.getsockname()[1])
        reason, status = "failure", 1  # what any other exception leaves
        try:
            while True:
                self.handle_one()
        except Stopped as stop:
            reason, status = str(stop), 0
        except UnicodeDecodeError:
            reason = "invalid utf-8"
        except OSError as error:
            reason = str(error)
        finally:
            with contextlib.suppress(OSError):
                if self.last_sender:
                    self.send(self.prefix + "_disconnect", self.last_sender)
            self.socket.close()
            emit("closed", reason=reason)
        return status


def port_number(text):
    if not 0 <= int(text) < 65536:
        raise argparse.ArgumentTypeError("out of range")
    return int(text)


def variant_set(text):
    for name in text.split(","):
        if not VARIANTS.match(name):
            raise argparse.ArgumentTypeError("unknown variant %r" % name)
    return set(text.split(","))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=port_number, default=1024, metavar="N")
    parser.add_argument("--address", type=ipaddress.IPv4Address, default="0.0.0.0", metavar="A")
    parser.add_argument("--prefix", choices=("dscv", "astv"), default="dscv")
    parser.add_argument("--variant", type=variant_set, default="normal", help=VARIANTS.pattern)
    options = parser.parse_args()
    try:
        server = Server(str(options.address), options.port, options.prefix, options.variant)
    except OSError as error:
        parser.error("cannot listen: %s" % error)
    sys.exit(server.run())
