#include "e2e/links_fixture.h"

#include "base/file.h"

namespace yonder::e2e {

void OneLink::SetUp() {
  EndToEnd::SetUp();
  sshd_.emplace(start_sshd());
  proxy_ = start_proxy(sshd_->port());
  write_hosts({host("box", *sshd_, *proxy_)});
  directory_ = new_open_directory();
  bash("true", {{"sandbox_name", "box"}});
}

OneLink::Counted OneLink::count_to_200(int exit_code) {
  Counted counted{.count_file = concat(directory_, "/count-", commands_++), .exit_code = exit_code};
  counted.command = concat("echo x >>", counted.count_file,
                           "; for i in {1..200}; do echo line $i of 200; sleep 0.0015; done; "
                           "exit ",
                           exit_code);
  for (int i = 1; i <= 200; ++i) counted.expected_output += concat("line ", i, " of 200\n");
  return counted;
}

OneLink::Counted OneLink::short_command(int exit_code) {
  Counted counted{.count_file = concat(directory_, "/count-", commands_++),
                  .expected_output = "short\n",
                  .exit_code = exit_code};
  counted.command = concat("echo x >>", counted.count_file, "; echo short; exit ", exit_code);
  return counted;
}

OneLink::Counted OneLink::endless(int exit_code) {
  Counted counted{.count_file = concat(directory_, "/count-", commands_++), .exit_code = exit_code};
  counted.gate = counted.count_file + ".go";
  counted.command = concat("echo x >>", counted.count_file, "; seq 1 100; ", until(counted.gate),
                           "seq 101 200; exit ", exit_code);
  for (int i = 1; i <= 200; ++i) counted.expected_output += concat(i, "\n");
  return counted;
}

void OneLink::let_go_on(const Counted& counted) {
  ASSERT_TRUE(write_file_atomically(counted.gate, "", Durability::Process));
}

int OneLink::begin(const Counted& counted, const Json& more) {
  Json arguments = exec_arguments(counted.command, {{"sandbox_name", "box"}, {"wait_s", 3000}});
  arguments.update(more);
  return agent().call_async("exec_bash", arguments);
}

bool OneLink::has_begun(const Counted& counted) {
  return lab::eventually([&] { return !file_text(counted.count_file).empty(); });
}

void OneLink::expect_whole(const Json& done, const Counted& counted) {
  EXPECT_EQ(done["stdout"], counted.expected_output);
  EXPECT_EQ(done["stderr"], "");
  EXPECT_EQ(done["stdout_bytes"], counted.expected_output.size());
  EXPECT_EQ(done["exit_code"], counted.exit_code);
  EXPECT_EQ(done["state"], "exited");
  EXPECT_EQ(done["connection_error"], false);
  EXPECT_EQ(done["truncated"], false);
  EXPECT_EQ(done["attached"], false);
  EXPECT_EQ(file_text(counted.count_file), "x\n") << "executed more or less than once";
}

}  // namespace yonder::e2e
