// Who is let in.
#include "live/gate.hpp"

#include <gtest/gtest.h>

namespace lacon {
namespace {

constexpr const char* token = "00112233445566778899aabbccddeeff";

int refusal(const Knock& knock) {
    return Gate(token, 8000).refusal(knock);
}

TEST(Gate, ThePageItselfComesIn) {
    EXPECT_EQ(refusal({"GET", token, "127.0.0.1:8000", "", ""}), 0);
    EXPECT_EQ(refusal({"GET", token, "localhost:8000", "", "same-origin"}), 0);
    EXPECT_EQ(refusal({"GET", token, "127.0.0.1:8000", "", "none"}), 0);
    EXPECT_EQ(refusal({"POST", token, "127.0.0.1:8000", "http://127.0.0.1:8000", "same-origin"}),
              0);
}

TEST(Gate, WithoutTheTokenNothingIsFound) {
    for (const char* other : {"", "00112233445566778899aabbccddeefe", "0011"})
        EXPECT_EQ(refusal({"GET", other, "127.0.0.1:8000", "", ""}), 404) << other;
}

TEST(Gate, ANameBoundToThisMachineIsForbidden) {
    for (const char* host : {"evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001",
                             "127.0.0.1:8000.evil.example", ""})
        EXPECT_EQ(refusal({"GET", token, host, "", ""}), 403) << host;
}

TEST(Gate, PagesOfOtherSitesAreForbidden) {
    for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8000",
                               "http://127.0.0.1:8001", "http://localhost:8000"})
        for (const char* method : {"GET", "POST"})
            EXPECT_EQ(refusal({method, token, "127.0.0.1:8000", origin, ""}), 403) << origin;
    EXPECT_EQ(refusal({"GET", token, "127.0.0.1:8000", "", "cross-site"}), 403);
    EXPECT_EQ(refusal({"GET", token, "127.0.0.1:8000", "", "same-site"}), 403);
    EXPECT_EQ(refusal({"POST", token, "127.0.0.1:8000", "", ""}), 403);
}

TEST(Gate, TooManyRequestsAreRefused) {
    Gate gate(token, 8000);
    int status = 0;
    for (int i = 0; i < 100000 && status == 0; ++i)
        status = gate.refusal({"GET", token, "127.0.0.1:8000", "", ""});
    EXPECT_EQ(status, 429);
}

TEST(Gate, TokensDiffer) {
    EXPECT_EQ(Gate::new_token().size(), 32u);
    EXPECT_NE(Gate::new_token(), Gate::new_token());
}

}  // namespace
}  // namespace lacon
