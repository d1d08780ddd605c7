// The mark of functions that compiled programs call: the names that libgomp.map exports.
#pragma once

/// Stands before each function of the ABI: C linkage, visible outside of the library.
#define CALLISTO_OPENMP_ABI extern "C" [[gnu::visibility("default")]]
