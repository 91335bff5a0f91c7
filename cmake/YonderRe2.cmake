# yonder_find_static_re2(VARIABLE arch): the path of libre2.a for that machine. Debian keeps the
# libraries of each machine in a folder of its own, so that of a foreign one is found like our own.
function(yonder_find_static_re2 variable arch)
  set(places /usr/lib/${arch}-linux-gnu)
  if(arch STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    list(APPEND places /usr/local/lib /usr/lib64 /usr/lib)
  endif()
  find_library(YONDER_RE2_${arch} NAMES libre2.a PATHS ${places} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(NOT YONDER_RE2_${arch})
    set(package_x86_64 libre2-dev:amd64)
    set(package_aarch64 libre2-dev:arm64)
    message(FATAL_ERROR "libre2.a for ${arch} is missing. scripts/setup installs it "
      "(Debian: the package ${package_${arch}}); or give its path with -DYONDER_RE2_${arch}=...")
  endif()
  set(${variable} ${YONDER_RE2_${arch}} PARENT_SCOPE)
endfunction()
