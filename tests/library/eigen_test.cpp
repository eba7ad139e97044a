// Results as maps of Eigen, and Eigen's vectors as arguments.
#include <gtest/gtest.h>

#include "lacon/eigen.hpp"

namespace lacon {
namespace {

TEST(EigenViews, FulfilTheEquationOfMotion) {
    const auto mechanism = Mechanism::parse(
        "coord x, y\nparticle bob at (x, y) mass 2\ngravity (0, -10)\n"
        "constraint rod: x^2 + y^2 = 1\n");
    const Eigen::VectorXd q = Eigen::Vector2d(0.6, -0.8), v = Eigen::Vector2d(0.8, 0.6);
    Evaluator at(mechanism);
    ASSERT_TRUE(at.evaluate(0.0, span_of(q), span_of(v)));
    const Eigen::VectorXd left = as_eigen(at.M()) * as_eigen(at.acceleration());
    const Eigen::VectorXd right =
        as_eigen(at.Q()) + as_eigen(at.A()).transpose() * as_eigen(at.multipliers());
    EXPECT_LE((left - right).norm(), 1e-14);
    EXPECT_LE((as_eigen(at.A()) * as_eigen(at.acceleration()) - as_eigen(at.b())).norm(), 1e-14);
    EXPECT_EQ(as_eigen(at.M()).data(), at.M().data());  // nothing is copied
    EXPECT_EQ(state_of(1.0, q, v).q, (std::vector<double>{0.6, -0.8}));
}

TEST(EigenViews, ASparseMatrixIsTheDenseOneWithoutItsZeros) {
    const auto chain = Mechanism::parse(
        "coord x[1..9]\nkinetic x[i]'^2/2 for i in 1..9\n"
        "constraint c[i]: x[i]*x[i+1] = 1 for i in 1..8\nstart x[i] ~ 1 for i in 1..9\n");
    const State state = chain.start().state;
    const Evaluation sparse = chain.evaluate(state, {}, Solver::sparse);
    const Evaluation dense = chain.evaluate(state, {}, Solver::dense);
    EXPECT_EQ(Eigen::MatrixXd(to_eigen_sparse(sparse.sparse_A)),
              Eigen::MatrixXd(as_eigen(dense.A)));
}

}  // namespace
}  // namespace lacon
