#!/usr/bin/python3
"""Test peer: a device that answers searches of UPnP's kind (UPnP device architecture 1.1, section 1.3).

Listens on a group on one interface, and answers each M-SEARCH by one datagram to whoever asked. Prints one JSON object a
line: listening, then search for each question. With --noise it also sends an answer that is none before each.
"""
import argparse
import json
import socket
import struct
import sys


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--group", default="239.255.255.250")
    parser.add_argument("--port", type=int, default=1900)
    parser.add_argument("--interface", default="lan0")
    parser.add_argument("--location", default="http://192.0.2.2/device.xml")
    parser.add_argument("--noise", action="store_true")
    arguments = parser.parse_args()

    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("", arguments.port))
    request = struct.pack("=4s4si", socket.inet_aton(arguments.group), socket.inet_aton("0.0.0.0"),
                          socket.if_nametoindex(arguments.interface))
    server.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, request)
    emit("listening", port=server.getsockname()[1])
    while True:
        question, address = server.recvfrom(65535)
        lines = question.decode("utf-8", "replace").split("\r\n")
        emit("search", first=lines[0], host=address[0], port=address[1])
        if not lines[0].startswith("M-SEARCH * HTTP/1.1"):
            continue
        if arguments.noise:
            server.sendto(b"\xff\xfenot an answer", address)
        answer = ["HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=60", "EXT:", "LOCATION: " + arguments.location,
                  "ST: upnp:rootdevice", "USN: uuid:1", "", ""]
        server.sendto("\r\n".join(answer).encode(), address)


try:
    main()
except KeyboardInterrupt:
    sys.exit(0)
