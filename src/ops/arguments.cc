#include "ops/arguments.h"

#include <algorithm>
#include <cmath>

#include "base/clean_text.h"
#include "base/meaning.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

// 120 rather than 120.000000.
std::string shown(double number) {
  if (std::floor(number) == number) return std::to_string(static_cast<long long>(number));
  return std::to_string(number);
}

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>();
}

}  // namespace

Arguments::Arguments(const Json& arguments) : arguments_(arguments) {
  if (!arguments_.is_object()) {
    error_ = Error{Errc::InvalidArgument, "the arguments are not an object", ""};
  }
}

void Arguments::fail(const char* name, const std::string& what, const std::string& hint) {
  if (!error_) error_ = Error{Errc::InvalidArgument, concat(name, ": ", what), hint};
}

// Nothing when it is absent or null: models often send null for what they leave open.
const Json* Arguments::find(const char* name) {
  known_.emplace_back(name);
  if (!arguments_.is_object()) return nullptr;
  const auto found = arguments_.find(name);
  if (found == arguments_.end() || found->is_null()) return nullptr;
  return &*found;
}

std::optional<std::string> Arguments::optional_text(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    fail(name, "must be a string");
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::string Arguments::text(const char* name, const std::string& otherwise) {
  return optional_text(name).value_or(otherwise);
}

bool Arguments::flag(const char* name, bool otherwise) {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    fail(name, "must be true or false");
    return otherwise;
  }
  return value->get<bool>();
}

double Arguments::number(const char* name, double otherwise, double least, double most) {
  const Json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) {
    fail(name, "must be a number");
    return otherwise;
  }
  const auto number = value->get<double>();
  if (!(number >= least && number <= most)) {
    fail(name, concat("must be between ", shown(least), " and ", shown(most)));
    return otherwise;
  }
  return number;
}

double Arguments::whole(const char* name, double otherwise, double least, double most) {
  const double value = number(name, otherwise, least, most);
  if (std::floor(value) == value) return value;
  fail(name, "must be a whole number");
  return otherwise;
}

std::map<std::string, std::string> Arguments::texts(const char* name) {
  std::map<std::string, std::string> result;
  const Json* value = find(name);
  if (value == nullptr) return result;
  if (!value->is_object()) {
    fail(name, "must be an object of strings");
    return result;
  }
  for (const auto& [key, item] : value->items()) {
    if (!item.is_string()) {
      fail(name, concat("'", printable(key), "' must be a string"));
      return {};
    }
    result[key] = item.get<std::string>();
  }
  return result;
}

std::optional<std::uint64_t> Arguments::optional_count(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  constexpr double kMost = 9e15;  // beyond it not every whole number is a double
  if (!value->is_number() || !is_whole(*value) || value->get<double>() < 0 ||
      value->get<double>() > kMost) {
    fail(name, "must be a whole number, not below 0");
    return std::nullopt;
  }
  return value->get<std::uint64_t>();
}

std::vector<std::string> Arguments::list(const char* name) {
  std::vector<std::string> result;
  const Json* value = find(name);
  if (value == nullptr) return result;
  if (value->is_string()) return {value->get<std::string>()};  // models often send one without []
  if (!value->is_array()) {
    fail(name, "must be a list of strings");
    return result;
  }
  for (const Json& item : *value) {
    if (!item.is_string()) {
      fail(name, "must be a list of strings");
      return {};
    }
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::vector<Json> Arguments::objects(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  const bool fine =
      value->is_array() &&
      std::all_of(value->begin(), value->end(), [](const Json& item) { return item.is_object(); });
  if (!fine) {
    fail(name, "must be a list of objects");
    return {};
  }
  return {value->begin(), value->end()};
}

Result<void> Arguments::finish() const {
  if (error_ && !arguments_.is_object()) return *error_;
  // First: a field that seems to be missing may be there under another name.
  for (const auto& [key, value] : arguments_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string near = probably_meant(key, known_);
    return Error{Errc::InvalidArgument, concat("unknown argument '", printable(key), "'"),
                 near.empty() ? concat("known arguments: ", join(known_, ", "))
                              : concat("did you mean '", near, "'?")};
  }
  if (error_) return *error_;
  return {};
}

}  // namespace yonder::ops
