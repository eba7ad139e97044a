// What the documents show is what the program prints, and the models they quote are those of
// models/.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

const std::string root = LACON_SOURCE_DIR;
const std::vector<std::string> documents = {"README.md", "docs/language.md", "docs/contact.md",
                                            "docs/control.md", "docs/diagnosis.md",
                                            "docs/shapes.md"};

std::string contents_of(const std::string& path) {
    std::ifstream file(root + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The texts between ``` and ```.
std::vector<std::string> fenced_blocks(const std::string& document) {
    std::vector<std::string> blocks;
    std::istringstream text(contents_of(document));
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("```")) {
            inside = !inside;
            if (inside) blocks.emplace_back();
        } else if (inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

struct Shown {
    std::string arguments;  // of lacon
    std::string output;
};

/// "$ lacon …" or "$ build/lacon …" and the lines below it.
std::vector<Shown> commands_in(const std::string& document) {
    static const std::regex prompt(R"(\$ (?:build/)?lacon (.*))");
    std::vector<Shown> shown;
    for (const std::string& block : fenced_blocks(document)) {
        bool open = false;
        std::istringstream text(block);
        for (std::string line; std::getline(text, line);) {
            if (std::smatch match; std::regex_match(line, match, prompt)) {
                shown.push_back({match[1], ""});
                open = true;
            } else if (open) {
                shown.back().output += line + "\n";
            }
        }
    }
    return shown;
}

std::string printed_by_lacon(const std::string& arguments, int& status) {
    const std::string line = "cd '" + root + "' && '" LACON_PROGRAM "' " + arguments;
    FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return "cannot run " + line;
    std::string text;
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        text.append(buffer.data(), n);
    status = pclose(pipe);
    return text;
}

/// Less what differs between machines: the gap of a rank that rows fall short of (a ratio to
/// rounding errors), numbers that are all rounding, and the steps and time a run took.
std::string without_noise(std::string text) {
    text = std::regex_replace(text, std::regex(R"(\(gap [^)]*\))"), "(gap)");
    text = std::regex_replace(text, std::regex(R"([0-9.]+e-1[0-9])"), "(rounding)");
    return std::regex_replace(text, std::regex(R"(  work  [^\n]*\n)"), "");
}

TEST(Documents, ShowWhatTheProgramPrints) {
    for (const std::string& document : documents) {
        const std::vector<Shown> commands = commands_in(document);
        EXPECT_FALSE(commands.empty()) << document << " shows no command";
        for (const Shown& shown : commands) {
            int status = -1;
            const std::string printed = printed_by_lacon(shown.arguments, status);
            EXPECT_EQ(status, 0) << document << ": lacon " << shown.arguments;
            if (shown.output.empty()) continue;
            EXPECT_EQ(without_noise(printed), without_noise(shown.output)) << document;
        }
    }
}

TEST(Documents, QuoteTheModelsAsTheyAre) {
    for (const auto& [document, file] : {std::pair{"README.md", "spinning_wire.lac"},
                                         std::pair{"docs/language.md", "pendulum.lac"}}) {
        const std::string text = contents_of(std::string("models/") + file);
        const std::string statements = text.substr(text.find("\nmodel ") + 1);
        bool quoted = false;
        for (const std::string& block : fenced_blocks(document))
            quoted = quoted || block == statements;
        EXPECT_TRUE(quoted) << document << " does not quote " << file << " as it is";
    }
}

}  // namespace
