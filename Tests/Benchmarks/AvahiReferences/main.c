// What the suite `discovery` is held against: programs of their own, whose memory and computing is theirs alone.
//   avahi-reference resolve TYPE SERVICES PATHS     browses and resolves; says its figures
//   avahi-reference await TYPE SERVICES PATHS       says "ready" when so many are seen
//   avahi-reference publish TYPE SERVICES           publishes, says its figures, ends
//   avahi-reference serve TYPE SERVICES ...         publishes, says "ready", and goes on until it is ended
//   avahi-reference latency SAMPLES                 says the median delay of a browse's events, in microseconds
//   avahi-reference daemon                          plays the daemon for that
// The figures are: milliseconds, milliseconds of computing, largest memory in megabytes, share of what was wanted.
#include "Shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Longer than any measurement takes; what serves has no such limit.
enum { longest_life_seconds = 120 };

static unsigned number(const char *text) { return (unsigned)strtoul(text, NULL, 10); }

static bool is(const char *word, const char *name, int count, int wanted) { return strcmp(word, name) == 0 && count == wanted; }

int main(int count, char **words) {
    const char *word = count > 1 ? words[1] : "";
    if (strcmp(word, "serve") == 0) serve(words + 2);
    if (is(word, "daemon", count, 2)) play_daemon();
    alarm(longest_life_seconds);
    if (is(word, "resolve", count, 5)) {
        resolve(words[2], number(words[3]), number(words[4]));
    } else if (is(word, "await", count, 5)) {
        await_services(words[2], number(words[3]), number(words[4]));
    } else if (is(word, "publish", count, 4)) {
        publish(words[2], number(words[3]));
    } else if (is(word, "latency", count, 3)) {
        receive_stamps(number(words[2]));
    } else {
        fputs("avahi-reference: unknown words\n", stderr);
        return 64;
    }
    return 0;
}
