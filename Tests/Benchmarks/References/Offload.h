// Messages that carry many datagrams: UDP_SEGMENT on the way out, UDP_GRO on the way in.
#pragma once

#include "Shared.h"

enum { messages_at_once = 8, message_bytes = 65536, largest_message = 65507, most_segments = 64 };

struct offload_ring {
    struct mmsghdr messages[messages_at_once];
    struct iovec parts[messages_at_once];
    struct sockaddr_in names[messages_at_once];
    _Alignas(struct cmsghdr) char controls[messages_at_once][CMSG_SPACE(sizeof(int))];
    char bytes[messages_at_once][message_bytes];
};

struct offload_ring *offload_make(bool has_names);

/// Receives what is there into a ring; the number of messages, 0 where there is none.
unsigned offload_receive(int socket, struct offload_ring *ring);
/// Bytes of each datagram of a received message but the last, which may be shorter.
size_t offload_segment(const struct offload_ring *ring, unsigned message);
/// Datagrams of the first `count` received messages.
uint64_t offload_datagrams(const struct offload_ring *ring, unsigned count);
/// Makes a message leave as datagrams of `segment` bytes.
void offload_set(struct offload_ring *ring, unsigned message, size_t length, size_t segment);
/// Datagrams of `size` bytes that fit one message.
unsigned offload_limit(size_t size);
/// Fills messages with `datagrams` of `size` bytes; the number of messages.
unsigned offload_fill(struct offload_ring *ring, unsigned datagrams, size_t size);
