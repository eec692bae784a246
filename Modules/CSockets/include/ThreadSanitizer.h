// How code tells the thread sanitizer of an order that it cannot see (compiler-rt, tsan_interface.h): what was done before a release
// of an address is seen after the next acquire of it. Nothing in a process without the sanitizer, where both are null.
#ifndef DISCOVERABLE_THREAD_SANITIZER_H
#define DISCOVERABLE_THREAD_SANITIZER_H

extern void __tsan_acquire(void *_Nonnull address) __attribute__((weak));
extern void __tsan_release(void *_Nonnull address) __attribute__((weak));

static inline void discoverable_sanitizer_acquire(const void *_Nonnull address) {
    if (__tsan_acquire) __tsan_acquire((void *)address);
}

static inline void discoverable_sanitizer_release(const void *_Nonnull address) {
    if (__tsan_release) __tsan_release((void *)address);
}

#endif
