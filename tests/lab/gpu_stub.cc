#include "lab/gpu_stub.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"

namespace yonder::lab {
namespace {

constexpr std::string_view kGpuColumns =
    "index, uuid, name, utilization.gpu, memory.used, memory.total, temperature.gpu, power.draw, "
    "mig.mode.current\n";
constexpr std::string_view kAppColumns = "gpu_uuid, pid, process_name, used_memory\n";

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

std::string new_directory() {
  std::string path = (std::filesystem::temp_directory_path() / "yonder-gpus-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr || ::chmod(path.c_str(), 0755) != 0) {
    throw std::runtime_error(errno_error(path).message);
  }
  return path;
}

}  // namespace

GpuStub::GpuStub(const std::string& tool) : path_(new_directory()), tag_(random_letters(8)) {
  constexpr std::uint64_t kMaxScript = 64UL * 1024;
  write(tool, value_of(read_file(concat(YONDER_GPU_STUBS, "/", tool), kMaxScript)), 0755);
  if (tool == "nvidia-smi") set_gpus({});
}

GpuStub::~GpuStub() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void GpuStub::set_gpus(std::vector<StubGpu> gpus) {
  std::string table(kGpuColumns);
  std::string slices;
  uuids_.clear();
  for (auto& gpu : gpus) {
    const std::size_t index = uuids_.size();
    if (gpu.uuid.empty()) gpu.uuid = concat("GPU-", tag_, "-0000-0000-0000-", index);
    table +=
        concat(index, ", ", gpu.uuid, ", ", gpu.name, ", ", gpu.utilization, ", ", gpu.memory_used,
               ", ", gpu.memory_total, ", ", gpu.temperature, ", ", gpu.power, ", ", gpu.mig, "\n");
    for (const auto& slice : gpu.slices) slices += concat(gpu.uuid, ",", slice, "\n");
    uuids_.push_back(gpu.uuid);
  }
  set_processes({});
  write("slices", slices);
  write("gpus", table);
}

void GpuStub::set_processes(const std::vector<StubProcess>& processes) {
  std::string table(kAppColumns);
  for (const auto& process : processes) {
    table += concat(uuid(process.gpu), ", ", process.pid, ", ", process.name, ", ", process.memory,
                    "\n");
  }
  write("apps", table);
}

void GpuStub::set_mode(std::string_view mode) {
  write("mode", mode);
}

void GpuStub::write(const std::string& name, std::string_view content, mode_t mode) const {
  const std::string file = concat(path_, "/", name);
  const std::string unfinished = concat(path_, "/.", random_letters(8));
  const auto written = write_file_atomically(unfinished, content, Durability::Process);
  if (!written) throw std::runtime_error(written.error().message);
  ::chmod(unfinished.c_str(), mode);
  std::filesystem::rename(unfinished, file);
}

}  // namespace yonder::lab
