#!/usr/bin/env python3
"""A multicast DNS host that is no responder: it sends packets made by hand, and sends them again whenever anybody asks anything.

    raw_mdns.py ADDRESS < packets

ADDRESS is the IPv4 address of the interface to send on; each line of the input is a packet in hexadecimal digits. Says "sent" when
all have left for the first time, and goes on until it is ended. Nobody else may listen on port 5353 of the host.
"""
import socket
import sys
import time

GROUP, PORT = "224.0.0.251", 5353
LIFE, PAUSE = 60, 0.1


def open_socket(address):
    result = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    result.bind(("", PORT))
    member = socket.inet_aton(GROUP) + socket.inet_aton(address)
    result.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    result.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    result.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    return result


def main():
    own = sys.argv[1]
    packets = [bytes.fromhex(line) for line in sys.stdin if line.strip()]
    udp = open_socket(own)
    end = time.monotonic() + LIFE
    next_time = 0.0
    is_first = True
    while (now := time.monotonic()) < end:
        if now >= next_time:
            for packet in packets:
                udp.sendto(packet, (GROUP, PORT))
            next_time = now + PAUSE
            if is_first:
                print("sent", flush=True)
                is_first = False
        udp.settimeout(max(0.01, end - now))
        try:
            data, (sender, _) = udp.recvfrom(9000)
        except TimeoutError:
            break
        while sender == own or len(data) < 3 or data[2] & 0x80:  # only what others ask
            try:
                data, (sender, _) = udp.recvfrom(9000)
            except TimeoutError:
                return


main()
