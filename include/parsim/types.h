/* Words that seams and techniques share with the machine. */
#ifndef PARSIM_TYPES_H
#define PARSIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t cycle_t;
typedef uint64_t addr_t;

#define CYCLE_NEVER UINT64_MAX

enum mem_kind { MEM_READ, MEM_WRITE, MEM_ATOMIC };

enum mem_space { MEM_GLOBAL, MEM_LOCAL, MEM_CONST, MEM_TEX, MEM_INST, MEM_SPACES };

/* Where an instruction finds its memory, as the program says it. */
enum inst_space {
    SPACE_NONE,    /* it accesses none */
    SPACE_GENERIC, /* its addresses tell, when it is executed: global, shared, local or constant */
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL, /* a spill's too */
    SPACE_CONST,
    SPACE_PARAM,  /* of the kernel, or of a function that is called */
    SPACE_TEXTURE /* textures and surfaces */
};

/* What executes an instruction. */
enum inst_unit {
    UNIT_LANES,   /* integers, floats, control */
    UNIT_SPECIAL, /* special functions */
    UNIT_DOUBLE,
    UNIT_MATRIX,
    UNIT_MEMORY
};

/* How all of a line lies, or travels. What the bytes of an encoding mean only its technique knows.
 */
struct line_form {
    uint16_t bytes;    /* encoded; 0: raw */
    uint8_t algorithm; /* which of the technique's codecs */
    /* Of an answer with a raw line that may be encoded: reads since it was written, and 1. Of a raw
     * write: 1, it may. */
    uint8_t reads;
};

/* What the machine's functions give to a technique and take from it; inside it they are more. */
struct dinst;      /* a decoded instruction */
struct err;        /* a message for the user */
struct extra_warp; /* a warp that the program has not */
struct kernel;     /* a program's kernel, lowered */
struct l1_access;  /* what a warp asks its cache for */
struct mem_req;    /* a request or an answer on its way */
struct sm;         /* a multiprocessor */
struct sm_kernel;  /* a launched kernel */
struct tech_machine;
struct tech_seams;
struct warp; /* 32 lanes and their registers */

#endif
