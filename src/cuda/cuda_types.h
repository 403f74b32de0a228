/* The types of CUDA's binary interfaces that both APIs share: our own declarations of the same
 * layouts. Handles are pointers to the structures of this room. */
#ifndef CUDA_CUDA_TYPES_H
#define CUDA_CUDA_TYPES_H

#include "base/common.h"

/* Functions that programs find in the library; all else is hidden. */
#define CUDA_EXPORT __attribute__((visibility("default")))

typedef int cudaError_t; /* enum cuda_error: one set of numbers for both APIs */
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

enum cuda_error {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NOT_INITIALIZED = 3,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_PITCH = 12,
    CUDA_INVALID_SYMBOL = 13,
    CUDA_INVALID_DEVICE_POINTER = 17,
    CUDA_INVALID_TEXTURE = 18,
    CUDA_INVALID_CHANNEL_DESCRIPTOR = 20,
    CUDA_INVALID_MEMCPY_DIRECTION = 21,
    CUDA_MISSING_CONFIGURATION = 52,
    CUDA_INVALID_DEVICE_FUNCTION = 98,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_IMAGE = 200,
    CUDA_INVALID_CONTEXT = 201,
    CUDA_NO_BINARY_FOR_GPU = 209,
    CUDA_PEER_UNSUPPORTED = 217,
    CUDA_INVALID_PTX = 218,
    CUDA_FILE_NOT_FOUND = 301,
    CUDA_INVALID_HANDLE = 400,
    CUDA_ILLEGAL_STATE = 401,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_PEER_ALREADY_ENABLED = 704,
    CUDA_PEER_NOT_ENABLED = 705,
    CUDA_CONTEXT_IS_DESTROYED = 709,
    CUDA_HOST_ALREADY_REGISTERED = 712,
    CUDA_HOST_NOT_REGISTERED = 713,
    CUDA_LAUNCH_FAILED = 719,
    CUDA_COOPERATIVE_TOO_LARGE = 720,
    CUDA_NOT_PERMITTED = 800,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_CAPTURE_INVALIDATED = 901,
    CUDA_CAPTURE_MERGE = 902,
    CUDA_CAPTURE_UNMATCHED = 903,
    CUDA_CAPTURE_UNJOINED = 904,
    CUDA_CAPTURE_ISOLATION = 905,
    CUDA_CAPTURE_IMPLICIT = 906,
    CUDA_CAPTURED_EVENT = 907,
    CUDA_CAPTURE_WRONG_THREAD = 908,
    CUDA_GRAPH_UPDATE_FAILURE = 910,
};

enum memcpy_kind {
    COPY_HOST_TO_HOST,
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_DEVICE_TO_DEVICE,
    COPY_DEFAULT
};

struct dim3 {
    unsigned x, y, z;
};

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
    int clusterDimMustBeSet;
    int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
};
static_assert(sizeof(struct cudaFuncAttributes) == 144, "ABI of CUDA 13");

struct cudaPointerAttributes {
    int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
};
static_assert(sizeof(struct cudaPointerAttributes) == 88, "ABI of CUDA 13");

enum launch_attribute_id { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER_DIMENSION = 4 };

struct launch_attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int cooperative;
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
};
static_assert(sizeof(struct launch_attribute) == 72, "ABI");

struct cudaLaunchConfig {
    struct dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    struct launch_attribute *attrs;
    unsigned numAttrs;
};
static_assert(sizeof(struct cudaLaunchConfig) == 56, "ABI");

#endif
