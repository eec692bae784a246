// What the programs have in common.
#pragma once

#include <avahi-client/client.h>
#include <avahi-common/simple-watch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Ends the process with a line that names the call, and Avahi's reason where there is a client.
_Noreturn void fail(const char *call, AvahiClient *client);

uint64_t now_nanoseconds(void);

/// The loop of the program.
extern AvahiSimplePoll *poll_loop;

/// A client of the daemon on that loop; ends the process where there is no daemon.
AvahiClient *connect_to_daemon(void);

/// Runs the loop until `end_loop`.
void run_loop(void);
void end_loop(void);

/// Says a line: the milliseconds since `start`, the milliseconds that this process has computed, its largest resident memory in
/// megabytes, and `share`.
void say_figures(uint64_t start, double share);

/// Says "ready".
void say_ready(void);

/// The port of the service with that number, by which whoever resolves it checks what it got.
uint16_t port_of_service(unsigned number);

/// The number at the end of a service's name.
unsigned number_of_service(const char *name);

// The programs, by the words behind the program's name.
void resolve(const char *type, unsigned services, unsigned paths);
void await_services(const char *type, unsigned services, unsigned paths);
void publish(const char *type, unsigned services);
_Noreturn void serve(char **types_and_counts);
void receive_stamps(unsigned samples);
_Noreturn void play_daemon(void);
