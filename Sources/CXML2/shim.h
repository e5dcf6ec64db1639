#ifndef PAGEWATCH_CXML2_SHIM_H
#define PAGEWATCH_CXML2_SHIM_H

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#endif
