#!/usr/bin/python3
"""Test peer: publishes a service as zeroconf_publish.py does, and changes it as told on standard input.

Each line is one change: `txt KEY[=VALUE]...`, `port NUMBER` or `address A...`; after each it prints
{"event":"changed"}. At the end of the input it says goodbye.
"""
import ipaddress
import sys

sys.dont_write_bytecode = True
import zeroconf  # noqa: E402
import zeroconf_publish  # noqa: E402


def change(options, line):
    verb, *words = line.split()
    if verb == "txt":
        options.txt = [zeroconf_publish.txt_string(word) for word in words]
    elif verb == "port":
        options.port = int(words[0])
    elif verb == "address":
        options.address = [str(ipaddress.ip_address(word)) for word in words]
    else:
        raise SystemExit("unknown change: %r" % line)


def main():
    _, options = zeroconf_publish.arguments()
    zc = zeroconf.Zeroconf(interfaces=options.interface_address)
    try:
        zc.register_service(zeroconf_publish.service_info(options))
        zeroconf_publish.emit("published")
        for line in sys.stdin:
            change(options, line)
            zc.update_service(zeroconf_publish.service_info(options))
            zeroconf_publish.emit("changed", change=line.strip())
    finally:
        zc.close()


if __name__ == "__main__":
    main()
