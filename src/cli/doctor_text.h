#pragma once

#include <string>

#include "ops/doctor.h"

namespace yonder::cli {

// Pure: a diagnosis for people, one group for each sandbox.
std::string doctor_text(const ops::Diagnosis& diagnosis, bool styled);

}  // namespace yonder::cli
