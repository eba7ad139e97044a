// ./dev hunt MINUTES: random models of every kind against independent ways to the same numbers.
// docs/hunt.md says what is tried.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "hunt/engine.hpp"
#include "hunt/isolated.hpp"
#include "hunt/kinds.hpp"

namespace hunt {
namespace {

constexpr int most_shrunk = 3;  // of a kind: shrinking takes its time
constexpr int most_kept = 20;   // of a kind

struct Options {
    double minutes = 1.0;
    std::uint64_t seed = 1;
    std::uint64_t first = 0, cases = 0;  // numbers of cases of each kind; 0: as the minutes allow
    std::vector<std::string> kinds;      // none: all
    std::string out = "build/hunt/found";
    bool shrink = true, list = false, show = false;
};

struct Count {
    std::size_t agreed = 0, refused = 0, failed = 0, unsuited = 0;
    double worst = 0.0;  // error beside the allowed one, of what agreed
    std::map<std::string, std::size_t> reasons;
    std::size_t tried() const { return agreed + refused + failed + unsuited; }
};

/// The reason without its numbers and names, for counting.
std::string in_short(const std::string& message) {
    std::string line = message.substr(0, message.find('\n')), all;
    bool in_number = false, in_name = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char letter = line[i];
        if (letter == '\'' && !in_name && (i == 0 || line[i - 1] == ' ')) {
            in_name = true;
            all += "'…";
        } else if (letter == '\'' && in_name &&
                   (i + 1 == line.size() ||
                    std::isalnum(static_cast<unsigned char>(line[i + 1])) == 0)) {
            in_name = false;
        }
        if (in_name) continue;
        const bool digit =
            std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
            (in_number && (letter == '.' || letter == 'e' || letter == '-' || letter == '+'));
        if (!digit) all += letter;
        else if (!in_number) all += "#";
        in_number = digit;
    }
    return all.substr(0, 160);
}

/// What failed, so that a case that is made small does not end as one that fails otherwise.
std::string first_words(const std::string& what) {
    return what.substr(0, what.find(' ', what.find(' ') + 1));
}

class Hunt {
public:
    explicit Hunt(Options options) : options_(std::move(options)) {
        for (const CaseKind& kind : all_kinds())
            if (options_.kinds.empty() || std::ranges::count(options_.kinds, kind.name) > 0)
                kinds_.push_back(kind);
        for (const std::string& name : options_.kinds)
            if (std::ranges::count(kinds_, name, &CaseKind::name) == 0)
                throw std::invalid_argument("there is no kind '" + name +
                                            "'; --list shows the kinds");
    }

    int run() {
        for (std::uint64_t number = options_.first; !is_over(number); ++number)
            for (const CaseKind& kind : kinds_) {
                if (options_.cases == 0 && minutes() >= options_.minutes) break;
                try_case(kind, number);
            }
        report();
        return failures_ == 0 ? 0 : 1;
    }

private:
    double minutes() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() /
               60.0;
    }
    bool is_over(std::uint64_t number) const {
        return options_.cases > 0 ? number >= options_.first + options_.cases
                                  : minutes() >= options_.minutes;
    }

    void try_case(const CaseKind& kind, std::uint64_t number) {
        const Case one = make_case(kind, options_.seed, number);
        if (options_.show)
            fmt::print("# {} {}: {}\n{}\n", kind.name, number, command_of(one),
                       text_of(varied(one), one.plan.wording));
        const Verdict verdict = check_isolated(one);
        Count& count = counts_[kind.name];
        if (options_.show)
            fmt::print("# {}: {} (error {:.2g}, allowed {:.2g})\n\n", name_of(verdict.result),
                       verdict.what, verdict.error, verdict.allowed);
        switch (verdict.result) {
            case Result::agreed:
                ++count.agreed;
                count.worst =
                    std::max(count.worst, verdict.error / std::max(verdict.allowed, 1e-300));
                break;
            case Result::refused:
                ++count.refused, ++count.reasons["refused: " + in_short(verdict.what)];
                break;
            case Result::unsuited:
                ++count.unsuited, ++count.reasons["no reference: " + verdict.what];
                break;
            case Result::failed: ++count.failed, ++failures_; keep(kind, number, one, verdict);
        }
        progress();
    }

    static const char* name_of(Result result) {
        return result == Result::agreed    ? "agreed"
               : result == Result::refused ? "refused"
               : result == Result::failed  ? "FAILED"
                                           : "no reference";
    }

    void keep(const CaseKind& kind, std::uint64_t number, const Case& one, const Verdict& verdict) {
        const std::size_t so_far = counts_[kind.name].failed;
        fmt::print("\nfailed: {} {}: {}\n", kind.name, number, verdict.what);
        if (so_far > most_kept) return;
        Case small = one;
        Verdict final = verdict;
        if (options_.shrink && so_far <= most_shrunk) {
            small = shrink(one, [&](const Case& smaller) {
                const Verdict other = check_isolated(smaller);
                return other.result == Result::failed &&
                       first_words(other.what) == first_words(verdict.what);
            });
            final = check_isolated(small);
        }
        const std::string folder =
            fmt::format("{}/{}-{}-{}", options_.out, kind.name, options_.seed, number);
        write_model(varied(small), small.plan, folder);
        std::ofstream about(folder + "/about.txt");
        about << "kind:     " << kind.name << ", " << kind.text << "\n"
              << "command:  " << command_of(small) << "\n"
              << "found:    " << final.what << "\n"
              << "again:    ./dev hunt --kind " << kind.name << " --seed " << options_.seed
              << " --first " << number << " --cases 1\n";
        if (small.road == Road::state || small.road == Road::contact_state) {
            about << "state:    t = " << shortest(small.t);
            const Model shown = varied(small);
            for (std::size_t i = 0; i < shown.names.size(); ++i)
                about << ", " << shown.names[i] << " = " << shortest(shown.q[i]) << ", "
                      << shown.names[i] << "' = " << shortest(shown.v[i]);
            about << "\n";
        }
        about << "\nbefore shrinking: " << command_of(one) << "\n"
              << verdict.what << "\n\n"
              << text_of(varied(one), one.plan.wording);
        fmt::print("kept: {}\n", folder);
    }

    void progress() {
        const double now = minutes();
        const bool terminal = isatty(STDERR_FILENO) != 0;
        if (now - shown_ < (terminal ? 0.01 : 1.0)) return;
        shown_ = now;
        Count sum;
        for (const auto& [name, count] : counts_) {
            sum.agreed += count.agreed, sum.refused += count.refused;
            sum.failed += count.failed, sum.unsuited += count.unsuited;
        }
        fmt::print(
            stderr,
            "{}{:.1f} min: {} tried, {} agreed, {} refused, {} failed, {} without reference{}",
            terminal ? "\r" : "", now, sum.tried(), sum.agreed, sum.refused, sum.failed,
            sum.unsuited, terminal ? " " : "\n");
        std::fflush(stderr);
    }

    void report() const {
        fmt::print("\n{:<14}{:>8}{:>8}{:>9}{:>8}{:>14}{:>12}\n", "kind", "tried", "agreed",
                   "refused", "failed", "no reference", "worst/limit");
        Count sum;
        for (const CaseKind& kind : kinds_) {
            const auto found = counts_.find(kind.name);
            if (found == counts_.end()) continue;
            const Count& count = found->second;
            fmt::print("{:<14}{:>8}{:>8}{:>9}{:>8}{:>14}{:>12.1e}\n", kind.name, count.tried(),
                       count.agreed, count.refused, count.failed, count.unsuited, count.worst);
            sum.agreed += count.agreed, sum.refused += count.refused;
            sum.failed += count.failed, sum.unsuited += count.unsuited;
        }
        fmt::print("{:<14}{:>8}{:>8}{:>9}{:>8}{:>14}\n", "all", sum.tried(), sum.agreed,
                   sum.refused, sum.failed, sum.unsuited);
        for (const auto& [name, count] : counts_)
            for (const auto& [reason, times] : count.reasons)
                fmt::print("  {} x{}: {}\n", name, times, reason);
        fmt::print("seed {}, {:.1f} minutes{}\n", options_.seed, minutes(),
                   failures_ == 0 ? "" : "; what failed is kept in " + options_.out);
    }

    Options options_;
    std::vector<CaseKind> kinds_;
    std::map<std::string, Count> counts_;
    std::size_t failures_ = 0;
    double shown_ = 0.0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

constexpr const char* usage =
    "usage: hunt [MINUTES] [--seed N] [--kind NAME,...] [--first N] [--cases N]\n"
    "            [--out FOLDER] [--no-shrink] [--show] [--list]\n\n"
    "Compares random models with independent computations, for MINUTES (default 1) or for a\n"
    "number of cases of each kind.\n"
    "  --seed N       random seed of the cases (default 1)\n"
    "  --kind NAMES   only these kinds, comma-separated\n"
    "  --first N      start with case N of each kind\n"
    "  --cases N      run N cases of each kind, however long that takes\n"
    "  --out FOLDER   keep failed cases there (default build/hunt/found)\n"
    "  --no-shrink    keep failed cases as they are\n"
    "  --list         list the kinds\n"
    "  --show         print every model with its verdict\n";

Options read_options(int count, char** words) {
    Options options;
    const auto value = [&](int& i) -> std::string {
        if (i + 1 >= count) throw std::invalid_argument(std::string(words[i]) + " needs a value");
        return words[++i];
    };
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--seed") options.seed = std::stoull(value(i));
        else if (word == "--first") options.first = std::stoull(value(i));
        else if (word == "--cases") options.cases = std::stoull(value(i));
        else if (word == "--out") options.out = value(i);
        else if (word == "--no-shrink") options.shrink = false;
        else if (word == "--show") options.show = true;
        else if (word == "--list") options.list = true;
        else if (word == "--kind") {
            std::stringstream names(value(i));
            for (std::string name; std::getline(names, name, ',');) options.kinds.push_back(name);
        } else if (word.starts_with("-")) throw std::invalid_argument("unknown option " + word);
        else options.minutes = std::stod(word);
    }
    return options;
}

}  // namespace
}  // namespace hunt

int main(int count, char** words) {
    try {
        if (count > 1 && (std::string(words[1]) == "--help" || std::string(words[1]) == "-h")) {
            fmt::print("{}", hunt::usage);
            return 0;
        }
        const hunt::Options options = hunt::read_options(count, words);
        if (options.list) {
            for (const auto& kind : hunt::all_kinds())
                fmt::print("{:<15}{}\n", kind.name, kind.text);
            return 0;
        }
        return hunt::Hunt(options).run();
    } catch (const std::exception& error) {
        fmt::print(stderr, "hunt: {}\n{}", error.what(), hunt::usage);
        return 2;
    }
}
