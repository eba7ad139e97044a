// Tests whether two paths name the same file, and replaces a file so that it is never half written.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

/// Files as the system sees them: which names are one file, and how a whole one takes the place of
/// another.
namespace lacon::inline base {

/// A file that cannot be written; the message is a whole sentence with its name and the system's
/// reason.
class FileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Whether two names lead to one file: by links of either kind, or, where none is there yet, by the
/// same place in the same folder.
bool same_file(const std::string& a, const std::string& b);

/// Puts `text` in the place of what is in the file: written beside it under a name of its own, then
/// renamed, so that a kill or a full disk leaves the old file whole. Links are followed; what is no
/// plain file (a device, a pipe) is written to as it is. Throws FileError, and leaves nothing
/// behind then.
void replace_file(const std::string& path, std::string_view text);

/// Throws FileError where replace_file could not even begin: no such folder, no right to write
/// there. Touches no file.
void check_replaceable(const std::string& path);

}  // namespace lacon::base
