# What is linked into the program and into the outposts, and its licences, as Debian has recorded them.
#   YONDER_THIRD_PARTY_LIST    a file that names all of it
#   YONDER_THIRD_PARTY_FOLDER  a folder with one file of copyrights and licences for each
set(YONDER_THIRD_PARTY_LIST ${CMAKE_BINARY_DIR}/generated/third-party.txt)
set(YONDER_THIRD_PARTY_FOLDER ${CMAKE_BINARY_DIR}/generated/third-party)

# Debian's package, what it is, where it is linked into, and under which licence.
set(gcc ${CMAKE_CXX_COMPILER_VERSION})
string(REGEX REPLACE "\\..*" "" gcc ${gcc})
set(parts
  "libre2-dev|RE2|yonder, outposts|BSD-3-Clause"
  "libzstd-dev|Zstandard|yonder, outposts|BSD-3-Clause"
  "librsync-dev|librsync|yonder, outposts|LGPL-2.1-or-later"
  "libb2-dev|libb2 (BLAKE2)|yonder, outposts|CC0-1.0"
  "libxxhash-dev|xxHash|yonder, outposts|BSD-2-Clause"
  "nlohmann-json3-dev|JSON for Modern C++|yonder, outposts|MIT"
  "libstdc++-${gcc}-dev|libstdc++ and libgcc|yonder, outposts|GPL-3.0-or-later with GCC-exception-3.1"
  "libc6|GNU C Library|outposts|LGPL-2.1-or-later"
  "libcli11-dev|CLI11|yonder|BSD-3-Clause"
  "libtomlplusplus-dev|toml++|yonder|MIT"
  "libsqlitecpp-dev|SQLiteCpp|yonder|MIT"
  "libsqlite3-dev|SQLite|yonder|public domain"
  "libncurses-dev|ncurses|yonder|MIT-X11")

set(list "What others wrote and is linked into `yonder`, or into the far side programs inside it (outposts).
Copyrights and licences are in the folder third-party, as Debian has recorded them. The sources of all
of it are in Debian 12; those of Yonder, from which it can be linked again with other versions of
them, are under the licence in LICENSE.
")
file(MAKE_DIRECTORY ${YONDER_THIRD_PARTY_FOLDER})
foreach(part IN LISTS parts)
  string(REPLACE "|" ";" part "${part}")
  list(GET part 0 package)
  list(GET part 1 name)
  list(GET part 2 places)
  list(GET part 3 licence)
  string(APPEND list "\n${name}\n  in:       ${places}\n  licence:  ${licence}\n  package:  ${package}\n")
  set(copyright /usr/share/doc/${package}/copyright)
  if(EXISTS ${copyright})
    configure_file(${copyright} ${YONDER_THIRD_PARTY_FOLDER}/${package}.txt COPYONLY)
  else()
    message(STATUS "${copyright} is missing: what is installed or packaged will lack it")
  endif()
endforeach()
# What those files refer to, for systems that are not Debian.
foreach(licence IN ITEMS Apache-2.0 GPL-2 GPL-3 LGPL-2.1)
  if(EXISTS /usr/share/common-licenses/${licence})
    configure_file(/usr/share/common-licenses/${licence}
                   ${YONDER_THIRD_PARTY_FOLDER}/common-${licence}.txt COPYONLY)
  endif()
endforeach()
file(CONFIGURE OUTPUT ${YONDER_THIRD_PARTY_LIST} @ONLY CONTENT "@list@")
