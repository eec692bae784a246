#!/usr/bin/python3
"""Test peer: a host whose services come and go faster than anything real, by hand-made packets (RFC 6762 section 6).

Announces COUNT instances of TYPE over IPv4 on the link of ADDRESS, some hundreds at a time, and says goodbye (section 10.1)
for all but the first KEEP of them; in the middle it announces the instance "Calm" of another type. Only PTR records; nothing is answered.
Prints "done" when the last packet is sent.
"""
import argparse
import socket
import struct
import time

GROUP = ("224.0.0.251", 5353)
RECORDS_PER_PACKET = 50
# avahi-daemon compares each record that it receives with all others of its name, and loses what does not fit into its buffer
# meanwhile: hence not too many at a time, not too fast, and goodbyes twice.
BATCH = 500


def labels(text):
    return b"".join(bytes((len(label),)) + label.encode() for label in text.split("."))


def packet(service_type, names, ttl):
    """One response with a PTR record for each name; all owners but the first, and all targets' ends, point to byte 12."""
    owner = labels(service_type + ".local") + b"\0"
    records = b""
    for number, name in enumerate(names):
        target = bytes((len(name),)) + name.encode() + b"\xc0\x0c"
        records += owner if number == 0 else b"\xc0\x0c"
        records += struct.pack("!HHIH", 12, 1, ttl, len(target)) + target
    return struct.pack("!6H", 0, 0x8400, 0, len(names), 0, 0) + records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("address", metavar="ADDRESS", help="of the interface to send on")
    parser.add_argument("type", metavar="TYPE")
    parser.add_argument("other", metavar="OTHER-TYPE")
    parser.add_argument("count", metavar="COUNT", type=int)
    parser.add_argument("keep", metavar="KEEP", type=int)
    options = parser.parse_args()

    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(options.address))
    sock.bind(("0.0.0.0", 5353))

    def send(data):
        sock.sendto(data, GROUP)
        time.sleep(0.02)

    names = ["Storm %d" % number for number in range(options.count)]

    def send_all(names, ttl):
        for start in range(0, len(names), RECORDS_PER_PACKET):
            send(packet(options.type, names[start:start + RECORDS_PER_PACKET], ttl))

    for start in range(0, len(names), BATCH):
        batch = names[start:start + BATCH]
        send_all(batch, 4500)
        if start <= len(names) // 2 < start + BATCH:
            send(packet(options.other, ["Calm"], 4500))
        for _ in range(2):
            send_all([name for name in batch if name not in names[:options.keep]], 0)
    print("done", flush=True)


main()
