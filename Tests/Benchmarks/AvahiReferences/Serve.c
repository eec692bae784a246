// The services of the other host: each three records that are announced without having been claimed. A daemon compares every
// claim with all that it has, which for thousands of services takes it minutes.
#define _GNU_SOURCE
#include "Shared.h"

#include <avahi-client/publish.h>
#include <avahi-common/domain.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { entries_of_a_group = 32, records_of_a_service = 3, class_internet = 1, most_bytes = 512 };
enum { type_ptr = 12, type_txt = 16, type_srv = 33, seconds_of_host = 120, seconds_of_others = 4500 };

struct rdata {
    uint8_t bytes[most_bytes];
    size_t size;
};

static AvahiClient *client;
static AvahiEntryGroup *group;
static unsigned entries, waiting;

// MARK: - Record data

static void put(struct rdata *rdata, const void *bytes, size_t size) {
    memcpy(rdata->bytes + rdata->size, bytes, size);
    rdata->size += size;
}

/// A length byte and that many bytes: a label of a name, and a string of a TXT record too.
static void put_string(struct rdata *rdata, const char *text) {
    uint8_t length = (uint8_t)strlen(text);
    put(rdata, &length, 1);
    put(rdata, text, length);
}

static void put_name(struct rdata *rdata, const char *escaped) {
    char label[AVAHI_LABEL_MAX];
    while (avahi_unescape_label(&escaped, label, sizeof label) != NULL && label[0] != 0) put_string(rdata, label);
    put(rdata, "", 1);
}

static void put_number(struct rdata *rdata, uint16_t number) {
    put(rdata, (uint8_t[]){(uint8_t)(number >> 8), (uint8_t)number}, 2);
}

// MARK: - Groups

static void group_changed(AvahiEntryGroup *changed, AvahiEntryGroupState state, void *userdata) {
    (void)userdata;
    if (state == AVAHI_ENTRY_GROUP_COLLISION || state == AVAHI_ENTRY_GROUP_FAILURE) {
        fail("avahi_entry_group", avahi_entry_group_get_client(changed));
    }
    if (state == AVAHI_ENTRY_GROUP_ESTABLISHED) waiting -= 1;
}

static void begin_group(void) {
    group = avahi_entry_group_new(client, group_changed, NULL);
    if (group == NULL) fail("avahi_entry_group_new", client);
    entries = 0;
}

static void end_group(void) {
    waiting += 1;
    if (avahi_entry_group_commit(group) < 0) fail("avahi_entry_group_commit", client);
    while (waiting > 0 && avahi_simple_poll_iterate(poll_loop, -1) == 0) continue;
}

static void add(const char *name, uint16_t type, AvahiPublishFlags flags, uint32_t seconds, const struct rdata *rdata) {
    int result = avahi_entry_group_add_record(group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, flags, name, class_internet, type,
                                              seconds, rdata->bytes, rdata->size);
    if (result < 0) fail("avahi_entry_group_add_record", client);
    entries += 1;
}

static void add_service(const char *type, unsigned number) {
    char name[64], full_name[AVAHI_DOMAIN_NAME_MAX], full_type[AVAHI_DOMAIN_NAME_MAX], id[64];
    struct rdata ptr = {.size = 0}, srv = {.size = 0}, txt = {.size = 0};
    AvahiPublishFlags own = AVAHI_PUBLISH_UNIQUE | AVAHI_PUBLISH_NO_PROBE;
    snprintf(name, sizeof name, "Service %u", number);
    snprintf(id, sizeof id, "id=%u", number);
    snprintf(full_type, sizeof full_type, "%s.local", type);
    if (avahi_service_name_join(full_name, sizeof full_name, name, type, "local") < 0) fail("avahi_service_name_join", NULL);
    put_name(&ptr, full_name);
    put(&srv, (uint8_t[4]){0}, 4);
    put_number(&srv, port_of_service(number));
    put_name(&srv, avahi_client_get_host_name_fqdn(client));
    put_string(&txt, "path=/");
    put_string(&txt, id);
    add(full_name, type_srv, own, seconds_of_host, &srv);
    add(full_name, type_txt, own, seconds_of_others, &txt);
    add(full_type, type_ptr, 0, seconds_of_others, &ptr);
}

void serve(char **types_and_counts) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    client = connect_to_daemon();
    for (; types_and_counts[0] != NULL && types_and_counts[1] != NULL; types_and_counts += 2) {
        unsigned services = (unsigned)strtoul(types_and_counts[1], NULL, 10);
        begin_group();
        for (unsigned number = 0; number < services; number++) {
            if (entries + records_of_a_service > entries_of_a_group) {
                end_group();
                begin_group();
            }
            add_service(types_and_counts[0], number);
        }
        end_group();
    }
    say_ready();
    run_loop();
    exit(1);
}
