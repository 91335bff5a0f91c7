#include "mcp/bounded_json.h"

#include <string>
#include <vector>

#include "base/text.h"

namespace yonder::mcp {
namespace {

// Reads the events of the parser without keeping a value. Returning false stops the parser.
class BoundsCheck final : public nlohmann::json_sax<Json> {
 public:
  explicit BoundsCheck(const JsonBounds& bounds) : bounds_(bounds) {}

  const std::string& problem() const { return problem_; }

  bool null() override { return count_value(); }
  bool boolean(bool) override { return count_value(); }
  bool number_integer(number_integer_t) override { return count_value(); }
  bool number_unsigned(number_unsigned_t) override { return count_value(); }
  bool number_float(number_float_t, const string_t&) override { return count_value(); }
  bool string(string_t&) override { return count_value(); }
  bool binary(binary_t&) override { return count_value(); }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t&) override {
    if (++keys_of_open_.back() <= bounds_.keys) return true;
    return refuse(concat("an object has more than ", bounds_.keys, " keys"));
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse(concat("not valid JSON, at byte ", position));
  }

 private:
  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool count_value() {
    if (++values_ <= bounds_.values) return true;
    return refuse(concat("more than ", bounds_.values, " values"));
  }
  bool open() {
    if (keys_of_open_.size() >= bounds_.depth) {
      return refuse(concat("nested deeper than ", bounds_.depth, " levels"));
    }
    keys_of_open_.push_back(0);
    return count_value();
  }
  bool close() {
    keys_of_open_.pop_back();
    return true;
  }

  JsonBounds bounds_;
  std::size_t values_ = 0;
  std::vector<std::size_t> keys_of_open_;  // one entry per open object or array
  std::string problem_;
};

}  // namespace

Result<Json> parse_bounded_json(std::string_view text, const JsonBounds& bounds) {
  BoundsCheck check(bounds);
  if (!Json::sax_parse(text, &check)) return Error{Errc::InvalidArgument, check.problem(), ""};
  return parse_json(text, "message");
}

}  // namespace yonder::mcp
