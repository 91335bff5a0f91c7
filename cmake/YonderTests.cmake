# yonder_discover_tests(TARGET LABEL): every test of a GoogleTest program becomes one of CTest's.
#
# CMake's own discovery counts a test as skipped as soon as "[  SKIPPED ]" is printed anywhere, also when
# it has failed, or only shows what another program said. Here the exit status decides: the programs' main
# functions return YONDER_SKIPPED (tests/lab/verdict.h).
set(YONDER_TEST_HANGS_S 900)  # a test that still runs then hangs; see src/base/patience_test.h
set(YONDER_TEST_ENDS_S 840)   # before CTest kills it, it ends itself and cleans up; see tests/lab/guard.h
set(YONDER_SKIPPED 77)

function(yonder_discover_tests target label)
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 600
    PROPERTIES TIMEOUT ${YONDER_TEST_HANGS_S} LABELS ${label} SKIP_RETURN_CODE ${YONDER_SKIPPED}
               ENVIRONMENT YONDER_TEST_ENDS_S=${YONDER_TEST_ENDS_S})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D "TESTS=${CMAKE_CURRENT_BINARY_DIR}/${target}[1]_tests.cmake"
            -P ${PROJECT_SOURCE_DIR}/cmake/skip_by_exit_status.cmake
    VERBATIM)
endfunction()
