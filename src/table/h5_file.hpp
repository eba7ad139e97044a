// Small wrappers around the HDF5 library.
#pragma once

#include <hdf5.h>

#include <exception>
#include <string>
#include <utility>

/// What the writer and the reader of HDF5 share: identifiers that close themselves, and the reason
/// of a failure.
namespace lacon::inline table {

/// While it lives, HDF5 does not print its errors. Left by an exception, it keeps HDF5 silent for
/// good: after a failed write that would print riddles about itself at the program's end.
class H5Quiet {
public:
    H5Quiet() {
        H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~H5Quiet() {
        if (std::uncaught_exceptions() == exceptions_) H5Eset_auto2(H5E_DEFAULT, print_, data_);
    }
    H5Quiet(const H5Quiet&) = delete;
    H5Quiet& operator=(const H5Quiet&) = delete;

private:
    int exceptions_ = std::uncaught_exceptions();
    H5E_auto2_t print_ = nullptr;
    void* data_ = nullptr;
};

/// An identifier of HDF5 with the function that closes it. Negative: the call that should have made
/// it failed.
class H5Id {
public:
    H5Id() = default;
    H5Id(hid_t id, herr_t (*closing)(hid_t)) : id_(id), close_(closing) {}
    H5Id(H5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    H5Id& operator=(H5Id&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~H5Id() { close(); }

    operator hid_t() const { return id_; }
    bool close() {
        const H5Quiet quiet;
        return id_ < 0 || close_(std::exchange(id_, -1)) >= 0;
    }

private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

/// The innermost cause of the last failure: "No space left on device".
std::string h5_reason();

/// How files are opened: without locks, so that results can be looked at while they grow.
H5Id h5_access();

/// Where the header of an object is; HADDR_UNDEF where HDF5 does not tell.
haddr_t h5_header_of(hid_t object);

/// Strings of any length in UTF-8.
H5Id h5_string_type();

}  // namespace lacon::table
