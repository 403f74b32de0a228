/* SQLite: one row a value, so that any question is one SELECT. */
#include "stats/stats_int.h"

#include <sqlite3.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, name TEXT, schema INTEGER);"
    "CREATE TABLE IF NOT EXISTS note(run INTEGER REFERENCES run, key TEXT, value TEXT);"
    "CREATE TABLE IF NOT EXISTS stat(run INTEGER REFERENCES run, grp TEXT, instance INTEGER,"
    " name TEXT, part TEXT, unit TEXT, value REAL);"
    "CREATE TABLE IF NOT EXISTS sample(run INTEGER REFERENCES run, cycle INTEGER, grp TEXT,"
    " name TEXT, delta INTEGER);";

struct writer {
    sqlite3 *db;
    sqlite3_stmt *stat, *sample;
    sqlite3_int64 run;
    bool ok;
};

static void step(struct writer *w, sqlite3_stmt *s)
{
    w->ok = w->ok && sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
}

static void stat_part(struct writer *w, const struct stat_value *v, const char *part, double value)
{
    sqlite3_bind_int64(w->stat, 1, w->run);
    sqlite3_bind_text(w->stat, 2, v->group, -1, SQLITE_STATIC);
    if (v->instance >= 0)
        sqlite3_bind_int(w->stat, 3, v->instance);
    else
        sqlite3_bind_null(w->stat, 3);
    sqlite3_bind_text(w->stat, 4, v->row->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(w->stat, 5, part, -1, SQLITE_STATIC);
    sqlite3_bind_text(w->stat, 6, v->row->unit, -1, SQLITE_STATIC);
    sqlite3_bind_double(w->stat, 7, value);
    step(w, w->stat);
}

static void stat_value(void *ctx, const struct stat_value *v)
{
    if (!v->hist) {
        stat_part(ctx, v, "", v->value);
        return;
    }
    stat_part(ctx, v, "count", (double)v->hist->count);
    stat_part(ctx, v, "mean", v->value);
    stat_part(ctx, v, "min", (double)v->hist->min);
    stat_part(ctx, v, "p50", (double)hist_percentile(v->hist, 0.5));
    stat_part(ctx, v, "p99", (double)hist_percentile(v->hist, 0.99));
    stat_part(ctx, v, "max", (double)v->hist->max);
}

static void sample_value(void *ctx, cycle_t cycle, const char *group, const char *name,
                         uint64_t delta)
{
    struct writer *w = ctx;
    sqlite3_bind_int64(w->sample, 1, w->run);
    sqlite3_bind_int64(w->sample, 2, (sqlite3_int64)cycle);
    sqlite3_bind_text(w->sample, 3, group, -1, SQLITE_STATIC);
    sqlite3_bind_text(w->sample, 4, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(w->sample, 5, (sqlite3_int64)delta);
    step(w, w->sample);
}

static bool prepare(struct writer *w, const char *sql, sqlite3_stmt **s)
{
    return sqlite3_prepare_v2(w->db, sql, -1, s, NULL) == SQLITE_OK;
}

static bool run_insert(struct writer *w, const char *name)
{
    sqlite3_stmt *s = NULL;
    if (!prepare(w, "INSERT INTO run(name, schema) VALUES(?, ?)", &s))
        return false;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 2, STATS_SCHEMA_VERSION);
    bool ok = sqlite3_step(s) == SQLITE_DONE;
    w->run = sqlite3_last_insert_rowid(w->db);
    sqlite3_finalize(s);
    return ok;
}

static bool notes_insert(struct writer *w, const struct stats *st)
{
    sqlite3_stmt *s = NULL;
    if (!prepare(w, "INSERT INTO note VALUES(?, ?, ?)", &s))
        return false;
    for (size_t i = 0; i < st->notes.len; i++) {
        sqlite3_bind_int64(s, 1, w->run);
        sqlite3_bind_text(s, 2, st->notes.data[i].key, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 3, st->notes.data[i].value, -1, SQLITE_STATIC);
        step(w, s);
    }
    sqlite3_finalize(s);
    return w->ok;
}

static bool all_insert(struct writer *w, const struct stats *st, const char *run_name)
{
    if (sqlite3_exec(w->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(w->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return false;
    if (!run_insert(w, run_name) || !notes_insert(w, st) ||
        !prepare(w, "INSERT INTO stat VALUES(?, ?, ?, ?, ?, ?, ?)", &w->stat) ||
        !prepare(w, "INSERT INTO sample VALUES(?, ?, ?, ?, ?)", &w->sample))
        return false;
    stats_each(st, true, stat_value, w);
    for (size_t i = 0; i < stats_sample_count(st); i++)
        stats_sample_each(st, i, sample_value, w);
    return w->ok && sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

bool stats_write_sqlite(const struct stats *st, const char *path, const char *run_name,
                        struct err *err)
{
    struct writer w = {.ok = true};
    bool ok = sqlite3_open(path, &w.db) == SQLITE_OK && all_insert(&w, st, run_name);
    if (!ok)
        err_set(err, "%s: %s", path, w.db ? sqlite3_errmsg(w.db) : "out of memory");
    sqlite3_finalize(w.stat);
    sqlite3_finalize(w.sample);
    sqlite3_close(w.db);
    return ok;
}
