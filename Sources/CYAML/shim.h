#ifndef PAGEWATCH_CYAML_SHIM_H
#define PAGEWATCH_CYAML_SHIM_H

#include <yaml.h>

#endif
