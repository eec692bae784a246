"""A foreign peer: tells what the wire shows, and sends and joins as it is told. Uses nothing but Python's socket module.

wire.py PORT: PORT of 127.0.0.1 gets a datagram for each report and gives the commands, words of the form key=value.
"""

import select
import signal
import socket
import struct
import sys

ANY_PACKET = socket.htons(3)
OUTGOING = 4
IP_PKTINFO = 8


def packed(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.inet_pton(family, address)


def index(words):
    return socket.if_nametoindex(words["if"]) if "if" in words else 0


def udp_socket(words):
    """A socket as the words tell it to be."""
    is_ipv6 = ":" in words["to"]
    endpoint = socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET, socket.SOCK_DGRAM)
    endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    level = socket.IPPROTO_IPV6 if is_ipv6 else socket.IPPROTO_IP
    if "tos" in words:
        endpoint.setsockopt(level, socket.IPV6_TCLASS if is_ipv6 else socket.IP_TOS, int(words["tos"]))
    if "ttl" in words:
        for option in (socket.IPV6_UNICAST_HOPS, socket.IPV6_MULTICAST_HOPS) if is_ipv6 else (
            socket.IP_TTL, socket.IP_MULTICAST_TTL):
            endpoint.setsockopt(level, option, int(words["ttl"]))
    if "if" in words and is_ipv6:
        endpoint.setsockopt(level, socket.IPV6_MULTICAST_IF, index(words))
    elif "if" in words:
        endpoint.setsockopt(level, socket.IP_MULTICAST_IF, struct.pack("4s4si", bytes(4), bytes(4), index(words)))
    if "from" in words:
        endpoint.bind((words["from"], 0))
    return endpoint


def send(words):
    destination = (words["to"], int(words["port"]))
    if ":" in words["to"]:
        destination += (0, index(words))
    with udp_socket(words) as endpoint:
        endpoint.sendto(words.get("text", "").encode(), destination)


def listen(words):
    """A socket on a port, and in a group where one is named."""
    group = words.get("group")
    is_ipv6 = ":" in (group or words.get("at", ""))
    endpoint = socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET, socket.SOCK_DGRAM)
    endpoint.bind((words.get("at", "::" if is_ipv6 else ""), int(words["port"])))
    if group and is_ipv6:
        membership = packed(group) + struct.pack("@I", index(words))
        endpoint.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, membership)
    elif group:
        membership = packed(group) + bytes(4) + struct.pack("@i", index(words))
        endpoint.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
    return endpoint


def endpoints(protocol, payload):
    if protocol != socket.IPPROTO_UDP or len(payload) < 8:
        return ""
    source, destination, length = struct.unpack("!HHH", payload[:6])
    return f" sport={source} dport={destination} length={length - 8}"


def members(protocol, payload):
    """The groups that an IGMPv3 or MLDv2 report names, with the kind of the change and the sources."""
    size = 4 if protocol == socket.IPPROTO_IGMP and payload[0] == 0x22 else 16 if payload[0] == 143 else 0
    if size == 0:
        return
    place = 8
    for _ in range(struct.unpack("!H", payload[6:8])[0]):
        kind, more, sources = struct.unpack("!BBH", payload[place:place + 4])
        place += 4
        family = socket.AF_INET if size == 4 else socket.AF_INET6
        texts = [socket.inet_ntop(family, payload[place + size * n:place + size * (n + 1)]) for n in range(sources + 1)]
        place += size * (sources + 1) + 4 * more
        yield f"report kind={kind} group={texts[0]} sources={','.join(texts[1:])}"


def describe(packet, interface):
    """What an IP packet's header says."""
    if packet[0] >> 4 == 4:
        size, protocol = (packet[0] & 15) * 4, packet[9]
        offset = struct.unpack("!H", packet[6:8])[0]
        texts = [socket.inet_ntop(socket.AF_INET, packet[place:place + 4]) for place in (12, 16)]
        fields = f"tos={packet[1]} ttl={packet[8]} df={offset >> 14 & 1} fragment={int(offset & 0x3fff != 0)}"
    else:
        size, protocol = 40, packet[6]
        texts = [socket.inet_ntop(socket.AF_INET6, packet[place:place + 16]) for place in (8, 24)]
        fields = f"tos={(packet[0] & 15) << 4 | packet[1] >> 4} ttl={packet[7]} fragment={int(protocol == 44)}"
        if protocol == 0:  # hop-by-hop options stand before a report
            protocol, size = packet[40], 40 + 8 * (packet[41] + 1)
    payload = packet[size:]
    if protocol in (socket.IPPROTO_IGMP, socket.IPPROTO_ICMPV6):
        for text in members(protocol, payload):
            yield f"{text} if={interface}"
    elif protocol in (socket.IPPROTO_UDP, 44):
        yield f"packet if={interface} src={texts[0]} dst={texts[1]} {fields}{endpoints(protocol, payload)}"


def run(control):
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, ANY_PACKET)
    listeners = {}
    control.send(b"ready")
    while True:
        for ready in select.select([control, wire, *listeners], [], [])[0]:
            if ready is wire:
                packet, origin = wire.recvfrom(65535)
                if origin[0] == "lo" or origin[2] == OUTGOING or origin[1] not in (0x0800, 0x86dd):
                    continue
                for text in describe(packet, origin[0]):
                    control.send(text.encode())
            elif ready is control:
                verb, *pairs = control.recv(65535).decode().split()
                words = dict(pair.split("=", 1) for pair in pairs)
                if verb == "quit":
                    return
                if verb == "send":
                    send(words)
                else:
                    listeners[listen(words)] = words["port"]
                control.send(b"done")
            else:
                content, source = ready.recvfrom(65535)
                control.send(f"got port={listeners[ready]} from={source[0]} text={content.decode()}".encode())


signal.alarm(60)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    control.bind(("127.0.0.1", 0))
    control.connect(("127.0.0.1", int(sys.argv[1])))
    try:
        run(control)
    except Exception as error:  # whatever it is, the test is to know
        control.send(f"failed {error!r}".encode())
