// What the measuring needs of libc that Swift's Glibc module lacks or makes laborious.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts `arguments[0]`, looked for in PATH, with nothing on its standard input. What it says on standard output can be read
/// from `output`. Returns its process id, or the negative error number.
pid_t instruments_spawn(char *const arguments[], bool is_silent, int *output);

/// From here on an interrupt or a hang-up ends no process but is remembered, so that what was started can be tidied up.
void instruments_catch_interrupts(void);
bool instruments_were_interrupted(void);

/// Until this process ends the CPUs of the machine wait in a loop instead of going to sleep, where the caller may ask for that:
/// on a virtual machine waking a CPU costs more than the work measured here, and differs from minute to minute.
bool instruments_keep_awake(void);

/// Ends this process after so many seconds, whatever it does, so that no worker outlives a bench that was killed.
void instruments_limit_life(unsigned seconds);

/// CLOCK_MONOTONIC, the clock that the references stamp datagrams with.
uint64_t instruments_now_nanoseconds(void);
/// The time that all threads of this process have computed.
uint64_t instruments_cpu_nanoseconds(void);

/// The largest resident memory that this process had; 0 where the kernel does not tell.
uint64_t instruments_peak_kilobytes(void);

/// Allows as many open descriptors as the hard limit has; the limit that holds now.
uint64_t instruments_raise_descriptor_limit(void);

/// From here on the process counts what it asks of the heap. Before that the instrument costs one test a call.
void instruments_count_allocations(void);
/// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign by all threads since counting began.
uint64_t instruments_allocations(void);
