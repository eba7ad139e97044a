// The interface of the language room: read a model, format it, read values of the command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "lacon/mechanism.hpp"
#include "lang/evaluate/limits.hpp"
#include "model/model.hpp"
#include "model/picture_notes.hpp"
#include "robot/import.hpp"

/// Text → Model: the language of docs/language.md.
namespace lacon::lang {

/// A setting that names no parameter, and the parameter it may have meant.
struct UnknownSetting {
    std::string name;
    std::optional<std::string> nearest;
};

struct Parsed {
    std::optional<Model> model;  // present when there were no errors
    Diagnostics diagnostics;     // about the text
    std::vector<UnknownSetting> unknown_settings;
};

/// Parses and elaborates a model. A setting that names no parameter is an error of the caller, who
/// finds it in `unknown_settings`; the model is built as if it were not there. Never throws for
/// what a text may contain.
/// With `notes`, what pictures show of the model is noted there.
Parsed parse_model(const SourceText& source, const Settings& settings = {},
                   const Limits& limits = {}, PictureNotes* notes = nullptr);

/// The parameters of a model's text alone, with values from outside: as parse_model gives them.
std::vector<Parameter> parameters_of(const SourceText& source, const Settings& settings,
                                     Diagnostics& diagnostics);

/// The text in canonical form: spacing, one blank line at most, comments and line breaks kept.
/// Idempotent; nothing where the text has errors of syntax (they are in `diagnostics`).
std::optional<std::string> format_model(const SourceText& source, Diagnostics& diagnostics);

/// A robot file as the text of a model of its own. Throws std::runtime_error where it cannot be
/// read; the text is empty where it has errors.
ImportedText convert_robot(const std::string& path, ImportOptions options,
                           Diagnostics& diagnostics);

/// The value of an expression of numbers and the model's parameters given on the command line
/// ("pi/2", "2*L"). On failure the diagnostics refer to `source`.
std::optional<double> parse_value(const SourceText& source, const Model& model,
                                  Diagnostics& diagnostics);

/// "x=1, y[2]'=pi/3": what `--at` and `--start` take. Names are coordinates, their derivatives
/// (`x'`) or `t`; `~` marks a guess, where guesses are allowed.
struct Assignment {
    std::string name;  // as in CSV headers: "x", "x[1]'", "t"
    double value = 0.0;
    bool guess = false;
    Span span;
};
std::optional<std::vector<Assignment>> parse_assignments(const SourceText& source,
                                                         const Model& model,
                                                         Diagnostics& diagnostics,
                                                         bool with_guesses = true);

}  // namespace lacon::lang

namespace lacon {
using lang::Assignment;
using lang::convert_robot;
using lang::format_model;
using lang::parameters_of;
using lang::parse_assignments;
using lang::parse_model;
using lang::parse_value;
using lang::Parsed;
using lang::UnknownSetting;
}  // namespace lacon
