#!/usr/bin/env python3
"""Asks the link for the SRV records of services, not a cache: as a one-shot querier (RFC 6762 section 5.1).

    mdns_asks.py ADDRESS SECONDS TYPE NAME...

ADDRESS is the IPv4 address of the interface to ask on. Ends with 0 as soon as each name was answered for, with 1 after SECONDS.
"""
import socket
import struct
import sys
import time

GROUP, SRV, INTERNET = ("224.0.0.251", 5353), 33, 1
PAUSE = 0.1


def wire_name(name, kind):
    labels = [name.encode()] + [label.encode() for label in kind.split(".")]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def main():
    address, seconds, kind, names = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:]
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    udp.settimeout(PAUSE)
    missing = {number: wire_name(name, kind) for number, name in enumerate(names, 1)}
    end = time.monotonic() + seconds
    while missing and time.monotonic() < end:
        for number, name in missing.items():
            question = struct.pack("!6H", number, 0, 1, 0, 0, 0) + name + struct.pack("!2H", SRV, INTERNET)
            udp.sendto(question, GROUP)
        try:
            while True:
                number, flags, _, answers = struct.unpack("!4H", udp.recv(9000)[:8])
                if flags & 0x8000 and answers:
                    missing.pop(number, None)
        except TimeoutError:
            pass
    sys.exit(1 if missing else 0)


main()
