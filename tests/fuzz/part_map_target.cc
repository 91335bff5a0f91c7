#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/fd.h"
#include "base/text.h"
#include "fuzz/target.h"
#include "tree/part_map.h"

// The list of what is in a part file, as an earlier sync has left it, or as anything else has.
namespace yonder::fuzz {
namespace {

class PartPlace {
 public:
  PartPlace() : path_(std::filesystem::temp_directory_path() / "yonder-fuzz-XXXXXX") {
    require(::mkdtemp(path_.data()) != nullptr, "a directory can be made");
    directory_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  PartPlace(const PartPlace&) = delete;
  PartPlace& operator=(const PartPlace&) = delete;
  ~PartPlace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  int directory() const { return directory_.get(); }
  void put(std::string_view bytes) const {
    const Fd file(::openat(directory(), tree::map_name("part").c_str(),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    require(file && ::write(file.get(), bytes.data(), bytes.size()) ==
                        static_cast<ssize_t>(bytes.size()),
            "a file can be written");
  }

 private:
  std::string path_;
  Fd directory_;
};

void part_map(std::string_view bytes) {
  static const PartPlace place;
  place.put(bytes);
  auto map = tree::PartMap::open(place.directory(), "part");
  require(map.has_value(), "a list can be opened");
  const auto before = map->segments();
  require(before && before->size() <= bytes.size() / 24, "no segment is made of nothing");
  const auto claim = map->claim();
  require(map->add(5, {.low = 6, .high = 7}).has_value(), "a segment can be added");
  const auto after = map->segments();
  // The first record is no segment.
  require(bytes.size() < 24 || (after && after->at(5) == tree::Hash{.low = 6, .high = 7}),
          "what was added is there");
  require(!claim || map->claim() == claim, "whose it is stays");
  map->remove(map->gone());
}

std::vector<std::string> sample_part_maps() {
  std::string claim(8, '\xFF');
  claim += std::string("\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", 16);
  return {claim, claim + std::string(24, '\x03') + std::string(24, '\x04')};
}

const Registered kPartMap("part_map", part_map, sample_part_maps);

}  // namespace
}  // namespace yonder::fuzz
