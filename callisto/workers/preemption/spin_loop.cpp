// The instructions of loops that wait (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter
// 2 and appendix A: opcodes, ModRM and SIB bytes).
#include <callisto/workers/preemption/spin_loop.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace callisto::workers {
namespace {

constexpr std::size_t most_instructions = 16;

/// A set of the 16 general registers.
using registers = std::uint32_t;
constexpr registers one(unsigned number) noexcept { return registers{1} << number; }

struct instruction {
  std::size_t bytes = 0;
  registers reads = 0;
  registers writes = 0;
  bool jumps = false;
  bool is_conditional = false;  ///< of a jump
  std::ptrdiff_t target = 0;    ///< of a jump, as an offset into the code
};

enum use : std::uint8_t { reads_nothing, reads_both, reads_other, writes_register, writes_other, sets_other };
enum form : std::uint8_t { anything, registers_only };
constexpr std::uint8_t any_extension = 8;

/// The effect of an opcode of one byte.
struct opcode {
  enum kinds : std::uint8_t {
    unknown,
    nop,
    with_operands,
    of_rax,       ///< compares it with a number
    extends_rax,  ///< its lower half
    jumps_near,
    jumps_far,
    jumps_on_condition,
    has_second,  ///< a second byte tells
  };
  static constexpr std::uint8_t long_number = 0xff;  ///< 4 bytes, or the 2 of a short operand

  kinds kind = unknown;
  use how = reads_nothing;
  form allowed = anything;
  std::uint8_t extension = any_extension;  ///< what the middle field of the ModRM byte must be
  std::uint8_t number = 0;                 ///< bytes of a number behind the operands
  bool is_of_bytes = false;
};

constexpr std::array<opcode, 256> known_opcodes = [] {
  std::array<opcode, 256> all{};
  all[0x90] = {.kind = opcode::nop};
  all[0x8A] = {.kind = opcode::with_operands, .how = writes_register, .is_of_bytes = true};  // mov to a register
  all[0x8B] = {.kind = opcode::with_operands, .how = writes_register};
  all[0x63] = all[0x8B];                                                                        // movslq
  all[0x89] = {.kind = opcode::with_operands, .how = writes_other, .allowed = registers_only};  // mov to another one
  all[0x84] = {.kind = opcode::with_operands, .how = reads_both, .is_of_bytes = true};          // test
  all[0x85] = {.kind = opcode::with_operands, .how = reads_both};
  all[0x38] = all[0x3A] = all[0x84];  // cmp
  all[0x39] = all[0x3B] = all[0x85];
  all[0x80] = {.kind = opcode::with_operands, .how = reads_other, .extension = 7, .number = 1};  // cmp with a number
  all[0x83] = all[0x80];
  all[0x81] = all[0x80];
  all[0x81].number = opcode::long_number;
  all[0xF6] = {.kind = opcode::with_operands, .how = reads_other, .extension = 0, .number = 1};  // test with a number
  all[0xF7] = all[0xF6];
  all[0xF7].number = opcode::long_number;
  all[0x3C] = all[0xA8] = {.kind = opcode::of_rax, .number = 1};  // cmp and test of rax with a number
  all[0x3D] = all[0xA9] = {.kind = opcode::of_rax, .number = opcode::long_number};
  all[0x98] = {.kind = opcode::extends_rax};  // cltq
  all[0xEB] = {.kind = opcode::jumps_near};
  all[0xE9] = {.kind = opcode::jumps_far};
  for (std::size_t code = 0x70; code < 0x80; ++code) all[code] = {.kind = opcode::jumps_on_condition};
  all[0x0F] = {.kind = opcode::has_second};
  return all;
}();

/// Reads one instruction; nullopt: it does not know it.
class decoder {
 public:
  decoder(std::span<const std::uint8_t> code, std::size_t at) noexcept : code_(code), begin_(at), at_(at) {}

  std::optional<instruction> next() noexcept {
    if (!decode() || bad_) return std::nullopt;
    found_.bytes = at_ - begin_;
    found_.target += static_cast<std::ptrdiff_t>(at_);
    return found_;
  }

 private:
  std::uint8_t take() noexcept {
    if (at_ >= code_.size()) {
      bad_ = true;
      return 0;
    }
    return code_[at_++];
  }
  std::uint32_t take_four() noexcept {
    std::uint32_t value = 0;
    for (unsigned n = 0; n < 4; ++n) value |= std::uint32_t{take()} << (8 * n);
    return value;
  }

  struct prefixes {
    bool locked = false;
    bool repeats = false;
    bool is_short = false;  ///< an operand of 16 bits
    std::uint8_t code = 0;  ///< the byte behind them
  };

  prefixes read_prefixes() noexcept {
    prefixes found;
    for (;;) {
      found.code = take();
      switch (found.code) {
        case 0xF0:
          found.locked = true;
          break;
        case 0xF3:
          found.repeats = true;
          break;
        case 0x66:
          found.is_short = true;
          break;
        case 0x64:  // thread-local data
        case 0x65:
        case 0x2E:  // a no-operation's filling
          break;
        default:
          return found;
      }
      if (bad_) return found;
    }
  }

  bool decode() noexcept {
    prefixes before = read_prefixes();
    if (bad_) return false;
    if ((before.code & 0xF0) == 0x40) {
      rex_ = before.code;
      before.code = take();
    }
    if (before.locked) return flush(before.code);
    if (before.repeats) return before.code == 0x90;  // pause
    const opcode& is = known_opcodes[before.code];
    // The second four byte registers are the high bytes of the first four unless there is a prefix.
    is_of_bytes_ = rex_ == 0 && is.is_of_bytes;
    switch (is.kind) {
      case opcode::unknown:
        return false;
      case opcode::nop:
        return rex_ == 0;
      case opcode::with_operands:
        return operands(is.how, is.allowed, is.extension) && skip(number_of(is, before.is_short));
      case opcode::of_rax:
        found_.reads = one(0);
        return skip(number_of(is, before.is_short));
      case opcode::extends_rax:
        found_.reads = found_.writes = one(0);
        return true;
      case opcode::jumps_near:
        return !before.is_short && jump_near(always);
      case opcode::jumps_far:
        return !before.is_short && jump_far(always);
      case opcode::jumps_on_condition:
        return !before.is_short && jump_near(conditional);
      case opcode::has_second:
        return two_bytes() && !(before.is_short && found_.jumps);
    }
    return false;
  }

  /// Returns the bytes of the number behind the operands.
  unsigned number_of(const opcode& is, bool is_short) const noexcept {
    if (is.number != opcode::long_number) return is.number;
    return is_short && (rex_ & 8U) == 0 ? 2 : 4;
  }

  bool two_bytes() noexcept {
    const std::uint8_t code = take();
    if ((code & 0xF0) == 0x80) return jump_far(conditional);
    if ((code & 0xF0) == 0x90) {  // set by condition
      is_of_bytes_ = rex_ == 0;
      return operands(sets_other, registers_only);
    }
    switch (code) {
      case 0xB6:  // mov with zeros or the sign
      case 0xB7:
      case 0xBE:
      case 0xBF:
        if (rex_ == 0 && code_.size() > at_ && code_[at_] >= 0xC0 && (code_[at_] & 7) >= 4) return false;
        return operands(writes_register);
      case 0x1F:  // nop with filling
        return operands(reads_nothing);
      case 0xAE: {  // lfence, mfence, sfence
        const std::uint8_t which = take();
        return which == 0xE8 || which == 0xF0 || which == 0xF8;
      }
      default:
        return false;
    }
  }

  /// `lock or $0,(%rsp)`, by which compilers order memory; it writes the value that is there.
  bool flush(std::uint8_t code) noexcept { return code == 0x83 && take() == 0x0C && take() == 0x24 && take() == 0; }

  enum jump_kind : std::uint8_t { always, conditional };

  bool jump_near(jump_kind kind) noexcept { return jump(kind, static_cast<std::int8_t>(take())); }
  bool jump_far(jump_kind kind) noexcept { return jump(kind, static_cast<std::int32_t>(take_four())); }
  bool jump(jump_kind kind, std::ptrdiff_t distance) noexcept {
    found_.jumps = true;
    found_.is_conditional = kind == conditional;
    found_.target = distance;
    return true;
  }

  bool skip(unsigned bytes) noexcept {
    for (; bytes != 0; --bytes) take();
    return true;
  }

  /// Reads the ModRM byte and what follows it. `extension`: what its middle field must be if that is part of the
  /// opcode.
  bool operands(use how, form allowed = anything, unsigned extension = any_extension) noexcept {
    const std::uint8_t mod_rm = take();
    const unsigned mode = mod_rm >> 6;
    const unsigned middle = (mod_rm >> 3) & 7;
    const unsigned last = mod_rm & 7;
    if (extension != any_extension && middle != extension) return false;
    if (is_of_bytes_ && ((how != sets_other && middle >= 4) || (mode == 3 && last >= 4))) return false;
    const registers reg = one(middle | ((rex_ & 4U) != 0 ? 8 : 0));
    if (mode == 3) return use_registers(how, reg, extended(last));
    if (allowed == registers_only) return false;
    unsigned displacement = 0;
    registers address = read_address(mode, last, displacement);
    if (how == reads_nothing) address = 0;
    found_.reads = address | (how == reads_both ? reg : 0);
    if (how == writes_register) found_.writes = reg;
    return skip(displacement);
  }

  /// The register `low`, or the upper one of that number.
  registers extended(unsigned low) const noexcept { return one(low | ((rex_ & 1U) != 0 ? 8 : 0)); }

  bool use_registers(use how, registers reg, registers other) noexcept {
    switch (how) {
      case reads_nothing:
        break;
      case reads_both:
        found_.reads = reg | other;
        break;
      case reads_other:
        found_.reads = other;
        break;
      case writes_register:
        found_ = {.reads = other, .writes = reg};
        break;
      case writes_other:
        found_ = {.reads = reg, .writes = other};
        break;
      case sets_other:
        found_ = {.writes = other};
        break;
    }
    return true;
  }

  /// Returns the registers of an address in memory, and says how many bytes of a displacement follow.
  registers read_address(unsigned mode, unsigned last, unsigned& displacement) noexcept {
    displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
    const bool has_sib = last == 4;
    if (!has_sib) {
      if (mode != 0 || last != 5) return extended(last);
      displacement = 4;
      return 0;
    }
    const std::uint8_t sib = take();
    const unsigned index = ((sib >> 3) & 7U) | ((rex_ & 2U) != 0 ? 8 : 0);
    const unsigned base = sib & 7;
    const registers scaled = index != 4 ? one(index) : 0;
    if (mode != 0 || base != 5) return scaled | extended(base);
    displacement = 4;
    return scaled;
  }

  std::span<const std::uint8_t> code_;
  std::size_t begin_;
  std::size_t at_;
  std::uint8_t rex_ = 0;
  bool is_of_bytes_ = false;
  bool bad_ = false;
  instruction found_;
};

/// Returns the loop that the first jump back over `at` makes, searching from there.
std::optional<spin_loop> find_branch(std::span<const std::uint8_t> code, std::size_t at) noexcept {
  std::size_t here = at;
  for (std::size_t n = 0; n < most_instructions; ++n) {
    const auto i = decoder(code, here).next();
    if (!i) return std::nullopt;
    const auto to = static_cast<std::size_t>(i->target);
    const bool is_back = i->jumps && i->target >= 0 && to <= here;
    if (is_back && to > at) return std::nullopt;
    if (is_back) return spin_loop{to, here};
    if (i->jumps && !i->is_conditional) return std::nullopt;
    here += i->bytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<spin_loop> find_spin_loop(std::span<const std::uint8_t> code, std::size_t at) noexcept {
  const auto loop = find_branch(code, at);
  if (!loop) return std::nullopt;
  registers written = 0;
  registers read_first = 0;  // registers that a pass reads before it writes them
  bool met = false;
  std::size_t here = loop->begin;
  for (std::size_t n = 0; n < most_instructions; ++n) {
    met = met || here == at;
    const auto i = decoder(code, here).next();
    if (!i) return std::nullopt;
    read_first |= i->reads & ~written;
    written |= i->writes;
    if (here == loop->branch) return met && (read_first & written) == 0 ? loop : std::nullopt;
    // With jumps within the loop, what is written would depend on the way.
    const bool leaves = i->target < 0 || static_cast<std::size_t>(i->target) > loop->branch;
    if (i->jumps && (!i->is_conditional || !leaves)) return std::nullopt;
    here += i->bytes;
    if (here > loop->branch) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace callisto::workers
