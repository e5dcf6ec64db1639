// libmicrohttpd with typed wrappers for its variadic functions, which Swift cannot call, and for the
// constants that are casts, which it does not see.
#ifndef PAGEWATCH_CMICROHTTPD_SHIM_H
#define PAGEWATCH_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <sys/socket.h>

// sys/socket.h declares it only for a feature-test macro.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

static const ssize_t pw_http_end = MHD_CONTENT_READER_END_OF_STREAM;
static const uint64_t pw_http_unknown_size = MHD_SIZE_UNKNOWN;

typedef void *_Nullable (*pw_http_uri_callback)(void *_Nullable context, const char *_Nullable uri,
                                                struct MHD_Connection *_Nullable connection);

// What is read is the raw URI of the callback above: this keeps libmicrohttpd's own decoding, which
// stops at a %00, out of the way.
static inline size_t pw_http_leave_escaped(void *context, struct MHD_Connection *connection,
                                           char *text) {
    (void)context;
    (void)connection;
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

// A server without threads and without a listening socket; each callback gets `context`.
// Time limits are the caller's.
static inline struct MHD_Daemon *_Nullable pw_http_start(
    unsigned int connections, size_t connectionMemory, MHD_AccessHandlerCallback receive,
    pw_http_uri_callback begin, MHD_RequestCompletedCallback complete,
    MHD_NotifyConnectionCallback notify, void *_Nonnull context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
        receive, context,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connectionMemory,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, complete, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context,
        MHD_OPTION_UNESCAPE_CALLBACK, &pw_http_leave_escaped, NULL,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_END);
}

static inline int pw_http_epoll(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

static inline int pw_http_descriptor(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// What the notification of the connection's start left in its socket context.
static inline void *_Nullable pw_http_context(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

#endif
