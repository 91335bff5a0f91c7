#include <utmp.h>

#include <cstring>

#include "fuzz/target.h"
#include "outpost/logged_in.h"

// Who is logged in, by the records of a utmp file and of systemd.
namespace yonder::fuzz {
namespace {

void require_person(const resources::LoggedIn& person) {
  require(!person.user.empty(), "a person has a name");
  require_printable(person.user + person.terminal + person.from, "which can be shown");
}

void logged_in(std::string_view bytes) {
  const auto people = outpost::parse_utmp(bytes, [](pid_t pid) { return pid % 2 == 0; });
  require(people.size() <= bytes.size() / sizeof(utmp), "nobody is made up");
  for (const auto& person : people) require_person(person);
  if (const auto person = outpost::parse_session(bytes)) require_person(*person);
}

std::vector<std::string> sample_utmp() {
  utmp record{};
  record.ut_type = USER_PROCESS;
  record.ut_pid = 42;
  std::memcpy(record.ut_user, "alice", 5);
  std::memcpy(record.ut_line, "pts/0", 5);
  std::memcpy(record.ut_host, "192.0.2.7", 9);
  return {std::string(reinterpret_cast<const char*>(&record), sizeof(record))};
}

const Registered kLoggedIn("logged_in", logged_in, sample_utmp);

}  // namespace
}  // namespace yonder::fuzz
