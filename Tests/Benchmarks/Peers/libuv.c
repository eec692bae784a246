// Echo with libuv, with recvmmsg and sends that are tried at once, which measured faster than queued ones.
//   libuv server
//   libuv client SIZE WINDOW WARM-UP-MS MEASURED-MS PORT     says round trips a second
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { most_at_once = 20, room = 65536, longest_life_seconds = 60, silence_milliseconds = 50 };

static char incoming[most_at_once * room];
static char payload[65507];
static uv_udp_t udp;
static uint64_t count, first_count, first_time, seen_count;
static unsigned size, window, measured_milliseconds;

static void check(int status, const char *call) {
    if (status >= 0) return;
    fprintf(stderr, "%s: %s\n", call, uv_strerror(status));
    exit(1);
}

static void lend(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)handle, (void)suggested;
    *buffer = uv_buf_init(incoming, sizeof incoming);
}

static void answer(uv_udp_t *handle, ssize_t length, const uv_buf_t *buffer, const struct sockaddr *peer, unsigned flags) {
    (void)flags;
    if (length < 0 || peer == NULL) return;
    uv_buf_t bytes = uv_buf_init(buffer->base, (unsigned)length);
    uv_udp_try_send(handle, &bytes, 1, peer);
}

static void send_one(void) {
    uv_buf_t bytes = uv_buf_init(payload, size);
    uv_udp_try_send(&udp, &bytes, 1, NULL);
}

static void count_one(uv_udp_t *handle, ssize_t length, const uv_buf_t *buffer, const struct sockaddr *peer, unsigned flags) {
    (void)handle, (void)buffer, (void)flags;
    if (length < 0 || peer == NULL) return;
    count += 1;
    send_one();
}

static void refill_after_silence(uv_timer_t *timer) {
    (void)timer;
    if (count == seen_count) {
        for (unsigned sent = 0; sent < window; sent++) send_one();
    }
    seen_count = count;
}

static void finish(uv_timer_t *timer) {
    (void)timer;
    printf("%.3f\n", (double)(count - first_count) * 1e9 / (double)(uv_hrtime() - first_time));
    exit(0);
}

static void begin(uv_timer_t *timer) {
    first_count = count;
    first_time = uv_hrtime();
    uv_timer_start(timer, finish, measured_milliseconds, 0);
}

static void open_socket(uint16_t port, bool is_server) {
    struct sockaddr_in address;
    check(uv_ip4_addr("127.0.0.1", port, &address), "uv_ip4_addr");
    check(uv_udp_init_ex(uv_default_loop(), &udp, AF_INET | UV_UDP_RECVMMSG), "uv_udp_init_ex");
    if (is_server) {
        check(uv_udp_bind(&udp, (struct sockaddr *)&address, 0), "uv_udp_bind");
    } else {
        check(uv_udp_connect(&udp, (struct sockaddr *)&address), "uv_udp_connect");
    }
    check(uv_udp_recv_start(&udp, lend, is_server ? answer : count_one), "uv_udp_recv_start");
}

static void serve(void) {
    open_socket(0, true);
    struct sockaddr_in address;
    int length = sizeof address;
    check(uv_udp_getsockname(&udp, (struct sockaddr *)&address, &length), "uv_udp_getsockname");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
}

static void load(char **arguments) {
    size = (unsigned)atoi(arguments[0]);
    window = (unsigned)atoi(arguments[1]);
    measured_milliseconds = (unsigned)atoi(arguments[3]);
    open_socket((uint16_t)atoi(arguments[4]), false);
    static uv_timer_t measuring, watching;
    uv_timer_init(uv_default_loop(), &measuring);
    uv_timer_init(uv_default_loop(), &watching);
    uv_timer_start(&measuring, begin, (uint64_t)atoi(arguments[2]), 0);
    uv_timer_start(&watching, refill_after_silence, silence_milliseconds, silence_milliseconds);
    for (unsigned sent = 0; sent < window; sent++) send_one();
}

int main(int argc, char **argv) {
    alarm(longest_life_seconds);
    if (argc == 2 && strcmp(argv[1], "server") == 0) {
        serve();
    } else if (argc == 7 && strcmp(argv[1], "client") == 0) {
        load(argv + 2);
    } else {
        return 64;
    }
    return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
