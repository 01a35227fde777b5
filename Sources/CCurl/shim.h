#pragma once
#include <curl/curl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

// curl_easy_setopt(3) and curl_easy_getinfo(3) take any type, which Swift cannot call.

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode ccurl_set_sink(CURL *handle, curl_write_callback take, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode ccurl_set_head_sink(CURL *handle, curl_write_callback take, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

// Who makes the socket of each connection, and so sees the address that a name led to.
static inline CURLcode ccurl_set_opener(CURL *handle, curl_opensocket_callback open, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context) : code;
}

// The bytes of the address, 4 or 16, of which there is room for 16; 0 for an address of another family.
static inline size_t ccurl_address(const struct curl_sockaddr *peer, unsigned char *bytes) {
    if (peer->family == AF_INET) {
        memcpy(bytes, &((const struct sockaddr_in *)&peer->addr)->sin_addr, 4);
        return 4;
    }
    if (peer->family == AF_INET6) {
        memcpy(bytes, &((const struct sockaddr_in6 *)&peer->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}

static inline curl_socket_t ccurl_socket(const struct curl_sockaddr *peer) {
    return socket(peer->family, peer->socktype | SOCK_CLOEXEC, peer->protocol);
}

// Counts what comes as it comes, before it is unpacked.
static inline CURLcode ccurl_set_progress(CURL *handle, curl_xferinfo_callback tell, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, tell);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context) : code;
}

static inline CURLcode ccurl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, curl_off_t size) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, size);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

// The next transfer that has ended, and how; NULL if none has.
static inline CURL *ccurl_ended(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}
