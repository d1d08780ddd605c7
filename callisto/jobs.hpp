// Callisto's co-scheduling of jobs (EuroSys 2014, section 2.1): a process becomes a job, and reads what the other jobs
// do.
//
// A program that runs loops or OpenMP regions becomes a job by itself and needs none of this. It is for runtimes with
// threads of their own (class job) and for tools that look at the table of jobs (class table_reader).
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/cosched/job.hpp>
#include <callisto/cosched/table_reader.hpp>
#include <callisto/machine/system/error.hpp>

#endif
