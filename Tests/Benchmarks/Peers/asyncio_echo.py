"""Echo with Python's asyncio.

asyncio_echo.py server
asyncio_echo.py client SIZE WINDOW WARM-UP-MS MEASURED-MS PORT     says round trips a second
"""

import asyncio
import signal
import sys
import time

LONGEST_LIFE_SECONDS = 60
SILENCE_SECONDS = 0.05


class Server(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        self.transport.sendto(data, address)


class Client(asyncio.DatagramProtocol):
    def __init__(self, size):
        self.payload = bytes(size)
        self.count = 0

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        self.count += 1
        self.transport.sendto(self.payload)

    def fill(self, window):
        for _ in range(window):
            self.transport.sendto(self.payload)


async def serve():
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Server, local_addr=("127.0.0.1", 0))
    print(transport.get_extra_info("sockname")[1], flush=True)
    await asyncio.sleep(LONGEST_LIFE_SECONDS)


async def refill(client, window):
    """Sends the window again whenever nothing came for a while."""
    while True:
        seen = client.count
        await asyncio.sleep(SILENCE_SECONDS)
        if client.count == seen:
            client.fill(window)


async def load(size, window, warm_up, measured, port):
    loop = asyncio.get_running_loop()
    _, client = await loop.create_datagram_endpoint(lambda: Client(size), remote_addr=("127.0.0.1", port))
    client.fill(window)
    watching = loop.create_task(refill(client, window))
    await asyncio.sleep(warm_up / 1000)
    first_count, first_time = client.count, time.monotonic()
    await asyncio.sleep(measured / 1000)
    print(f"{(client.count - first_count) / (time.monotonic() - first_time):.3f}", flush=True)
    watching.cancel()


if __name__ == "__main__":
    signal.alarm(LONGEST_LIFE_SECONDS)
    if sys.argv[1:] == ["server"]:
        asyncio.run(serve())
    elif len(sys.argv) == 7 and sys.argv[1] == "client":
        asyncio.run(load(*map(int, sys.argv[2:])))
    else:
        sys.exit(64)
