#pragma once

#include "ops/schema.h"

namespace yonder::ops {

// Pieces that the schemas of the file tools have in common.
inline Json with_place(const Json& properties, const Json& path) {
  Json all{{"remote_path", path}};
  all.update(properties);
  all["remote_path_base64"] =
      nullable("string", "Instead of remote_path, for names that are not UTF-8: a name_base64.");
  all["sandbox_name"] = with_default(typed("string", "Default: the active one."), "");
  return all;
}

inline Json path_property() {
  return typed("string", "Absolute, ~/..., or relative to the sandbox's directory.");
}

inline Json problem_list(const char* about) {
  return list_of(
      result_schema({{"path", typed("string", "Which.")}, {"reason", typed("string", "Why.")}}),
      about);
}

inline Json written_properties() {
  return Json{{"path", typed("string", "The file itself, absolute.")},
              {"through_link", nullable("string", "The link that led to it.")},
              {"created", typed("boolean", "It was not there before.")},
              {"size", typed("integer", "In bytes, now.")},
              {"hash", nullable("string", "Of the new content: the next expected_hash.")},
              {"mtime", typed("number", "Unix time over there.")},
              {"mode", typed("string", "Octal.")},
              {"trash_batch", nullable("string",
                                       "Where the old content is; "
                                       "restore_remote_files brings it back.")},
              {"warnings", list_of(Json{{"type", "string"}}, "What else should be known.")}};
}

}  // namespace yonder::ops
