# The far side program for one machine: static, small, and nothing but base, wire and outpost.
add_compile_options(-Os -ffunction-sections -fdata-sections)
add_link_options(-static -s -Wl,--gc-sections)

# Headers are the same for every machine, but the folder they are in also holds this
# machine's C library, which a cross compiler must not see: so only they are put within its sight.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
file(CREATE_LINK /usr/include/nlohmann ${headers}/nlohmann SYMBOLIC)
file(CREATE_LINK /usr/include/xxhash.h ${headers}/xxhash.h SYMBOLIC)
file(CREATE_LINK /usr/include/re2 ${headers}/re2 SYMBOLIC)
include_directories(SYSTEM ${headers})
include(YonderRe2)
yonder_find_static_re2(re2 ${CMAKE_SYSTEM_PROCESSOR})

yonder_module(base)
yonder_module(wire DEPS base)
yonder_module(outpost DEPS base wire LIBS ${re2})
add_executable(outpost src/outpost/main.cc)
target_link_libraries(outpost PRIVATE yonder_outpost yonder_flags)
