# The far side program for one machine: static, small, and nothing but base, wire, tree and outpost.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
if(YONDER_SANITIZE)
  # No sanitizer can be linked into a static program. Its runtime is put into this one, so that it starts where only a C library is.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_link_options(-static-libsan)
  else()
    add_link_options(-static-libasan -static-libubsan)
  endif()
  add_link_options(-static-libstdc++ -Wl,--compress-debug-sections=zlib)
else()
  add_compile_options(-Os)
  add_link_options(-static -s)
endif()

# Headers are the same for every machine, but the folder they are in also holds this
# machine's C library, which a cross compiler must not see: so only they are put within its sight.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(header IN ITEMS nlohmann xxhash.h re2 zstd.h zstd_errors.h librsync.h librsync_export.h)
  file(CREATE_LINK /usr/include/${header} ${headers}/${header} SYMBOLIC)
endforeach()
include_directories(SYSTEM ${headers})
include(YonderStaticLibrary)
yonder_find_static(re2 re2 libre2-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(zstd zstd libzstd-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(rsync rsync librsync-dev ${CMAKE_SYSTEM_PROCESSOR})
yonder_find_static(b2 b2 libb2-dev ${CMAKE_SYSTEM_PROCESSOR})  # librsync's hashes

yonder_module(base)
yonder_module(wire DEPS base)
yonder_module(tree DEPS base LIBS ${zstd} ${rsync} ${b2} ${re2})
yonder_module(outpost DEPS base wire tree LIBS ${re2})
add_executable(outpost src/outpost/main.cc)
if(YONDER_SANITIZE)
  target_sources(outpost PRIVATE cmake/sanitized_outpost.cc)
endif()
target_link_libraries(outpost PRIVATE yonder_outpost yonder_flags)
