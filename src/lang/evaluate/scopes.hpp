// RAII guards for the state of an Evaluator.
#pragma once

#include <utility>

#include "lang/evaluate/evaluator.hpp"

/// The scopes of an Evaluator: each restores what it changed.
namespace lacon::lang {

class Evaluator::Frame {
public:
    explicit Frame(Evaluator& evaluator)
        : evaluator_(evaluator), frame_(evaluator.frame_), size_(evaluator.bindings_.size()) {
        evaluator.frame_ = size_;
    }
    ~Frame() {
        evaluator_.frame_ = frame_;
        evaluator_.bindings_.resize(size_);
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

private:
    Evaluator& evaluator_;
    std::size_t frame_, size_;
};

/// Stack that goes between two nested evaluations, in units of one evaluation.
class Evaluator::Nesting {
public:
    Nesting(Evaluator& evaluator, int levels) : evaluator_(evaluator), levels_(levels) {
        evaluator.depth_ += levels;
    }
    ~Nesting() { evaluator_.depth_ -= levels_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    Evaluator& evaluator_;
    int levels_;
};

/// Within a parameter's value, the evaluation of what outlasts it: a `let`, the members of a
/// family. Whatever parameters that reads shape the model.
class Evaluator::Lasting {
public:
    explicit Lasting(Evaluator& evaluator)
        : evaluator_(evaluator),
          before_(std::exchange(evaluator.parameter_, none)),
          only_checked_(std::exchange(evaluator.only_checks_, false)) {}
    ~Lasting() {
        evaluator_.parameter_ = before_;
        evaluator_.only_checks_ = only_checked_;
    }
    Lasting(const Lasting&) = delete;
    Lasting& operator=(const Lasting&) = delete;

private:
    Evaluator& evaluator_;
    MemberId before_;
    bool only_checked_;
};

class Evaluator::Structural {
public:
    /// Within another structural scope the outer one's place is kept, since that is where the
    /// number is asked for; unless this one answers for itself.
    Structural(Evaluator& evaluator, Span place, std::string_view what, bool own_place = false)
        : evaluator_(evaluator),
          before_(evaluator.structural_),
          place_(evaluator.structural_place_),
          what_(evaluator.structural_what_) {
        evaluator.structural_ = true;
        if (before_ && !own_place) return;
        evaluator.structural_place_ = place;
        evaluator.structural_what_ = what;
    }
    ~Structural() {
        evaluator_.structural_ = before_;
        evaluator_.structural_place_ = place_;
        evaluator_.structural_what_ = what_;
    }
    Structural(const Structural&) = delete;
    Structural& operator=(const Structural&) = delete;

private:
    Evaluator& evaluator_;
    bool before_;
    Span place_;
    std::string_view what_;
};

}  // namespace lacon::lang
