#pragma once

#include <utility>
#include <variant>

#include "base/error.h"

namespace yonder {

struct Unit {};

// A value, or why there is none. Discarding one is a warning, and warnings are errors.
//
//   Result<Fd> open_log(const Path& path);
//   TRY_ASSIGN(Fd log, open_log(path));     // returns the error to our caller
//   TRY(write_all(log, line));
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};` both read well.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> : public Result<Unit> {
 public:
  Result() : Result<Unit>(Unit{}) {}
  Result(Error error) : Result<Unit>(std::move(error)) {}
};

}  // namespace yonder

#define YONDER_CAT_(a, b) a##b
#define YONDER_CAT(a, b) YONDER_CAT_(a, b)

#define TRY(expr)                                                     \
  do {                                                                \
    if (auto try_r = (expr); !try_r) return std::move(try_r).error(); \
  } while (false)

// Three statements: never the only body of an unbraced `if`.
#define TRY_ASSIGN(decl, expr) TRY_ASSIGN_(decl, expr, YONDER_CAT(try_r_, __LINE__))
#define TRY_ASSIGN_(decl, expr, tmp)       \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  decl = *std::move(tmp)
