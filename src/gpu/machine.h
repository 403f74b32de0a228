/* A machine: the resolved configuration of every part of a simulated GPU.
 *
 * A name stands for a file of gpus/ (which are built into the binary), anything with a '/' or
 * ending in .yaml is a file of the user's, which may say `base: NAME` or `base: FILE` at its top.
 */
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H

#include "dram/dram.h"
#include "energy/energy.h"
#include "exec/device.h"
#include "mem/interleave.h"
#include "mem/l1.h"
#include "mem/l2.h"
#include "mem/mem_ctrl.h"
#include "noc/noc.h"
#include "sm/sm_cfg.h"
#include "tech/techs.h"

struct gpu_cfg {
#define ROWS_FILE "gpu/gpu_cfg.def"
#include "parsim/rows_members.h"
};

struct machine {
    struct conf *conf;
    struct gpu_cfg gpu;
    struct sm_cfg sm;
    struct l1_cfg l1, l1c, l1t, l1i;
    struct l2_cfg l2;
    struct mem_ctrl_cfg mc;
    struct interleave_cfg map;
    struct noc_cfg noc;
    struct dram_cfg dram;          /* as configured */
    struct dram_cfg dram_resolved; /* the device's values filled in, bandwidth scaled */
    struct energy_cfg energy;
    struct energy_table energy_table; /* its components, and those of techniques */
    struct tech_list *techs;          /* that it can have */
};

/* `sets` are n assignments "section.field=value". NULL with an error that names the place. */
struct machine *machine_new(const char *name, const char *const *sets, size_t n, struct err *err);
void machine_free(struct machine *m);
/* Its fields, without those of techniques, as a table for a document. */
void machine_write_fields(FILE *out);

/* The machine that is used when none is named. */
#define MACHINE_DEFAULT "h200"

struct ptx_reg_limits machine_reg_limits(const struct machine *m);

/* Its device memory and limits, for functional or timed execution. The second has at most 3 GB, all
 * below 4 GB, for modules with 32-bit addresses. */
struct device *machine_device(const struct machine *m, struct err *err);
struct device *machine_device_32(const struct machine *m, struct err *err);
/* The device of the default machine. */
struct device *machine_default_device(struct err *err);

uint32_t machine_slices(const struct machine *m);
/* Bytes a second that the DRAM's data buses can move. */
double machine_dram_bandwidth(const struct machine *m);
/* The same of the L2's data ports, and of what the interconnect can hand to SMs. */
double machine_l2_bandwidth(const struct machine *m);
double machine_reply_bandwidth(const struct machine *m);
/* What its energy depends on besides counters. */
struct energy_machine machine_energy(const struct machine *m);

/* The machines of gpus/, in alphabetical order; NULL at the end. */
struct machine_file {
    const char *name, *text;
};
const struct machine_file *machine_files(void);
const struct machine_file *machine_find(const char *name);

#endif
