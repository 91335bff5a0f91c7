#pragma once

#include <cstdint>
#include <string>

namespace yonder::bench {

// Source-like text: `files` of them, 50 to a directory, the same every time.
void make_sources(const std::string& root, int files);
// Many small files in a few directories.
void make_many(const std::string& root, int files);
void make_random_file(const std::string& path, std::uint64_t bytes);
// One hundredth of it is overwritten in place: as many places as there are in a database or a
// checkpoint that goes on being written.
void change_one_percent(const std::string& path, unsigned seed);

}  // namespace yonder::bench
