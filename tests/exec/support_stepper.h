/* Blocks of a kernel on several SMs, stepped by hand: block i runs on SM i, each with a grid part
 * and a log of its own, as a machine that keeps time has them. */
#ifndef TESTS_EXEC_SUPPORT_STEPPER_H
#define TESTS_EXEC_SUPPORT_STEPPER_H

#include "exec/step.h"
#include "fixture.h"

enum { STEPPER_SMS = 4 };

struct stepper {
    struct fixture f;
    struct launch l;
    uint64_t params[4];
    struct grid root, part[STEPPER_SMS];
    struct cta *cta[STEPPER_SMS];
    struct effects *fx[STEPPER_SMS];
    struct step step;              /* what the last step did */
    struct step done[STEPPER_SMS]; /* what the last deferred instruction of an SM did */
    unsigned order[64], norder;    /* SMs whose deferred instructions were executed */
    size_t at_fault;
};

void stepper_open(struct stepper *s, const char *ptx, unsigned sms, uint32_t block);
void stepper_close(struct stepper *s);
/* Executes one instruction of a warp at `now`. */
bool stepper_step(struct stepper *s, unsigned sm, unsigned warp, cycle_t now);
/* Steps until the warp's next instruction is `pc`. */
void stepper_to(struct stepper *s, unsigned sm, unsigned warp, uint32_t pc, cycle_t now);
/* Steps until the warp waits, is deferred or has ended. */
void stepper_go(struct stepper *s, unsigned sm, unsigned warp, cycle_t now);
uint32_t stepper_pc(struct stepper *s, unsigned sm, unsigned warp);
/* A meeting point. */
bool stepper_meet(struct stepper *s);

#endif
