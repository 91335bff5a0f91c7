# Which commit this is goes into one header, refreshed by every build, that only app/version.cc
# includes: a new commit compiles that file and links the program, and nothing else. The outposts
# never see it, so that they stay the same, byte for byte, as long as their sources do.
set(commit_header ${CMAKE_BINARY_DIR}/generated/commit.h)
set(write_commit ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D OUTPUT=${commit_header}
                 -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake)
add_custom_target(yonder_commit COMMAND ${write_commit} BYPRODUCTS ${commit_header} VERBATIM)
# Tools that only read compile commands find it too.
execute_process(COMMAND ${write_commit} COMMAND_ERROR_IS_FATAL ANY)

add_dependencies(yonder_app yonder_commit)
string(JOIN " with " build ${CMAKE_BUILD_TYPE} ${YONDER_SANITIZE})
set_source_files_properties(app/version.cc PROPERTIES
  INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/generated
  OBJECT_DEPENDS ${commit_header}
  COMPILE_DEFINITIONS "YONDER_VERSION=\"${PROJECT_VERSION}\";YONDER_BUILD=\"${build}\"")
