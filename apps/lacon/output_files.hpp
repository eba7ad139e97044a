// Checks on the files that a command will write, made before anything is computed.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

/// What a command is about to write: nothing that it reads is lost, and there is room for it.
namespace lacon::app {

/// A file by the option that names it ("--out"), or in words ("the model"). Files without a path
/// are none.
struct UsedFile {
    std::string what, path;
};

/// Throws Stop where a file to be written is one that is read, or is written twice; by links too.
/// Touches nothing.
void check_outputs(const std::string& model, const std::vector<UsedFile>& written,
                   const std::vector<UsedFile>& read);

/// The model's file and those that it reads.
std::vector<UsedFile> files_of(const DerivedModel& details);

/// A table as it will be.
struct TableSize {
    double columns = 0.0, rows = 0.0;

    /// About, for the format of the file.
    double bytes(const std::string& file) const;
};
/// Throws Stop where a table will not fit on the disk of the file `out`, which it replaces; `have`
/// bytes of it are there already and stay.
void check_room(const std::string& model, const std::string& out, const TableSize& size,
                double have = 0.0);
/// A sentence where the file becomes very large; empty where not.
std::string large_file_warning(const std::string& out, const TableSize& size);

}  // namespace lacon::app
