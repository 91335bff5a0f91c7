#include "tree/pack_rules.h"

#include <cstdint>
#include <utility>

#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::string_view kMagic = "YR1\n";
constexpr std::size_t kMaxNameBytes = 4096;  // of a base or a source

void put_number(std::string& out, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>(number >> shift & 0xffU);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

// A rule is read as a line of a file, which loses one carriage return at its end.
std::string as_a_line(const std::string& pattern) {
  return pattern.ends_with('\r') ? pattern + '\r' : pattern;
}

Error broken(std::string_view what) {
  return {Errc::Protocol, concat("the packed rules are broken: ", what), ""};
}

class RuleUnpacker {
 public:
  explicit RuleUnpacker(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  Result<std::string_view> take(std::size_t size) {
    if (bytes_.size() < size) return broken("they end too early");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  Result<std::uint32_t> number() {
    TRY_ASSIGN(const std::string_view bytes, take(4));
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
      value |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return value;
  }
  Result<std::string_view> text(std::size_t max_bytes) {
    TRY_ASSIGN(const std::uint32_t size, number());
    if (size > max_bytes) return broken("a text is too long");
    return take(size);
  }

 private:
  std::string_view bytes_;
};

Result<void> unpack_rule(RuleUnpacker& from, RuleSet& rules) {
  TRY_ASSIGN(const std::string_view level, from.take(1));
  TRY_ASSIGN(const std::uint32_t line, from.number());
  TRY_ASSIGN(const std::string_view base, from.text(kMaxNameBytes));
  TRY_ASSIGN(const std::string_view pattern, from.text(kMaxPatternBytes + 1));
  TRY_ASSIGN(const std::string_view source, from.text(kMaxNameBytes));
  const auto number = static_cast<unsigned char>(level[0]);
  if (number >= kLevels) return broken("there is no such level");
  if (line > INT32_MAX) return broken("a line's number is too large");
  const std::size_t before = rules.size();
  TRY(rules.add(base, pattern, {std::string(source), static_cast<int>(line)},
                static_cast<Level>(number)));
  if (rules.size() == before) return broken("a pattern says nothing");
  return {};
}

}  // namespace

std::string pack_rules(const RuleSet& rules) {
  std::string out(kMagic);
  for (std::size_t level = 0; level < kLevels; ++level) {
    for (const RuleList& list : rules.lists(static_cast<Level>(level))) {
      for (const Rule& rule : list.rules()) {
        out += static_cast<char>(level);
        put_number(out, static_cast<std::uint32_t>(rule.origin.line));
        put_text(out, list.base());
        put_text(out, as_a_line(rule.text));
        put_text(out, rule.origin.source);
      }
    }
  }
  return out;
}

Result<RuleSet> unpack_rules(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return broken("they begin wrongly");
  RuleUnpacker from(bytes.substr(kMagic.size()));
  RuleSet rules;
  while (!from.at_end()) TRY(unpack_rule(from, rules));
  return rules;
}

}  // namespace yonder::tree
