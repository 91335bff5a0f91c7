#include "wire/messages.h"

#include <array>

#include "base/id.h"
#include "wire/archive.h"
#include "wire/file_fields.h"
#include "wire/message_fields.h"
#include "wire/resource_fields.h"

namespace yonder::wire {

namespace {

struct WireError {
  std::string code;
  std::string message;
  std::string hint;
};

template <class A>
void fields(A& a, WireError& m) {
  a("code", m.code);
  a("message", m.message);
  a("hint", m.hint);
}

// Answers show it as an id of ours, on terminals too: it has to be one.
Result<void> check_run_id(const std::string& id) {
  if (id.empty() || parse_run_id(id)) return {};
  return Error{Errc::Protocol, "message: field 'run_id' is no run id", ""};
}

// One name for each alternative of AnyRequest, in their order.
constexpr std::array<const char*, 20> kOperations{
    "start",          "follow",     "stop",          "probe",     "read_log",
    "list",           "remove",     "tree",          "file_list", "file_read",
    "file_write",     "file_edit",  "file_search",   "file_move", "file_delete",
    "make_directory", "trash_list", "trash_restore", "resources", "trash_empty"};
static_assert(kOperations.size() == std::variant_size_v<AnyRequest>);

template <std::size_t I = 0>
Result<AnyRequest> decode_operation(std::string_view operation, const CborItem& item) {
  if constexpr (I == std::variant_size_v<AnyRequest>) {
    return Error{Errc::Protocol, "message: unknown operation", ""};
  } else {
    if (operation != kOperations.at(I)) return decode_operation<I + 1>(operation, item);
    using Alternative = std::variant_alternative_t<I, AnyRequest>;
    TRY_ASSIGN(auto request, from_item<Alternative>(item));
    return AnyRequest(std::move(request));
  }
}

}  // namespace

std::string encode(const Hello& hello) {
  return to_cbor(hello);
}
std::string encode(const RunFacts& facts) {
  return to_cbor(facts);
}
std::string encode(const ProbeReply& reply) {
  return to_cbor(reply);
}
std::string encode(const StartRequest& spec) {
  return to_cbor(spec);
}
std::string encode(const ExitRecord& record) {
  return to_cbor(record);
}
std::string encode(const AliveRecord& record) {
  return to_cbor(record);
}
std::string encode(const StartedNote& note) {
  return to_cbor(note);
}
std::string encode(const LogReply& reply) {
  return to_cbor(reply);
}
std::string encode(const ListReply& reply) {
  return to_cbor(reply);
}

std::string encode(const WaitingRecord& record) {
  return to_cbor(record);
}
std::string encode(const GpuClaim& claim) {
  return to_cbor(claim);
}
std::string encode(const PackedRecord& record) {
  return to_cbor(record);
}
std::string encode(const TakenNote& note) {
  return to_cbor(note);
}
std::string encode(const resources::MachineFacts& facts) {
  return to_cbor(facts);
}

std::string encode(const AnyRequest& request) {
  Writer writer;
  std::string operation = kOperations.at(request.index());
  writer("op", operation);
  std::visit(
      [&](const auto& message) {
        using Message = std::remove_const_t<std::remove_reference_t<decltype(message)>>;
        fields(writer, const_cast<Message&>(message));
      },
      request);
  return writer.take();
}

std::string encode(const Error& error) {
  return to_cbor(WireError{std::string(name_of(error.code)), error.message, error.hint});
}

Result<Hello> decode_hello(std::string_view cbor) {
  return from_cbor<Hello>(cbor);
}
Result<RunFacts> decode_facts(std::string_view cbor) {
  TRY_ASSIGN(auto facts, from_cbor<RunFacts>(cbor));
  TRY(check_run_id(facts.run_id));
  return facts;
}
Result<ProbeReply> decode_probe(std::string_view cbor) {
  return from_cbor<ProbeReply>(cbor);
}
Result<StartRequest> decode_spec(std::string_view cbor) {
  return from_cbor<StartRequest>(cbor, Missing::KeepsItsDefault);
}
// What lies on a disk may have been written by an older build, but this it must say.
template <class T>
static Result<T> from_record(std::string_view cbor, std::initializer_list<const char*> needed) {
  TRY_ASSIGN(const CborItem item, parse_cbor(cbor));
  Reader reader(item);
  for (const char* name : needed) {
    if (reader.find(name) != nullptr) continue;
    return Error{Errc::Protocol, concat("message: field '", name, "' is missing"), ""};
  }
  return from_item<T>(item, Missing::KeepsItsDefault);
}

Result<ExitRecord> decode_exit(std::string_view cbor) {
  return from_record<ExitRecord>(cbor, {"cause"});
}
Result<AliveRecord> decode_alive(std::string_view cbor) {
  return from_record<AliveRecord>(cbor, {"boot_id", "supervisor", "command"});
}
Result<StartedNote> decode_started(std::string_view cbor) {
  return from_cbor<StartedNote>(cbor);  // who started the run looks at the id
}
Result<LogReply> decode_log(std::string_view cbor) {
  TRY_ASSIGN(auto reply, from_cbor<LogReply>(cbor));
  if (reply.run) TRY(check_run_id(reply.run->run_id));
  return reply;
}
Result<ListReply> decode_list(std::string_view cbor) {
  TRY_ASSIGN(auto reply, from_cbor<ListReply>(cbor));
  for (const RunFacts& run : reply.runs) TRY(check_run_id(run.run_id));
  return reply;
}

Result<WaitingRecord> decode_waiting(std::string_view cbor) {
  return from_record<WaitingRecord>(cbor, {"boot_id"});
}
Result<GpuClaim> decode_claim(std::string_view cbor) {
  return from_record<GpuClaim>(cbor, {"run_id", "held", "suitable"});
}
Result<PackedRecord> decode_packed(std::string_view cbor) {
  return from_record<PackedRecord>(cbor, {"spec", "exit", "out", "err"});
}
Result<TakenNote> decode_taken(std::string_view cbor) {
  return from_cbor<TakenNote>(cbor);
}
Result<resources::MachineFacts> decode_resources(std::string_view cbor) {
  return from_cbor<resources::MachineFacts>(cbor);
}

Result<AnyRequest> decode_request(std::string_view cbor) {
  TRY_ASSIGN(const CborItem item, parse_cbor(cbor));
  Reader reader(item);
  const CborItem* operation = reader.find("op");
  if (operation == nullptr || !operation->text()) {
    return Error{Errc::Protocol, "message: a request without its operation", ""};
  }
  return decode_operation(*operation->text(), item);
}

Error decode_error(std::string_view cbor) {
  auto error = from_cbor<WireError>(cbor);
  if (!error) return error.error();
  return Error{errc_from_name(error->code), error->message, error->hint};
}

}  // namespace yonder::wire
