// What Swift's Glibc module lacks. Header only; never defines _GNU_SOURCE, whose fd_set clashes with the Glibc module:
// what needs it is declared here under names of our own.
#ifndef DISCOVERABLE_CSOCKETS_H
#define DISCOVERABLE_CSOCKETS_H

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#endif
