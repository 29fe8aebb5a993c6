#include "hostile_bytes.hpp"

#include <doctest/doctest.h>

using std::string_literals::operator""s;
using diagnose::contains;
using diagnose::little_endian;
using diagnose::problem;

namespace {

const std::string folder = FIXTURES;

// One member of an archive that is put together by hand.
struct Member {
  std::string name, data;
  std::uint64_t size = 0;  // what it says it unpacks to
  unsigned method = 0;
  unsigned flags = 0;
  std::uint32_t checksum = 0;
};

// The fields that a member's own header and the list at the end share.
std::string shared_fields(const Member& member) {
  return little_endian(20, 2) + little_endian(member.flags, 2) +
         little_endian(member.method, 2) + little_endian(0, 2) +
         little_endian(33, 2) + little_endian(member.checksum, 4) +
         little_endian(member.data.size(), 4) + little_endian(member.size, 4) +
         little_endian(member.name.size(), 2) + little_endian(0, 2);
}

std::string zip(const std::vector<Member>& members) {
  std::string text, list;
  for (const Member& member : members) {
    list += "PK\1\2" + little_endian(20, 2) + shared_fields(member) +
            std::string(10, '\0') + little_endian(text.size(), 4) + member.name;
    text += "PK\3\4" + shared_fields(member) + member.name + member.data;
  }
  return text + list + "PK\5\6" + little_endian(0, 4) +
         little_endian(members.size(), 2) + little_endian(members.size(), 2) +
         little_endian(list.size(), 4) + little_endian(text.size(), 4) +
         little_endian(0, 2);
}

// CRC-32 as zip has it, bit by bit.
std::uint32_t checksum(const std::string& text) {
  std::uint32_t sum = 0xffffffff;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
    }
  }
  return ~sum;
}

Member stored(const std::string& name, const std::string& data) {
  return {name, data, data.size(), 0, 0, checksum(data)};
}

const std::string array =
    diagnose::npy(diagnose::npy_dict("|u1", "(4,)"), "\1\2\3\4");

}  // namespace

TEST_CASE("what numpy.savez and savez_compressed wrote is read") {
  for (const std::string name : {"stored", "compressed"}) {
    CAPTURE(name);
    auto file = diagnose::open_tensor_files({folder + "/" + name + ".npz"});
    CHECK(file.tensors().size() == 3);
    CHECK(file.read("q").values ==
          std::vector<double>{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5});
    CHECK(file.read("mask/causal").values ==
          std::vector<double>{0, 0, 0, 1, 1, 1});
    const diagnose::Tensor k = file.read("k");
    CHECK(k.shape == std::vector<std::ptrdiff_t>{2, 3, 4});
    CHECK(k.values.at(4 * 3 + 4 + 2) == 112);
  }
}

TEST_CASE("an archive that torch.save wrote is told from a .npz") {
  for (const std::string name : {"torch_save.pt", "torch_save_old.pt"}) {
    CAPTURE(name);
    const std::string said =
        problem(std::vector<std::filesystem::path>{folder + "/" + name});
    CHECK(contains(said, "torch.save w"));
    CHECK(contains(said,
                   "save it with safetensors.torch.save_file or "
                   "numpy.savez"));
  }
}

TEST_CASE("members that are no .npy files are passed over") {
  const std::string bytes =
      zip({stored("read me.txt", "text"), stored("q.npy", array)});
  diagnose::TensorFile file = diagnose::open(bytes);
  CHECK(file.tensors().size() == 1);
  CHECK(file.read("q").values == std::vector<double>{1, 2, 3, 4});
  CHECK(contains(problem(zip({stored("read me.txt", "text")})),
                 "a zip archive without a .npy file"));
  CHECK(contains(problem(zip({})), "a zip archive without a .npy file"));
}

TEST_CASE("a member that is called .npy and is none is refused") {
  CHECK(contains(problem(zip({stored("q.npy", std::string(100, 'x'))})),
                 "file: q.npy: is no .npy file"));
}

TEST_CASE("two members of one name are refused") {
  const Member q = stored("q.npy", array);
  // The letter e with an acute accent, in the two codes that zip has.
  const Member old_code = stored("\x82.npy", array);
  Member utf_8 = stored("\xc3\xa9.npy", array);
  utf_8.flags = 0x800;
  for (const std::string& file : {zip({q, q}), zip({old_code, utf_8})}) {
    CHECK(problem(file) == "file: has two members of one name; save it again");
  }
}

TEST_CASE("a member's size is held against its header") {
  const std::string shown = diagnose::npy_dict("|u1", "(5,)");
  CHECK(contains(problem(zip({stored("q.npy", diagnose::npy(shown, "1234"))})),
                 "it is cut short"));
  CHECK(contains(problem(zip({stored("q.npy", array + "x")})),
                 "goes on for 1 bytes after its array"));
}

TEST_CASE("an archive that promises more than deflate can give is refused") {
  Member bomb = stored("q.npy", array);
  bomb.method = 8;
  bomb.size = 4'000'000'000;
  CHECK(contains(problem(zip({bomb})), "which is impossible"));
}

TEST_CASE("packing other than deflate, and encryption, are refused") {
  for (const unsigned method : {1u, 12u, 14u, 93u}) {
    CAPTURE(method);
    Member packed = stored("q.npy", array);
    packed.method = method;
    CHECK(contains(problem(zip({packed})), "only deflate is unpacked here"));
  }
  Member encrypted = stored("q.npy", array);
  encrypted.flags = 1;
  CHECK(contains(problem(zip({encrypted})), "encrypted"));
}

TEST_CASE("a changed number is noticed by its checksum") {
  Member changed = stored("q.npy", array);
  changed.data.back() = '\5';
  CHECK(contains(problem(zip({changed})), "file: q.npy: is damaged"));
}

TEST_CASE("every archive that is cut short is refused") {
  const std::string file = zip({stored("q.npy", array)});
  REQUIRE(problem(file) == "");
  for (std::size_t length = 0; length < file.size(); ++length) {
    CAPTURE(length);
    CHECK(problem(file.substr(0, length)) != "");
  }
}
