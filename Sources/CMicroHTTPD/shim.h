#pragma once
#include <microhttpd.h>
#include <string.h>

// libmicrohttpd's option and information calls are variadic and its enums are closed, so Swift sees neither.
// These functions say the same in plain parameters; each is one call of the library.

/// What `mhd_start` passes on.
struct mhd_settings {
  int listener;
  int is_ipv6;
  unsigned int connections_max;
  unsigned int idle_seconds;
  unsigned int memory_bytes;
  unsigned int memory_increment_bytes;
  MHD_AcceptPolicyCallback accept;
  void *(*request_line)(void *closure, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback request;
  MHD_NotifyConnectionCallback connection;
  MHD_RequestCompletedCallback completed;
  size_t (*unescape)(void *closure, struct MHD_Connection *connection, char *text);
  void *closure;
};

/// Starts a daemon that is run by its caller, over an epoll descriptor; null when the system has no resources.
static inline struct MHD_Daemon *mhd_start(const struct mhd_settings *s) {
  const unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO
                             | (s->is_ipv6 ? MHD_USE_IPv6 : 0);
  struct MHD_OptionItem items[] = {
    { MHD_OPTION_LISTEN_SOCKET, s->listener, NULL },
    { MHD_OPTION_CONNECTION_LIMIT, (intptr_t)s->connections_max, NULL },
    { MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)s->idle_seconds, NULL },
    { MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)s->memory_bytes, NULL },
    { MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (intptr_t)s->memory_increment_bytes, NULL },
    { MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)s->unescape, s->closure },
    { MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)s->request_line, s->closure },
    { MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)s->connection, s->closure },
    { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)s->completed, s->closure },
    { MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL },
    { MHD_OPTION_END, 0, NULL },
  };
  return MHD_start_daemon(flags, 0, s->accept, s->closure, s->request, s->closure, MHD_OPTION_ARRAY, items,
                          MHD_OPTION_END);
}

/// The descriptor that is readable when the daemon has something to do.
static inline int mhd_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// The connection's socket, or -1.
static inline int mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// The peer's address, owned by the connection; null when unknown.
static inline const struct sockaddr *mhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// What the connection callback stored for this connection; null before it did.
static inline void *mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// Bytes of request line and header lines as received.
static inline size_t mhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/// Lets libmicrohttpd overlook the query of `target`, which its request-line callback was given.
///
/// It notes each item in the connection's memory, and forgets the request when that is used up: a few hundred items,
/// and the client never had an answer (0.9.75, parse_initial_message_line). The items are read behind this callback and
/// up to the first NUL; the target lies in the connection's own buffer, so one may be written there. Call it once what
/// is needed of the query has been copied. A target with a NUL of its own is refused later, at the latest by a timeout.
static inline void mhd_hide_query(const char *target) {
  char *mark = strchr((char *)target, '?');
  if (mark) mark[1] = 0;
}
