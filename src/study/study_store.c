/* Results in an SQLite file. */
#include "study/study.h"

#include "base/file.h"
#include "study/study_kind.h"
#include "study/study_words.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct study_store {
    sqlite3 *db;
    sqlite3_stmt *get, *put, *get_failure, *put_failure, *drop_failure, *like, *near, *other_size;
};

#define KEY     "build=?1 AND kind=?2 AND gpu=?3 AND workload=?4 AND size=?5 AND design=?6"
#define COLUMNS "build TEXT, kind INTEGER, gpu TEXT, workload TEXT, size TEXT, design TEXT, "
#define PRIMARY "PRIMARY KEY(build, kind, gpu, workload, size, design)"

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS result(" COLUMNS "seconds REAL, json TEXT, cpu REAL, version TEXT, "
    "ended TEXT, " PRIMARY ");"
    "CREATE TABLE IF NOT EXISTS failure(" COLUMNS "error TEXT, " PRIMARY ")";

static const char import_text[] = "INSERT OR IGNORE INTO result SELECT * FROM other.result;"
                                  "INSERT OR IGNORE INTO failure SELECT * FROM other.failure;"
                                  "DETACH other";

static bool prepare(struct study_store *st)
{
    const struct {
        sqlite3_stmt **to;
        const char *text;
    } all[] = {
        {&st->get, "SELECT json, seconds FROM result WHERE " KEY},
        {&st->put,
         "INSERT OR REPLACE INTO result VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,'" PARSIM_VERSION
         "',datetime('now'))"},
        {&st->get_failure, "SELECT error FROM failure WHERE " KEY},
        {&st->put_failure, "INSERT OR REPLACE INTO failure VALUES(?1,?2,?3,?4,?5,?6,?7)"},
        {&st->drop_failure, "DELETE FROM failure WHERE " KEY},
        {&st->like, "SELECT seconds FROM result WHERE kind=?2 AND gpu=?3 AND workload=?4 AND "
                    "size=?5 AND design=?6 AND ?1=?1 ORDER BY rowid DESC LIMIT 1"},
        {&st->near, "SELECT avg(seconds) FROM result WHERE kind=?2 AND workload=?4 AND size=?5 AND "
                    "?1=?1 AND ?3=?3 AND ?6=?6"},
        {&st->other_size, "SELECT avg(seconds) FROM result WHERE kind=?2 AND workload=?4 AND "
                          "?1=?1 AND ?3=?3 AND ?5=?5 AND ?6=?6"},
    };
    for (unsigned i = 0; i < ARRAY_LEN(all); i++)
        if (sqlite3_prepare_v2(st->db, all[i].text, -1, all[i].to, NULL) != SQLITE_OK)
            return false;
    return true;
}

struct study_store *study_store_open(const char *path, struct err *err)
{
    struct study_store *st = xcalloc(1, sizeof *st);
    if (sqlite3_open(path, &st->db) == SQLITE_OK &&
        sqlite3_busy_timeout(st->db, 60000) == SQLITE_OK &&
        sqlite3_exec(st->db, schema, NULL, NULL, NULL) == SQLITE_OK && prepare(st))
        return st;
    err_set(err, "%s: %s", path, sqlite3_errmsg(st->db));
    study_store_close(st);
    return NULL;
}

struct study_store *study_store_of(const char *folder, char build[STUDY_BUILD], struct err *err)
{
    if (mkdir(folder, 0777) && errno != EEXIST) {
        err_set(err, "cannot make the folder %s: %s", folder, strerror(errno));
        return NULL;
    }
    char *path = xasprintf("%s/results.db", folder);
    struct study_store *st = study_store_open(path, err);
    free(path);
    study_build(build);
    return st;
}

void study_store_close(struct study_store *st)
{
    if (!st)
        return;
    sqlite3_stmt *const all[] = {st->get,          st->put,  st->get_failure, st->put_failure,
                                 st->drop_failure, st->like, st->near,        st->other_size};
    for (unsigned i = 0; i < ARRAY_LEN(all); i++)
        sqlite3_finalize(all[i]);
    sqlite3_close(st->db);
    free(st);
}

/* --- which Parsim, which machine --- */

static void hash_file(uint64_t *h, const char *path)
{
    struct err err = {0};
    size_t n = 0;
    char *data = file_read(path, &n, &err);
    for (size_t i = 0; data && i < n; i++)
        *h = (*h ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    free(data);
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

/* A run depends on the libraries and the workloads; one of a core on the command itself and on
 * AxMemo's programs. */
void study_build(char id[STUDY_BUILD])
{
    static const char *const parts[] = {"lib/libcuda.so.1", "bin/parsim-workloads", "parsim",
                                        "ax/stamp"};
    uint64_t h = hash_start;
    for (unsigned i = 0; i < ARRAY_LEN(parts); i++) {
        char *path = study_beside(parts[i]);
        hash_file(&h, path);
        free(path);
    }
    snprintf(id, STUDY_BUILD, "%016" PRIx64, h);
}

/* Files with commas between; `end` ends the list. False: there is none. */
static bool hash_files(uint64_t *h, const char *files, char end)
{
    bool any = false;
    while (files && *files && *files != end) {
        const size_t n = strcspn(files, (const char[]){',', end, 0});
        char *path = xasprintf("%.*s", (int)n, files);
        hash_file(h, path);
        free(path);
        any = true;
        files += n + (files[n] == ',');
    }
    return any;
}

/* A machine of the user's, and a plug-in, is known by what its file holds, not by its name. */
static void bind_gpu(sqlite3_stmt *q, const struct study_job *j)
{
    static const char key[] = "@gpu.plugin=";
    char file[40], text[128];
    const char *gpu = study_kind(j)->has_machine ? j->gpu : "", *own = strstr(j->design, key);
    uint64_t h = hash_start, p = hash_start;
    if (strchr(gpu, '/') || strstr(gpu, ".yaml")) {
        hash_file(&h, gpu);
        snprintf(file, sizeof file, "file:%016" PRIx64, h);
        gpu = file;
    }
    const char *how = j->is_sampled ? " sampled" : "";
    const bool any = hash_files(&p, j->plugins, 0);
    if (hash_files(&p, own ? own + strlen(key) : NULL, '@') || any)
        snprintf(text, sizeof text, "%.90s+%016" PRIx64 "%s", gpu, p, how);
    else
        snprintf(text, sizeof text, "%.110s%s", gpu, how);
    sqlite3_bind_text(q, 3, text, -1, SQLITE_TRANSIENT);
}

/* A file that a word of the command line names, as it is or behind '='. */
static void hash_input(uint64_t *h, const char *word)
{
    const char *equals = strchr(word, '=');
    struct stat st;
    if (!stat(word, &st) && S_ISREG(st.st_mode))
        hash_file(h, word);
    else if (equals && !stat(equals + 1, &st) && S_ISREG(st.st_mode))
        hash_file(h, equals + 1);
}

/* A program of the user's is known by the bytes of its file and of its inputs, and by its
 * arguments. */
static char *program_key(const struct study_job *j)
{
    struct study_words w = {0};
    uint64_t h = hash_start;
    char *key = NULL;
    size_t len = 0;
    if (j->workload)
        study_words_split(&w, j->workload);
    for (char *const *p = j->program; p && *p; p++)
        study_words_add(&w, *p);
    if (w.at.len) {
        char *file = study_find_program(w.at.data[0]);
        hash_file(&h, file);
        free(file);
    }
    for (size_t i = 1; i < w.at.len; i++)
        hash_input(&h, w.at.data[i]);
    FILE *f = open_memstream(&key, &len);
    fprintf(f, "program:%016" PRIx64 " %s", h, j->workload ? j->workload : "");
    for (char *const *p = j->program; p && *p; p++)
        fprintf(f, "%s ", *p);
    fclose(f);
    study_words_free(&w);
    return key;
}

static void bind_program(sqlite3_stmt *q, const struct study_job *j)
{
    const bool is_program = j->workload ? study_is_program(j->workload) : j->program != NULL;
    char *key = is_program ? program_key(j) : NULL;
    sqlite3_bind_text(q, 4, key ? key : j->workload, -1, SQLITE_TRANSIENT);
    free(key);
}

static sqlite3_stmt *bind(sqlite3_stmt *q, const struct study_setup *s, const struct study_job *j)
{
    sqlite3_reset(q);
    sqlite3_bind_text(q, 1, s->build, -1, SQLITE_STATIC);
    sqlite3_bind_int(q, 2, (int)j->kind);
    bind_gpu(q, j);
    bind_program(q, j);
    sqlite3_bind_text(q, 5, s->size, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, j->design, -1, SQLITE_STATIC);
    return q;
}

bool study_store_build(struct study_store *st, const char *id, char build[STUDY_BUILD],
                       struct err *err)
{
    const bool newest = !strcmp(id, "newest");
    sqlite3_stmt *q = NULL;
    bool found = sqlite3_prepare_v2(st->db,
                                    newest ? "SELECT build FROM result ORDER BY ended DESC LIMIT 1"
                                           : "SELECT DISTINCT build FROM result WHERE build=?1",
                                    -1, &q, NULL) == SQLITE_OK;
    if (found && !newest)
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
    found = found && sqlite3_step(q) == SQLITE_ROW;
    if (found)
        snprintf(build, STUDY_BUILD, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return found || err_set(err, "--build %s: there are no results of it; --builds lists them", id);
}

bool study_store_import(struct study_store *st, const char *path, struct err *err)
{
    uint64_t bytes;
    char *attach = sqlite3_mprintf("ATTACH %Q AS other", path);
    bool ok = file_size(path, &bytes) &&
              sqlite3_exec(st->db, attach, NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(st->db, import_text, NULL, NULL, NULL) == SQLITE_OK;
    if (!ok)
        err_set(err, "--import %s: %s", path,
                file_size(path, &bytes) ? sqlite3_errmsg(st->db) : "there is no such file");
    sqlite3_free(attach);
    return ok;
}

void study_store_list(struct study_store *st, const char *build, FILE *out)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(st->db,
                           "SELECT build, version, group_concat(DISTINCT size), count(*), "
                           "max(ended), sum(cpu) FROM result GROUP BY build ORDER BY max(ended)",
                           -1, &q, NULL) == SQLITE_OK)
        while (sqlite3_step(q) == SQLITE_ROW)
            fprintf(out, "%s  parsim %s, %s: %d results, the last of %s, %.0f s of CPU time%s\n",
                    (const char *)sqlite3_column_text(q, 0),
                    (const char *)sqlite3_column_text(q, 1),
                    (const char *)sqlite3_column_text(q, 2), sqlite3_column_int(q, 3),
                    (const char *)sqlite3_column_text(q, 4), sqlite3_column_double(q, 5),
                    strcmp((const char *)sqlite3_column_text(q, 0), build) ? "" : "  (this build)");
    sqlite3_finalize(q);
}

/* --- results --- */

struct json_object *study_store_get(struct study_store *st, const struct study_setup *s,
                                    const struct study_job *j, double *seconds, char **error)
{
    struct json_object *o = NULL;
    if (sqlite3_step(bind(st->get, s, j)) == SQLITE_ROW) {
        o = json_tokener_parse((const char *)sqlite3_column_text(st->get, 0));
        *seconds = sqlite3_column_double(st->get, 1);
    }
    sqlite3_reset(st->get);
    if (!o && error && sqlite3_step(bind(st->get_failure, s, j)) == SQLITE_ROW)
        *error = xstrdup((const char *)sqlite3_column_text(st->get_failure, 0));
    sqlite3_reset(st->get_failure);
    return o;
}

static bool done(struct study_store *st, sqlite3_stmt *q, struct err *err)
{
    bool ok = sqlite3_step(q) == SQLITE_DONE;
    if (!ok)
        err_set(err, "keeping a result: %s", sqlite3_errmsg(st->db));
    sqlite3_reset(q);
    return ok;
}

bool study_store_put(struct study_store *st, const struct study_setup *s, const struct study_job *j,
                     struct err *err)
{
    if (!j->result) {
        sqlite3_stmt *q = bind(st->put_failure, s, j);
        sqlite3_bind_text(q, 7, j->error, -1, SQLITE_TRANSIENT);
        return done(st, q, err);
    }
    sqlite3_stmt *q = bind(st->put, s, j);
    sqlite3_bind_double(q, 7, j->seconds);
    sqlite3_bind_text(q, 8, json_object_to_json_string_ext(j->result, JSON_C_TO_STRING_PLAIN), -1,
                      SQLITE_TRANSIENT);
    sqlite3_bind_double(q, 9, j->cpu_seconds);
    return done(st, q, err) && done(st, bind(st->drop_failure, s, j), err);
}

double study_store_expect(struct study_store *st, const struct study_setup *s,
                          const struct study_job *j, bool of_any_size)
{
    double v = NAN;
    sqlite3_stmt *const all[] = {st->like, st->near, st->other_size};
    for (unsigned i = 0; i < 2u + of_any_size && isnan(v); i++) {
        if (sqlite3_step(bind(all[i], s, j)) == SQLITE_ROW &&
            sqlite3_column_type(all[i], 0) != SQLITE_NULL)
            v = sqlite3_column_double(all[i], 0);
        sqlite3_reset(all[i]);
    }
    return v;
}
