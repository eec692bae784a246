#!/usr/bin/python3
"""Test peer: browses a service type with python-zeroconf and prints what it resolves.

Source: python-zeroconf 0.47 (Debian's python3-zeroconf), AsyncServiceBrowser and AsyncServiceInfo.
Prints one JSON object a line: added and updated (with details, once SRV, TXT and an address are
there; updated only if a detail changed), removed (name only).
With --name exits 0 as soon as that service is printed, 1 when the time is over;
without it browses until the time is over and exits 0.
"""
import argparse
import asyncio
import ipaddress
import json
import re
import sys

sys.dont_write_bytecode = True
from zeroconf import Error, InterfaceChoice, ServiceStateChange  # noqa: E402
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf  # noqa: E402
import zeroconf_names  # noqa: E402,F401 (instance names with dots)


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def strings(rdata):
    result, index = [], 0
    while index < len(rdata):
        data = rdata[index + 1:index + 1 + rdata[index]]
        index += 1 + rdata[index]
        try:
            result.append(data.decode("utf-8"))
        except UnicodeDecodeError:
            result.append(data.decode("latin-1"))
    return result


class Info(AsyncServiceInfo):
    """Complete only with SRV and TXT (python-zeroconf is content with an address)."""

    def __init__(self, *args):
        super().__init__(*args)
        self.text = None

    @property
    def _is_complete(self):
        return self.port is not None and self.text is not None and bool(self.parsed_addresses())


class Browser:
    def __init__(self, type_, wanted):
        self.type, self.wanted = type_, wanted
        self.done = asyncio.Event()
        self.tasks, self.shown = {}, {}

    def changed(self, zeroconf, service_type, name, state_change):
        if name in self.tasks:
            self.tasks.pop(name).cancel()
        if state_change is ServiceStateChange.Removed:
            self.shown.pop(name, None)
            emit("removed", name=self.instance(name))
        else:
            self.tasks[name] = asyncio.ensure_future(self.resolve(zeroconf, name))

    def instance(self, name):
        """The instance name, dots and all, without `.TYPE.local.`"""
        return name[:-len(self.type) - 1]

    async def resolve(self, zeroconf, name):
        info = Info(self.type, name)
        while not await info.async_request(zeroconf, 3000):
            pass
        details = {"name": self.instance(name), "host": info.server, "port": info.port,
                   "addresses": info.parsed_scoped_addresses(), "txt_hex": info.text.hex(),
                   "txt": strings(info.text)}
        before, self.shown[name] = self.shown.get(name), details
        if before != details:
            emit("updated" if before else "added", **details)
        if details["name"] == self.wanted:
            self.done.set()


async def browse(options):
    browser = Browser(options.type, options.name)
    azc = AsyncZeroconf(interfaces=options.interface_address or InterfaceChoice.All)
    async_browser = AsyncServiceBrowser(azc.zeroconf, options.type, handlers=[browser.changed])
    try:
        await asyncio.wait_for(browser.done.wait(), options.seconds)
        return 0
    except asyncio.TimeoutError:
        return 0 if options.name is None else 1
    finally:
        for task in browser.tasks.values():
            task.cancel()
        await async_browser.async_cancel()
        await azc.async_close()


def service_type(text):
    if not re.fullmatch(r"_[A-Za-z0-9-]+\._(tcp|udp)", text):
        raise argparse.ArgumentTypeError("not like _http._tcp: %r" % text)
    return text + ".local."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("type", metavar="TYPE", type=service_type)
    parser.add_argument("--name", metavar="NAME", help="exit once this instance is resolved")
    parser.add_argument("--for", metavar="S", dest="seconds", type=float, default=10)
    parser.add_argument("--interface-address", metavar="A", nargs="+", action="extend",
                        type=lambda text: str(ipaddress.ip_address(text)),
                        help="own addresses of the interfaces to use (default: every IPv4 one)")
    options = parser.parse_args()
    try:
        sys.exit(asyncio.run(browse(options)))
    except (OSError, RuntimeError, Error) as error:
        parser.error(str(error))
