#pragma once

#include <vector>

#include "ops/doctor_findings.h"

namespace yonder::ops {

// Pure: what a machine that has answered is like.
std::vector<Finding> findings_there(const Reached& reached);

// The middle one; 0 for none.
double median(std::vector<double> values);

}  // namespace yonder::ops
