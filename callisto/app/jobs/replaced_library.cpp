// Reads a program's ELF file, and asks its loader for the libraries.
//
// Formats: elf(5); the loader's list is that of `ld.so --list` (ld.so(8)).
#include <callisto/app/jobs/replaced_library.hpp>

#include <callisto/app/base/text.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/host/cgroups.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/openmp/settings/exclusion_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace callisto::app {
namespace {

/// Returns the file that a shell runs for `program`; empty: none.
std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : machine::split_at(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string file = (folder.empty() ? "." : folder) + '/' + program;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file)) return file;
  }
  return {};
}

/// A program's file, of this machine's word size and byte order. Anything outside of the file counts as absent.
class elf_file {
 public:
  explicit elf_file(std::string bytes) : bytes_(std::move(bytes)) {}

  bool is_native() const {
    const auto header = at<Elf64_Ehdr>(0);
    constexpr unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == order;
  }

  /// Returns the path of the program's loader; empty: it is linked with -static.
  std::string loader() const {
    const Elf64_Ehdr header = *at<Elf64_Ehdr>(0);
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      const auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment && segment->p_type == PT_INTERP) return text_at(segment->p_offset);
    }
    return {};
  }

  /// True if a table of symbols, SHT_DYNSYM or SHT_SYMTAB, has a function of this name with code in the file.
  bool defines(unsigned table, std::string_view name) const {
    bool found = false;
    for_each_symbol(table, [&](const Elf64_Sym& symbol, std::string_view its_name) {
      found = found || (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && its_name == name);
    });
    return found;
  }

  /// Returns the names that the file exports, or those that it needs from other files.
  std::set<std::string> dynamic_names(bool exported) const {
    std::set<std::string> names;
    for_each_symbol(SHT_DYNSYM, [&](const Elf64_Sym& symbol, std::string_view name) {
      if (ELF64_ST_BIND(symbol.st_info) != STB_WEAK || exported)
        if ((symbol.st_shndx != SHN_UNDEF) == exported) names.emplace(name);
    });
    return names;
  }

 private:
  template <class F>
  void for_each_symbol(unsigned table, F f) const {
    const Elf64_Ehdr header = *at<Elf64_Ehdr>(0);
    const auto section = [&](std::size_t i) { return at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)); };
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      const auto symbols = section(i);
      if (!symbols || symbols->sh_type != table) continue;
      const auto names = section(symbols->sh_link);
      for (std::uint64_t offset = 0; names && offset < symbols->sh_size; offset += sizeof(Elf64_Sym)) {
        const auto symbol = at<Elf64_Sym>(symbols->sh_offset + offset);
        if (!symbol) break;
        f(*symbol, text_at(names->sh_offset + symbol->st_name));
      }
    }
  }

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string text_at(std::uint64_t offset) const {
    return offset < bytes_.size() ? std::string(bytes_.c_str() + offset) : std::string();
  }

  std::string bytes_;
};

struct library {
  std::string name;
  std::string path;
};

/// Returns the libraries that the loader would load.
std::vector<library> libraries_of(const std::string& program, const std::string& loader) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const machine::descriptor from(ends[0]);
  std::string listed;
  {
    machine::descriptor to(ends[1]);
    const machine::descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    // Without what is preloaded now: the question is what the program has.
    const pid_t child = spawn({.program = loader,
                               .arguments = {"--list", program},
                               .environment = {{"LD_PRELOAD", ""}},
                               .contexts = {},
                               .in = nothing.get(),
                               .out = to.get(),
                               .err = nothing.get()});
    to = machine::descriptor();
    std::array<char, 4096> part;
    for (ssize_t n; (n = read(from.get(), part.data(), part.size())) > 0;) listed.append(part.data(), std::size_t(n));
    int status = 0;
    waitpid(child, &status, 0);
  }
  std::vector<library> all;
  for (const std::string& line : machine::split_at(listed, '\n')) {
    // NAME => PATH (ADDRESS), or PATH (ADDRESS)
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const std::size_t arrow = line.find(" => ", begin);
    const std::size_t path = arrow == std::string::npos ? begin : arrow + 4;
    all.push_back({line.substr(begin, line.find(' ', begin) - begin), line.substr(path, line.rfind(" (") - path)});
  }
  return all;
}

/// Returns the file; nullopt: it is none of this machine's, or takes long to read.
std::optional<elf_file> read_library(const std::string& path) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;
  std::error_code failed;
  if (std::filesystem::file_size(path, failed) > most_bytes || failed) return std::nullopt;
  elf_file elf(machine::contents_of(path).value_or(""));
  if (!elf.is_native()) return std::nullopt;
  return elf;
}

/// True if a library is another OpenMP runtime, as openmp/settings/other_runtimes.hpp knows it.
bool is_other_runtime(const elf_file& elf) {
  const auto has = [&elf](std::string_view name) { return elf.defines(SHT_DYNSYM, name); };
  return has("__kmpc_fork_call") || (has("omp_get_thread_num") && !has("GOMP_parallel"));
}

/// Returns a function of `runtime` that the program or a library needs, and Callisto's library lacks; empty: none.
std::string lacking_name(const elf_file& program, const std::vector<library>& libraries, const elf_file& runtime) {
  std::set<std::string> theirs = runtime.dynamic_names(true);
  if (const auto ours = read_library(openmp_library().value_or("")))
    for (const std::string& name : ours->dynamic_names(true)) theirs.erase(name);
  const auto needed_by = [&theirs](const elf_file& file) {
    for (const std::string& name : file.dynamic_names(false))
      if (theirs.contains(name) && !openmp::is_helper_of_compilers(name)) return name;
    return std::string();
  };
  std::string found = needed_by(program);
  for (const library& l : libraries) {
    if (!found.empty()) break;
    const std::optional<elf_file> file = read_library(l.path);
    // A runtime needs what it defines itself.
    if (file && !is_other_runtime(*file)) found = needed_by(*file);
  }
  return found;
}

}  // namespace

std::vector<std::string> what_is_replaced(const std::string& program) {
  const std::string found = found_in_path(program);
  std::error_code failed;
  const std::string path = std::filesystem::canonical(found.empty() ? program : found, failed).string();
  if (found.empty() || failed || !std::filesystem::is_regular_file(path))
    throw usage_error(fmt::format("--check: expected a program, found '{}'", one_line(program)));
  const std::string bytes = machine::contents_of(path).value_or("");
  if (bytes.starts_with("#!"))
    return {"a script: check its interpreter, " + one_line(bytes.substr(2, bytes.find('\n') - 2))};
  const elf_file elf(bytes);
  if (!elf.is_native()) return {"nothing is replaced: it is no program for this machine's 64-bit loader"};

  std::vector<std::string> said;
  if (const auto by = openmp::excluded_by(program, [&path] { return path; }))
    said.push_back("nothing is replaced: it is excluded by " + one_line(*by));
  struct stat file{};
  if (stat(path.c_str(), &file) == 0 && (file.st_mode & (S_ISUID | S_ISGID)) != 0)
    said.emplace_back("nothing is replaced: it is setuid or setgid, and the loader ignores LD_PRELOAD");
  if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    said.emplace_back("nothing is replaced: it has capabilities, and the loader ignores LD_PRELOAD");
  const std::string loader = elf.loader();
  if (loader.empty()) said.emplace_back("nothing is replaced: it is linked with -static");
  if (openmp::asks_mkl_for_intels_runtime()) {
    said.emplace_back(
        "nothing is replaced: MKL_THREADING_LAYER=INTEL asks for Intel's OpenMP runtime ('callisto run' sets GNU)");
  }
  if (!said.empty()) return said;
  const std::vector<library> libraries = libraries_of(path, loader);
  for (const library& l : libraries) {
    const std::optional<elf_file> runtime = read_library(l.path);
    if (!runtime || !is_other_runtime(*runtime)) continue;
    if (const std::string lacking = lacking_name(elf, libraries, *runtime); !lacking.empty()) {
      said.push_back(fmt::format("nothing is replaced: it needs {} of {}, which Callisto lacks, and begins without it",
                                 one_line(lacking), one_line(l.name)));
      return said;
    }
    said.push_back(fmt::format("the calls of its {} are replaced; it is loaded beside", one_line(l.name)));
  }
  for (const library& l : libraries) {
    const std::string& name = l.name;
    const auto is = [&name](std::string_view kind) { return name.starts_with(kind); };
    if (name == "libgomp.so.1") {
      said.push_back("its libgomp.so.1 is replaced");
    } else if (is("libgomp")) {
      said.push_back(fmt::format("the calls of its {} are replaced; it is loaded beside", one_line(name)));
    } else if (is("libasan.")) {
      said.emplace_back("its libasan wants to be the first library: set ASAN_OPTIONS=verify_asan_link_order=0");
    } else if (is("libtsan.")) {
      said.emplace_back("its libtsan reports false races, as with the stock library");
    }
  }
  if (elf.defines(SHT_DYNSYM, "GOMP_parallel")) {
    said.emplace_back("it has a copy of libgomp; the copy's exported functions are replaced");
  } else if (elf.defines(SHT_SYMTAB, "GOMP_parallel")) {
    said.emplace_back("nothing is replaced: it has a static copy of libgomp");
  }
  if (said.empty())
    said.emplace_back(
        "it needs no OpenMP library; libraries that it loads while it runs are replaced if they need libgomp, libomp "
        "or libiomp5");
  return said;
}

}  // namespace callisto::app
