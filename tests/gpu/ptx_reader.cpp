#include "ptx_code.hpp"

#include "ptx_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace ptx {
namespace {

template <class Value>
using Names = std::map<std::string_view, Value>;

const Names<Type> types{
    {"pred", Type::pred}, {"b8", Type::u8},     {"u8", Type::u8},
    {"s8", Type::s8},     {"b16", Type::u16},   {"u16", Type::u16},
    {"s16", Type::s16},   {"b32", Type::u32},   {"u32", Type::u32},
    {"s32", Type::s32},   {"b64", Type::u64},   {"u64", Type::u64},
    {"s64", Type::s64},   {"bf16", Type::bf16}, {"f32", Type::f32},
    {"f64", Type::f64}};

const Names<Space> spaces{{"param", Space::param},
                          {"global", Space::global},
                          {"shared", Space::shared},
                          {"local", Space::local}};

const Names<Op> ops{
    {"add", Op::add},   {"sub", Op::sub},   {"mul", Op::mul},
    {"mad", Op::mad},   {"div", Op::div},   {"rem", Op::rem},
    {"min", Op::min},   {"max", Op::max},   {"neg", Op::neg},
    {"abs", Op::abs},   {"and", Op::and_},  {"or", Op::or_},
    {"xor", Op::xor_},  {"not", Op::not_},  {"shl", Op::shl},
    {"shr", Op::shr},   {"setp", Op::setp}, {"selp", Op::selp},
    {"mov", Op::mov},   {"cvt", Op::cvt},   {"cvta", Op::cvta},
    {"fma", Op::fma},   {"rcp", Op::rcp},   {"ex2", Op::ex2},
    {"lg2", Op::lg2},   {"sqrt", Op::sqrt}, {"rsqrt", Op::rsqrt},
    {"ld", Op::ld},     {"st", Op::st},     {"atom", Op::atom},
    {"bra", Op::bra},   {"ret", Op::ret},   {"bar", Op::bar},
    {"shfl", Op::shfl}, {"vote", Op::vote}};

const Names<Way> ways{
    {"lo", Way::lo},         {"hi", Way::hi},     {"wide", Way::wide},
    {"eq", Way::eq},         {"ne", Way::ne},     {"lt", Way::lt},
    {"le", Way::le},         {"gt", Way::gt},     {"ge", Way::ge},
    {"equ", Way::equ},       {"neu", Way::neu},   {"ltu", Way::ltu},
    {"leu", Way::leu},       {"gtu", Way::gtu},   {"geu", Way::geu},
    {"num", Way::num},       {"nan", Way::nan},   {"up", Way::up},
    {"down", Way::down},     {"bfly", Way::bfly}, {"idx", Way::idx},
    {"ballot", Way::ballot}, {"any", Way::any},   {"all", Way::all},
    {"popc", Way::popc},     {"and", Way::and_},  {"or", Way::or_},
    {"add", Way::add},       {"min", Way::min},   {"max", Way::max},
    {"exch", Way::exch},     {"cas", Way::cas}};

// The special registers, by the number that Operand::index has for them.
const Names<int> specials{
    {"%tid.x", 0},   {"%tid.y", 1},    {"%tid.z", 2},     {"%ntid.x", 3},
    {"%ntid.y", 4},  {"%ntid.z", 5},   {"%ctaid.x", 6},   {"%ctaid.y", 7},
    {"%ctaid.z", 8}, {"%nctaid.x", 9}, {"%nctaid.y", 10}, {"%nctaid.z", 11},
    {"%laneid", 12}};

// Parts that say what is so anyway: nothing here is faster for them.
constexpr std::string_view said_for_speed[] = {"sync",    "nc",  "volatile",
                                               "relaxed", "gpu", "cta"};

template <class Value>
const Value* find(const Names<Value>& names, std::string_view name) {
  const auto at = names.find(name);
  return at == names.end() ? nullptr : &at->second;
}

template <std::size_t size>
bool contains(const std::string_view (&words)[size], std::string_view word) {
  for (const std::string_view one : words) {
    if (one == word) return true;
  }
  return false;
}

// An operand of several registers, such as {%f1, %f2}, is all of them in order.
struct OperandGroup {
  std::vector<Operand> parts;
  std::string_view name;  // a label's
};

class Reader {
 public:
  Reader(const std::string& text, Module& module)
      : tokens_(tokens_of(text)), module_(module) {}

  void read() {
    while (!now().text.empty()) read_top();
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  Token take() {
    if (at_ + 1 == tokens_.size()) fail("the text ends too early");
    return tokens_[at_++];
  }
  bool taken(std::string_view text) {
    if (now().text != text) return false;
    take();
    return true;
  }
  void want(std::string_view text) {
    if (!taken(text)) fail(fmt::format("'{}' is due", text));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(
        fmt::format("PTX, line {}, at '{}': {}", now().line, now().text, why));
  }
  template <class Number>
  Number integer() {
    const Token token = take();
    Number value = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [to, error] = std::from_chars(token.text.data(), end, value);
    if (error != std::errc() || to != end) fail("a number is due before this");
    return value;
  }

  void read_top() {
    const Token token = take();
    if (token.text == ".version" || token.text == ".address_size") {
      take();
    } else if (token.text == ".target") {
      do take();
      while (taken(","));
    } else if (token.text == ".file") {
      const int number = integer<int>();
      const std::string_view path = take().text;
      module_.files[number] = path.substr(1, path.size() - 2);
      while (taken(",")) take();
    } else if (token.text == ".section") {
      while (!taken("}")) take();
    } else if (token.text == ".global") {
      read_global();
    } else if (token.text == ".shared") {
      read_shared();
    } else if (token.text == ".entry") {
      read_kernel();
    } else if (token.text != ".visible" && token.text != ".extern" &&
               token.text != ".weak") {
      fail("nothing is known of what stands before this");
    }
  }

  // [.align N] .type name [bytes], behind the word that says where it is.
  struct Variable {
    std::string name;
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    bool open = false;  // []: as many bytes as the launch says
  };
  Variable read_variable() {
    Variable variable;
    if (taken(".align")) variable.alignment = integer<std::size_t>();
    const Type* const type = find(types, take().text.substr(1));
    if (type == nullptr) fail("a type is due before this");
    variable.bytes = bytes_of(*type);
    variable.alignment = std::max(variable.alignment, variable.bytes);
    variable.name = take().text;
    while (taken("[")) {
      variable.open = now().text == "]";
      if (!variable.open) variable.bytes *= integer<std::size_t>();
      want("]");
    }
    return variable;
  }

  void read_global() {
    const Variable variable = read_variable();
    std::vector<unsigned char>& bytes = module_.globals[variable.name];
    bytes.assign(variable.bytes, 0);
    if (taken("=")) {
      want("{");
      std::size_t n = 0;
      do bytes.at(n++) = integer<unsigned char>();
      while (taken(","));
      want("}");
    }
    want(";");
  }

  // Outside a kernel only dynamic shared memory is declared.
  void read_shared() {
    const Variable variable = read_variable();
    if (!variable.open) fail("shared memory of all kernels is not known here");
    dynamic_.insert(variable.name);
    want(";");
  }

  void read_kernel() {
    kernel_ = Kernel();
    kernel_.name = take().text;
    registers_ = {{}};
    variables_.clear();
    labels_.clear();
    jumps_.clear();
    line_ = {};
    want("(");
    while (!taken(")")) read_parameter();
    while (now().text != "{") take();  // how many threads it is made for
    take();
    int depth = 1;
    while (depth > 0) {
      if (taken("{")) {
        registers_.emplace_back();
        ++depth;
      } else if (taken("}")) {
        registers_.pop_back();
        --depth;
      } else {
        read_statement();
      }
    }
    kernel_.code.emplace_back();  // ret
    for (const auto& [from, label] : jumps_) {
      const auto to = labels_.find(label);
      if (to == labels_.end()) fail(fmt::format("no label {}", label));
      kernel_.code[from].target = to->second;
    }
    module_.kernels[kernel_.name] = std::move(kernel_);
  }

  void read_parameter() {
    want(".param");
    const Variable variable = read_variable();
    kernel_.parameter_bytes =
        rounded_up(kernel_.parameter_bytes, variable.alignment);
    variables_[variable.name] = {Operand::Kind::param, kernel_.parameter_bytes};
    kernel_.parameters.push_back({kernel_.parameter_bytes, variable.bytes});
    kernel_.parameter_bytes += variable.bytes;
    taken(",");
  }

  void read_statement() {
    if (taken(".loc")) {
      line_.file = integer<int>();
      line_.line = integer<int>();
      take();
      while (taken(",")) {  // what was inlined where
        if (take().text == "function_name") {
          take();
        } else {
          take(), take(), take();
        }
      }
    } else if (taken(".pragma")) {
      while (!taken(";")) take();
    } else if (taken(".reg")) {
      read_registers();
    } else if (taken(".shared")) {
      kernel_.shared_bytes = place(kernel_.shared_bytes);
    } else if (taken(".local")) {
      kernel_.local_bytes = place(kernel_.local_bytes);
    } else if (now().text[0] == '$') {
      labels_[std::string(take().text)] = static_cast<int>(kernel_.code.size());
      want(":");
    } else {
      read_instruction();
    }
  }

  // Gives the variable its place; returns where the next one may begin.
  std::size_t place(std::size_t end) {
    const Variable variable = read_variable();
    want(";");
    end = rounded_up(end, variable.alignment);
    variables_[variable.name] = {Operand::Kind::number, end};
    return end + variable.bytes;
  }

  // Those in inner braces are others than those outside, if they have the name.
  void read_registers() {
    take();
    do {
      const std::string name(take().text);
      if (taken("<")) {  // %r<9>: %r1 to %r8
        const int end = integer<int>();
        for (int n = 0; n < end; ++n) {
          registers_.back()[name + std::to_string(n)] = new_register();
        }
        want(">");
      } else {
        registers_.back()[name] = new_register();
      }
    } while (taken(","));
    want(";");
  }
  int new_register() { return static_cast<int>(kernel_.registers++); }
  int register_of(std::string_view word) {
    const std::string name(word);
    for (auto scope = registers_.rbegin(); scope != registers_.rend();
         ++scope) {
      if (const auto at = scope->find(name); at != scope->end()) {
        return at->second;
      }
    }
    fail(fmt::format("the register {} is not known", name));
  }

  void read_instruction() {
    Instruction instruction;
    instruction.at = line_;
    if (taken("@")) {
      instruction.unless = taken("!");
      instruction.guard = register_of(take().text);
    }
    read_parts(take().text, instruction);
    std::vector<OperandGroup> groups;
    while (now().text != ";") {
      groups.push_back(read_operand());
      if (!taken(",") && !taken("|") && now().text != ";") fail("',' is due");
    }
    take();
    if (instruction.op == Op::bra) {
      if (groups.size() != 1) fail("a label is due");
      jumps_.emplace_back(kernel_.code.size(), groups[0].name);
      groups.clear();
    }
    check_operands(instruction, groups);
    instruction.results = results_of(instruction, groups);
    for (const OperandGroup& group : groups) {
      instruction.operands.insert(instruction.operands.end(),
                                  group.parts.begin(), group.parts.end());
    }
    kernel_.code.push_back(std::move(instruction));
  }

  void check_operands(const Instruction& instruction,
                      const std::vector<OperandGroup>& groups) const {
    if (instruction.op != Op::bra && groups.size() != due(instruction)) {
      fail(fmt::format("before this, {} operands are due, and there are {}",
                       due(instruction), groups.size()));
    }
    const bool bar = instruction.op == Op::bar;
    if (!bar && instruction.op != Op::bar_red) return;
    const Operand& barrier = groups[bar ? 0 : 1].parts[0];
    if (barrier.kind != Operand::Kind::number || barrier.number != 0) {
      fail("before this, a barrier other than 0");
    }
  }
  static std::size_t due(const Instruction& instruction) {
    switch (instruction.op) {
      case Op::ret:
      case Op::bra: return 0;
      case Op::bar:
      case Op::bar_warp: return 1;
      case Op::neg:
      case Op::abs:
      case Op::not_:
      case Op::mov:
      case Op::cvt:
      case Op::cvta:
      case Op::rcp:
      case Op::ex2:
      case Op::lg2:
      case Op::sqrt:
      case Op::rsqrt:
      case Op::ld:
      case Op::st: return 2;
      case Op::selp:
      case Op::fma:
      case Op::mad: return 4;
      case Op::atom: return instruction.way == Way::cas ? 4 : 3;
      case Op::shfl: return 6;
      default: return 3;
    }
  }

  // How many of the operands, as single registers, are written.
  static std::size_t results_of(const Instruction& instruction,
                                const std::vector<OperandGroup>& groups) {
    switch (instruction.op) {
      case Op::st:
      case Op::bra:
      case Op::ret:
      case Op::bar:
      case Op::bar_warp: return 0;
      case Op::shfl: return 2;
      default: return groups.empty() ? 0 : groups[0].parts.size();
    }
  }

  void read_parts(std::string_view word, Instruction& instruction) {
    std::vector<std::string_view> parts;
    while (!word.empty()) {
      const std::size_t dot = std::min(word.find('.'), word.size());
      parts.push_back(word.substr(0, dot));
      word.remove_prefix(std::min(dot + 1, word.size()));
    }
    const Op* const op = find(ops, parts[0]);
    if (op == nullptr) {
      fail(fmt::format("the instruction {} is not known", parts[0]));
    }
    instruction.op = *op;
    std::vector<Type> named;
    for (std::size_t n = 1; n < parts.size(); ++n) {
      if (!read_part(parts[n], instruction, named)) {
        fail(fmt::format("the part {} of {} is not known", parts[n], parts[0]));
      }
    }
    if (!named.empty()) instruction.type = named.front();
    instruction.from = named.size() > 1 ? named[1] : instruction.type;
    const bool moves =
        *op == Op::ld || *op == Op::st || *op == Op::mov || *op == Op::cvt;
    if (!moves && instruction.type == Type::bf16) {
      fail(fmt::format("{} of bf16 is not known", parts[0]));
    }
    if (instruction.saturate && instruction.type != Type::f32) {
      fail("a saturating conversion to integers is not known");
    }
    if (instruction.way == Way::wide) {
      instruction.type = instruction.from == Type::s32   ? Type::s64
                         : instruction.from == Type::u32 ? Type::u64
                         : instruction.from == Type::s16 ? Type::s32
                                                         : Type::u32;
    }
  }

  static bool read_part(std::string_view part, Instruction& instruction,
                        std::vector<Type>& named) {
    const Op op = instruction.op;
    if (const Type* const type = find(types, part)) {
      named.push_back(*type);
    } else if (const Space* const space = find(spaces, part)) {
      instruction.space = *space;
    } else if (op == Op::bar && (part == "red" || part == "warp")) {
      instruction.op = part == "red" ? Op::bar_red : Op::bar_warp;
    } else if (const Way* const way = find(ways, part)) {
      instruction.way = *way;
    } else if (part == "rm" && op == Op::fma) {
      instruction.round_down = true;
    } else if (part == "sat" && op == Op::cvt) {
      instruction.saturate = true;
    } else if (part == "approx") {  // here with all digits
      return op == Op::ex2 || op == Op::lg2 || op == Op::rsqrt || op == Op::div;
    } else if (part == "ftz" && op == Op::ex2) {
      instruction.flush = true;
    } else if (part == "uni") {
      return op == Op::bra;
    } else if (part == "to") {
      return op == Op::cvta;
    } else {
      // The number of registers is counted where they stand.
      return part == "rn" || contains(said_for_speed, part) ||
             ((op == Op::ld || op == Op::st) && (part == "v2" || part == "v4"));
    }
    return true;
  }

  OperandGroup read_operand() {
    OperandGroup group;
    if (taken("{")) {
      do group.parts.push_back(read_single(group));
      while (taken(","));
      want("}");
    } else if (taken("[")) {
      group.parts.push_back(read_single(group));
      if (taken("+")) group.parts[0].offset = integer<std::int64_t>();
      want("]");
    } else {
      group.parts.push_back(read_single(group));
    }
    return group;
  }

  Operand read_single(OperandGroup& group) {
    Operand operand;
    operand.negated = taken("!");
    const Token token = take();
    if (token.number()) {
      operand.kind = Operand::Kind::number;
      operand.number = number_of(token);
    } else if (const int* const special = find(specials, token.text)) {
      operand.kind = Operand::Kind::special;
      operand.index = *special;
    } else if (token.text[0] == '%') {
      operand.kind = Operand::Kind::reg;
      operand.index = register_of(token.text);
    } else if (token.text[0] == '$') {
      group.name = token.text;
    } else if (token.text != "_") {
      const std::string name(token.text);
      const auto [kind, place] = place_of(name);
      operand.kind = kind;
      operand.number = place;
    }
    return operand;
  }

  std::pair<Operand::Kind, std::uint64_t> place_of(const std::string& name) {
    if (const auto at = variables_.find(name); at != variables_.end()) {
      return at->second;
    }
    if (dynamic_.count(name) != 0) {
      // Static variables stand before the code that names them.
      return {Operand::Kind::number,
              rounded_up(kernel_.shared_bytes, dynamic_alignment)};
    }
    if (const auto at = module_.globals.find(name);
        at != module_.globals.end()) {
      return {Operand::Kind::number,
              reinterpret_cast<std::uintptr_t>(at->second.data())};
    }
    fail(fmt::format("{} is not known", name));
  }

  // 0f3F800000 are the bits of a float, 0d3FF0000000000000 of a double.
  std::uint64_t number_of(const Token& token) const {
    std::string_view digits = token.text;
    int base = 10;
    if (digits.starts_with("0f") || digits.starts_with("0d") ||
        digits.starts_with("0x")) {
      digits.remove_prefix(2);
      base = 16;
    }
    const char* const end = digits.data() + digits.size();
    const auto read = [&](auto& value) {
      const auto [to, error] = std::from_chars(digits.data(), end, value, base);
      return to == end && error == std::errc();
    };
    std::uint64_t value = 0;
    std::int64_t below_zero = 0;
    if (read(value)) return value;
    if (read(below_zero)) return static_cast<std::uint64_t>(below_zero);
    fail(fmt::format("the number {} is not known", token.text));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Module& module_;
  std::set<std::string> dynamic_;
  Kernel kernel_;
  std::vector<std::map<std::string, int>> registers_;  // by braces
  std::map<std::string, std::pair<Operand::Kind, std::uint64_t>> variables_;
  std::map<std::string, int> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  SourceLine line_;
};

}  // namespace

std::size_t bytes_of(Type type) {
  switch (type) {
    case Type::pred:
    case Type::u8:
    case Type::s8: return 1;
    case Type::u16:
    case Type::s16:
    case Type::bf16: return 2;
    case Type::u32:
    case Type::s32:
    case Type::f32: return 4;
    case Type::f64: return 8;
    case Type::u64:
    case Type::s64: return 8;
  }
  return 0;
}

void read_module(const std::string& text, Module& module) {
  Reader(text, module).read();
}

}  // namespace ptx
