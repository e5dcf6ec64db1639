// Functions of glibc that its headers hide without _GNU_SOURCE, which must not be defined here:
// one module with its own feature-test macro would see other structs than the rest.
#ifndef PAGEWATCH_CTESTLINUX_SHIM_H
#define PAGEWATCH_CTESTLINUX_SHIM_H

#include <fts.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/socket.h>

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_openpt(int flags);
int grantpt(int terminal);
int unlockpt(int terminal);
int ptsname_r(int terminal, char *name, size_t size);

// POSIX_SPAWN_SETSID of <spawn.h>.
static const short pw_spawn_setsid = 0x80;

#endif
