#pragma once

#include <string>

namespace yonder::ops {

// Pure: the shell program that finds what is in the way of a checkout. It runs at the top of the
// checkout, with `safe` and `commit` set; its arguments are the records of `git diff-tree -z --raw`
// in pairs. It prints, each with a NUL, the paths that the checkout would overwrite or remove and
// that git does not have. One that ends in a slash is a repository with anything in it, a
// submodule's too. A path may come more than once.
std::string git_way_script();

}  // namespace yonder::ops
