// The life of a socket that nobody uses.
#define _GNU_SOURCE
#include "Shared.h"

#include <unistd.h>

void reference_open_close(uint32_t sockets) {
    uint64_t start = now_nanoseconds();
    for (uint32_t count = 0; count < sockets; count++) {
        if (close(open_bound()) < 0) fail("close");
    }
    say((double)(now_nanoseconds() - start) / 1e6);
}
