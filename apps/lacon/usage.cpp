// Suggests what was probably meant: names from other programs (-o, --dt), longer or shorter forms,
// the nearest name, or the command that has the option.
#include "usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <utility>

#include "base/text.hpp"

namespace lacon::app {

namespace {

using Names = std::vector<std::string>;

Names command_names(const CLI::App& app) {
    Names names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands({}))
        if (command->get_name() == name) return command;
    return nullptr;
}

/// "--tol", "-i": all ways to write the options of a command.
Names option_names(const CLI::App& command) {
    Names names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What other programs call these options.
constexpr std::array elsewhere{std::pair{"-o", "--out"},
                               std::pair{"--dt", "--every"},
                               std::pair{"--param", "--set"},
                               std::pair{"-p", "--set"},
                               std::pair{"--end", "--t-end"},
                               std::pair{"--tend", "--t-end"},
                               std::pair{"--integrator", "--method"},
                               std::pair{"--solver-method", "--method"}};

/// The option that was probably meant: known elsewhere by that name, longer or shorter
/// ("--tolerance"), or a slip of the fingers.
std::optional<std::string> meant(const std::string& given, const Names& options) {
    for (const auto& [theirs, ours] : elsewhere)
        if (given == theirs && contains(options, ours)) return ours;
    constexpr std::size_t telling = 4;  // characters, dashes included
    std::optional<std::string> longest;
    for (const std::string& option : options) {
        const bool related = option.size() >= telling && given.size() >= telling &&
                             (given.starts_with(option) || option.starts_with(given));
        if (related && (!longest || option.size() > longest->size())) longest = option;
    }
    return longest ? longest : nearest_name(given, options);
}

std::string unknown_option(const CLI::App& app, const CLI::App& command, const std::string& given) {
    const std::string name = given.substr(0, given.find('='));
    const std::string where = command.get_name();
    if (const auto near = meant(name, option_names(command)))
        return fmt::format("lacon {}: there is no option '{}'; did you mean '{}'?\n", where, name,
                           *near);
    Names others;
    for (const CLI::App* other : app.get_subcommands({}))
        if (contains(option_names(*other), name)) others.push_back(other->get_name());
    if (!others.empty())
        return fmt::format("lacon {}: there is no option '{}'; it belongs to {}\n", where, name,
                           quoted_list(others));
    return fmt::format("lacon {}: there is no option '{}'\n", where, name);
}

std::string unknown_command(const CLI::App& app, const std::string& given) {
    const Names names = command_names(app);
    std::string hint;
    if (given.ends_with(".lac")) hint = fmt::format("; did you mean 'lacon run {}'?", given);
    else if (const auto near = nearest_name(given, names))
        hint = fmt::format("; did you mean '{}'?", *near);
    return fmt::format("lacon: there is no command '{}'{}\nCommands: {}\n", given, hint,
                       fmt::join(names, ", "));
}

/// "Run 'lacon run --help' for the options."
std::string pointer(const std::string& command) {
    return fmt::format("Run 'lacon {}--help' for the options.\n",
                       command.empty() ? "" : command + " ");
}

constexpr std::size_t help_column = 26, help_width = 100;

/// The lines of a text, none wider than a help text if it has spaces to break at. Descriptions of
/// options stay in their column.
std::string wrapped(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t indent = line.starts_with("  ") ? help_column : 0;
        while (line.size() > help_width) {
            const std::size_t space = line.rfind(' ', help_width);
            if (space == std::string::npos || space <= indent) break;
            out += line.substr(0, space) + "\n";
            line = std::string(indent, ' ') + line.substr(space + 1);
        }
        out += line + "\n";
    }
    return out;
}

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        return wrapped(CLI::Formatter::make_help(app, std::move(name), mode));
    }
};

}  // namespace

std::string usage_error(const CLI::App& app, const std::vector<std::string>& arguments,
                        const std::string& reason) {
    const auto first = std::find_if(arguments.begin(), arguments.end(),
                                    [](const auto& text) { return !text.starts_with('-'); });
    const CLI::App* command = first == arguments.end() ? nullptr : command_named(app, *first);
    if (first == arguments.begin() && first != arguments.end() && !command)
        return unknown_command(app, *first);
    const Names left = app.remaining(true);
    if (!command) {
        const auto near = left.empty() ? std::nullopt : meant(left.front(), option_names(app));
        return near ? fmt::format("lacon: there is no option '{}'; did you mean '{}'?\n{}",
                                  left.front(), *near, pointer(""))
                    : fmt::format("lacon: {}\n{}", reason, pointer(""));
    }
    const auto option = std::find_if(left.begin(), left.end(),
                                     [](const auto& text) { return text.starts_with('-'); });
    if (option != left.end())
        return unknown_option(app, *command, *option) + pointer(command->get_name());
    if (!left.empty())
        return fmt::format("lacon {}: unexpected argument '{}'\n{}", command->get_name(),
                           left.front(), pointer(command->get_name()));
    return fmt::format("lacon {}: {}\n{}", command->get_name(), reason,
                       pointer(command->get_name()));
}

void set_help_layout(CLI::App& app) {
    app.formatter(std::make_shared<HelpFormatter>());
    app.get_formatter()->column_width(help_column);
}

int run_help(const CLI::App& app, const std::string& topic) {
    if (topic.empty()) {
        fmt::print("{}", app.help());
        return exit_done;
    }
    const CLI::App* command = command_named(app, topic);
    if (!command) throw Stop{exit_bad_input, unknown_command(app, topic), {}};
    fmt::print("{}", command->help("lacon"));
    return exit_done;
}

}  // namespace lacon::app
