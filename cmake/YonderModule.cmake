# Flags of every target, and the one line that makes a room.

add_library(yonder_flags INTERFACE)
target_compile_options(yonder_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Wno-missing-field-initializers  # designated initialisers leave the defaults alone on purpose
  # It takes sources that are included for headers.
  $<$<AND:$<BOOL:${YONDER_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
  $<$<BOOL:${YONDER_WERROR}>:-Werror>)
if(YONDER_SANITIZE)
  target_compile_options(yonder_flags INTERFACE
    -fsanitize=${YONDER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(yonder_flags INTERFACE -fsanitize=${YONDER_SANITIZE})
endif()

# What uses the same names as its neighbours is compiled alone, also with YONDER_UNITY.
function(yonder_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# yonder_module(run DEPS base link LIBS Threads::Threads)
#   Every *.cc of the folder but main.cc and *_test.cc becomes the library yonder_run;
#   *_test.cc become the program run_test, whose tests CTest finds by itself.
function(yonder_module name)
  cmake_parse_arguments(M "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM M_DEPS PREPEND yonder_)
  if(NOT sources)
    add_library(yonder_${name} INTERFACE)
    target_link_libraries(yonder_${name} INTERFACE ${M_DEPS} ${M_LIBS})
    target_include_directories(yonder_${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    return()
  endif()
  add_library(yonder_${name} STATIC ${sources})
  set_target_properties(yonder_${name} PROPERTIES UNITY_BUILD ${YONDER_UNITY})
  target_include_directories(yonder_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(yonder_${name} PUBLIC ${M_DEPS} ${M_LIBS} PRIVATE yonder_flags)
  if(tests AND YONDER_TESTS AND NOT YONDER_OUTPOST_ONLY)
    add_executable(${name}_test ${tests})
    # One source may open a namespace in which the next one's headers mean another `testing`.
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${YONDER_UNITY}
      UNITY_BUILD_CODE_BEFORE_INCLUDE "#include <gmock/gmock.h>")
    target_link_libraries(${name}_test PRIVATE yonder_${name} yonder_flags yonder_test_main GTest::gmock)
    yonder_discover_tests(${name}_test unit)
  endif()
endfunction()
