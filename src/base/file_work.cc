#include "base/file_work.h"

namespace yonder::files {

std::string_view name_of(Type type) {
  switch (type) {
    case Type::File: return "file";
    case Type::Directory: return "directory";
    case Type::Symlink: return "symlink";
    case Type::Fifo: return "fifo";
    case Type::Socket: return "socket";
    case Type::Block: return "block";
    case Type::Char: return "char";
  }
  return "file";
}

}  // namespace yonder::files
