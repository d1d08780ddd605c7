// Reading the environment when the library is loaded.
#include <callisto/openmp/settings/icv.hpp>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>

#include <link.h>

namespace callisto::openmp {
namespace {

/// The loader's form of libgomp_is_needed().
int needs_libgomp(dl_phdr_info* object, std::size_t, void*) noexcept {
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  for (const auto& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto* const first = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + segment.p_vaddr);
    const char* names = nullptr;
    for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry)
      // The C library replaces offsets by addresses where it can write.
      if (entry->d_tag == DT_STRTAB)
        names = reinterpret_cast<const char*>(entry->d_un.d_ptr +
                                              (entry->d_un.d_ptr < object->dlpi_addr ? object->dlpi_addr : 0));
    for (const auto* entry = first; names != nullptr && entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && std::string_view(names + entry->d_un.d_val).starts_with("libgomp")) return 1;
  }
  return 0;
}

/// Reads the environment when the library is loaded, as libgomp does: later changes by the program have no effect. If
/// it is preloaded and nothing needs libgomp yet, libgomp would be loaded later: then the first call reads it. If the
/// values are asked for, the user sees them in any case.
[[gnu::constructor]] void at_load() {
  if (std::getenv("OMP_DISPLAY_ENV") != nullptr || libgomp_is_needed()) static_cast<void>(icvs());
}

}  // namespace

bool libgomp_is_needed() noexcept { return dl_iterate_phdr(needs_libgomp, nullptr) != 0; }

}  // namespace callisto::openmp
