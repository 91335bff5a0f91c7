# What `cmake --install` puts where, and the packages that are made of it.
include(GNUInstallDirs)

# The manual and the completions are printed by the program itself: by another one, when this one is
# for another machine.
set(YONDER_HOST_PROGRAM "" CACHE FILEPATH "A yonder of the same sources that runs here, for cross builds")
set(speaker $<TARGET_FILE:yonder>)
if(YONDER_HOST_PROGRAM)
  set(speaker ${YONDER_HOST_PROGRAM})
elseif(CMAKE_CROSSCOMPILING)
  message(FATAL_ERROR "A cross build needs -DYONDER_HOST_PROGRAM=..., a yonder that runs here.")
endif()
set(shown ${CMAKE_BINARY_DIR}/generated/share)
add_custom_command(
  OUTPUT ${shown}/made
  COMMAND ${CMAKE_COMMAND} -D PROGRAM=${speaker} -D FOLDER=${shown}
          -P ${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake
  DEPENDS ${speaker} ${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake
  COMMENT "Writing the manual and the completions"
  VERBATIM)
add_custom_target(yonder_manual ALL DEPENDS ${shown}/made)

include(YonderLicences)
install(TARGETS yonder RUNTIME)
install(DIRECTORY ${shown}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${shown}/yonder.bash RENAME yonder
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${shown}/yonder.zsh RENAME _yonder DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${shown}/yonder.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${YONDER_THIRD_PARTY_LIST}
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${YONDER_THIRD_PARTY_FOLDER} DESTINATION ${CMAKE_INSTALL_DOCDIR})

include(YonderPackages)
