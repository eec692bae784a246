// What the references have in common.
#pragma once

#include "CReferences.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

/// After this long without an answer a client takes its window for lost and sends it again.
enum { silence_milliseconds = 50 };

/// Ends the process with a line that names the call.
_Noreturn void fail(const char *call);

uint64_t now_nanoseconds(void);

/// Says a line of one number.
void say(double figure);

/// A non-blocking socket on a free port of 127.0.0.1.
int open_bound(void);
uint16_t port_of(int socket);
/// The same, and its port said.
int open_announced(void);
/// A non-blocking socket that is connected to a port of 127.0.0.1.
int open_connected(uint16_t port);
void allow_gro(int socket);

/// An epoll descriptor that watches one socket.
int watch(int socket);
/// Waits until the socket is readable; false when the time (-1: without end) has passed.
bool wait_readable(int epoll, int milliseconds);

/// Sends all messages of the vector. What the kernel refuses is given up: to the client it is a lost datagram.
void send_all(int socket, struct mmsghdr *messages, unsigned count);

/// The warm-up and the measured time of a client.
struct stretch {
    uint64_t warm_until, end;
    uint64_t first_time, first_count, last_time, last_count;
};

struct stretch stretch_begin(struct reference_load load);
/// To be called with the count so far before each step; false once the time is over.
bool stretch_goes_on(struct stretch *stretch, uint64_t count);
/// Counts a second within the measured time.
double stretch_rate(const struct stretch *stretch);
