#include <callisto/global/messages/program_identity.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

namespace callisto::global {

namespace {

/// FNV-1a, eight bytes at a time.
class hash {
 public:
  void add(const void* data, std::size_t bytes) noexcept {
    const auto* at = static_cast<const char*>(data);
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      add(word);
    }
    for (; bytes != 0; --bytes, ++at) add(static_cast<unsigned char>(*at));
  }
  void add(std::uint64_t word) noexcept {
    value_ = (value_ ^ word) * 0x100000001b3;
    value_ ^= value_ >> 29;
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// A file that is loaded: the program, or a library.
struct loaded_file {
  std::string path;  ///< empty: the program
  std::string soname;
  std::vector<std::string> needs;
  std::uint64_t build = 0;  ///< of its build id; 0: it has none
  bool holds_address = false;
  bool counts = false;

  std::string_view name() const noexcept {
    if (!soname.empty()) return soname;
    return std::string_view(path).substr(path.rfind('/') + 1);
  }
};

std::uint64_t build_in_notes(const std::byte* at, std::size_t bytes) {
  const std::byte* const end = at + bytes;
  while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::byte* const name = at + sizeof note;
    const std::size_t name_bytes = (std::size_t{note.n_namesz} + 3) / 4 * 4;
    const std::size_t text_bytes = (std::size_t{note.n_descsz} + 3) / 4 * 4;
    if (name_bytes + text_bytes > static_cast<std::size_t>(end - name)) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      hash of;
      of.add(name + name_bytes, note.n_descsz);
      return of.value();
    }
    at = name + name_bytes + text_bytes;
  }
  return 0;
}

/// Reads what a library needs, and its name, from its dynamic section.
void read_dynamic(loaded_file& file, const ElfW(Dyn) * section, ElfW(Addr) base) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* d = section; d->d_tag != DT_NULL; ++d) {
    // Some C libraries leave the address as it stands in the file.
    if (d->d_tag == DT_STRTAB)
      strings = reinterpret_cast<const char*>(d->d_un.d_ptr < base ? d->d_un.d_ptr + base : d->d_un.d_ptr);
  }
  if (strings == nullptr) return;
  for (const ElfW(Dyn)* d = section; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_NEEDED) file.needs.emplace_back(strings + d->d_un.d_val);
    if (d->d_tag == DT_SONAME) file.soname = strings + d->d_un.d_val;
  }
}

struct search {
  std::span<const void* const> addresses;
  std::vector<loaded_file> files;
};

int take_file(dl_phdr_info* info, std::size_t, void* into) {
  auto& all = *static_cast<search*>(into);
  loaded_file& file = all.files.emplace_back();
  if (all.files.size() > 1 && info->dlpi_name != nullptr) file.path = info->dlpi_name;
  for (std::size_t i = 0; i != info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_NOTE && file.build == 0)
      file.build = build_in_notes(reinterpret_cast<const std::byte*>(begin), part.p_memsz);
    if (part.p_type == PT_DYNAMIC) read_dynamic(file, reinterpret_cast<const ElfW(Dyn)*>(begin), info->dlpi_addr);
    if (part.p_type != PT_LOAD) continue;
    file.holds_address |= std::ranges::any_of(all.addresses, [&](const void* address) {
      const auto a = reinterpret_cast<ElfW(Addr)>(address);
      return a >= begin && a < begin + part.p_memsz;
    });
  }
  return 0;
}

bool is_of_system(std::string_view path) noexcept {
  for (const std::string_view folder : {"/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"})
    if (path.starts_with(folder)) return true;
  return false;
}

/// Takes the file, and what it needs, among what counts.
void count(std::vector<loaded_file>& files, loaded_file& file) {
  if (file.counts) return;
  file.counts = true;
  for (const std::string& needed : file.needs)
    for (loaded_file& other : files)
      if (!other.path.empty() && other.name() == needed && !is_of_system(other.path)) count(files, other);
}

/// Returns a number of all bytes of a file; 0 if it cannot be read.
std::uint64_t hash_of_bytes(const std::string& path) {
  const machine::descriptor file(::open(path.empty() ? "/proc/self/exe" : path.c_str(), O_RDONLY | O_CLOEXEC));
  hash of;
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  for (;;) {
    std::size_t held = 0;
    ssize_t n = 0;
    while (held != buffer.size() && (n = ::read(file.get(), buffer.data() + held, buffer.size() - held)) > 0)
      held += static_cast<std::size_t>(n);
    if (n < 0) return 0;
    of.add(buffer.data(), held);
    if (held != buffer.size()) return of.value();
  }
}

}  // namespace

std::uint64_t program_identity(std::span<const void* const> addresses) {
  search all{addresses, {}};
  dl_iterate_phdr(&take_file, &all);
  for (std::size_t i = 0; i != all.files.size(); ++i)
    if (i == 0 || all.files[i].holds_address) count(all.files, all.files[i]);
  std::vector<std::uint64_t> builds;
  for (const loaded_file& f : all.files)
    if (f.counts) builds.push_back(f.build != 0 ? f.build : hash_of_bytes(f.path));
  std::ranges::sort(builds);
  hash of;
  of.add(builds.data(), builds.size() * sizeof builds[0]);
  return of.value();
}

}  // namespace callisto::global
