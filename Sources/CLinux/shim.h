// Linux headers that Swift's Glibc module leaves out, and what Swift cannot call itself.
// No feature-test macro here: one module with its own _GNU_SOURCE would see other structs
// than the rest.
#ifndef PAGEWATCH_CLINUX_SHIM_H
#define PAGEWATCH_CLINUX_SHIM_H

#include <malloc.h>
#include <pty.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

// syscall(2) is variadic. Unlike pthread_self(), which glibc marks const, its answer is never
// merged over a point where a Swift task may change threads.
static inline int32_t pw_thread_id(void) { return (int32_t)syscall(SYS_gettid); }

// ioctl(2) is variadic. Answers the columns of the terminal behind `fd`, or 0.
static inline int32_t pw_terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// wchar.h declares it only for a feature-test macro.
extern int wcwidth(wchar_t character);

// Answers the rows of the terminal behind `fd`, or 0.
static inline int32_t pw_terminal_rows(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

#endif
