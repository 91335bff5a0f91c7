// Gives the one target that is linked into this program to libFuzzer.
//   PROGRAM --samples DIR     only writes its samples there, as the beginning of a corpus
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "base/file.h"
#include "base/text.h"
#include "fuzz/target.h"

namespace {

const yonder::fuzz::Target& target() {
  return yonder::fuzz::targets().front();
}

int write_samples(const std::string& directory) {
  if (target().samples == nullptr) return EXIT_SUCCESS;
  int number = 0;
  for (const auto& sample : target().samples()) {
    const auto written = yonder::write_file_atomically(
        yonder::concat(directory, "/sample-", number++), sample, yonder::Durability::Process);
    if (written) continue;
    std::cerr << written.error().message << "\n";
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::string((*argv)[1]) == "--samples") {
    std::exit(write_samples((*argv)[2]));  // NOLINT(concurrency-mt-unsafe): there is one thread
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target().look({reinterpret_cast<const char*>(data), size});
  return 0;
}
