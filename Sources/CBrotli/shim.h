#ifndef PAGEWATCH_CBROTLI_SHIM_H
#define PAGEWATCH_CBROTLI_SHIM_H

#include <brotli/decode.h>

#endif
