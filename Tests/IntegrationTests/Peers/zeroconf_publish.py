#!/usr/bin/python3
"""Test peer: publishes one service with python-zeroconf until SIGTERM or SIGINT, then says goodbye.

Source: python-zeroconf 0.47 (Debian's python3-zeroconf), its ServiceInfo and Zeroconf.
The TXT strings are put on the wire exactly as given, in the order given, unless --raw-txt
gives the whole rdata; without any string the rdata is one zero byte (RFC 6763 section 6.1).
Without --host the SRV target is the instance name itself, as with the dscv reference server.
Prints {"event":"published"}, after probing and three announcements, and {"event":"closed"}.
"""
import argparse
import ipaddress
import json
import os
import re
import signal
import sys
import threading

sys.dont_write_bytecode = True
import zeroconf  # noqa: E402
import zeroconf_names  # noqa: E402,F401 (instance names with dots)


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def service_type(text):
    if not re.fullmatch(r"_[A-Za-z0-9-]+\._(tcp|udp)", text):
        raise argparse.ArgumentTypeError("not like _http._tcp: %r" % text)
    return text + ".local."


def txt_string(text):
    data = os.fsencode(text)
    if len(data) > 255:
        raise argparse.ArgumentTypeError("over 255 bytes: %r" % text)
    return bytes((len(data),)) + data


def ip_address(text):
    return str(ipaddress.ip_address(text))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("type", metavar="TYPE", type=service_type)
    parser.add_argument("port", metavar="PORT", type=int)
    parser.add_argument("txt", metavar="KEY[=VALUE]", type=txt_string, nargs="*")
    parser.add_argument("--raw-txt", metavar="HEX", type=bytes.fromhex, help="the whole TXT rdata")
    parser.add_argument("--address", metavar="A", type=ip_address, nargs="+", action="extend",
                        help="A and AAAA records (default: the interface addresses)")
    parser.add_argument("--interface-address", metavar="A", type=ip_address, nargs="+", action="extend",
                        help="own addresses of the interfaces to use (default: every IPv4 one)")
    parser.add_argument("--host", metavar="NAME", help="SRV target, without or with .local")
    parser.add_argument("--allow-name-change", action="store_true")
    options = parser.parse_intermixed_args()
    if not 0 <= options.port < 65536:
        parser.error("port out of range")
    if not options.name or "\udc80" <= max(options.name) <= "\udcff":
        parser.error("NAME is empty or not UTF-8")
    return parser, options


def service_info(options):
    host = options.host and re.sub(r"(\.local)?\.?\Z", ".local.", options.host, count=1)
    txt = b"".join(options.txt) or b"\0"
    return zeroconf.ServiceInfo(
        options.type, options.name + "." + options.type, options.port, server=host,
        properties=txt if options.raw_txt is None else options.raw_txt,
        parsed_addresses=[address.partition("%")[0] for address in
                          options.address or options.interface_address or zeroconf.get_all_addresses()])


def main():
    parser, options = arguments()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    try:
        info = service_info(options)
        zeroconf.service_type_name(info.name)  # what registering checks, here before any traffic
    except zeroconf.Error as error:
        parser.error(str(error) or type(error).__name__)
    try:
        zc = zeroconf.Zeroconf(interfaces=options.interface_address or zeroconf.InterfaceChoice.All)
    except (OSError, RuntimeError) as error:
        parser.error(str(error))
    try:
        zc.register_service(info, allow_name_change=options.allow_name_change)
        emit("published", name=info.get_name(), host=info.server, port=info.port,
             addresses=info.parsed_addresses(), txt_hex=info.text.hex())
        stop.wait()
    except zeroconf.NonUniqueNameException:
        emit("failed", reason="name not unique")
        return 1
    finally:
        zc.close()  # sends the goodbye three times (unregister_service does not wait for them)
    emit("closed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
