// Plays avahi-daemon on the bus, as far as a client needs it that browses: whoever browses is told of a new service every few
// milliseconds, each named after the moment at which its signal left. The real daemon's own moment cannot be known from outside.
#include "Shared.h"

#include <dbus/dbus.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { pause_milliseconds = 3, signals_of_a_browse = 1000, any_api_of_series_two = 0x02ff, running = 2, flag_multicast = 4 };

static const char browser_path[] = "/Client0/ServiceBrowser0";
static const char browser_interface[] = "org.freedesktop.Avahi.ServiceBrowser";

static DBusConnection *bus;
static char listener[64];
static unsigned left;

static void send_or_fail(DBusMessage *message) {
    if (message == NULL || !dbus_connection_send(bus, message, NULL)) fail("dbus_connection_send", NULL);
    dbus_message_unref(message);
}

// MARK: - Signals

static DBusMessage *signal_named(const char *name) {
    DBusMessage *message = dbus_message_new_signal(browser_path, browser_interface, name);
    if (message == NULL || !dbus_message_set_destination(message, listener)) fail("dbus_message_new_signal", NULL);
    return message;
}

static void tell_stamp(void) {
    char digits[32];
    const char *name = digits, *type = "_stamps._tcp", *domain = "local";
    dbus_int32_t interface = 1, protocol = 0;
    dbus_uint32_t flags = flag_multicast;
    DBusMessage *message = signal_named("ItemNew");
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)now_nanoseconds());
    if (!dbus_message_append_args(message, DBUS_TYPE_INT32, &interface, DBUS_TYPE_INT32, &protocol, DBUS_TYPE_STRING, &name,
                                  DBUS_TYPE_STRING, &type, DBUS_TYPE_STRING, &domain, DBUS_TYPE_UINT32, &flags,
                                  DBUS_TYPE_INVALID)) {
        fail("dbus_message_append_args", NULL);
    }
    send_or_fail(message);
    dbus_connection_flush(bus);
}

// MARK: - Calls

static void begin(DBusMessage *call) {
    snprintf(listener, sizeof listener, "%s", dbus_message_get_sender(call));
    left = signals_of_a_browse;
    send_or_fail(signal_named("CacheExhausted"));
    send_or_fail(signal_named("AllForNow"));
}

static DBusMessage *answer_to(DBusMessage *call) {
    const char *method = dbus_message_get_member(call), *path = browser_path, *version = "avahi 0.8";
    dbus_uint32_t api = any_api_of_series_two;
    dbus_int32_t state = running;
    DBusMessage *answer = dbus_message_new_method_return(call);
    if (answer == NULL) fail("dbus_message_new_method_return", NULL);
    if (strcmp(method, "GetAPIVersion") == 0) {
        dbus_message_append_args(answer, DBUS_TYPE_UINT32, &api, DBUS_TYPE_INVALID);
    } else if (strcmp(method, "GetState") == 0) {
        dbus_message_append_args(answer, DBUS_TYPE_INT32, &state, DBUS_TYPE_INVALID);
    } else if (strcmp(method, "GetVersionString") == 0) {
        dbus_message_append_args(answer, DBUS_TYPE_STRING, &version, DBUS_TYPE_INVALID);
    } else if (strcmp(method, "ServiceBrowserPrepare") == 0 || strcmp(method, "ServiceBrowserNew") == 0) {
        dbus_message_append_args(answer, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID);
    } else if (strcmp(method, "Free") == 0) {
        left = 0;
    }
    return answer;
}

static DBusHandlerResult received(DBusConnection *connection, DBusMessage *message, void *userdata) {
    (void)connection, (void)userdata;
    if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    if (dbus_message_has_interface(message, DBUS_INTERFACE_PEER)) return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
    send_or_fail(answer_to(message));
    const char *method = dbus_message_get_member(message);
    if (strcmp(method, "Start") == 0 || strcmp(method, "ServiceBrowserNew") == 0) begin(message);
    return DBUS_HANDLER_RESULT_HANDLED;
}

void play_daemon(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bus = dbus_bus_get(DBUS_BUS_SYSTEM, NULL);
    if (bus == NULL) fail("dbus_bus_get", NULL);
    if (!dbus_connection_add_filter(bus, received, NULL, NULL)) fail("dbus_connection_add_filter", NULL);
    if (dbus_bus_request_name(bus, "org.freedesktop.Avahi", DBUS_NAME_FLAG_DO_NOT_QUEUE, NULL) !=
        DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER) {
        fail("dbus_bus_request_name", NULL);
    }
    say_ready();
    while (dbus_connection_read_write_dispatch(bus, left > 0 ? 0 : -1)) {
        if (left == 0) continue;
        nanosleep(&(struct timespec){.tv_nsec = pause_milliseconds * 1000000L}, NULL);
        tell_stamp();
        left -= 1;
    }
    exit(1);
}
