#include "sandbox/fast_ciphers.h"

#include <gtest/gtest.h>

namespace yonder::sandbox {
namespace {

TEST(FastCiphers, TheAesOnesComeFirstAndNothingElseChanges) {
  EXPECT_EQ(faster_order("chacha20-poly1305@openssh.com,aes128-ctr,aes128-gcm@openssh.com,"
                         "aes256-gcm@openssh.com"),
            "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
            "aes128-ctr");
}

TEST(FastCiphers, WhatTheUserHasLeftOutStaysOut) {
  EXPECT_EQ(faster_order("chacha20-poly1305@openssh.com"), "");
  EXPECT_EQ(faster_order("aes256-gcm@openssh.com,aes128-ctr"), "");
  EXPECT_EQ(faster_order(""), "");
}

}  // namespace
}  // namespace yonder::sandbox
