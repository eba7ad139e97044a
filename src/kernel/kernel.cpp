#include "kernel/kernel.hpp"

#include <chrono>
#include <stdexcept>

#include "kernel/cache.hpp"
#include "kernel/functions.hpp"

namespace lacon::kernel {

Kernel::Kernel(const Code& code, const CompileOptions& options, const Image& image, CompileReport report)
    : options_(options),
      inputs_(code.input_count),
      outputs_(code.outputs.size()),
      work_(image.work),
      report_(report),
      loaded_(image),
      functions_(functions_of(options.isa)) {}

namespace {

Request request_of(const Code& code, const CompileOptions& options) {
    return {code, options.isa, options.lanes, options.effort};
}

Image generate_image(const Request& request) {
    std::string reason;
    const Generate generate = find_generator(reason);
    if (!generate) throw std::runtime_error(reason);
    const Object object = generate(request);
    Image image = link(object.bytes);
    image.work = object.work;
    return image;
}

/// A kernel from what `make` gives, if it gives something.
template <class Make>
std::shared_ptr<const Kernel> timed(const Code& code, const CompileOptions& options, bool from_cache, const Make& make) {
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<Image> image = make();
    if (!image) return nullptr;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return std::make_shared<const Kernel>(code, options, *image,
                                          CompileReport{taken.count(), from_cache, code.order().size(), image->bytes.size()});
}

}  // namespace

std::shared_ptr<const Kernel> find_cached(const Code& code, const CompileOptions& options) {
    if (!options.cache) return nullptr;
    return timed(code, options, true, [&] { return read_cached(key_of(request_of(code, options))); });
}

std::shared_ptr<const Kernel> compile(const Code& code, const CompileOptions& options) {
    if (auto found = find_cached(code, options)) return found;
    return timed(code, options, false, [&] {
        const Request request = request_of(code, options);
        std::optional<Image> image = generate_image(request);
        if (options.cache) write_cached(key_of(request), *image);
        return image;
    });
}

}  // namespace lacon::kernel
