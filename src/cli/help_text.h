#pragma once

#include <string>

namespace yonder::cli {

// The long texts, apart from the parser so that both can be read.
std::string top_help();
std::string exec_usage();
std::string exec_footer();
std::string hosts_footer();
std::string doctor_footer();
std::string login_footer();
std::string mcp_footer();
std::string completion_footer();

}  // namespace yonder::cli
