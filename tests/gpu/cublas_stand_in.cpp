// Stands in for cuBLAS, which no machine without a card can run: it looks at
// what it is asked for, and touches the corners of the matrices.
#include <cublas_v2.h>

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t,
                              cublasOperation_t, int m, int n, int k,
                              const float* alpha, const float* a, int lda,
                              const float* b, int ldb, const float* beta,
                              float* c, int ldc) {
  if (handle == nullptr || lda < m || ldb < k || ldc < m || *alpha != 1 ||
      *beta != 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const auto last = [](int rows, int columns) {
    return static_cast<long long>(rows) * columns - 1;
  };
  // NaN: a matrix that nobody filled is no fair measure.
  const float product = a[0] * b[0] + a[last(m, k)] * b[last(k, n)];
  if (!(product == product)) return CUBLAS_STATUS_INVALID_VALUE;
  c[0] = c[last(m, n)] = product;
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
