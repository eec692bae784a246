// Echo with UDP_SEGMENT and UDP_GRO: what arrives as one message leaves as one.
#define _GNU_SOURCE
#include "Offload.h"

void reference_offload_server(void) {
    int socket = open_announced();
    allow_gro(socket);
    int epoll = watch(socket);
    struct offload_ring *ring = offload_make(true);
    for (;;) {
        wait_readable(epoll, -1);
        unsigned count = offload_receive(socket, ring);
        for (unsigned message = 0; message < count; message++) {
            offload_set(ring, message, ring->messages[message].msg_len, offload_segment(ring, message));
        }
        send_all(socket, ring->messages, count);
    }
}

void reference_offload_client(struct reference_load load, uint16_t port) {
    int socket = open_connected(port);
    allow_gro(socket);
    int epoll = watch(socket);
    struct offload_ring *incoming = offload_make(false), *outgoing = offload_make(false);
    uint64_t count = 0;
    struct stretch stretch = stretch_begin(load);
    send_all(socket, outgoing->messages, offload_fill(outgoing, load.window, load.size));
    while (stretch_goes_on(&stretch, count)) {
        uint64_t received = load.window;
        if (wait_readable(epoll, silence_milliseconds)) {
            received = offload_datagrams(incoming, offload_receive(socket, incoming));
            count += received;
        }
        send_all(socket, outgoing->messages, offload_fill(outgoing, (unsigned)received, load.size));
    }
    say(stretch_rate(&stretch));
}
