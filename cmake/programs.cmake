# How the programs callisto and callisto-lab are compiled and linked.

# Text goes in and out in most of their files, and optimizing CLI11's and JSON's templates for it is most of what a build
# takes; only files that compute get CALLISTO_COMPUTING_LEVEL.
if(CALLISTO_SANITIZE)
  set(CALLISTO_TEXT_OPTIONS -O0)
  if(CALLISTO_SANITIZE MATCHES "undefined")
    # Nothing here makes objects of bytes; of what UBSan checks, it is where these are that takes most.
    list(APPEND CALLISTO_TEXT_OPTIONS -fno-sanitize=alignment)
  endif()
  set(CALLISTO_COMPUTING_LEVEL -O1)
else()
  set(CALLISTO_TEXT_OPTIONS $<$<CONFIG:Release>:-O1>)
  set(CALLISTO_COMPUTING_LEVEL $<$<CONFIG:Release>:-O3>)
endif()

# callisto_program(<target> <name>): a program in bin/ that starts fast. To find libstdc++, hwloc and what that needs, and
# to make them ready, takes two fifths of what a subcommand's `--help` takes, and of a small graph's analysis a sixth.
function(callisto_program target name)
  if(NOT BUILD_SHARED_LIBS AND NOT CALLISTO_SANITIZE)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:callisto_hwloc_on_demand>)
    target_link_options(${target} PRIVATE LINKER:--as-needed)
    if(CALLISTO_HAS_STATIC_LIBSTDCXX)
      target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
  endif()
  target_compile_definitions(${target} PRIVATE CALLISTO_VERSION="${PROJECT_VERSION}")
  target_compile_options(${target} PRIVATE ${CALLISTO_TEXT_OPTIONS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
