#define _GNU_SOURCE
#include "Shared.h"

#include <avahi-common/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

AvahiSimplePoll *poll_loop;

void fail(const char *call, AvahiClient *client) {
    fprintf(stderr, "%s: %s\n", call, client ? avahi_strerror(avahi_client_errno(client)) : "failed");
    exit(1);
}

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t now_nanoseconds(void) { return read_clock(CLOCK_MONOTONIC); }

static void client_changed(AvahiClient *client, AvahiClientState state, void *userdata) {
    (void)userdata;
    if (state == AVAHI_CLIENT_FAILURE) fail("avahi_client", client);
}

AvahiClient *connect_to_daemon(void) {
    int error = 0;
    poll_loop = avahi_simple_poll_new();
    if (poll_loop == NULL) fail("avahi_simple_poll_new", NULL);
    AvahiClient *client = avahi_client_new(avahi_simple_poll_get(poll_loop), 0, client_changed, NULL, &error);
    if (client == NULL) {
        fprintf(stderr, "avahi_client_new: %s\n", avahi_strerror(error));
        exit(1);
    }
    return client;
}

void run_loop(void) { avahi_simple_poll_loop(poll_loop); }
void end_loop(void) { avahi_simple_poll_quit(poll_loop); }

/// Not ru_maxrss, in which a process begins with what its parent had.
static double peak_megabytes(void) {
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "re");
    if (status == NULL) fail("/proc/self/status", NULL);
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtod(line + 6, NULL);
    }
    fclose(status);
    return kilobytes / 1024;
}

void say_figures(uint64_t start, double share) {
    double wall = (double)(now_nanoseconds() - start) / 1e6;
    double cpu = (double)read_clock(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
    printf("%.3f %.3f %.3f %.6f\n", wall, cpu, peak_megabytes(), share);
    fflush(stdout);
}

void say_ready(void) {
    puts("ready");
    fflush(stdout);
}

uint16_t port_of_service(unsigned number) { return (uint16_t)(10000 + number % 50000); }

unsigned number_of_service(const char *name) {
    const char *space = strrchr(name, ' ');
    return space == NULL ? 0 : (unsigned)strtoul(space + 1, NULL, 10);
}
