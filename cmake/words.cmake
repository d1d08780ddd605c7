# Manual pages and completions are made from the parsers of the built programs (tools/cli_words.py): none is committed.

# callisto_words(<target> <name> PAGES <page>... [INSTALL <argument>...]): makes <target>'s manual pages <page>.1 and its
# completions of bash, zsh and fish beside it, in words/, and installs them. <name>: the program's name. INSTALL: further
# arguments of install(). CALLISTO_WORDS names a folder to take them from instead, for builds that cannot run what they
# build, or have no Python.
set(CALLISTO_WORDS "" CACHE PATH "Folder with man/ and completion/ to install; empty: made by running the built programs")
function(callisto_words target name)
  if(CALLISTO_SANITIZE)
    return()  # would run the program where addresses may not be fixed
  endif()
  cmake_parse_arguments(words "" "" "PAGES;INSTALL" ${ARGN})
  set(from "${CALLISTO_WORDS}")
  if(NOT from)
    find_package(Python3 COMPONENTS Interpreter QUIET)
    if(NOT Python3_FOUND OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
      message(STATUS "callisto: ${name} gets no manual pages and completions: these are made by Python 3 and the built "
                     "program; -DCALLISTO_WORDS=<folder> takes those of another build")
      return()
    endif()
    set(from ${PROJECT_BINARY_DIR}/words)
    set(maker ${PROJECT_SOURCE_DIR}/tools/cli_words.py)
    file(GLOB templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/cli_words/*.in)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${maker} ${templates})
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMAND Python3::Interpreter ${maker} --into ${from}
                                                            ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${target}>)
  endif()
  if(NOT CALLISTO_INSTALL)
    return()
  endif()
  foreach(page IN LISTS words_PAGES)
    install(FILES ${from}/man/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${words_INSTALL})
  endforeach()
  install(FILES ${from}/completion/${name}.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${name} ${words_INSTALL})
  install(FILES ${from}/completion/_${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions ${words_INSTALL})
  install(FILES ${from}/completion/${name}.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${words_INSTALL})
endfunction()
