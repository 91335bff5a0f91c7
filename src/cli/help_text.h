#pragma once

#include <string>

namespace yonder::cli {

// The long texts, apart from the parser so that both can be read.
std::string top_help();
// For a first look: fits a screen of 24 lines.
std::string short_help();
// By hand, where the library would say too little; else empty.
std::string usage_of(const std::string& command);
// The same for the commands about files.
std::string usage_of_files(const std::string& command);
std::string exec_footer();
std::string run_footer();
std::string ps_footer();
std::string logs_footer();
std::string wait_footer();
std::string stop_footer();
std::string attach_footer();
std::string rm_footer();
std::string ls_footer();
std::string cat_footer();
std::string write_footer();
std::string edit_footer();
std::string grep_footer();
std::string restore_footer();
std::string trash_footer();
std::string push_footer();
std::string pull_footer();
std::string transfers_footer();
std::string git_sync_footer();
std::string hosts_footer();
std::string use_footer();
std::string add_footer();
std::string remove_footer();
std::string gpus_footer();
std::string top_footer();
std::string doctor_footer();
std::string login_footer();
std::string mcp_footer();
std::string completion_footer();

}  // namespace yonder::cli
