// Publishes services in as few groups as the daemon takes.
#include "Shared.h"

#include <avahi-client/publish.h>
#include <stdio.h>
#include <unistd.h>

enum { entries_of_a_group = 32 };

static unsigned waiting;

static void group_changed(AvahiEntryGroup *group, AvahiEntryGroupState state, void *userdata) {
    (void)userdata;
    if (state == AVAHI_ENTRY_GROUP_COLLISION || state == AVAHI_ENTRY_GROUP_FAILURE) {
        fail("avahi_entry_group", avahi_entry_group_get_client(group));
    }
    if (state == AVAHI_ENTRY_GROUP_ESTABLISHED) waiting -= 1;
}

static void await_groups(void) {
    while (waiting > 0 && avahi_simple_poll_iterate(poll_loop, -1) == 0) continue;
}

static void add(AvahiEntryGroup *group, const char *type, const char *title, unsigned number) {
    char name[64], id[64];
    snprintf(name, sizeof name, "%s %u", title, number);
    snprintf(id, sizeof id, "id=%u", number);
    int result = avahi_entry_group_add_service(group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, 0, name, type, NULL, NULL,
                                               port_of_service(number), "path=/", id, NULL);
    if (result < 0) fail("avahi_entry_group_add_service", avahi_entry_group_get_client(group));
}

static void add_groups(AvahiClient *client, const char *type, const char *title, unsigned services) {
    for (unsigned number = 0; number < services;) {
        AvahiEntryGroup *group = avahi_entry_group_new(client, group_changed, NULL);
        if (group == NULL) fail("avahi_entry_group_new", client);
        for (unsigned entries = 0; entries < entries_of_a_group && number < services; entries++, number++) {
            add(group, type, title, number);
        }
        waiting += 1;
        if (avahi_entry_group_commit(group) < 0) fail("avahi_entry_group_commit", client);
    }
}

void publish(const char *type, unsigned services) {
    char title[32];
    uint64_t start = now_nanoseconds();
    // Names of this process's own: those of the one before it are still being taken back.
    snprintf(title, sizeof title, "C %d", (int)getpid());
    AvahiClient *client = connect_to_daemon();
    add_groups(client, type, title, services);
    await_groups();
    say_figures(start, 1);
}
