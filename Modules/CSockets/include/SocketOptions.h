// Socket options that Swift's Glibc module does not carry.
#ifndef DISCOVERABLE_SOCKET_OPTIONS_H
#define DISCOVERABLE_SOCKET_OPTIONS_H

// <netinet/udp.h> and <linux/udp.h>.
#define DISCOVERABLE_SOL_UDP 17
#define DISCOVERABLE_UDP_SEGMENT 103
#define DISCOVERABLE_UDP_GRO 104

// <asm-generic/socket.h>.
#define DISCOVERABLE_SO_BINDTOIFINDEX 62

#endif
