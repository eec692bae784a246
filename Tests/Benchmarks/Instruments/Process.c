#define _GNU_SOURCE
#include "CInstruments.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int start(pid_t *process, char *const arguments[], bool is_silent, int output) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error == 0 && is_silent) {
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (error == 0) error = posix_spawnp(process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

pid_t instruments_spawn(char *const arguments[], bool is_silent, int *output) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    pid_t process = 0;
    int error = start(&process, arguments, is_silent, ends[1]);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return -error;
    }
    *output = ends[0];
    return process;
}

static volatile sig_atomic_t was_interrupted;

static void remember(int signal) {
    (void)signal;
    was_interrupted = 1;
}

void instruments_catch_interrupts(void) {
    // Without SA_RESTART: the call that waits for a worker returns at once.
    struct sigaction action = {.sa_handler = remember};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool instruments_were_interrupted(void) { return was_interrupted != 0; }

bool instruments_keep_awake(void) {
    // The kernel holds the request for as long as the descriptor is open.
    int request = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    int32_t tolerated_microseconds = 0;
    return request >= 0 && write(request, &tolerated_microseconds, sizeof tolerated_microseconds) > 0;
}

void instruments_limit_life(unsigned seconds) { alarm(seconds); }

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t instruments_now_nanoseconds(void) { return read_clock(CLOCK_MONOTONIC); }

uint64_t instruments_cpu_nanoseconds(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t instruments_peak_kilobytes(void) {
    // Not ru_maxrss, in which a process begins with what its parent had.
    char line[256];
    uint64_t kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "re");
    if (status == NULL) return 0;
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtoull(line + 6, NULL, 10);
    }
    fclose(status);
    return kilobytes;
}

uint64_t instruments_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 0;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}
