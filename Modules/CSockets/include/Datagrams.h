// Many datagrams a system call (recvmmsg, sendmmsg), and what travels beside their bytes: control messages, whose macros Swift
// cannot import. The structs mirror the kernel's, since glibc shows some of them under _GNU_SOURCE only.
#ifndef DISCOVERABLE_DATAGRAMS_H
#define DISCOVERABLE_DATAGRAMS_H

#include "SocketOptions.h"

#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The layout of `struct mmsghdr`.
struct discoverable_message {
    struct msghdr header;
    unsigned int length;
};

// The calls of the data path, without being cancellation points: glibc's cost two atomic operations more in a process with
// threads. As glibc's they return -1 and set errno.
static inline int discoverable_receive_messages(
    int descriptor, struct discoverable_message *_Nonnull messages, unsigned int count, int flags) {
    return (int)syscall(SYS_recvmmsg, descriptor, messages, count, flags, NULL);
}

static inline int discoverable_send_messages(
    int descriptor, struct discoverable_message *_Nonnull messages, unsigned int count, int flags) {
    return (int)syscall(SYS_sendmmsg, descriptor, messages, count, flags);
}

static inline ssize_t discoverable_send_message(int descriptor, const struct msghdr *_Nonnull header, int flags) {
    return syscall(SYS_sendmsg, descriptor, header, flags);
}

// `address` is NULL on a connected socket.
static inline ssize_t discoverable_send_bytes(
    int descriptor, const void *_Nullable bytes, size_t count, int flags, const struct sockaddr *_Nullable address,
    socklen_t address_length) {
    return syscall(SYS_sendto, descriptor, bytes, count, flags, address, address_length);
}

// The layout of `struct in6_pktinfo`.
struct discoverable_in6_pktinfo {
    struct in6_addr address;
    unsigned int interface;
};

// The layout of `struct sock_extended_err`.
struct discoverable_extended_error {
    uint32_t number;
    uint8_t origin;
    uint8_t type;
    uint8_t code;
    uint8_t padding;
    uint32_t info;
    uint32_t data;
};

// Room for everything that a socket of ours can be told beside one datagram.
#define DISCOVERABLE_CONTROL_SIZE 256

// What arrived beside a datagram. A field counts only where its bit is set in `present`.
enum {
    DISCOVERABLE_HAS_DESTINATION = 1,
    DISCOVERABLE_HAS_TRAFFIC_CLASS = 2,
    DISCOVERABLE_HAS_DROPS = 4,
    DISCOVERABLE_HAS_TIMESTAMP = 8,
    DISCOVERABLE_HAS_ERROR = 16,
};

struct discoverable_arrival {
    uint32_t present;
    uint32_t drops;
    uint32_t interface;
    // The length of the datagrams that the kernel joined (UDP_GRO); 0 for a single one.
    int32_t segment;
    // Four bytes for IPv4, sixteen for IPv6; `local` is where an answer should come from.
    uint8_t destination[16];
    uint8_t local[16];
    uint8_t traffic_class;
    struct timespec timestamp;
    struct discoverable_extended_error error;
};

static inline void discoverable_read_control_message(
    struct cmsghdr *_Nonnull message, struct discoverable_arrival *_Nonnull arrival) {
    const void *data = CMSG_DATA(message);
    switch (message->cmsg_level) {
    case DISCOVERABLE_SOL_UDP:
        if (message->cmsg_type == DISCOVERABLE_UDP_GRO) memcpy(&arrival->segment, data, sizeof(int));
        break;
    case SOL_SOCKET:
        if (message->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&arrival->drops, data, sizeof(uint32_t));
            arrival->present |= DISCOVERABLE_HAS_DROPS;
        } else if (message->cmsg_type == SO_TIMESTAMPNS) {
            memcpy(&arrival->timestamp, data, sizeof(struct timespec));
            arrival->present |= DISCOVERABLE_HAS_TIMESTAMP;
        }
        break;
    case IPPROTO_IP:
        if (message->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, data, sizeof(info));
            memcpy(arrival->destination, &info.ipi_addr, 4);
            memcpy(arrival->local, &info.ipi_spec_dst, 4);
            arrival->interface = (uint32_t)info.ipi_ifindex;
            arrival->present |= DISCOVERABLE_HAS_DESTINATION;
        } else if (message->cmsg_type == IP_TOS) {
            memcpy(&arrival->traffic_class, data, 1);
            arrival->present |= DISCOVERABLE_HAS_TRAFFIC_CLASS;
        } else if (message->cmsg_type == IP_RECVERR) {
            memcpy(&arrival->error, data, sizeof(arrival->error));
            arrival->present |= DISCOVERABLE_HAS_ERROR;
        }
        break;
    case IPPROTO_IPV6:
        if (message->cmsg_type == IPV6_PKTINFO) {
            struct discoverable_in6_pktinfo info;
            memcpy(&info, data, sizeof(info));
            memcpy(arrival->destination, &info.address, 16);
            memcpy(arrival->local, &info.address, 16);
            arrival->interface = info.interface;
            arrival->present |= DISCOVERABLE_HAS_DESTINATION;
        } else if (message->cmsg_type == IPV6_TCLASS) {
            int value;
            memcpy(&value, data, sizeof(value));
            arrival->traffic_class = (uint8_t)value;
            arrival->present |= DISCOVERABLE_HAS_TRAFFIC_CLASS;
        } else if (message->cmsg_type == IPV6_RECVERR) {
            memcpy(&arrival->error, data, sizeof(arrival->error));
            arrival->present |= DISCOVERABLE_HAS_ERROR;
        }
        break;
    }
}

// Reads all that arrived beside a datagram. Of `arrival` only `present` and `segment` are cleared.
static inline void discoverable_read_control(
    struct msghdr *_Nonnull header, struct discoverable_arrival *_Nonnull arrival) {
    arrival->present = 0;
    arrival->segment = 0;
    struct cmsghdr *message = CMSG_FIRSTHDR(header);
    while (message != NULL) {
        discoverable_read_control_message(message, arrival);
        message = CMSG_NXTHDR(header, message);
    }
}

// What leaves beside a datagram.
struct discoverable_departure {
    // The length of each datagram when the message holds several (UDP_SEGMENT); 0 for a single one.
    uint16_t segment;
    // The traffic class; -1 leaves the socket's own.
    int traffic_class;
    int family;
    int has_source;
    uint8_t source[16];
    // 0 lets the kernel choose.
    uint32_t interface;
};

static inline size_t discoverable_put_control_message(
    uint8_t *_Nonnull control, size_t used, int level, int type, const void *_Nonnull data, size_t size) {
    struct cmsghdr *message = (struct cmsghdr *)(void *)(control + used);
    memset(message, 0, CMSG_SPACE(size));
    message->cmsg_level = level;
    message->cmsg_type = type;
    message->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(message), data, size);
    return used + CMSG_SPACE(size);
}

// Writes the control messages into DISCOVERABLE_CONTROL_SIZE bytes, aligned for a cmsghdr; returns how many are used.
static inline size_t discoverable_write_control(
    uint8_t *_Nonnull control, const struct discoverable_departure *_Nonnull departure) {
    size_t used = 0;
    int is_ipv6 = departure->family == AF_INET6;
    if (departure->segment > 0)
        used = discoverable_put_control_message(
            control, used, DISCOVERABLE_SOL_UDP, DISCOVERABLE_UDP_SEGMENT, &departure->segment, sizeof(uint16_t));
    if (departure->traffic_class >= 0)
        used = discoverable_put_control_message(
            control, used, is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, is_ipv6 ? IPV6_TCLASS : IP_TOS,
            &departure->traffic_class, sizeof(int));
    if (!departure->has_source && departure->interface == 0) return used;
    if (is_ipv6) {
        struct discoverable_in6_pktinfo info;
        memset(&info, 0, sizeof(info));
        if (departure->has_source) memcpy(&info.address, departure->source, 16);
        info.interface = departure->interface;
        return discoverable_put_control_message(control, used, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
    }
    struct in_pktinfo info;
    memset(&info, 0, sizeof(info));
    if (departure->has_source) memcpy(&info.ipi_spec_dst, departure->source, 4);
    info.ipi_ifindex = (int)departure->interface;
    return discoverable_put_control_message(control, used, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
}

// Who reported the error that came with a message from the error queue: the address right behind it.
static inline struct sockaddr *_Nullable discoverable_offender(struct msghdr *_Nonnull header) {
    for (struct cmsghdr *message = CMSG_FIRSTHDR(header); message != NULL; message = CMSG_NXTHDR(header, message)) {
        int is_error = (message->cmsg_level == IPPROTO_IP && message->cmsg_type == IP_RECVERR)
            || (message->cmsg_level == IPPROTO_IPV6 && message->cmsg_type == IPV6_RECVERR);
        size_t before = CMSG_LEN(sizeof(struct discoverable_extended_error));
        if (is_error && message->cmsg_len >= before + sizeof(struct sockaddr_in))
            return (struct sockaddr *)(void *)(CMSG_DATA(message) + sizeof(struct discoverable_extended_error));
    }
    return NULL;
}

#endif
