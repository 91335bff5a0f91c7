#pragma once

// Its assertions are for its authors: one of them fails on keys that it then refuses as it should.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
