/* Results in an SQLite file. */
#include "experiment.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct exp_store {
    sqlite3 *db;
    sqlite3_stmt *get, *put;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS result(build TEXT, kind INTEGER, gpu TEXT, workload TEXT, size "
    "TEXT, "
    "design TEXT, seconds REAL, json TEXT, PRIMARY KEY(build, kind, gpu, workload, size, design))";

struct exp_store *exp_store_open(const char *path, struct err *err)
{
    struct exp_store *st = xcalloc(1, sizeof *st);
    if (sqlite3_open(path, &st->db) == SQLITE_OK &&
        sqlite3_exec(st->db, schema, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(
            st->db,
            "SELECT json, seconds FROM result WHERE build=? AND kind=? AND gpu=? AND "
            "workload=? AND size=? AND design=?",
            -1, &st->get, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(st->db, "INSERT OR REPLACE INTO result VALUES(?,?,?,?,?,?,?,?)", -1,
                           &st->put, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(st->db, 60000);
        return st;
    }
    err_set(err, "%s: %s", path, sqlite3_errmsg(st->db));
    exp_store_close(st);
    return NULL;
}

void exp_store_close(struct exp_store *st)
{
    if (!st)
        return;
    sqlite3_finalize(st->get);
    sqlite3_finalize(st->put);
    sqlite3_close(st->db);
    free(st);
}

/* --- which Parsim, which machine --- */

static void hash_bytes(uint64_t *h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *h = (*h ^ ((const unsigned char *)p)[i]) * UINT64_C(0x100000001b3);
}

/* By size and time of the last change; a file that is not there counts as nothing. */
static void hash_file(uint64_t *h, const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return;
    const int64_t facts[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    hash_bytes(h, facts, sizeof facts);
}

/* A run depends on the libraries and the workloads; the command itself only starts it. */
static void build_of(const struct exp_setup *s, char out[17])
{
    static const char *const parts[] = {"lib/libcuda.so.1", "bin/parsim-workloads"};
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < ARRAY_LEN(parts); i++) {
        char *path = exp_beside(parts[i]);
        hash_file(&h, path);
        free(path);
    }
    if (s->gpu)
        hash_file(&h, s->gpu);
    snprintf(out, 17, "%016" PRIx64, h);
}

static void bind_key(sqlite3_stmt *q, const struct exp_setup *s, const struct exp_job *j)
{
    char build[17];
    build_of(s, build);
    sqlite3_bind_text(q, 1, build, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(q, 2, (int)s->kind);
    sqlite3_bind_text(q, 3, s->kind == EXP_RUN ? s->gpu : "", -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, j->workload, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 5, s->size, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, j->design, -1, SQLITE_STATIC);
}

struct json_object *exp_store_get(struct exp_store *st, const struct exp_setup *s,
                                  const struct exp_job *j, double *seconds)
{
    struct json_object *o = NULL;
    bind_key(st->get, s, j);
    if (sqlite3_step(st->get) == SQLITE_ROW) {
        o = json_tokener_parse((const char *)sqlite3_column_text(st->get, 0));
        *seconds = sqlite3_column_double(st->get, 1);
    }
    sqlite3_reset(st->get);
    return o;
}

bool exp_store_put(struct exp_store *st, const struct exp_setup *s, const struct exp_job *j,
                   struct err *err)
{
    bind_key(st->put, s, j);
    sqlite3_bind_double(st->put, 7, j->seconds);
    sqlite3_bind_text(st->put, 8, json_object_to_json_string_ext(j->result, JSON_C_TO_STRING_PLAIN),
                      -1, SQLITE_TRANSIENT);
    bool ok = sqlite3_step(st->put) == SQLITE_DONE;
    if (!ok)
        err_set(err, "keeping a result: %s", sqlite3_errmsg(st->db));
    sqlite3_reset(st->put);
    return ok;
}
