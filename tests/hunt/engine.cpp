// Asks the engine for an evaluation of a model text.
#include "hunt/engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace hunt {
namespace {

/// A folder that is gone when this is.
struct Folder {
    Folder()
        : path(std::filesystem::temp_directory_path() /
               ("lacon-hunt-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path;
};

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

void write_model(const Model& model, const Plan& plan, const std::string& folder) {
    const std::filesystem::path path(folder);
    std::filesystem::create_directories(path);
    std::ofstream(path / "model.lac") << text_of(model, plan.wording);
    for (const Table& table : model.tables)
        std::ofstream(path / (table.name + ".csv")) << csv_of(table);
}

Engine::Engine(const Model& model, const Plan& plan) {
    try {
        if (model.tables.empty()) {
            mechanism = lacon::Mechanism::parse(text_of(model, plan.wording));
        } else {
            const Folder folder;
            write_model(model, plan, folder.path.string());
            mechanism = lacon::Mechanism::load((folder.path / "model.lac").string());
        }
    } catch (const std::exception& error) {
        why = error.what();
    }
}

Order order_of(const Model& model, const lacon::Mechanism& mechanism) {
    Order order;
    for (const std::string& name : model.names)
        order.coordinate.push_back(place_of(mechanism.coordinates(), name));
    for (const auto& row : model.rows)
        order.row.push_back(place_of(mechanism.constraints(), row.name));
    return order;
}

}  // namespace hunt
