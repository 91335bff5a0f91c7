#include "fuzz/target.h"
#include "sync/base_record.h"
#include "sync/so_far.h"

// What an earlier sync has left on this machine, perhaps of another version, perhaps garbled.
namespace yonder::fuzz {
namespace {

void base_record(std::string_view bytes) {
  const auto record = sync::BaseRecord::unpack(bytes);
  if (!record) return;
  require(record->size() <= bytes.size(), "no entry is made of nothing");
  const auto again = sync::BaseRecord::unpack(record->pack());
  require(again.has_value(), "a record that was written here is read");
  require(again->entries() == record->entries(), "its entries are what they were");
  require(again->mounts() == record->mounts(), "its mounts are what they were");
  require(again->scanned_ns() == record->scanned_ns(), "its time is what it was");
  [[maybe_unused]] const auto below = record->below("a/");
}

void so_far(std::string_view bytes) {
  const auto done = sync::unpack_so_far(bytes);
  if (!done) return;
  const std::string packed = sync::pack(*done);
  const auto again = sync::unpack_so_far(packed);
  require(again && sync::pack(*again) == packed, "what was done is read as what it was");
}

void sync_record(std::string_view bytes) {
  base_record(bytes);
  so_far(bytes);
}

std::vector<std::string> sample_sync_records() {
  sync::BaseRecord record;
  record.set_scanned_ns(1700000000000000000);
  record.set_mounts({"", "m"});
  record.note("a/b", {{.exists = true, .size = 7, .mtime_ns = 5}, 4});
  record.note("a", tree::Seen{.exists = true, .type = tree::Type::Directory});
  record.read_earlier("a/b", 3);
  sync::SoFar so_far;
  so_far.report.files_sent = 3;
  so_far.report.warnings = {"w"};
  so_far.report.conflict_copies = {{"p", "c"}};
  so_far.cut = {{.act = sync::Act::Remove, .path = "r"}};
  so_far.unchanged = {5, 2};
  return {record.pack(), sync::pack(so_far)};
}

const Registered kSyncRecord("sync_record", sync_record, sample_sync_records);

}  // namespace
}  // namespace yonder::fuzz
