// Divergent, gather-heavy: a CSR sparse matrix-vector product with random columns and row lengths,
// one thread a row. Compiled by:
//   clang -x cuda --cuda-gpu-arch=sm_60 --cuda-device-only -nocudainc -nocudalib -O2 -S gather.cu
#define KERNEL extern "C" __attribute__((global)) void
KERNEL spmv(const int *row, const int *col, const float *val, const float *x, float *y, int n)
{
    int r = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
            __nvvm_read_ptx_sreg_tid_x();
    if (r >= n)
        return;
    float sum = 0.0f;
    for (int k = row[r]; k < row[r + 1]; k++) {
        float v = val[k] * x[col[k]];
        if (v > 0.0f)
            sum += v;
        else
            sum -= 0.5f * v;
    }
    y[r] = sum;
}
