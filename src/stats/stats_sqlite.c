/* SQLite: one row a value, so that any question is one SELECT. */
#include "base/file.h"
#include "base/outfile.h"
#include "stats/stats_int.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUSY_MS = 60000 }; /* that another process may take for its run */

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, name TEXT, schema INTEGER,"
    " parent INTEGER REFERENCES run);"
    "CREATE TABLE IF NOT EXISTS machine(run INTEGER REFERENCES run, section TEXT, field TEXT,"
    " value TEXT);"
    "CREATE TABLE IF NOT EXISTS note(run INTEGER REFERENCES run, key TEXT, value TEXT);"
    "CREATE TABLE IF NOT EXISTS stat(run INTEGER REFERENCES run, grp TEXT, instance INTEGER,"
    " name TEXT, part TEXT, unit TEXT, value REAL);"
    "CREATE TABLE IF NOT EXISTS sample(run INTEGER REFERENCES run, cycle INTEGER, grp TEXT,"
    " name TEXT, delta INTEGER);"
    "CREATE INDEX IF NOT EXISTS note_by_key ON note(key, run);"
    "CREATE INDEX IF NOT EXISTS stat_by_name ON stat(grp, name, run);"
    "CREATE INDEX IF NOT EXISTS machine_by_field ON machine(section, field, run);"
    "CREATE INDEX IF NOT EXISTS sample_by_name ON sample(run, grp, name, cycle);";

struct stats_db {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *stat, *sample;
    sqlite3_int64 run, parent; /* parent 0: none */
    bool ok;
};

static void step(struct stats_db *w, sqlite3_stmt *s)
{
    w->ok = w->ok && sqlite3_step(s) == SQLITE_DONE;
    sqlite3_reset(s);
}

static void stat_part(struct stats_db *w, const struct stat_value *v, const char *part,
                      double value)
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
    struct stats_db *w = ctx;
    sqlite3_bind_int64(w->sample, 1, w->run);
    sqlite3_bind_int64(w->sample, 2, (sqlite3_int64)cycle);
    sqlite3_bind_text(w->sample, 3, group, -1, SQLITE_STATIC);
    sqlite3_bind_text(w->sample, 4, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(w->sample, 5, (sqlite3_int64)delta);
    step(w, w->sample);
}

static bool prepare(struct stats_db *w, const char *sql, sqlite3_stmt **s)
{
    return sqlite3_prepare_v2(w->db, sql, -1, s, NULL) == SQLITE_OK;
}

static bool run_insert(struct stats_db *w, const char *name)
{
    sqlite3_stmt *s = NULL;
    if (!prepare(w, "INSERT INTO run(name, schema, parent) VALUES(?, ?, nullif(?, 0))", &s))
        return false;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 2, STATS_SCHEMA_VERSION);
    sqlite3_bind_int64(s, 3, w->parent);
    bool ok = sqlite3_step(s) == SQLITE_DONE;
    w->run = sqlite3_last_insert_rowid(w->db);
    sqlite3_finalize(s);
    return ok;
}

static bool notes_insert(struct stats_db *w, const struct stats *st)
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

static bool exec(struct stats_db *w, const char *sql)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool fail(const struct stats_db *w, struct err *err)
{
    return err_set(err, "%s: %s", w->path, w->db ? sqlite3_errmsg(w->db) : "out of memory");
}

static bool open_file(struct stats_db *w, const char *path, int flags)
{
    return sqlite3_open_v2(path, &w->db, flags, NULL) == SQLITE_OK &&
           sqlite3_busy_timeout(w->db, BUSY_MS) == SQLITE_OK;
}

/* An empty database gets the name only when it is one; others may have been faster. */
static bool create(const char *path, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    bool exists = false;
    if (!o)
        return false;
    struct stats_db w = {.path = (char *)(uintptr_t)path};
    bool ok = open_file(&w, outfile_name(o), SQLITE_OPEN_READWRITE) && exec(&w, schema);
    if (!ok)
        fail(&w, err);
    sqlite3_close(w.db);
    if (ok)
        return outfile_close_new(o, &exists, err) || exists;
    outfile_discard(o);
    return false;
}

static void release(struct stats_db *w)
{
    sqlite3_finalize(w->stat);
    sqlite3_finalize(w->sample);
    sqlite3_close(w->db);
    free(w->path);
    free(w);
}

/* A file of a version before there were parents. */
static bool add_parent(struct stats_db *w)
{
    sqlite3_stmt *s = NULL;
    const bool has_it = prepare(w, "SELECT parent FROM run LIMIT 0", &s);
    sqlite3_finalize(s);
    return has_it || exec(w, "ALTER TABLE run ADD COLUMN parent INTEGER REFERENCES run");
}

struct stats_db *stats_db_open(const char *path, struct err *err)
{
    if (access(path, F_OK) && !create(path, err))
        return NULL;
    struct stats_db *w = xcalloc(1, sizeof *w);
    w->path = xstrdup(path);
    w->ok = true;
    if (open_file(w, path, SQLITE_OPEN_READWRITE) && exec(w, "BEGIN IMMEDIATE") &&
        exec(w, schema) && add_parent(w) &&
        prepare(w, "INSERT INTO stat VALUES(?, ?, ?, ?, ?, ?, ?)", &w->stat) &&
        prepare(w, "INSERT INTO sample VALUES(?, ?, ?, ?, ?)", &w->sample))
        return w;
    fail(w, err);
    release(w);
    return NULL;
}

void stats_db_begin_parts(struct stats_db *w)
{
    w->parent = w->run;
}

/* A row of the last run's in a table of texts. */
static void put_texts(struct stats_db *w, const char *sql, const char *const *texts, int n)
{
    sqlite3_stmt *s = NULL;
    w->ok = w->ok && prepare(w, sql, &s);
    if (!w->ok)
        return;
    sqlite3_bind_int64(s, 1, w->run);
    for (int i = 0; i < n; i++)
        sqlite3_bind_text(s, 2 + i, texts[i], -1, SQLITE_STATIC);
    step(w, s);
    sqlite3_finalize(s);
}

void stats_db_note(struct stats_db *w, const char *key, const char *value)
{
    put_texts(w, "INSERT INTO note VALUES(?, ?, ?)", (const char *const[]){key, value}, 2);
}

void stats_db_field(struct stats_db *w, const char *section, const char *field, const char *value)
{
    put_texts(w, "INSERT INTO machine VALUES(?, ?, ?, ?)",
              (const char *const[]){section, field, value}, 3);
}

bool stats_db_add(struct stats_db *w, const struct stats *st, const char *run_name, struct err *err)
{
    if (!run_insert(w, run_name) || !notes_insert(w, st))
        return fail(w, err);
    stats_each(st, true, stat_value, w);
    for (size_t i = 0; i < stats_sample_count(st); i++)
        stats_sample_each(st, i, sample_value, w);
    return w->ok || fail(w, err);
}

bool stats_db_close(struct stats_db *w, bool keep, struct err *err)
{
    bool ok = !keep || exec(w, "COMMIT") || fail(w, err);
    release(w); /* what is not kept is rolled back */
    return ok;
}

bool stats_db_probe(const char *path, struct err *err)
{
    uint64_t bytes;
    if (!outfile_probe(path, err))
        return false;
    if (outfile_is_stream(path))
        return err_set(err, "%s is no file for a database", path);
    if (!file_size(path, &bytes))
        return access(path, F_OK) || err_set(err, "%s is no file for a database", path);
    struct stats_db w = {.path = (char *)(uintptr_t)path};
    bool ok = (open_file(&w, path, SQLITE_OPEN_READWRITE) && exec(&w, "PRAGMA schema_version")) ||
              fail(&w, err);
    sqlite3_close(w.db);
    return ok;
}
