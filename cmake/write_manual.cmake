# cmake -D PROGRAM=… -D FOLDER=… -P write_manual.cmake
# Has the program write its manual pages and completion scripts into a folder.
file(REMOVE_RECURSE ${FOLDER})
execute_process(COMMAND ${PROGRAM} man-pages ${FOLDER}/man1 COMMAND_ERROR_IS_FATAL ANY)
foreach(shell IN ITEMS bash zsh fish)
  execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_FILE ${FOLDER}/yonder.${shell}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(TOUCH ${FOLDER}/made)
