// Settings and error texts of the HDF5 library that readers and writers need.
#include "table/h5_file.hpp"

#include <string_view>

namespace lacon::inline table {

namespace {

herr_t take_first(unsigned n, const H5E_error2_t* error, void* text) {
    if (n == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
    return 0;
}

}  // namespace

std::string h5_reason() {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
    // Of "unable to open file: name = …, errno = 2, error message = 'No such file or directory', …"
    // only what the system said.
    constexpr std::string_view key = "error message = '";
    if (const auto begin = reason.find(key); begin != std::string::npos) {
        const auto from = begin + key.size();
        return reason.substr(from, reason.find('\'', from) - from);
    }
    return reason.empty() ? "no reason given by HDF5" : reason;
}

H5Id h5_access() {
    H5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, false, true);
    return access;
}

haddr_t h5_header_of(hid_t object) {
#if H5_VERSION_GE(1, 12, 0)
    H5O_info1_t info;
#else
    H5O_info_t info;
#endif
    return H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0 ? HADDR_UNDEF : info.addr;
}

H5Id h5_string_type() {
    H5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

}  // namespace lacon::table
