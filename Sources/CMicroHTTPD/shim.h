#pragma once
#include <microhttpd.h>

// libmicrohttpd's option and information calls are variadic and its enums are closed, so Swift sees neither.
// These functions say the same in plain parameters; each is one call of the library.

/// What `mhd_start` passes on. Zero in `per_address_max` and `idle_seconds` means no limit.
struct mhd_settings {
  const struct sockaddr *address;
  int is_ipv6;
  unsigned int threads;
  unsigned int connections_max;
  unsigned int per_address_max;
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

/// Starts a daemon with its own epoll threads; null with `errno` set when the address cannot be bound.
static inline struct MHD_Daemon *mhd_start(const struct mhd_settings *s) {
  const unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_TURBO
                             | (s->is_ipv6 ? MHD_USE_IPv6 : 0);
  struct MHD_OptionItem items[] = {
    { MHD_OPTION_CONNECTION_LIMIT, (intptr_t)s->connections_max, NULL },
    { MHD_OPTION_PER_IP_CONNECTION_LIMIT, (intptr_t)s->per_address_max, NULL },
    { MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)s->idle_seconds, NULL },
    { MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)s->memory_bytes, NULL },
    { MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (intptr_t)s->memory_increment_bytes, NULL },
    { MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)s->unescape, s->closure },
    { MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)s->request_line, s->closure },
    { MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)s->connection, s->closure },
    { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)s->completed, s->closure },
    { MHD_OPTION_SOCK_ADDR, 0, (void *)s->address },
    // A pool of one is not a pool: the option asks for more than one thread, so it comes last and may be left out.
    { s->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)s->threads, NULL },
    { MHD_OPTION_END, 0, NULL },
  };
  return MHD_start_daemon(flags, 0, s->accept, s->closure, s->request, s->closure, MHD_OPTION_ARRAY, items,
                          MHD_OPTION_END);
}

/// The port the daemon listens on; 0 when it cannot be told.
static inline uint16_t mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
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

/// Sends no chunks: the headers have neither length nor Transfer-Encoding, and the connection is closed after them.
static inline void mhd_set_unframed(struct MHD_Response *response) {
  MHD_set_response_options(response, MHD_RF_HTTP_VERSION_1_0_ONLY, MHD_RO_END);
}

/// What a content reader returns at the end: the library's is a macro with a cast, which Swift does not see.
static const ssize_t mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
/// The size of a response that is not known beforehand; likewise.
static const uint64_t mhd_size_unknown = MHD_SIZE_UNKNOWN;
