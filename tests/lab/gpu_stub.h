#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace yonder::lab {

// A GPU as nvidia-smi would print it.
struct StubGpu {
  std::string uuid;  // empty: one that no other stub has
  std::string name = "NVIDIA Stub";
  std::string utilization = "0";
  std::string memory_used = "1";  // MiB
  std::string memory_total = "24576";
  std::string temperature = "40";
  std::string power = "20.50";
  std::string mig = "[N/A]";
  std::vector<std::string> slices;
};

struct StubProcess {
  std::size_t gpu = 0;  // which of the GPUs
  pid_t pid = 0;
  std::string name = "python";
  std::string memory = "1000";  // MiB
};

// A directory for PATH with a vendor's tool that prints tables. A table is replaced as a whole, so
// it may be changed while somebody reads it, and everybody may read it. What goes wrong is thrown.
class GpuStub {
 public:
  // `tool` is "nvidia-smi", "amd-smi" or "rocm-smi".
  explicit GpuStub(const std::string& tool = "nvidia-smi");
  ~GpuStub();
  GpuStub(const GpuStub&) = delete;
  GpuStub& operator=(const GpuStub&) = delete;

  const std::string& path() const { return path_; }
  const std::string& uuid(std::size_t gpu) const { return uuids_.at(gpu); }

  // Without processes; a GPU that has no uuid gets the same one every time.
  void set_gpus(std::vector<StubGpu> gpus);
  void set_processes(const std::vector<StubProcess>& processes);
  // "hang", "nodriver", "mismatch", "none", "garbage"; empty: it works.
  void set_mode(std::string_view mode);
  // Replaces any file that the tool reads: "gpus", "apps", "slices", "rocm.json", "amd-list.json".
  void write(const std::string& name, std::string_view content, mode_t mode = 0644) const;

 private:
  std::string path_;
  std::string tag_;
  std::vector<std::string> uuids_;
};

}  // namespace yonder::lab
