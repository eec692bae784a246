#define _GNU_SOURCE
#include "Shared.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

void fail(const char *call) {
    perror(call);
    exit(1);
}

uint64_t now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void say(double figure) {
    printf("%.3f\n", figure);
    fflush(stdout);
}

// MARK: - Sockets

static struct sockaddr_in loopback(uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int open_socket(void) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) fail("socket");
    return descriptor;
}

int open_bound(void) {
    int descriptor = open_socket();
    struct sockaddr_in address = loopback(0);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");
    return descriptor;
}

uint16_t port_of(int descriptor) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) < 0) fail("getsockname");
    return ntohs(address.sin_port);
}

int open_announced(void) {
    int descriptor = open_bound();
    printf("%u\n", (unsigned)port_of(descriptor));
    fflush(stdout);
    return descriptor;
}

int open_connected(uint16_t port) {
    int descriptor = open_socket();
    struct sockaddr_in address = loopback(port);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
    return descriptor;
}

void allow_gro(int descriptor) {
    int on = 1;
    if (setsockopt(descriptor, IPPROTO_UDP, UDP_GRO, &on, sizeof on) < 0) fail("setsockopt(UDP_GRO)");
}

int watch(int descriptor) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) fail("epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("epoll_ctl");
    return epoll;
}

bool wait_readable(int epoll, int milliseconds) {
    struct epoll_event event;
    int ready = epoll_wait(epoll, &event, 1, milliseconds);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    return ready > 0;
}

void send_all(int descriptor, struct mmsghdr *messages, unsigned count) {
    for (unsigned done = 0; done < count;) {
        int sent = sendmmsg(descriptor, messages + done, count - done, 0);
        done += sent > 0 ? (unsigned)sent : 1;
    }
}

// MARK: - Time

struct stretch stretch_begin(struct reference_load load) {
    uint64_t warm_until = now_nanoseconds() + load.warm_up_milliseconds * 1000000ull;
    return (struct stretch){.warm_until = warm_until, .end = warm_until + load.measured_milliseconds * 1000000ull};
}

bool stretch_goes_on(struct stretch *stretch, uint64_t count) {
    uint64_t now = now_nanoseconds();
    if (stretch->first_time == 0 && now >= stretch->warm_until) {
        stretch->first_time = now;
        stretch->first_count = count;
    }
    stretch->last_time = now;
    stretch->last_count = count;
    return now < stretch->end;
}

double stretch_rate(const struct stretch *stretch) {
    uint64_t time = stretch->last_time - stretch->first_time;
    if (stretch->first_time == 0 || time == 0) return 0;
    return (double)(stretch->last_count - stretch->first_count) * 1e9 / (double)time;
}
