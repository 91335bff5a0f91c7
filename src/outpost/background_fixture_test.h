#pragma once

#include <string>

#include "base/text.h"
#include "outpost/run_fixture_test.h"
#include "outpost/run_label.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {

// Background runs, with whatever is below `Base`.
template <class Base>
class BackgroundOf : public Base {
 protected:
  wire::StartRequest in_background(const std::string& command) const {
    auto request = this->request(command);
    request.background = true;
    request.launcher = "session";
    return request;
  }
  Error refusal(const wire::StartRequest& request) const {
    const auto started = start_run(this->around_, request);
    EXPECT_FALSE(started);
    return started ? Error{} : started.error();
  }
  std::string log_of(const RunRecord& record) const { return this->text_of(record, "log"); }
  static wire::AliveRecord alive_of(const RunRecord& record) {
    Base::wait_until_alive(record);
    const auto alive = record.read_alive();
    EXPECT_TRUE(alive && *alive);
    return alive && *alive ? **alive : wire::AliveRecord{};
  }
  wire::RunFacts facts_of(const RunRecord& record) const {
    return observe(record, this->around_.boot_id);
  }
  static void tell(const RunRecord& record, const StopOrder& order) {
    sigval value{};
    value.sival_int = encode_stop(order);
    ASSERT_EQ(::sigqueue(static_cast<pid_t>(alive_of(record).supervisor.pid), kStopSignal, value),
              0);
  }
  std::size_t records() const {
    const auto runs = std::filesystem::directory_iterator(this->scratch_ / "state/runs");
    return static_cast<std::size_t>(std::distance(begin(runs), end(runs)));
  }
  // The command goes on when the file is there.
  static std::string until(const std::string& file) {
    return concat("while [ ! -e ", file, " ]; do sleep 0.01; done; ");
  }
};

using BackgroundTest = BackgroundOf<RunTest>;

}  // namespace yonder::outpost
