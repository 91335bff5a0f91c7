#include "tree/late_errors.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace yonder::tree {

bool type_tells_errors_late(std::uint64_t type) {
  constexpr std::array<std::uint64_t, 17> kTypes{
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB 2 and later
      0x65735546,  // FUSE
      0x00C36400,  // Ceph
      0x5346414F,  // AFS
      0x6B414653,  // the kernel's AFS
      0x73757245,  // Coda
      0x01021997,  // 9P
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0xAAD7AAEA,  // PanFS
      0x20030528,  // OrangeFS
      0x786F4256,  // shared folders of VirtualBox
      0xBACBACBC,  // and of VMware
  };
  return std::find(kTypes.begin(), kTypes.end(), type & 0xFFFFFFFFU) != kTypes.end();
}

int close_and_tell(Fd& file) {
  // A file system has its say at every close of a file, also at that of a copy.
  const int copy = ::fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
  int error = copy < 0 ? errno : 0;
  if (copy >= 0 && ::close(copy) != 0 && errno != EINTR) error = errno;
  file.reset();
  return error;
}

bool tells_errors_late([[maybe_unused]] int fd) {
#ifdef __linux__
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 &&
         type_tells_errors_late(static_cast<std::uint64_t>(info.f_type));
#else
  return true;
#endif
}

}  // namespace yonder::tree
