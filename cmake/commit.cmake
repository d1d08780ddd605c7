# Writes the source file OUTPUT, which names the commit of SOURCE; leaves a file that says the same untouched.
# Usage: cmake -DSOURCE=folder -DOUTPUT=file -P commit.cmake
set(commit "")
if(EXISTS ${SOURCE}/.git)
  # "+changes": the working tree differs from the commit.
  execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=10 --exclude=* --dirty=+changes
                  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [=[// Made by cmake/commit.cmake.
namespace callisto::app {
extern const char* const build_commit;
const char* const build_commit = "@commit@";
}  // namespace callisto::app
]=] @ONLY)
