#ifndef PAGEWATCH_CZSTD_SHIM_H
#define PAGEWATCH_CZSTD_SHIM_H

#include <zstd.h>

#endif
