# callisto_label_tests(): gives each test of the current folder the first part of its name as a label, which is a folder
# of tests/, or python or examples. `./x test ROOM` runs the tests with that label. A folder defers the call to its end:
# cmake_language(DEFER CALL callisto_label_tests). Cases of GoogleTest get their label in tests/CMakeLists.txt.
function(callisto_label_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    string(REGEX MATCH "^[^.]+" room ${test})
    if(NOT room MATCHES "^(python|examples)$" AND NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/${room})
      message(FATAL_ERROR "test ${test}: expected ROOM.${test}, where ROOM is a folder of tests/, python or examples")
    endif()
    set_property(TEST ${test} APPEND PROPERTY LABELS ${room})
  endforeach()
endfunction()
