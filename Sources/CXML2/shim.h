#ifndef PAGEWATCH_CXML2_SHIM_H
#define PAGEWATCH_CXML2_SHIM_H

#include <libxml/xmlversion.h>
// Debian's libxml2 is built with ICU, whose header would then be part of this module; Foundation,
// which tests import, brings another version of it. Without it only `xmlCharEncodingHandler` looks
// shorter than it is: never use that type by value.
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#endif
