// Browses for services and resolves each on every path on which it is seen, with a resolver each that is freed when it has told:
// what avahi-browse -r does.
#include "Shared.h"

#include <avahi-client/lookup.h>

static AvahiClient *client;
static unsigned wanted, right, done;

static void count(bool is_right) {
    right += is_right;
    done += 1;
    if (done == wanted) end_loop();
}

static void resolved(AvahiServiceResolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                     AvahiResolverEvent event, const char *name, const char *type, const char *domain, const char *host,
                     const AvahiAddress *address, uint16_t port, AvahiStringList *txt, AvahiLookupResultFlags flags,
                     void *userdata) {
    (void)interface, (void)protocol, (void)type, (void)domain, (void)host, (void)txt, (void)flags, (void)userdata;
    count(event == AVAHI_RESOLVER_FOUND && address != NULL && port == port_of_service(number_of_service(name)));
    avahi_service_resolver_free(resolver);
}

static void browsed(AvahiServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol, AvahiBrowserEvent event,
                    const char *name, const char *type, const char *domain, AvahiLookupResultFlags flags, void *userdata) {
    (void)browser, (void)flags, (void)userdata;
    if (event == AVAHI_BROWSER_FAILURE) fail("avahi_service_browser", client);
    if (event != AVAHI_BROWSER_NEW) return;
    AvahiServiceResolver *resolver = avahi_service_resolver_new(client, interface, protocol, name, type, domain,
                                                               AVAHI_PROTO_UNSPEC, 0, resolved, NULL);
    if (resolver == NULL) count(false);
}

static void counted(AvahiServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol, AvahiBrowserEvent event,
                    const char *name, const char *type, const char *domain, AvahiLookupResultFlags flags, void *userdata) {
    (void)browser, (void)interface, (void)protocol, (void)name, (void)type, (void)domain, (void)flags, (void)userdata;
    if (event == AVAHI_BROWSER_FAILURE) fail("avahi_service_browser", client);
    if (event == AVAHI_BROWSER_NEW) count(true);
}

static void browse(const char *type, AvahiServiceBrowserCallback callback) {
    client = connect_to_daemon();
    if (avahi_service_browser_new(client, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, type, NULL, 0, callback, NULL) == NULL) {
        fail("avahi_service_browser_new", client);
    }
    run_loop();
}

void resolve(const char *type, unsigned services, unsigned paths) {
    uint64_t start = now_nanoseconds();
    wanted = services * paths;
    browse(type, browsed);
    say_figures(start, (double)right / wanted);
}

void await_services(const char *type, unsigned services, unsigned paths) {
    wanted = services * paths;
    browse(type, counted);
    say_ready();
}
