// How long an idle receiver takes to have a datagram.
#define _GNU_SOURCE
#include "Shared.h"

#include <stdlib.h>
#include <time.h>

enum { interval_nanoseconds = 3000000 };

static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void reference_wakeup_receiver(uint32_t samples) {
    int socket = open_announced();
    int epoll = watch(socket);
    uint64_t *delays = calloc(samples, sizeof *delays), stamp;
    if (delays == NULL) fail("calloc");
    for (uint32_t count = 0; count < samples;) {
        wait_readable(epoll, -1);
        if (recvfrom(socket, &stamp, sizeof stamp, 0, NULL, NULL) != sizeof stamp) continue;
        delays[count++] = now_nanoseconds() - stamp;
    }
    qsort(delays, samples, sizeof *delays, by_size);
    say((double)delays[samples / 2] / 1e3);
}

void reference_wakeup_sender(uint16_t port) {
    int socket = open_connected(port);
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = interval_nanoseconds}, NULL);
        uint64_t stamp = now_nanoseconds();
        sendto(socket, &stamp, sizeof stamp, 0, NULL, 0);
    }
}
