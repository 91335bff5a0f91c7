// toml++ itself: Debian has no archive of it, so this file is the one place where it is compiled.
#define TOML_IMPLEMENTATION
#include "config/toml_library.h"
