// Avahi's client API as Swift sees it. Without the headers the compiler would only say that some header is missing: say
// which package brings them.
#ifndef DISCOVERABLE_CAVAHI_SHIM_H
#define DISCOVERABLE_CAVAHI_SHIM_H

#if !__has_include(<avahi-client/client.h>)
#error "Avahi's client headers are missing. Install them: apt-get install libavahi-client-dev"
#endif

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/defs.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/timeval.h>
#include <avahi-common/watch.h>

#endif
