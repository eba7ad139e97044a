// Looks for the efforts of controls beside contacts and friction.
#pragma once

#include <cmath>

#include "contact/contacts.hpp"

namespace lacon::inline contact {

/// What it is made of must outlive it.
class Contacts::EffortSearch {
public:
    EffortSearch(Contacts& contacts, const State& state, const Candidates& set,
                 const Numbers& numbers)
        : contacts_(contacts),
          whole_(contacts.whole_),
          state_(state),
          set_(set),
          numbers_(numbers) {}

    Status run(bool any, Numbers& out);
    bool finds_better(const Price& price);

private:
    struct Trial : Efforts {
        std::vector<ContactFriction> friction;  // with what slips made to
    };
    /// What to begin with. `driven`: it slips where the requirements drive it.
    enum class AtRest { sticks, driven, forward, backward };
    struct Begin {
        std::vector<bool> closed;       // of the contacts of the set
        std::vector<AtRest> frictions;  // of its frictions
    };
    Begin begin(bool closed, AtRest frictions) const {
        return {std::vector<bool>(set_.one_sided.size(), closed),
                std::vector<AtRest>(set_.frictions.size(), frictions)};
    }
    ContactModes modes(const Begin& begin);
    Trial efforts(const ContactModes& modes) const;
    std::size_t first_tried(const ContactModes& modes);
    std::optional<Trial> follow(ContactModes modes);
    void try_from(const Begin& begin);
    void try_all();
    std::vector<std::vector<AtRest>> ways_of_frictions() const;
    std::vector<double> driven(const std::vector<double>& acceleration, std::size_t friction) const;
    bool rests(std::size_t i) const { return numbers_.friction[i].direction.empty(); }
    bool is_dear(const Price& price) const;
    bool is_better(const Price& one, const Price& other) const;
    static bool are_same(const ContactModes& x, const ContactModes& y);

    Contacts& contacts_;
    const DerivedModel& whole_;
    const State& state_;
    const Candidates& set_;
    const Numbers& numbers_;
    std::vector<ContactModes> tried_;
    std::optional<Trial> best_;
    bool any_ = false;            // the first that meets all will do
    std::optional<Price> bound_;  // efforts that are no better are of no interest
    double same_ = 1e-10;  // of two numbers: above the rounding of the squares that prices are
    Status first_failure_;
};

}  // namespace lacon::contact
