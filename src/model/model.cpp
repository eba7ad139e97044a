#include "model/model.hpp"

namespace lacon {

std::string Model::display_name() const {
    if (!title.empty()) return title;
    std::string name = source.name();
    if (const auto slash = name.find_last_of('/'); slash != std::string::npos) name.erase(0, slash + 1);
    if (const auto dot = name.find_last_of('.'); dot != std::string::npos && dot > 0) name.erase(dot);
    return name;
}

}  // namespace lacon
