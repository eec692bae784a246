// Echo of one datagram at a time with epoll, recvfrom and sendto.
#define _GNU_SOURCE
#include "Shared.h"

#include <pthread.h>

enum { most_bytes = 2048 };

static _Noreturn void serve(int socket) {
    int epoll = watch(socket);
    char bytes[most_bytes];
    for (;;) {
        wait_readable(epoll, -1);
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        ssize_t size = recvfrom(socket, bytes, sizeof bytes, 0, (struct sockaddr *)&peer, &length);
        if (size >= 0) sendto(socket, bytes, (size_t)size, 0, (struct sockaddr *)&peer, length);
    }
}

void reference_pingpong_server(void) { serve(open_announced()); }

void reference_pingpong_client(struct reference_load load, uint16_t port) {
    int socket = open_connected(port);
    int epoll = watch(socket);
    char bytes[most_bytes] = {0};
    size_t size = load.size < most_bytes ? load.size : most_bytes;
    uint64_t count = 0;
    struct stretch stretch = stretch_begin(load);
    sendto(socket, bytes, size, 0, NULL, 0);
    while (stretch_goes_on(&stretch, count)) {
        if (wait_readable(epoll, silence_milliseconds)) {
            if (recvfrom(socket, bytes, sizeof bytes, 0, NULL, NULL) < 0) continue;
            count += 1;
        }
        sendto(socket, bytes, size, 0, NULL, 0);
    }
    say(stretch_rate(&stretch));
}

static void *serve_in_thread(void *socket) { serve(*(int *)socket); }

void reference_pingpong_threads(struct reference_load load) {
    int server = open_bound();
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve_in_thread, &server) != 0) fail("pthread_create");
    reference_pingpong_client(load, port_of(server));
}
