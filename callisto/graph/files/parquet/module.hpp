// Exports of the module that reads Parquet files.
#pragma once

#include <cstddef>

extern "C" {

/// Takes a piece of text.
using callisto_append = void (*)(void* to, const char* text, std::size_t size);

/// Reads the flat columns of a Parquet file as CSV with a header, in pieces. Returns 0, or 1 and a message of at most
/// `room` bytes, its end included. Throws nothing.
using callisto_read_parquet_function = int (*)(const char* path, void* to, callisto_append append, char* message,
                                               std::size_t room);
}
