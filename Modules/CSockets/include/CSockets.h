// What Swift's Glibc module lacks. Header only; never defines _GNU_SOURCE, whose fd_set clashes with the Glibc module:
// what needs it is declared here under names of our own.
#ifndef DISCOVERABLE_CSOCKETS_H
#define DISCOVERABLE_CSOCKETS_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <netinet/in.h>
#include <unistd.h>

#include "CommandLine.h"
#include "Datagrams.h"
#include "LinkEvents.h"
#include "SocketOptions.h"
#include "ThreadSanitizer.h"

// The text of an errno (glibc 2.32): constant, never null for a known number, safe on every thread, not translated.
extern const char *_Nullable discoverable_errno_text(int number) __asm__("strerrordesc_np");

// Names a thread for debuggers and `top -H`; at most 15 bytes.
extern int discoverable_set_thread_name(pthread_t thread, const char *_Nonnull name) __asm__("pthread_setname_np");

// epoll_wait without being a cancellation point: glibc's costs two atomic operations more in a process with threads.
static inline int discoverable_epoll_wait(int set, struct epoll_event *_Nonnull events, int count, int milliseconds) {
    return (int)syscall(SYS_epoll_pwait, set, events, count, milliseconds, NULL, (size_t)0);
}

// Gives the calling thread namespaces of its own: for tests that need a network which they can break.
extern int discoverable_unshare(int flags) __asm__("unshare");
#define DISCOVERABLE_CLONE_NEWNET 0x40000000

#endif
