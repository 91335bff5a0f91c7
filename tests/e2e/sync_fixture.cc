#include "e2e/sync_fixture.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/file.h"

namespace yonder::e2e {

namespace fs = std::filesystem;

void SyncEndToEnd::SetUp() {
  EndToEnd::SetUp();
  user_ = new_user();
  sshd_.emplace(start_sshd());
  proxy_ = start_proxy(sshd_->port());
  write_hosts({host("box", *sshd_, *proxy_, user_->name)});
  write_config_toml("# no settings\n");
  here_ = new_open_directory() + "/src";
  far_ = user_->home + "/dst";
  write_here("a.txt", "one\n");
  write_here("sub/b.txt", "two\n");
}

void SyncEndToEnd::write_here(const std::string& file, const std::string& content) const {
  const fs::path path = fs::path(here_) / file;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

void SyncEndToEnd::write_there(const std::string& file, const std::string& content) const {
  const fs::path path = fs::path(far_) / file;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  for (const auto& each : {path.parent_path(), path}) {
    EXPECT_EQ(::chown(each.c_str(), user_->uid, static_cast<gid_t>(-1)), 0);
  }
}

bool SyncEndToEnd::is_there(const std::string& file) const {
  return path_exists(far_ + "/" + file);
}

void SyncEndToEnd::write_many(int files, const std::string& prefix) const {
  for (int i = 0; i < files; ++i) write_here(concat("many/", prefix, i), concat(prefix, i, "\n"));
}

Json SyncEndToEnd::arguments(const Json& more) const {
  Json all{{"sandbox_name", "box"}, {"local_path", here_}, {"remote_path", far_}};
  all.update(more);
  return all;
}

Json SyncEndToEnd::push(const Json& more) {
  return content_of(agent().call("sync_local_to_remote", arguments(more)));
}

Json SyncEndToEnd::pull(const Json& more) {
  return content_of(agent().call("sync_remote_to_local", arguments(more)));
}

Json SyncEndToEnd::push_error(const Json& more) {
  return error_of(agent().call("sync_local_to_remote", arguments(more)));
}

Json SyncEndToEnd::check(std::int64_t task_id) {
  return content_of(agent().call("check_file_transfer_task", {{"task_id", task_id}}));
}

Json SyncEndToEnd::finished(std::int64_t task_id) {
  return content_of(
      agent().call("check_file_transfer_task", {{"task_id", task_id}, {"wait_s", 600}}));
}

Json SyncEndToEnd::cancel(std::int64_t task_id, double force_after) {
  return content_of(agent().call("cancel_file_transfer_task",
                                 {{"task_id", task_id}, {"force_kill_after_s", force_after}}));
}

std::string SyncEndToEnd::noise(std::size_t bytes) {
  std::mt19937_64 random(bytes);
  std::string text(bytes, '\0');
  for (auto& c : text) c = static_cast<char>(random());
  return text;
}

}  // namespace yonder::e2e
