/* Results of a matrix in an SQLite file: run, note and stat as in the databases of `parsim run`. */
#include "study/study_matrix.h"

#include "base/outfile.h"

#include <json-c/json.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, name TEXT, schema INTEGER, parent "
    "INTEGER);"
    "CREATE TABLE IF NOT EXISTS note(run INTEGER REFERENCES run, key TEXT, value TEXT);"
    "CREATE TABLE IF NOT EXISTS stat(run INTEGER REFERENCES run, grp TEXT, instance INTEGER,"
    " name TEXT, part TEXT, unit TEXT, value REAL);"
    "CREATE INDEX IF NOT EXISTS stat_by_name ON stat(grp, name, run);"
    "CREATE INDEX IF NOT EXISTS note_by_key ON note(key, run);"
    "BEGIN";

struct writer {
    sqlite3 *db;
    sqlite3_stmt *run, *note, *stat;
    sqlite3_int64 id;
    bool ok;
};

static void step(struct writer *w, sqlite3_stmt *q)
{
    w->ok = w->ok && sqlite3_step(q) == SQLITE_DONE;
    sqlite3_reset(q);
}

static void note(struct writer *w, const char *key, const char *value)
{
    sqlite3_bind_int64(w->note, 1, w->id);
    sqlite3_bind_text(w->note, 2, key, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(w->note, 3, value, -1, SQLITE_TRANSIENT);
    step(w, w->note);
}

/* The design, its techniques as `with`, and each field that it sets. */
static void note_design(struct writer *w, const char *design)
{
    char *copy = xstrdup(design), *save = NULL, *sets = strchr(copy, '@');
    note(w, "design", design);
    if (sets)
        *sets++ = 0;
    note(w, "with", copy);
    for (char *t = sets ? strtok_r(sets, "@", &save) : NULL; t; t = strtok_r(NULL, "@", &save)) {
        char *value = strchr(t, '=');
        if (!value)
            continue;
        *value++ = 0;
        note(w, t, value);
    }
    free(copy);
}

static void put(struct writer *w, const char *group, const char *name, const char *part,
                struct json_object *v)
{
    if (!json_object_is_type(v, json_type_double) && !json_object_is_type(v, json_type_int))
        return;
    sqlite3_bind_int64(w->stat, 1, w->id);
    sqlite3_bind_text(w->stat, 2, group, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(w->stat, 3, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(w->stat, 4, part, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(w->stat, 5, json_object_get_double(v));
    step(w, w->stat);
}

/* stats.GROUP.NAME, or of a histogram stats.GROUP.NAME.PART; what stands at the top has the group
 * `run`. */
static void put_result(struct writer *w, struct json_object *result)
{
    struct json_object *stats = NULL;
    json_object_object_foreach(result, top, value)
    {
        put(w, "run", top, "", value);
    }
    if (!json_object_object_get_ex(result, "stats", &stats) || !stats)
        return;
    json_object_object_foreach(stats, group, members)
    {
        if (!json_object_is_type(members, json_type_object))
            continue;
        json_object_object_foreach(members, name, v)
        {
            put(w, group, name, "", v);
            if (!json_object_is_type(v, json_type_object))
                continue;
            json_object_object_foreach(v, part, number)
            {
                put(w, group, name, part, number);
            }
        }
    }
}

static void put_job(struct writer *w, const struct study_matrix *m, size_t i)
{
    const struct study_program *p = &m->programs[i / m->designs.n];
    sqlite3_bind_text(w->run, 1, p->name, -1, SQLITE_STATIC);
    step(w, w->run);
    w->id = sqlite3_last_insert_rowid(w->db);
    note(w, "program", p->name);
    note(w, "gpu", m->gpu);
    if (!p->program)
        note(w, "size", m->setup.size);
    note_design(w, m->jobs[i].design);
    if (m->jobs[i].error)
        note(w, "error", m->jobs[i].error);
    if (m->jobs[i].result)
        put_result(w, m->jobs[i].result);
}

static bool prepare(struct writer *w)
{
    const char *const texts[] = {
        "INSERT INTO run(name, schema) VALUES(?1, 2)", "INSERT INTO note VALUES(?1, ?2, ?3)",
        "INSERT INTO stat(run, grp, name, part, value) VALUES(?1, ?2, ?3, ?4, ?5)"};
    sqlite3_stmt **const to[] = {&w->run, &w->note, &w->stat};
    for (unsigned i = 0; i < ARRAY_LEN(texts); i++)
        if (sqlite3_prepare_v2(w->db, texts[i], -1, to[i], NULL) != SQLITE_OK)
            return false;
    return true;
}

bool study_matrix_probe_db(const char *path, struct err *err)
{
    struct stat is;
    if (!path || stat(path, &is) || S_ISREG(is.st_mode))
        return true;
    return err_set(err, "%s is no file for a database", path);
}

bool study_matrix_write_db(const struct study_matrix *m, const char *path, struct err *err)
{
    struct writer w = {.ok = true};
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    bool ok = sqlite3_open(outfile_name(o), &w.db) == SQLITE_OK &&
              sqlite3_exec(w.db, schema, NULL, NULL, NULL) == SQLITE_OK && prepare(&w);
    for (size_t i = 0; ok && i < m->n; i++)
        put_job(&w, m, i);
    ok = ok && w.ok && sqlite3_exec(w.db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!ok)
        err_set(err, "%s: %s", path, sqlite3_errmsg(w.db));
    sqlite3_finalize(w.run);
    sqlite3_finalize(w.note);
    sqlite3_finalize(w.stat);
    sqlite3_close(w.db);
    if (ok)
        return outfile_close(o, err);
    outfile_discard(o);
    return false;
}
