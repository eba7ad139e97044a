// Takes machine code from the disk cache, or has it generated, links it and caches it.
#include "kernel/kernel.hpp"

#include <chrono>
#include <stdexcept>

#include "kernel/cache.hpp"
#include "kernel/functions.hpp"

namespace lacon::kernel {

Kernel::Kernel(const Code& code, const CompileOptions& options, const Image& image,
               CompileReport report)
    : options_(options),
      inputs_(code.input_count),
      outputs_(code.outputs.size()),
      work_(image.work),
      report_(report),
      loaded_(std::in_place, image),
      functions_(functions_of(options.isa)) {}

Kernel::Kernel(const Code& code, const CompileOptions& options)
    : options_(options),
      inputs_(code.input_count),
      outputs_(code.outputs.size()),
      walk_(std::in_place, code, options.isa),
      functions_(functions_of(options.isa)) {
    work_ = walk_->work_size();
    report_.operations = walk_->operations();
}

namespace {

Request request_of(const Code& code, const CompileOptions& options) {
    return {code, options.isa, options.lanes, options.effort};
}

Image generate_image(const Request& request) {
    std::string reason;
    const Generate generate = find_generator(reason);
    if (!generate) throw std::runtime_error(reason);
    Object object;
    generate(request, object);
    Image image = link(object.bytes);
    image.work = object.work;
    return image;
}

std::shared_ptr<const Kernel> make(const Code& code, const CompileOptions& options,
                                   bool only_cached) {
    if (options.effort == Effort::none) return std::make_shared<const Kernel>(code, options);
    CompileReport report;
    report.operations = code.order().size();
    const std::optional<Image> image =
        image_of(request_of(code, options), options.cache, only_cached, report);
    return image ? std::make_shared<const Kernel>(code, options, *image, report) : nullptr;
}

}  // namespace

std::optional<Image> image_of(const Request& request, bool cache, bool only_cached,
                              CompileReport& report) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string key = cache ? key_of(request) : "";
    std::optional<Image> image = cache ? read_cached(key) : std::nullopt;
    report.from_cache = image.has_value();
    if (!image && only_cached) return std::nullopt;
    if (!image) {
        image = generate_image(request);
        if (cache) write_cached(key, *image);
    }
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.bytes = image->bytes.size();
    return image;
}

std::shared_ptr<const Kernel> find_cached(const Code& code, const CompileOptions& options) {
    return make(code, options, true);
}

std::shared_ptr<const Kernel> compile(const Code& code, const CompileOptions& options) {
    return make(code, options, false);
}

}  // namespace lacon::kernel
