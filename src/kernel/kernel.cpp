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

std::shared_ptr<const Kernel> compile(const Code& code, const CompileOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    const Request request{code, options.isa, options.lanes, options.effort};
    CompileReport report;
    report.operations = code.order().size();
    const std::string key = options.cache ? key_of(request) : std::string();
    std::optional<Image> image = options.cache ? read_cached(key) : std::nullopt;
    report.from_cache = image.has_value();
    if (!image) {
        std::string reason;
        const Generate generate = find_generator(reason);
        if (!generate) throw std::runtime_error(reason);
        const Object object = generate(request);
        image = link(object.bytes);
        image->work = object.work;
        if (options.cache) write_cached(key, *image);
    }
    report.bytes = image->bytes.size();
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::make_shared<const Kernel>(code, options, *image, report);
}

}  // namespace lacon::kernel
