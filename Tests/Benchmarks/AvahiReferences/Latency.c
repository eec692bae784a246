// A browse whose events carry the time at which the daemon sent them as their name: how long each took to arrive.
#include "Shared.h"

#include <avahi-client/lookup.h>
#include <stdio.h>
#include <stdlib.h>

/// Not counted: the first ones find caches cold.
enum { warm_up = 20, most_samples = 1000 };

static double samples[most_samples];
static unsigned wanted, seen;

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static void browsed(AvahiServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol, AvahiBrowserEvent event,
                    const char *name, const char *type, const char *domain, AvahiLookupResultFlags flags, void *userdata) {
    (void)browser, (void)interface, (void)protocol, (void)type, (void)domain, (void)flags, (void)userdata;
    if (event != AVAHI_BROWSER_NEW) return;
    uint64_t now = now_nanoseconds();
    if (seen >= warm_up) samples[seen - warm_up] = (double)(now - strtoull(name, NULL, 10)) / 1e3;
    seen += 1;
    if (seen == warm_up + wanted) end_loop();
}

void receive_stamps(unsigned count) {
    wanted = count < most_samples ? count : most_samples;
    AvahiClient *client = connect_to_daemon();
    if (avahi_service_browser_new(client, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, "_stamps._tcp", NULL, 0, browsed, NULL) == NULL) {
        fail("avahi_service_browser_new", client);
    }
    run_loop();
    qsort(samples, wanted, sizeof *samples, ascending);
    printf("%.3f\n", samples[wanted / 2]);
    fflush(stdout);
}
