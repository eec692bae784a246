// getopt_long as Swift can call it: its variables are globals that Swift 6 takes for shared mutable state.
#ifndef DISCOVERABLE_COMMAND_LINE_H
#define DISCOVERABLE_COMMAND_LINE_H

#include <getopt.h>

// Begins anew, also after an earlier use, and keeps getopt from printing messages of its own.
static inline void discoverable_getopt_begin(void) {
    optind = 0;
    opterr = 0;
}

// The value of the option that was just found.
static inline const char *_Nullable discoverable_getopt_value(void) { return optarg; }

// Where the operands begin, once all options are found.
static inline int discoverable_getopt_next(void) { return optind; }

#endif
