# cmake -D SOURCE=… -D OUTPUT=….h -P write_commit.cmake
# Writes which commit the sources are, with "-dirty" when files differ from it; nothing outside of
# git. Touches the file only when that has changed.
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  # What a hook of another repository has set would name that one's commit.
  foreach(name IN ITEMS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY)
    unset(ENV{${name}})
  endforeach()
  # Looking must not take git's lock from a person who works in the same tree.
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --abbrev=8 --dirty "--exclude=*"
                  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#define YONDER_COMMIT \"${commit}\"\n")
