"""Makes python-zeroconf send an instance name that holds dots as ONE label.

python-zeroconf 0.47 keeps names as text and splits them at every dot when it writes them, so
that `a.b._http._tcp.local.` leaves as six labels `a`, `b`, ...; RFC 6763 section 4.1.1 wants one
label `a.b`. (Reading is not concerned: it joins the labels, and they are compared as text.)
Source: zeroconf/_protocol/outgoing.py of Debian's python3-zeroconf 0.47.3, DNSOutgoing.write_name.
"""
import re

from zeroconf import DNSOutgoing

INSTANCE = re.compile(r"(.+)\.(_[^.]+\._(?:tcp|udp)\.local)", re.DOTALL | re.IGNORECASE)


def labels(name):
    name = name[:-1] if name.endswith(".") else name
    match = INSTANCE.fullmatch(name)
    if match and not match[1].endswith("._sub"):
        return [match[1]] + match[2].split(".")
    return name.split(".")


def write_name(self, name):
    parts = labels(name)
    for count, part in enumerate(parts):
        suffix = tuple(parts[count:])  # a tuple: the label `a.b` is not the labels `a`, `b`
        pointer = self.names.get(suffix)
        if pointer:
            self._write_byte((pointer >> 8) | 0xC0)
            self._write_byte(pointer & 0xFF)
            return
        if self.size < 0x4000:
            self.names[suffix] = self.size
        self._write_utf(part)
    self._write_byte(0)


DNSOutgoing.write_name = write_name
