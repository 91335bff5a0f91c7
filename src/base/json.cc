#include "base/json.h"

#include "base/text.h"

namespace yonder {

Result<Json> parse_json(std::string_view text, std::string_view what) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    return Error{Errc::InvalidArgument, concat(what, " is not valid JSON, at byte ", e.byte), ""};
  } catch (const Json::exception&) {
    // A number like 1e999 is well-formed but fits nowhere; the library's own text would quote it.
    return Error{Errc::InvalidArgument, concat(what, " holds a number that is too large"), ""};
  }
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace yonder
