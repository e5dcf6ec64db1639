// libcurl with typed wrappers for its variadic functions, which Swift cannot call.
#ifndef PAGEWATCH_CCURL_SHIM_H
#define PAGEWATCH_CCURL_SHIM_H

// Types for the handles instead of void *, and no type-checking macros over the functions.
#define CURL_STRICTER 1
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

static inline CURLcode pw_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode pw_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode pw_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode pw_easy_set_share(CURL *easy, CURLSH *value) {
    return curl_easy_setopt(easy, CURLOPT_SHARE, value);
}

// One wrapper a callback: it sets the function and its context together.
typedef size_t (*pw_bytes_callback)(char *_Nullable bytes, size_t size, size_t count,
                                    void *_Nonnull context);
typedef int (*pw_resolver_callback)(void *_Nullable state, void *_Nullable reserved,
                                    void *_Nonnull context);
typedef int (*pw_prereq_callback)(void *_Nonnull context, char *_Nullable primaryAddress,
                                  char *_Nullable localAddress, int primaryPort, int localPort);
typedef CURLcode (*pw_ssl_context_callback)(CURL *_Nullable easy, void *_Nullable sslContext,
                                            void *_Nonnull context);
typedef int (*pw_socket_option_callback)(void *_Nonnull context, curl_socket_t socket,
                                         curlsocktype purpose);

static inline void pw_easy_set_write(CURL *easy, pw_bytes_callback function,
                                     void *_Nonnull context) {
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}
static inline void pw_easy_set_header(CURL *easy, pw_bytes_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}
static inline void pw_easy_set_resolver_start(CURL *easy, pw_resolver_callback function,
                                              void *context) {
    curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, function);
    curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
}
static inline void pw_easy_set_prereq(CURL *easy, pw_prereq_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}
static inline void pw_easy_set_ssl_context(CURL *easy, pw_ssl_context_callback function,
                                           void *context) {
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
}
static inline void pw_easy_set_socket_option(CURL *easy, pw_socket_option_callback function,
                                             void *context) {
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, function);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
}

static inline void pw_easy_set_private(CURL *easy, void *_Nonnull context) {
    curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
}
static inline void *_Nullable pw_easy_get_private(CURL *easy) {
    char *context = 0;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context) == CURLE_OK ? context : 0;
}

static inline CURLcode pw_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

// The cookies as lines of the Netscape file format; the caller frees the list.
static inline struct curl_slist *_Nullable pw_easy_get_cookies(CURL *easy) {
    struct curl_slist *list = 0;
    return curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list) == CURLE_OK ? list : 0;
}

typedef int (*pw_multi_socket_callback)(CURL *_Nullable easy, curl_socket_t socket, int what,
                                        void *_Nonnull context, void *_Nullable socketContext);
typedef int (*pw_multi_timer_callback)(CURLM *_Nullable multi, long timeoutMilliseconds,
                                       void *_Nonnull context);

static inline CURLMcode pw_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline void pw_multi_set_socket(CURLM *multi, pw_multi_socket_callback function,
                                       void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}
static inline void pw_multi_set_timer(CURLM *multi, pw_multi_timer_callback function,
                                      void *context) {
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

static inline CURLSHcode pw_share_ssl_sessions(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

// The message of a finished transfer is a union inside a struct that libcurl owns.
static inline CURL *_Nullable pw_message_done(CURLMsg *message, CURLcode *result) {
    if (message->msg != CURLMSG_DONE) return 0;
    *result = message->data.result;
    return message->easy_handle;
}

#endif
