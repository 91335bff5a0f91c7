#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace yonder::ops {

// Reads a tool's arguments, field by field. The first thing that is wrong is remembered, with the
// field's name; finish() complains about fields that nobody asked for, or gives what is remembered.
// So every field is to be read before it, whatever was wrong with others.
//
//   Arguments in(json);
//   std::string host = in.text("host", "");
//   TRY(in.finish());
class Arguments {
 public:
  explicit Arguments(const Json& arguments);

  std::string text(const char* name, const std::string& otherwise);
  std::optional<std::string> optional_text(const char* name);
  bool flag(const char* name, bool otherwise);
  // Seconds or counts: within [least, most].
  double number(const char* name, double otherwise, double least, double most);
  // The same for what is counted: 50 and 50.0 are whole, 1.5 is not.
  double whole(const char* name, double otherwise, double least, double most);
  // A whole number, or nothing.
  std::optional<std::uint64_t> optional_count(const char* name);
  std::map<std::string, std::string> texts(const char* name);
  std::vector<std::string> list(const char* name);
  // A list of objects; each is to be read with Arguments of its own.
  std::vector<Json> objects(const char* name);

  Result<void> finish() const;
  void fail(const char* name, const std::string& what, const std::string& hint = "");

 private:
  const Json* find(const char* name);

  const Json& arguments_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace yonder::ops
