#include "bench/sync_trees.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "base/text.h"

namespace yonder::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = 64UL * 1024;

std::string source_text(std::mt19937& random, std::size_t bytes) {
  static const std::array<const char*, 24> kWords{
      "value",  "index", "buffer", "result", "config", "stream", "parse", "token",
      "return", "const", "struct", "if",     "for",    "while",  "self",  "import",
      "model",  "layer", "loss",   "batch",  "data",   "path",   "name",  "size"};
  std::string text;
  while (text.size() < bytes) {
    text.append(4UL * (random() % 4), ' ');
    for (auto words = 2 + random() % 7; words > 0; --words) {
      text += kWords.at(random() % kWords.size());
      // Names differ more than words do.
      if (random() % 3 == 0) text += concat("_", static_cast<unsigned>(random() % 997));
      text += words > 1 ? " " : "";
    }
    text += random() % 2 == 0 ? " = (\n" : ";\n";
  }
  return text;
}

void fill_random(std::mt19937_64& random, std::vector<char>& bytes) {
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t value = random();
    std::copy_n(reinterpret_cast<const char*>(&value), 8, bytes.data() + i);
  }
}

}  // namespace

void make_sources(const std::string& root, int files) {
  std::mt19937 random(7);
  for (int i = 0; i < files; ++i) {
    const std::string directory = concat(root, "/package", i / 500, "/module", i / 50);
    if (i % 50 == 0) fs::create_directories(directory);
    std::ofstream(concat(directory, "/source", i, ".py"))
        << source_text(random, 2000 + random() % 8000);
  }
}

void make_many(const std::string& root, int files) {
  for (int i = 0; i < files; ++i) {
    const std::string directory = concat(root, "/part", i / 1000);
    if (i % 1000 == 0) fs::create_directories(directory);
    std::ofstream(concat(directory, "/item", i)) << i;
  }
}

void make_random_file(const std::string& path, std::uint64_t bytes) {
  std::mt19937_64 random(11);
  std::ofstream file(path, std::ios::binary);
  std::vector<char> block(kBlock);
  for (std::uint64_t done = 0; done < bytes; done += kBlock) {
    fill_random(random, block);
    file.write(block.data(), static_cast<std::streamsize>(block.size()));
  }
}

void change_one_percent(const std::string& path, unsigned seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t blocks = fs::file_size(path) / kBlock;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  std::vector<char> block(kBlock);
  for (std::uint64_t i = 0; i < blocks / 100; ++i) {
    fill_random(random, block);
    file.seekp(static_cast<std::streamoff>(random() % blocks * kBlock));
    file.write(block.data(), static_cast<std::streamsize>(block.size()));
  }
}

}  // namespace yonder::bench
