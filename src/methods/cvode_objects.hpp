// The objects of SUNDIALS that CVODE works on, and their lifetime.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <new>

namespace lacon::inline methods {

/// Vectors of y = (q, q') and CVODE itself, which is made anew at every beginning: one that is only
/// set back remembers more than its state.
class CvodeObjects {
public:
    /// What CVODE calls, with `self` as user data.
    struct Calls {
        CVRhsFn slope;
        CVEwtFn weights;
        CVLsJacFn jacobian;
        CVProjFn projection;  // none: CVODE does not project
        void* self;
    };

    explicit CvodeObjects(std::size_t size) : size_(static_cast<sunindextype>(size)) {
        SUNContext_Create(nullptr, &context_);
        y = N_VNew_Serial(size_, context_);
        scratch = N_VNew_Serial(size_, context_);
        last = N_VNew_Serial(size_, context_);
        within = N_VNew_Serial(size_, context_);
        if (!context_ || !y || !scratch || !last || !within) throw std::bad_alloc();
    }
    ~CvodeObjects() {
        forget();
        for (const N_Vector vector : {y, scratch, last, within}) N_VDestroy(vector);
        SUNContext_Free(&context_);
    }
    CvodeObjects(const CvodeObjects&) = delete;
    CvodeObjects& operator=(const CvodeObjects&) = delete;

    N_Vector y = nullptr;     // at the end of the last step
    N_Vector last = nullptr;  // where it began
    N_Vector scratch = nullptr, within = nullptr;

    /// Begins at y, without history.
    void create(bool stiff, const Calls& calls);
    void forget();

    void* memory() const { return memory_; }
    SUNMatrix matrix() const { return matrix_; }  // of the stiff one
    SUNLinearSolver linear() const { return linear_; }

private:
    sunindextype size_;
    SUNContext context_ = nullptr;
    void* memory_ = nullptr;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver linear_ = nullptr;
    SUNNonlinearSolver nonlinear_ = nullptr;
};

}  // namespace lacon::methods
