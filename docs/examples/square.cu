// A kernel without any CUDA toolkit: `clang` from Debian turns it into square.ptx.
//   clang -x cuda --cuda-gpu-arch=sm_60 --cuda-device-only -nocudainc -nocudalib -O2 -S square.cu
extern "C" __attribute__((global)) void square(const int *in, int *out, int n)
{
    int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    if (i < n)
        out[i] = in[i] * in[i];
}
