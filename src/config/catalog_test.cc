#include "config/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SandboxSpec ssh_spec(const std::string& name, const std::string& origin, const std::string& host) {
  SandboxSpec spec;
  spec.name = name;
  spec.host = host;
  spec.origin = origin;
  return spec;
}

struct Said {
  TomlSettings file;
  EnvironmentSettings environment;
  SshAliases aliases;

  Said& in_file(const std::string& name, const std::string& host = "10.0.0.5") {
    file.sandboxes.push_back(ssh_spec(name, "config.toml:3", host));
    return *this;
  }
  Said& in_environment(const std::string& name) {
    environment.sandboxes.push_back(ssh_spec(name, "REMOTE_HOST", name));
    return *this;
  }
  Said& alias(const std::string& name) {
    aliases.sandboxes.push_back(ssh_spec(name, "~/.ssh/config:7", name));
    return *this;
  }
  Said& active(const std::string& name) {
    file.active = name;
    file.active_origin = "config.toml:1";
    return *this;
  }
  Result<Catalog> build() const { return build_catalog(file, environment, aliases); }
};

std::vector<std::string> names(const Catalog& catalog) {
  std::vector<std::string> out;
  for (const auto& spec : catalog.sandboxes) out.push_back(spec.name);
  return out;
}

TEST(Catalog, HoldsOnlyLocalWhenNothingWasSaid) {
  const auto catalog = Said{}.build();
  ASSERT_TRUE(catalog);
  EXPECT_THAT(names(*catalog), ElementsAre("local"));
  EXPECT_EQ(catalog->sandboxes[0].backend, Backend::Local);
  EXPECT_EQ(catalog->active, "local");
}

TEST(Catalog, ChoosesTheActiveSandboxByWhoSaidIt) {
  EXPECT_EQ(Said{}.alias("a").in_file("f").in_file("g").build()->active, "f");
  EXPECT_EQ(Said{}.in_file("f").in_environment("e").in_environment("d").build()->active, "e");
  EXPECT_EQ(Said{}.in_file("f").in_environment("e").active("f").build()->active, "f");
  EXPECT_EQ(Said{}.in_environment("e").active("local").build()->active, "local");
  EXPECT_EQ(Said{}.alias("a").active("a").build()->active, "a");
}

TEST(Catalog, ImpliesThisMachineOnlyWhenNoOtherOneIsKnown) {
  EXPECT_TRUE(Said{}.build()->only_this_machine);
  EXPECT_EQ(Said{}.alias("a").build()->active, "");
  EXPECT_FALSE(Said{}.alias("a").build()->only_this_machine);
  EXPECT_FALSE(Said{}.in_environment("e").active("local").build()->only_this_machine);
  Said one;
  one.in_file("scratch").file.sandboxes[0].backend = Backend::Local;
  EXPECT_EQ(one.build()->active, "scratch");
  EXPECT_EQ(one.in_file("gpu1").build()->active, "");
}

TEST(Catalog, SaysWhichMachinesCanBeNamedWhenOneMustBe) {
  const Error error = name_one(*Said{}.alias("gpu1").alias("gpu2").build());
  EXPECT_EQ(error.code, Errc::InvalidArgument);
  EXPECT_EQ(error.message,
            "no sandbox was named and none is active; this machine is used only when it is named");
  EXPECT_EQ(error.hint,
            "name one: gpu1, gpu2, or local for this machine; `yonder use NAME` makes one the "
            "active one");
  Said many;
  for (int i = 0; i < 12; ++i) many.alias("m" + std::to_string(i));
  EXPECT_THAT(name_one(*many.build()).hint, HasSubstr("m7, 4 more (`yonder hosts`), or local"));
}

TEST(Catalog, RefusesAnActiveSandboxThatDoesNotExist) {
  const auto catalog = Said{}.in_file("gpu1").active("gpu2").build();
  ASSERT_FALSE(catalog);
  EXPECT_EQ(catalog.error().code, Errc::Config);
  EXPECT_EQ(catalog.error().message,
            "config.toml:1: \"active\" names \"gpu2\", and there is no such sandbox");
  EXPECT_EQ(catalog.error().hint, "did you mean \"gpu1\"? `yonder hosts` shows all");
}

TEST(Catalog, NamesBothOriginsOfANameThatIsUsedTwice) {
  const auto catalog = Said{}.in_file("gpu1").in_environment("gpu1").build();
  ASSERT_FALSE(catalog);
  EXPECT_EQ(catalog.error().code, Errc::Config);
  EXPECT_EQ(
      catalog.error().message,
      "two sandboxes have the name \"gpu1\": one is from config.toml:3, one from REMOTE_HOST");
  EXPECT_FALSE(Said{}.in_environment("a").in_environment("a").build());
}

TEST(Catalog, PrefersASettingToAnAliasWithoutAWord) {
  const auto catalog = Said{}.in_file("gpu1").alias("gpu1").alias("gpu2").build();
  ASSERT_TRUE(catalog);
  EXPECT_THAT(names(*catalog), ElementsAre("gpu1", "local", "gpu2"));
  EXPECT_EQ(catalog->sandboxes[0].origin, "config.toml:3");
  EXPECT_THAT(catalog->warnings, IsEmpty());
}

TEST(Catalog, LetsASettingTakeTheNameLocal) {
  const auto catalog = Said{}.in_file("local").build();
  ASSERT_TRUE(catalog);
  EXPECT_THAT(names(*catalog), ElementsAre("local"));
  EXPECT_EQ(catalog->sandboxes[0].backend, Backend::Ssh);
}

TEST(Catalog, SaysThatAnAliasNamedLocalIsHidden) {
  const auto catalog = Said{}.alias("local").build();
  ASSERT_TRUE(catalog);
  EXPECT_EQ(find_in(*catalog, "local")->backend, Backend::Local);
  EXPECT_EQ(find_in(*catalog, "ssh://local")->host, "local");
  ASSERT_EQ(catalog->warnings.size(), 1U);
  EXPECT_THAT(catalog->warnings[0], HasSubstr("reached as ssh://local"));
}

TEST(Find, KnowsSettingsAliasesAndAddresses) {
  const auto catalog = Said{}.in_file("gpu1").alias("gpu2").build();
  ASSERT_TRUE(catalog);
  EXPECT_EQ(find_in(*catalog, "gpu1")->origin, "config.toml:3");
  EXPECT_EQ(find_in(*catalog, "gpu2")->host, "gpu2");
  const auto address = find_in(*catalog, "me@gpu2:22");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->name, "me@gpu2:22");
  EXPECT_EQ(address->backend, Backend::Ssh);
  EXPECT_EQ(address->host_keys, HostKeyPolicy::UserSettings);
}

TEST(Find, NamesTheNearestForAnUnknownNameAndNeverGuesses) {
  const auto catalog = Said{}.in_file("gpu-box").build();
  ASSERT_TRUE(catalog);
  const auto near = find_in(*catalog, "gpu-bux");
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().code, Errc::NotFound);
  EXPECT_EQ(near.error().message, "no sandbox is named \"gpu-bux\"");
  EXPECT_THAT(near.error().hint, HasSubstr("did you mean \"gpu-box\"? `yonder hosts` shows all"));
  for (const char* name : {"", "10.0.0.5", "nothing\nlike it", "-x"}) {
    const auto found = find_in(*catalog, name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, Errc::NotFound) << name;
    EXPECT_THAT(found.error().hint, HasSubstr("yonder hosts")) << name;
  }
  EXPECT_EQ(find_in(*catalog, "me@-oProxyCommand=x").error().code, Errc::InvalidArgument);
}

TEST(Find, RefusesAPasswordInAnAddressAndDoesNotRepeatIt) {
  const auto catalog = Said{}.build();
  ASSERT_TRUE(catalog);
  for (const char* name :
       {"ssh://u:hunter2@gpu1", "u:hunter2@gpu1", "ssh://u:hunter2@gpu1:22/", "u:hunter2@ss@gpu1",
        "ssh://:hunter2@gpu1", "ssh://u:hunter2@", "u:hunter2@-x"}) {
    const auto refused = find_in(*catalog, name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Errc::InvalidArgument) << name;
    EXPECT_THAT(refused.error().message, HasSubstr("holds a password")) << name;
    EXPECT_EQ((refused.error().message + refused.error().hint).find("hunter2"), std::string::npos);
  }
}

TEST(Find, SaysThatAutoIsOnlyForWorkThatIsStarted) {
  const auto catalog = Said{}.in_file("gpu-box").build();
  ASSERT_TRUE(catalog);
  const auto any = find_in(*catalog, "auto");
  ASSERT_FALSE(any);
  EXPECT_EQ(any.error().code, Errc::InvalidArgument);
  EXPECT_THAT(any.error().message, HasSubstr("here one must be named"));
  EXPECT_THAT(any.error().hint, HasSubstr("yonder hosts"));
}

TEST(Find, RefusesAnAddressMadeOfTheNameOfASettingForAnotherHost) {
  const auto catalog = Said{}.in_file("gpu1", "10.0.0.5").in_file("gpu2", "gpu2").build();
  ASSERT_TRUE(catalog);
  const auto refused = find_in(*catalog, "root@gpu1");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("ssh://root@gpu1"));
  const auto meant = find_in(*catalog, "ssh://root@gpu1");
  ASSERT_TRUE(meant);
  EXPECT_EQ(meant->host, "gpu1");
  EXPECT_TRUE(find_in(*catalog, meant->name)) << meant->name;
  EXPECT_TRUE(find_in(*catalog, "root@gpu2"));
}

}  // namespace
}  // namespace yonder::config
