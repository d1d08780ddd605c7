// CALLISTO_API: marks what the shared library exports; everything else is compiled hidden.
#pragma once

#define CALLISTO_API __attribute__((visibility("default")))
