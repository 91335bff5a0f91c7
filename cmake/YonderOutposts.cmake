# Builds the outpost for every machine in YONDER_OUTPOST_ARCHS and packs it into an object file that
# `yonder` carries inside itself. The sub-builds are release builds and are shared by all presets: what
# runs over there is the same program, whatever the near side is checked with. The exception is
# AddressSanitizer's preset, whose outpost is checked too: for this machine only, and not static.
include(ExternalProject)

set(YONDER_OUTPOST_OBJECTS "")
if(YONDER_SANITIZE MATCHES address)
  set(YONDER_OUTPOST_ARCHS ${CMAKE_HOST_SYSTEM_PROCESSOR})
  set(outpost_root ${CMAKE_BINARY_DIR}/outpost)
  set(outpost_kind -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" -DYONDER_SANITIZE=${YONDER_SANITIZE})
  set(YONDER_CXX_${CMAKE_HOST_SYSTEM_PROCESSOR} ${CMAKE_CXX_COMPILER})
else()
  set(outpost_root ${CMAKE_CURRENT_SOURCE_DIR}/build/outpost)
  set(outpost_kind -DCMAKE_BUILD_TYPE=Release -DYONDER_SANITIZE=)
endif()

foreach(arch IN LISTS YONDER_OUTPOST_ARCHS)
  find_program(YONDER_CXX_${arch} ${arch}-linux-gnu-g++ REQUIRED)
  find_program(YONDER_CC_${arch} ${arch}-linux-gnu-gcc REQUIRED)
  set(binary ${outpost_root}/${arch}/outpost)
  ExternalProject_Add(outpost-${arch}
    SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}
    BINARY_DIR ${outpost_root}/${arch}
    STAMP_DIR ${outpost_root}/${arch}-stamp
    TMP_DIR ${outpost_root}/${arch}-tmp
    CMAKE_GENERATOR ${CMAKE_GENERATOR}
    # The same for all presets, so that none of them makes the others' anew. Warnings are errors in their own builds of the rooms.
    CMAKE_ARGS -DYONDER_OUTPOST_ONLY=ON -DYONDER_WERROR=OFF -DYONDER_UNITY=ON
               ${outpost_kind}
               -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${arch}
               -DCMAKE_C_COMPILER=${YONDER_CC_${arch}}
               -DCMAKE_CXX_COMPILER=${YONDER_CXX_${arch}}
               -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
    BUILD_COMMAND ${CMAKE_COMMAND} --build . --target outpost
    INSTALL_COMMAND ""
    BUILD_ALWAYS ON
    BUILD_BYPRODUCTS ${binary})
  set(packed ${CMAKE_BINARY_DIR}/packed/outpost_${arch}.S)
  add_custom_command(
    OUTPUT ${packed}
    COMMAND ${CMAKE_COMMAND} -D BINARY=${binary} -D ARCH=${arch} -D OUTPUT=${packed}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pack_outpost.cmake
    DEPENDS outpost-${arch} ${binary} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/pack_outpost.cmake
    COMMENT "Packing the outpost for ${arch}"
    VERBATIM)
  list(APPEND YONDER_OUTPOST_OBJECTS ${packed})
endforeach()

# The list of them, for src/app/embedded_outposts.h.
set(declarations "")
set(entries "")
foreach(arch IN LISTS YONDER_OUTPOST_ARCHS)
  set(symbol yonder_outpost_${arch})
  string(APPEND declarations "extern const char ${symbol}_raw[], ${symbol}_raw_end[], "
                             "${symbol}_gzip[], ${symbol}_gzip_end[], ${symbol}_hash[];\n")
  string(APPEND entries "      {\"${arch}\", ${symbol}_hash, {${symbol}_raw, ${symbol}_raw_end}, "
                        "{${symbol}_gzip, ${symbol}_gzip_end}},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/packed/embedded_outposts.cc @ONLY CONTENT
"#include \"app/embedded_outposts.h\"

extern \"C\" {
@declarations@}

namespace yonder::app {

std::vector<link::OutpostImage> embedded_outposts() {
  return {
@entries@  };
}

}  // namespace yonder::app
")
add_library(yonder_outposts STATIC ${YONDER_OUTPOST_OBJECTS}
            ${CMAKE_BINARY_DIR}/packed/embedded_outposts.cc)
target_include_directories(yonder_outposts PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_link_libraries(yonder_outposts PRIVATE yonder_flags)
