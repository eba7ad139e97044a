// Random mechanisms as model texts.
#pragma once

#include <array>
#include <random>
#include <string>
#include <vector>

namespace lacon {

/// Particles joined by rods, springs and a few rods said twice, drawn at random in space.
inline std::string random_mechanism(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const int particles = 2 + static_cast<int>(random() % 4);
    std::string text, start = "start ";
    std::vector<std::array<double, 3>> place;
    for (int i = 1; i <= particles; ++i) {
        const std::string k = std::to_string(i);
        text += "coord x" + k + ", y" + k + ", z" + k + "\n";
        text += "particle p" + k + " at (x" + k + ", y" + k + ", z" + k + ") mass " +
                std::to_string(1.5 + number(random)) + "\n";
        place.push_back({i + 0.2 * number(random), number(random), number(random)});
        const char* names[] = {"x", "y", "z"};
        for (int j = 0; j < 3; ++j) {
            start += names[j] + k + " ~ " +
                     std::to_string(place.back()[static_cast<std::size_t>(j)]) + ", ";
            start += names[j] + k + "' ~ " + std::to_string(number(random)) + ", ";
        }
    }
    text += "gravity (0, 0, -9.81)\n";
    const auto difference = [](const std::string& a, const std::string& b, const char* c) {
        return "(" + (c + a) + " - " + (c + b) + ")^2";
    };
    int rods = 0;
    for (int i = 1; i < particles; ++i) {
        const std::string a = std::to_string(i), b = std::to_string(i + 1);
        double square = 0.0;
        for (std::size_t j = 0; j < 3; ++j) {
            const double d =
                place[static_cast<std::size_t>(i - 1)][j] - place[static_cast<std::size_t>(i)][j];
            square += d * d;
        }
        const std::string length =
            difference(a, b, "x") + " + " + difference(a, b, "y") + " + " + difference(a, b, "z");
        text += "constraint c" + std::to_string(++rods) + ": " + length + " = " +
                std::to_string(square) + "\n";
        if (random() % 3 == 0)
            text += "constraint c" + std::to_string(++rods) + ": 2*(" + length + ") = 2*" +
                    std::to_string(square) + "\n";
    }
    text += "potential 3*(x1^2 + y1^2*cos(z1))\nforce p1 = (-x1', sin(y1), 0)\n";
    return text + start.substr(0, start.size() - 2) + "\n";
}

}  // namespace lacon
