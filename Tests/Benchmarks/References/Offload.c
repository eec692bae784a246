#define _GNU_SOURCE
#include "Offload.h"

#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

static void offload_reset(struct offload_ring *ring, unsigned message) {
    struct msghdr *header = &ring->messages[message].msg_hdr;
    ring->parts[message] = (struct iovec){.iov_base = ring->bytes[message], .iov_len = message_bytes};
    header->msg_controllen = sizeof ring->controls[message];
    if (header->msg_name != NULL) header->msg_namelen = sizeof ring->names[message];
}

struct offload_ring *offload_make(bool has_names) {
    struct offload_ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL) fail("calloc");
    for (unsigned message = 0; message < messages_at_once; message++) {
        struct msghdr *header = &ring->messages[message].msg_hdr;
        header->msg_iov = &ring->parts[message];
        header->msg_iovlen = 1;
        header->msg_control = ring->controls[message];
        if (has_names) header->msg_name = &ring->names[message];
        offload_reset(ring, message);
    }
    return ring;
}

unsigned offload_receive(int socket, struct offload_ring *ring) {
    for (unsigned message = 0; message < messages_at_once; message++) offload_reset(ring, message);
    int count = recvmmsg(socket, ring->messages, messages_at_once, MSG_DONTWAIT, NULL);
    return count > 0 ? (unsigned)count : 0;
}

size_t offload_segment(const struct offload_ring *ring, unsigned message) {
    struct msghdr header = ring->messages[message].msg_hdr;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&header); part != NULL; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != IPPROTO_UDP || part->cmsg_type != UDP_GRO) continue;
        int segment;
        memcpy(&segment, CMSG_DATA(part), sizeof segment);
        return (size_t)segment;
    }
    return ring->messages[message].msg_len;
}

uint64_t offload_datagrams(const struct offload_ring *ring, unsigned count) {
    uint64_t datagrams = 0;
    for (unsigned message = 0; message < count; message++) {
        size_t length = ring->messages[message].msg_len, segment = offload_segment(ring, message);
        datagrams += segment == 0 ? 1 : (length + segment - 1) / segment;
    }
    return datagrams;
}

void offload_set(struct offload_ring *ring, unsigned message, size_t length, size_t segment) {
    struct msghdr *header = &ring->messages[message].msg_hdr;
    ring->parts[message].iov_len = length;
    header->msg_controllen = 0;
    if (segment >= length) return;
    header->msg_controllen = CMSG_SPACE(sizeof(uint16_t));
    struct cmsghdr *part = CMSG_FIRSTHDR(header);
    part->cmsg_level = IPPROTO_UDP;
    part->cmsg_type = UDP_SEGMENT;
    part->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    uint16_t bytes = (uint16_t)segment;
    memcpy(CMSG_DATA(part), &bytes, sizeof bytes);
}

unsigned offload_limit(size_t size) {
    unsigned fitting = (unsigned)(largest_message / size);
    return fitting < most_segments ? fitting : most_segments;
}

unsigned offload_fill(struct offload_ring *ring, unsigned datagrams, size_t size) {
    unsigned message = 0, limit = offload_limit(size);
    for (; datagrams > 0 && message < messages_at_once; message++) {
        unsigned segments = datagrams < limit ? datagrams : limit;
        offload_set(ring, message, segments * size, size);
        datagrams -= segments;
    }
    return message;
}
