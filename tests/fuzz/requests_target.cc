#include "fuzz/again.h"
#include "wire/cbor.h"
#include "wire/file_samples_test.h"
#include "wire/messages.h"
#include "wire/samples_test.h"

// What an outpost is asked for.
namespace yonder::fuzz {
namespace {

void requests(std::string_view bytes) {
  const bool shaped = wire::check_cbor_shape(bytes).has_value();
  require(shaped || !wire::decode_request(bytes), "only what has the shape of CBOR is read");
  same_again(
      bytes, [](std::string_view cbor) { return wire::decode_request(cbor); },
      [](const wire::AnyRequest& request) { return wire::encode(request); });
}

std::vector<std::string> sample_requests() {
  using wire::AnyRequest;
  return {wire::encode(AnyRequest(wire::sample_start())),
          wire::encode(AnyRequest(wire::sample_follow_request())),
          wire::encode(AnyRequest(wire::sample_stop())),
          wire::encode(AnyRequest(wire::ProbeRequest{})),
          wire::encode(AnyRequest(wire::sample_read_log())),
          wire::encode(AnyRequest(wire::sample_list())),
          wire::encode(AnyRequest(wire::sample_remove())),
          wire::encode(AnyRequest(wire::TreeRequest{})),
          wire::encode(AnyRequest(wire::sample_resources_request())),
          wire::encode(AnyRequest(wire::sample_file_list())),
          wire::encode(AnyRequest(wire::sample_file_read())),
          wire::encode(AnyRequest(wire::sample_file_write())),
          wire::encode(AnyRequest(wire::sample_file_edit())),
          wire::encode(AnyRequest(wire::sample_file_search())),
          wire::encode(AnyRequest(wire::sample_file_move())),
          wire::encode(AnyRequest(wire::sample_file_delete())),
          wire::encode(AnyRequest(wire::sample_make_directory())),
          wire::encode(AnyRequest(wire::sample_trash())),
          wire::encode(AnyRequest(wire::sample_restore()))};
}

const Registered kRequests("requests", requests, sample_requests);

}  // namespace
}  // namespace yonder::fuzz
