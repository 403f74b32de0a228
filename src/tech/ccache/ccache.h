/* Compressed caches: a data array of segments that holds more lines than it would raw, with 2 or 4
 * times the tags, in the data L1 of every SM or in the L2 (CABA, section 7.5). */
#ifndef TECH_CCACHE_CCACHE_H
#define TECH_CCACHE_CCACHE_H

#include "tech/tech.h"

/* A technique's variant is one of these, or-ed with the factor of the tags. */
enum { CCACHE_L1 = 16, CCACHE_L2 = 32, CCACHE_FACTOR = 15 };

struct ccache_cfg {
#define ROW(TYPE, name, ...) CONF_MEMBER_##TYPE name;
#include "tech/ccache/ccache_cfg.def"
#undef ROW
};

extern const struct conf_field ccache_fields[];
extern const size_t ccache_nfields;

bool ccache_cfg_check(const struct ccache_cfg *cfg, struct err *err);
/* `name` wants a data array of segments in the L1 or the L2: false if that could get stuck. */
bool ccache_room_check(const struct tech_machine *m, const char *name, bool is_l1,
                       int64_t segment_bytes, struct err *err);
bool ccache_bind(const struct technique *t, const struct tech_machine *m, const void *cfg,
                 struct tech_seams *s, struct tech_part *part, struct err *err);

#endif
