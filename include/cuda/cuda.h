/* CUDA's driver API as far as Parsim provides it: our own declarations of the same binary
 * interface, so that a C host needs no CUDA toolkit.
 *
 *   cc -I include/cuda host.c -L build/lib -lcuda && parsim run -- ./a.out
 *
 * The program also runs with NVIDIA's libcuda.so.1. */
#ifndef PARSIM_CUDA_H
#define PARSIM_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_VERSION 13000

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct module *CUmodule;
typedef struct function *CUfunction;
typedef struct module *CUlibrary;
typedef struct function *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;
typedef struct array *CUarray;
typedef struct {
    char bytes[16];
} CUuuid;
typedef void (*CUhostFn)(void *arg);
typedef void (*CUstreamCallback)(CUstream stream, int status, void *arg);
typedef size_t (*CUoccupancyB2DSize)(int block_size);

typedef enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

/* A few of the numbers that cuDeviceGetAttribute() and cuFuncGetAttribute() take. */
enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
};
enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
};
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2 };
enum { CU_JIT_INPUT_CUBIN = 0, CU_JIT_INPUT_PTX = 1, CU_JIT_INPUT_FATBINARY = 2 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED };

#define CU_LAUNCH_PARAM_END            ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)

typedef struct {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    void *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

#define CU_API(name, ...) CUresult name(__VA_ARGS__)

CU_API(cuInit, unsigned flags);
CU_API(cuDriverGetVersion, int *version);
CU_API(cuGetErrorName, CUresult error, const char **name);
CU_API(cuGetErrorString, CUresult error, const char **text);
CU_API(cuGetProcAddress_v2, const char *symbol, void **fn, int version, uint64_t flags, int *found);

CU_API(cuDeviceGet, CUdevice *device, int ordinal);
CU_API(cuDeviceGetCount, int *count);
CU_API(cuDeviceGetName, char *name, int len, CUdevice device);
CU_API(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice device);
CU_API(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device);
CU_API(cuDeviceGetAttribute, int *value, int attribute, CUdevice device);
CU_API(cuDeviceComputeCapability, int *major, int *minor, CUdevice device);
CU_API(cuDeviceCanAccessPeer, int *can, CUdevice device, CUdevice peer);
CU_API(cuDevicePrimaryCtxRetain, CUcontext *ctx, CUdevice device);
CU_API(cuDevicePrimaryCtxRelease_v2, CUdevice device);
CU_API(cuDevicePrimaryCtxReset_v2, CUdevice device);
CU_API(cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned flags);
CU_API(cuDevicePrimaryCtxGetState, CUdevice device, unsigned *flags, int *active);

CU_API(cuCtxCreate_v2, CUcontext *ctx, unsigned flags, CUdevice device);
CU_API(cuCtxCreate_v4, CUcontext *ctx, void *params, unsigned flags, CUdevice device);
CU_API(cuCtxDestroy_v2, CUcontext ctx);
CU_API(cuCtxPushCurrent_v2, CUcontext ctx);
CU_API(cuCtxPopCurrent_v2, CUcontext *ctx);
CU_API(cuCtxSetCurrent, CUcontext ctx);
CU_API(cuCtxGetCurrent, CUcontext *ctx);
CU_API(cuCtxGetDevice, CUdevice *device);
CU_API(cuCtxGetFlags, unsigned *flags);
CU_API(cuCtxGetApiVersion, CUcontext ctx, unsigned *version);
CU_API(cuCtxSynchronize, void);
CU_API(cuCtxSetLimit, int limit, size_t value);
CU_API(cuCtxGetLimit, size_t *value, int limit);
CU_API(cuCtxGetCacheConfig, int *config);
CU_API(cuCtxSetCacheConfig, int config);
CU_API(cuCtxGetStreamPriorityRange, int *least, int *greatest);

CU_API(cuModuleLoad, CUmodule *module, const char *file);
CU_API(cuModuleLoadData, CUmodule *module, const void *image);
CU_API(cuModuleLoadDataEx, CUmodule *module, const void *image, unsigned n, int *options,
       void **values);
CU_API(cuModuleLoadFatBinary, CUmodule *module, const void *image);
CU_API(cuModuleUnload, CUmodule module);
CU_API(cuModuleGetFunction, CUfunction *function, CUmodule module, const char *name);
CU_API(cuModuleGetFunctionCount, unsigned *count, CUmodule module);
CU_API(cuModuleEnumerateFunctions, CUfunction *functions, unsigned n, CUmodule module);
CU_API(cuModuleGetGlobal_v2, CUdeviceptr *p, size_t *bytes, CUmodule module, const char *name);
CU_API(cuLinkCreate_v2, unsigned n, int *options, void **values, CUlinkState *state);
CU_API(cuLinkAddData_v2, CUlinkState state, int type, void *data, size_t bytes, const char *name,
       unsigned n, int *options, void **values);
CU_API(cuLinkAddFile_v2, CUlinkState state, int type, const char *path, unsigned n, int *options,
       void **values);
CU_API(cuLinkComplete, CUlinkState state, void **image, size_t *bytes);
CU_API(cuLinkDestroy, CUlinkState state);
CU_API(cuLibraryLoadData, CUlibrary *library, const void *code, int *jit, void **jit_values,
       unsigned njit, int *options, void **values, unsigned n);
CU_API(cuLibraryLoadFromFile, CUlibrary *library, const char *file, int *jit, void **jit_values,
       unsigned njit, int *options, void **values, unsigned n);
CU_API(cuLibraryUnload, CUlibrary library);
CU_API(cuLibraryGetKernel, CUkernel *kernel, CUlibrary library, const char *name);
CU_API(cuLibraryGetKernelCount, unsigned *count, CUlibrary library);
CU_API(cuLibraryEnumerateKernels, CUkernel *kernels, unsigned n, CUlibrary library);
CU_API(cuLibraryGetModule, CUmodule *module, CUlibrary library);
CU_API(cuLibraryGetGlobal, CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name);
CU_API(cuLibraryGetManaged, CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name);
CU_API(cuKernelGetFunction, CUfunction *function, CUkernel kernel);
CU_API(cuKernelGetName, const char **name, CUkernel kernel);
CU_API(cuKernelGetLibrary, CUlibrary *library, CUkernel kernel);
CU_API(cuKernelGetAttribute, int *value, int attribute, CUkernel kernel, CUdevice device);
CU_API(cuKernelSetAttribute, int attribute, int value, CUkernel kernel, CUdevice device);

CU_API(cuFuncGetAttribute, int *value, int attribute, CUfunction function);
CU_API(cuFuncSetAttribute, CUfunction function, int attribute, int value);
CU_API(cuFuncSetCacheConfig, CUfunction function, int config);
CU_API(cuFuncSetSharedMemConfig, CUfunction function, int config);
CU_API(cuFuncGetModule, CUmodule *module, CUfunction function);
CU_API(cuFuncGetName, const char **name, CUfunction function);
CU_API(cuFuncGetParamInfo, CUfunction function, size_t index, size_t *offset, size_t *bytes);
CU_API(cuFuncLoad, CUfunction function);
CU_API(cuLaunchKernel, CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
       unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream, void **params,
       void **extra);
CU_API(cuLaunchKernelEx, const CUlaunchConfig *config, CUfunction function, void **params,
       void **extra);
CU_API(cuLaunchCooperativeKernel, CUfunction function, unsigned gx, unsigned gy, unsigned gz,
       unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
       void **params);
CU_API(cuLaunchHostFunc, CUstream stream, CUhostFn fn, void *arg);
CU_API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, CUfunction function, int threads,
       size_t dynamic);
CU_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, CUfunction function,
       int threads, size_t dynamic, unsigned flags);
CU_API(cuOccupancyMaxPotentialBlockSize, int *min_grid, int *block, CUfunction function,
       CUoccupancyB2DSize size, size_t dynamic, int limit);
CU_API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *min_grid, int *block, CUfunction function,
       CUoccupancyB2DSize size, size_t dynamic, int limit, unsigned flags);
CU_API(cuOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, CUfunction function, int blocks,
       int threads);

CU_API(cuMemGetInfo_v2, size_t *free_bytes, size_t *total);
CU_API(cuMemAlloc_v2, CUdeviceptr *p, size_t bytes);
CU_API(cuMemAllocManaged, CUdeviceptr *p, size_t bytes, unsigned flags);
CU_API(cuMemAllocPitch_v2, CUdeviceptr *p, size_t *pitch, size_t width, size_t height,
       unsigned element_bytes);
CU_API(cuMemFree_v2, CUdeviceptr p);
CU_API(cuMemGetAddressRange_v2, CUdeviceptr *base, size_t *bytes, CUdeviceptr p);
CU_API(cuMemAllocHost_v2, void **p, size_t bytes);
CU_API(cuMemHostAlloc, void **p, size_t bytes, unsigned flags);
CU_API(cuMemFreeHost, void *p);
CU_API(cuMemHostGetDevicePointer_v2, CUdeviceptr *out, void *host, unsigned flags);
CU_API(cuMemHostRegister_v2, void *p, size_t bytes, unsigned flags);
CU_API(cuMemHostUnregister, void *p);
CU_API(cuMemcpy, CUdeviceptr dst, CUdeviceptr src, size_t bytes);
CU_API(cuMemcpyAsync, CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream);
CU_API(cuMemcpyHtoD_v2, CUdeviceptr dst, const void *src, size_t bytes);
CU_API(cuMemcpyDtoH_v2, void *dst, CUdeviceptr src, size_t bytes);
CU_API(cuMemcpyDtoD_v2, CUdeviceptr dst, CUdeviceptr src, size_t bytes);
CU_API(cuMemcpyHtoDAsync_v2, CUdeviceptr dst, const void *src, size_t bytes, CUstream stream);
CU_API(cuMemcpyDtoHAsync_v2, void *dst, CUdeviceptr src, size_t bytes, CUstream stream);
CU_API(cuMemcpyDtoDAsync_v2, CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream);
CU_API(cuMemcpy2D_v2, const CUDA_MEMCPY2D *copy);
CU_API(cuMemcpy2DUnaligned_v2, const CUDA_MEMCPY2D *copy);
CU_API(cuMemcpy2DAsync_v2, const CUDA_MEMCPY2D *copy, CUstream stream);
CU_API(cuMemsetD8_v2, CUdeviceptr dst, unsigned char value, size_t n);
CU_API(cuMemsetD16_v2, CUdeviceptr dst, unsigned short value, size_t n);
CU_API(cuMemsetD32_v2, CUdeviceptr dst, unsigned value, size_t n);
CU_API(cuMemsetD8Async, CUdeviceptr dst, unsigned char value, size_t n, CUstream stream);
CU_API(cuMemsetD16Async, CUdeviceptr dst, unsigned short value, size_t n, CUstream stream);
CU_API(cuMemsetD32Async, CUdeviceptr dst, unsigned value, size_t n, CUstream stream);
CU_API(cuMemsetD2D8_v2, CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
       size_t height);
CU_API(cuMemsetD2D16_v2, CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
       size_t height);
CU_API(cuMemsetD2D32_v2, CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
       size_t height);
CU_API(cuPointerGetAttribute, void *value, int attribute, CUdeviceptr p);
CU_API(cuPointerGetAttributes, unsigned n, int *attributes, void **values, CUdeviceptr p);

CU_API(cuStreamCreate, CUstream *stream, unsigned flags);
CU_API(cuStreamCreateWithPriority, CUstream *stream, unsigned flags, int priority);
CU_API(cuStreamDestroy_v2, CUstream stream);
CU_API(cuStreamSynchronize, CUstream stream);
CU_API(cuStreamQuery, CUstream stream);
CU_API(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned flags);
CU_API(cuStreamAddCallback, CUstream stream, CUstreamCallback fn, void *arg, unsigned flags);
CU_API(cuStreamGetFlags, CUstream stream, unsigned *flags);
CU_API(cuStreamGetPriority, CUstream stream, int *priority);
CU_API(cuStreamGetCtx, CUstream stream, CUcontext *ctx);
CU_API(cuEventCreate, CUevent *event, unsigned flags);
CU_API(cuEventDestroy_v2, CUevent event);
CU_API(cuEventRecord, CUevent event, CUstream stream);
CU_API(cuEventSynchronize, CUevent event);
CU_API(cuEventQuery, CUevent event);
CU_API(cuEventElapsedTime, float *ms, CUevent from, CUevent to);
CU_API(cuProfilerStart, void);
CU_API(cuProfilerStop, void);

#ifndef PARSIM_CUDA_IMPLEMENTATION
/* Arrays and textures over them or over rows of linear memory. */
typedef unsigned long long CUtexObject;
enum { CU_AD_FORMAT_UNSIGNED_INT8 = 1, CU_AD_FORMAT_UNSIGNED_INT32 = 3, CU_AD_FORMAT_FLOAT = 32 };
enum { CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP };
enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR };
enum { CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2 };
enum { CU_RESOURCE_TYPE_ARRAY = 0, CU_RESOURCE_TYPE_PITCH2D = 3 };

typedef struct {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
    int resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

CU_API(cuArrayCreate_v2, CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc);
CU_API(cuArrayDestroy, CUarray array);
CU_API(cuTexObjectCreate, CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
       const CUDA_TEXTURE_DESC *desc, const void *view);
CU_API(cuTexObjectDestroy, CUtexObject texture);

/* The plain names mean the newest form. */
#define cuArrayCreate              cuArrayCreate_v2
#define cuGetProcAddress           cuGetProcAddress_v2
#define cuDeviceGetUuid            cuDeviceGetUuid_v2
#define cuDeviceTotalMem           cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease  cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset    cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuCtxCreate                cuCtxCreate_v4
#define cuCtxDestroy               cuCtxDestroy_v2
#define cuCtxPushCurrent           cuCtxPushCurrent_v2
#define cuCtxPopCurrent            cuCtxPopCurrent_v2
#define cuModuleGetGlobal          cuModuleGetGlobal_v2
#define cuLinkCreate               cuLinkCreate_v2
#define cuLinkAddData              cuLinkAddData_v2
#define cuLinkAddFile              cuLinkAddFile_v2
#define cuMemGetInfo               cuMemGetInfo_v2
#define cuMemAlloc                 cuMemAlloc_v2
#define cuMemAllocPitch            cuMemAllocPitch_v2
#define cuMemFree                  cuMemFree_v2
#define cuMemGetAddressRange       cuMemGetAddressRange_v2
#define cuMemAllocHost             cuMemAllocHost_v2
#define cuMemHostGetDevicePointer  cuMemHostGetDevicePointer_v2
#define cuMemHostRegister          cuMemHostRegister_v2
#define cuMemcpyHtoD               cuMemcpyHtoD_v2
#define cuMemcpyDtoH               cuMemcpyDtoH_v2
#define cuMemcpyDtoD               cuMemcpyDtoD_v2
#define cuMemcpyHtoDAsync          cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync          cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync          cuMemcpyDtoDAsync_v2
#define cuMemcpy2D                 cuMemcpy2D_v2
#define cuMemcpy2DUnaligned        cuMemcpy2DUnaligned_v2
#define cuMemcpy2DAsync            cuMemcpy2DAsync_v2
#define cuMemsetD8                 cuMemsetD8_v2
#define cuMemsetD16                cuMemsetD16_v2
#define cuMemsetD32                cuMemsetD32_v2
#define cuMemsetD2D8               cuMemsetD2D8_v2
#define cuMemsetD2D16              cuMemsetD2D16_v2
#define cuMemsetD2D32              cuMemsetD2D32_v2
#define cuStreamDestroy            cuStreamDestroy_v2
#define cuEventDestroy             cuEventDestroy_v2
#endif

#ifdef __cplusplus
}
#endif

#endif
