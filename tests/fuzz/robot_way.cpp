// Takes bytes as a robot file all the way.
#include "fuzz/robot_way.hpp"

#include <memory>

#include "fuzz/whole_way.hpp"
#include "lang/lang.hpp"
#include "lang/text/words.hpp"
#include "robot/load.hpp"
#include "robot/write_model.hpp"

namespace lacon {

std::string broken_robot_property(const std::string& bytes, const std::string& folder) {
    Diagnostics diagnostics;
    const auto file = std::make_shared<const SourceText>(folder + "/robot", bytes);
    const auto robot = load_robot_text(file, folder, RobotRoot::as_usual, diagnostics);
    if (robot.has_value() == diagnostics.has_errors())
        return "a robot with errors, or none without";
    if (!robot) return render(diagnostics, *file).empty() ? "refused without a report" : "";
    WriteOptions options;
    options.is_reserved = lang::is_reserved;
    const std::string text = write_model(*robot, options).text;
    Diagnostics of_text;
    if (!format_model(SourceText("model", text), of_text)) return "it writes what does not parse";
    return broken_property(text);
}

}  // namespace lacon
