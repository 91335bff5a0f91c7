# What others wrote and the near side uses. All of it is linked in, from Debian's archives, so that
# the program is one file that needs nothing but the C library.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
include(YonderStaticLibrary)

yonder_find_static(re2 re2 libre2-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(zstd zstd libzstd-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(rsync rsync librsync-dev ${CMAKE_SYSTEM_PROCESSOR})
# librsync's hashes. The two members of the archive that want OpenMP are not among them.
yonder_find_static(b2 b2 libb2-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(sqlitecpp SQLiteCpp libsqlitecpp-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(sqlite sqlite3 libsqlite3-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(ncurses ncursesw libncurses-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(tinfo tinfo libncurses-dev ${CMAKE_SYSTEM_PROCESSOR})

# The sanitizers' own libraries want the shared C++ library.
add_library(yonder_self_contained INTERFACE)
if(NOT YONDER_SANITIZE)
  # Parts of the C++ library that are not used would ask for a newer C library.
  target_link_options(yonder_self_contained INTERFACE
    -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections)
endif()
