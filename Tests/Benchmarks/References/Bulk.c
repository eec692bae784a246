// As many datagrams as the receiver takes, one way, with UDP_SEGMENT and UDP_GRO.
#define _GNU_SOURCE
#include "Offload.h"

void reference_bulk_receiver(struct reference_load load) {
    int socket = open_announced();
    allow_gro(socket);
    int epoll = watch(socket);
    struct offload_ring *ring = offload_make(true);
    uint64_t count = 0;
    // The time runs from the first datagram, however long the sender takes to start.
    wait_readable(epoll, -1);
    struct stretch stretch = stretch_begin(load);
    while (stretch_goes_on(&stretch, count)) {
        if (wait_readable(epoll, silence_milliseconds)) count += offload_datagrams(ring, offload_receive(socket, ring));
    }
    say(stretch_rate(&stretch));
}

void reference_bulk_sender(uint32_t size, uint16_t port) {
    int socket = open_connected(port);
    struct offload_ring *ring = offload_make(false);
    unsigned messages = offload_fill(ring, messages_at_once * offload_limit(size), size);
    for (;;) send_all(socket, ring->messages, messages);
}
