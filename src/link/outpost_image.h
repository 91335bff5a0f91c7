#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yonder::link {

// The far side program for one kind of machine, as `yonder` carries it.
struct OutpostImage {
  std::string machine;  // as `uname -m` says it there: "x86_64", "aarch64"
  std::string hash;     // of `raw`; the name of the file over there
  std::string_view raw;
  std::string_view gzip;
};

}  // namespace yonder::link
