#include <algorithm>

#include "fuzz/target.h"
#include "wire/frame.h"

// What a link and its outpost send each other. Cut anywhere, it is the same frames, and each of
// them, written again, is the bytes that it was read from.
namespace yonder::fuzz {
namespace {

struct Cut {
  std::string again;  // all frames, written again
  bool whole = true;  // no error
};

void look_into(const wire::Frame& frame) {
  if (const auto data = wire::parse_data(frame.payload)) {
    std::string again;
    wire::append_data(again, frame.stream, data->header, data->bytes);
    std::string same;
    wire::append_frame(same, wire::Kind::Data, frame.stream, frame.payload);
    require(again == same, "data is what it was read from");
  }
  if (const auto credit = wire::parse_credit(frame.payload)) {
    require(wire::encode_credit(*credit) == frame.payload, "credit is what it was read from");
  }
}

Cut cut_frames(std::string_view bytes, std::size_t piece) {
  Cut cut;
  wire::FrameParser parser;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    parser.feed(bytes.substr(0, piece));
    auto frame = parser.next();
    for (; frame && *frame; frame = parser.next()) {
      require((*frame)->payload.size() <= wire::kMaxPayload, "no payload is larger than allowed");
      wire::append_frame(cut.again, (*frame)->kind, (*frame)->stream, (*frame)->payload);
      look_into(**frame);
    }
    if (!frame) {
      cut.whole = false;
      return cut;
    }
  }
  return cut;
}

void frames(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t piece = 1 + pieces.byte() * 7;
  const Cut at_once = cut_frames(pieces.rest(), pieces.rest().size() + 1);
  const Cut bit_by_bit = cut_frames(pieces.rest(), piece);
  require(pieces.rest().starts_with(at_once.again), "frames are what they were read from");
  require(at_once.again == bit_by_bit.again, "where the bytes are cut makes no difference");
}

std::vector<std::string> sample_frames() {
  std::string bytes = "\x03";
  wire::append_message(bytes, wire::Kind::Request, 3, "a message");
  wire::append_data(bytes, 4, {.channel = wire::Channel::Err, .offset = 5}, "some bytes");
  wire::append_frame(bytes, wire::Kind::Credit, 5, wire::encode_credit(77));
  wire::append_frame(bytes, wire::Kind::Ping, 6, "");
  return {bytes};
}

const Registered kFrames("frames", frames, sample_frames);

}  // namespace
}  // namespace yonder::fuzz
