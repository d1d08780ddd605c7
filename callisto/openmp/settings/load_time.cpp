// Reading the environment when the library is loaded.
#include <callisto/openmp/settings/icv.hpp>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>

#include <link.h>

namespace callisto::openmp {
namespace {

/// Says whether the object needs a library with a name that begins so; `a_name` is a std::string_view.
int needs(dl_phdr_info* object, std::size_t, void* a_name) noexcept {
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
      if (entry->d_tag == DT_NEEDED &&
          std::string_view(names + entry->d_un.d_val).starts_with(*static_cast<std::string_view*>(a_name)))
        return 1;
  }
  return 0;
}

bool is_needed(std::string_view name) noexcept { return dl_iterate_phdr(needs, &name) != 0; }

/// Reads the environment when the library is loaded, as libgomp does: later changes by the program have no effect. If
/// it is preloaded and nothing needs libgomp yet, libgomp would be loaded later: then the first call reads it. If the
/// values are asked for, the user sees them in any case.
[[gnu::constructor]] void at_load() {
  if (std::getenv("OMP_DISPLAY_ENV") != nullptr || is_needed("libgomp")) static_cast<void>(icvs());
}

}  // namespace

bool libomp_alone_is_needed() noexcept {
  return !is_needed("libgomp") && (is_needed("libomp") || is_needed("libiomp"));
}

}  // namespace callisto::openmp
