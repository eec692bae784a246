#!/usr/bin/python3
"""Test peer: tells of a service that nobody answers for: its PTR record, and no SRV, TXT or address.

Source: RFC 6762 section 6 and 11 (a response from port 5353, TTL 255), RFC 6763 section 4.1.
Daemons list such a service until its TTL is over, as they do after a host has gone without a goodbye.
"""
import argparse
import ipaddress
import socket
import struct


def labels(*names):
    return b"".join(bytes((len(name.encode()),)) + name.encode() for name in names) + b"\0"


def response(name, service_type, seconds):
    owner = labels(*service_type.split("."), "local")
    target = labels(name, *service_type.split("."), "local")
    header = struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0)  # a response, authoritative, one answer
    return header + owner + struct.pack("!HHIH", 12, 1, seconds, len(target)) + target


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("type", metavar="TYPE", help="such as _http._tcp")
    parser.add_argument("--interface-address", required=True, type=ipaddress.IPv4Address, metavar="A")
    parser.add_argument("--ttl", type=int, default=120, metavar="SECONDS", help="0 takes it back")
    options = parser.parse_args()
    own = str(options.interface_address)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sender.bind(("", 5353))
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
        sender.sendto(response(options.name, options.type, options.ttl), ("224.0.0.251", 5353))
    print('{"event":"sent"}', flush=True)
