# yonder_find_static(VARIABLE library package arch): the path of lib<library>.a for that machine. Debian
# keeps the libraries of each machine in a folder of its own, so that of a foreign one is found like
# our own.
function(yonder_find_static variable library package arch)
  set(places /usr/lib/${arch}-linux-gnu)
  if(arch STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    list(APPEND places /usr/local/lib /usr/lib64 /usr/lib)
  endif()
  string(TOUPPER YONDER_${library} path)
  string(APPEND path _${arch})
  find_library(${path} NAMES lib${library}.a PATHS ${places} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(NOT ${path})
    set(debian_x86_64 amd64)
    set(debian_aarch64 arm64)
    message(FATAL_ERROR "lib${library}.a for ${arch} is missing. scripts/setup installs it "
      "(Debian: the package ${package}:${debian_${arch}}); or give its path with -D${path}=...")
  endif()
  set(${variable} ${${path}} PARENT_SCOPE)
endfunction()
