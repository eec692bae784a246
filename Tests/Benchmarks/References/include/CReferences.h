// The same work as ours in plain C, each the best way known. Whoever has a port says it on standard output, as a line;
// whoever measures says the result there. The servers and senders run until they are ended.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// What a client of an echo server does.
struct reference_load {
    /// Bytes of a datagram.
    uint32_t size;
    /// Datagrams under way at any time.
    uint32_t window;
    uint32_t warm_up_milliseconds;
    uint32_t measured_milliseconds;
};

/// Echo with epoll, recvmmsg and sendmmsg. The client says round trips a second.
void reference_echo_server(void);
void reference_echo_client(struct reference_load load, uint16_t port);

/// The same with UDP_SEGMENT and UDP_GRO.
void reference_offload_server(void);
void reference_offload_client(struct reference_load load, uint16_t port);

/// Echo of one datagram at a time with epoll, recvfrom and sendto; also with both ends as threads of this process.
void reference_pingpong_server(void);
void reference_pingpong_client(struct reference_load load, uint16_t port);
void reference_pingpong_threads(struct reference_load load);

/// One way, with UDP_SEGMENT and UDP_GRO. The receiver says datagrams a second.
void reference_bulk_receiver(struct reference_load load);
void reference_bulk_sender(uint32_t size, uint16_t port);

/// The sender stamps the time into a datagram every 3 ms; the idle receiver says the median delay in microseconds.
void reference_wakeup_receiver(uint32_t samples);
void reference_wakeup_sender(uint16_t port);

/// Says the milliseconds that opening, binding and closing that many sockets one after the other takes.
void reference_open_close(uint32_t sockets);
