#ifndef PAGEWATCH_CZLIB_SHIM_H
#define PAGEWATCH_CZLIB_SHIM_H

#include <zlib.h>

// inflateInit2 is a macro. `windowBits`: 15 zlib, -15 raw, 31 gzip, 47 gzip or zlib by its header.
static inline int pw_inflate_init(z_streamp stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}

#endif
