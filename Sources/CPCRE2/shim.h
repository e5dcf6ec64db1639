#ifndef PAGEWATCH_CPCRE2_SHIM_H
#define PAGEWATCH_CPCRE2_SHIM_H

// The macro-named API of PCRE2 is for 8-bit code units.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
