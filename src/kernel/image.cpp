// Only what LLVM emits for our kernels is understood: sections with code and constants, and
// references relative to the place they stand at (x86-64: PC32, PLT32; AArch64: calls and
// page-relative addresses). Everything else is refused.
#include "kernel/image.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace lacon::kernel {

namespace {

[[noreturn]] void refuse(std::string_view what) {
    throw std::runtime_error(fmt::format("compiled code cannot be linked: {}", what));
}

class Linker {
public:
    explicit Linker(std::span<const char> object) : object_(object) {
        const auto header = at<Elf64_Ehdr>(0);
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL ||
            header.e_shentsize != sizeof(Elf64_Shdr))
            refuse("no object file");
        machine_ = header.e_machine;
        for (std::size_t i = 0; i < header.e_shnum; ++i)
            sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    }

    Image run() {
        place_sections();
        for (const Elf64_Shdr& section : sections_)
            if (section.sh_type == SHT_RELA && section.sh_info < place_.size() &&
                place_[section.sh_info] >= 0)
                resolve(section);
        find_entry();
        return std::move(image_);
    }

private:
    template <class T>
    T at(std::uint64_t offset) const {
        T value;
        if (offset > object_.size() || object_.size() - offset < sizeof(T))
            refuse("truncated object file");
        std::memcpy(&value, object_.data() + offset, sizeof(T));
        return value;
    }

    void place_sections() {
        place_.assign(sections_.size(), -1);
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            const Elf64_Shdr& section = sections_[i];
            if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0) continue;
            if (section.sh_flags & SHF_WRITE) refuse("contains data sections");
            if (section.sh_type != SHT_PROGBITS) continue;  // tables for unwinding
            if (section.sh_offset > object_.size() ||
                object_.size() - section.sh_offset < section.sh_size)
                refuse("truncated object file");
            const std::uint64_t align = section.sh_addralign > 0 ? section.sh_addralign : 1;
            image_.bytes.resize((image_.bytes.size() + align - 1) / align * align);
            place_[i] = static_cast<std::int64_t>(image_.bytes.size());
            const char* begin = object_.data() + section.sh_offset;
            image_.bytes.insert(image_.bytes.end(), begin, begin + section.sh_size);
        }
    }

    std::int64_t value_of(const Elf64_Sym& symbol) const {
        if (symbol.st_shndx >= place_.size() || place_[symbol.st_shndx] < 0)
            refuse("unresolved external symbol");
        return place_[symbol.st_shndx] + static_cast<std::int64_t>(symbol.st_value);
    }

    void resolve(const Elf64_Shdr& table) {
        const Elf64_Shdr& symbols = sections_.at(table.sh_link);
        for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Rela); ++i) {
            const auto rela = at<Elf64_Rela>(table.sh_offset + i * sizeof(Elf64_Rela));
            const auto symbol =
                at<Elf64_Sym>(symbols.sh_offset + ELF64_R_SYM(rela.r_info) * sizeof(Elf64_Sym));
            const std::int64_t here =
                place_[table.sh_info] + static_cast<std::int64_t>(rela.r_offset);
            patch(static_cast<std::uint32_t>(ELF64_R_TYPE(rela.r_info)), here,
                  value_of(symbol) + rela.r_addend);
        }
    }

    void patch(std::uint32_t type, std::int64_t here, std::int64_t there) {
        std::uint32_t word = 0;
        if (here < 0 || static_cast<std::uint64_t>(here) + 4 > image_.bytes.size())
            refuse("relocation out of range");
        std::uint8_t* place = image_.bytes.data() + here;
        std::memcpy(&word, place, 4);
        const std::int64_t distance = there - here;
        if (machine_ == EM_X86_64 && (type == R_X86_64_PC32 || type == R_X86_64_PLT32)) {
            if (distance != static_cast<std::int32_t>(distance)) refuse("it is too large");
            word = static_cast<std::uint32_t>(static_cast<std::int32_t>(distance));
        } else if (machine_ == EM_AARCH64) {
            word = arm_word(type, word, here, there);
        } else {
            refuse(fmt::format("a reference of kind {}", type));
        }
        std::memcpy(place, &word, 4);
    }

    /// The image is mapped at the start of a page, so distances of pages are those within it.
    static std::uint32_t arm_word(std::uint32_t type, std::uint32_t word, std::int64_t here,
                                  std::int64_t there) {
        const auto low = [&](int shift) {
            return static_cast<std::uint32_t>((there & 0xfff) >> shift) << 10;
        };
        switch (type) {
            case R_AARCH64_CALL26:
            case R_AARCH64_JUMP26:
                return (word & 0xfc000000u) |
                       (static_cast<std::uint32_t>((there - here) >> 2) & 0x03ffffffu);
            case R_AARCH64_ADR_PREL_PG_HI21: {
                const auto pages = static_cast<std::uint32_t>((there >> 12) - (here >> 12));
                return (word & 0x9f00001fu) | ((pages & 3u) << 29) |
                       (((pages >> 2) & 0x7ffffu) << 5);
            }
            case R_AARCH64_ADD_ABS_LO12_NC: return word | low(0);
            case R_AARCH64_LDST32_ABS_LO12_NC: return word | low(2);
            case R_AARCH64_LDST64_ABS_LO12_NC: return word | low(3);
            case R_AARCH64_LDST128_ABS_LO12_NC: return word | low(4);
            default: refuse(fmt::format("a reference of kind {}", type));
        }
    }

    void find_entry() {
        for (const Elf64_Shdr& section : sections_) {
            if (section.sh_type != SHT_SYMTAB) continue;
            const Elf64_Shdr& names = sections_.at(section.sh_link);
            for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
                const auto symbol = at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
                if (ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL || symbol.st_shndx == SHN_UNDEF)
                    continue;
                if (std::string_view(object_.data() + names.sh_offset + symbol.st_name) != "kernel")
                    continue;
                image_.entry = static_cast<std::uint64_t>(value_of(symbol));
                return;
            }
        }
        refuse("it has no kernel");
    }

    std::span<const char> object_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<std::int64_t> place_;  // of sections, in the image; −1: left out
    std::uint16_t machine_ = 0;
    Image image_;
};

}  // namespace

Image link(std::span<const char> object) {
    return Linker(object).run();
}

Loaded::Loaded(const Image& image) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    size_ = (image.bytes.size() + page) / page * page;
    memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("no memory for compiled code");
    std::memcpy(memory_, image.bytes.data(), image.bytes.size());
    if (::mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) {
        ::munmap(memory_, size_);
        throw std::runtime_error("the system refused executable memory");
    }
    auto* begin = static_cast<char*>(memory_);
    __builtin___clear_cache(begin, begin + image.bytes.size());
    entry_ = begin + image.entry;
}

Loaded::~Loaded() {
    ::munmap(memory_, size_);
}

}  // namespace lacon::kernel
