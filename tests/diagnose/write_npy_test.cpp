// The writer that chapter 5 shows, read back.
#include "diagnose/tensor_file.hpp"
#include "write_matrix_npy.hpp"

#include <doctest/doctest.h>

#include <filesystem>

TEST_CASE("what the chapter's write_npy wrote is read back with its shape") {
  const auto folder =
      std::filesystem::temp_directory_path() / "mha_write_npy_test";
  std::filesystem::create_directories(folder);
  for (const std::vector<int>& shape :
       {std::vector<int>{6}, {2, 3}, {1, 3, 2}, {1, 1, 2, 3}}) {
    const float numbers[] = {0.5F, -1, 2, 3e-8F, 4e30F, -0.0F};
    gallery::write_npy((folder / "q.npy").string(), shape, numbers);
    auto file = diagnose::open_tensor_files({folder / "q.npy"});
    const diagnose::Tensor tensor = file.read("q");
    CHECK(tensor.type == diagnose::NumberType::float32);
    CHECK(tensor.shape ==
          std::vector<std::ptrdiff_t>(shape.begin(), shape.end()));
    REQUIRE(tensor.values.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(tensor.values[i] == static_cast<double>(numbers[i]));
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("an Eigen matrix is written row by row, whatever its order") {
  const auto file =
      std::filesystem::temp_directory_path() / "mha_write_matrix_npy_test.npy";
  Eigen::MatrixXd columns(2, 3);
  columns << 1, 2, 3, 4, 5, 6;
  gallery::write_npy(file.string(), columns);
  auto opened = diagnose::open_tensor_files({file});
  const diagnose::Tensor tensor =
      opened.read("mha_write_matrix_npy_test");
  CHECK(tensor.shape == std::vector<std::ptrdiff_t>{2, 3});
  CHECK(tensor.values == std::vector<double>{1, 2, 3, 4, 5, 6});
  std::filesystem::remove(file);
}
