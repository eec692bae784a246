// The kernel's news of network interfaces: <linux/rtnetlink.h>, which Swift's Glibc module does not carry.
#ifndef DISCOVERABLE_LINK_EVENTS_H
#define DISCOVERABLE_LINK_EVENTS_H

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// A non-blocking socket that becomes readable when an interface comes, goes or changes. -1 with errno where there can be none.
static inline int discoverable_link_events_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof(address));
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK;
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof(address)) == 0) return descriptor;
    int number = errno;
    close(descriptor);
    errno = number;
    return -1;
}

// Takes the next message and throws it away: whoever wants to know asks the system afresh. 1 where there was one, or where the
// kernel had to drop some; 0 where nothing waits.
static inline int discoverable_link_events_skip(int descriptor) {
    char nothing[1];
    ssize_t length = recv(descriptor, nothing, sizeof(nothing), MSG_DONTWAIT | MSG_TRUNC);
    return length >= 0 || errno == ENOBUFS || errno == EINTR;
}

#endif
