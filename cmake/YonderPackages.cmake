# A .tar.gz that is unpacked anywhere, and a .deb. scripts/package makes them, for both machines.
set(YONDER_LEAST_GLIBC 2.35)  # scripts/package compares it with what the program asks for

set(debian_x86_64 amd64)
set(debian_aarch64 arm64)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME yonder)
set(CPACK_PACKAGE_VENDOR "Yonder maintainers")
set(CPACK_PACKAGE_CONTACT "Yonder maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run work on other machines over ssh, for people and coding agents")
set(CPACK_PACKAGE_FILE_NAME yonder-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_form.cmake)

set(CPACK_DEBIAN_FILE_NAME yonder_${PROJECT_VERSION}_${debian_${CMAKE_SYSTEM_PROCESSOR}}.deb)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${debian_${CMAKE_SYSTEM_PROCESSOR}})
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${YONDER_LEAST_GLIBC})")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS git)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Yonder runs commands over there: on any machine that ssh reaches, with
nothing to install on it. What was started stays started: a command
survives a lost connection, runs exactly once, and its result is there when
it is asked for again. It also syncs files, keeps background runs, and
shares GPUs.
.
Coding agents use it over the Model Context Protocol (yonder mcp), people
from the terminal.")
include(CPack)
