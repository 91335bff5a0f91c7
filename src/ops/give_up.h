#pragma once

#include "ops/engine.h"

namespace yonder::ops {

// Either of two reasons to give up.
class EitherToken {
 public:
  EitherToken(const CancelToken& one, const CancelToken& other)
      : on_one_(one.on_cancel([this] { source_.cancel(); })),
        on_other_(other.on_cancel([this] { source_.cancel(); })) {}
  EitherToken(const EitherToken&) = delete;
  EitherToken& operator=(const EitherToken&) = delete;

  CancelToken token() const { return source_.token(); }

 private:
  CancelSource source_;
  CancelToken::Registration on_one_;
  CancelToken::Registration on_other_;
};

// For operations that only look: whether the client cancels the call or goes away is all the same
// to them.
class GiveUp : public EitherToken {
 public:
  explicit GiveUp(const CallContext& context) : EitherToken(context.cancel, context.detach) {}
};

// For operations that change something: what a client has asked for is done, though it may have
// gone since.
class SeeThrough : public EitherToken {
 public:
  explicit SeeThrough(const CallContext& context) : EitherToken(context.cancel, context.abandon) {}
};

}  // namespace yonder::ops
