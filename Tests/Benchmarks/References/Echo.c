// Echo with epoll, recvmmsg and sendmmsg.
#define _GNU_SOURCE
#include "Shared.h"

#include <stdlib.h>

enum { slots = 64, slot_bytes = 2048 };

struct ring {
    struct mmsghdr messages[slots];
    struct iovec parts[slots];
    struct sockaddr_in names[slots];
    char bytes[slots][slot_bytes];
};

/// A ring whose slots are `size` bytes long, with room for names where they are asked for.
static struct ring *ring_make(size_t size, bool has_names) {
    struct ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL || size > slot_bytes) fail("ring");
    for (int slot = 0; slot < slots; slot++) {
        ring->parts[slot] = (struct iovec){.iov_base = ring->bytes[slot], .iov_len = size};
        struct msghdr *header = &ring->messages[slot].msg_hdr;
        header->msg_iov = &ring->parts[slot];
        header->msg_iovlen = 1;
        if (!has_names) continue;
        header->msg_name = &ring->names[slot];
        header->msg_namelen = sizeof ring->names[slot];
    }
    return ring;
}

void reference_echo_server(void) {
    int socket = open_announced();
    int epoll = watch(socket);
    struct ring *ring = ring_make(slot_bytes, true);
    for (;;) {
        wait_readable(epoll, -1);
        int count = recvmmsg(socket, ring->messages, slots, MSG_DONTWAIT, NULL);
        if (count <= 0) continue;
        for (int slot = 0; slot < count; slot++) ring->parts[slot].iov_len = ring->messages[slot].msg_len;
        send_all(socket, ring->messages, (unsigned)count);
        for (int slot = 0; slot < count; slot++) {
            ring->parts[slot].iov_len = slot_bytes;
            ring->messages[slot].msg_hdr.msg_namelen = sizeof ring->names[slot];
        }
    }
}

void reference_echo_client(struct reference_load load, uint16_t port) {
    int socket = open_connected(port);
    int epoll = watch(socket);
    struct ring *incoming = ring_make(slot_bytes, false);
    struct ring *outgoing = ring_make(load.size, false);
    unsigned window = load.window < slots ? load.window : slots;
    uint64_t count = 0;
    struct stretch stretch = stretch_begin(load);
    send_all(socket, outgoing->messages, window);
    while (stretch_goes_on(&stretch, count)) {
        if (!wait_readable(epoll, silence_milliseconds)) {
            send_all(socket, outgoing->messages, window);
            continue;
        }
        int received = recvmmsg(socket, incoming->messages, slots, MSG_DONTWAIT, NULL);
        if (received <= 0) continue;
        count += (uint64_t)received;
        send_all(socket, outgoing->messages, (unsigned)received);
    }
    say(stretch_rate(&stretch));
}
