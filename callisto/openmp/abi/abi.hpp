// What compiled programs call: the names that libgomp.map exports.
#pragma once

/// Before a function of the ABI.
#define CALLISTO_OPENMP_ABI extern "C" [[gnu::visibility("default")]]
