/* Hot lines as a listing, and all of them as JSON. */
#include "gpu/report_int.h"

#include "base/demangle.h"
#include "gpu/hot.h"
#include "out/json.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 16, TEXT_WIDTH = 64 };

static uint64_t all_samples(const struct hot_line *lines, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += hot_samples(&lines[i].counts);
    return all;
}

/* --- the listing --- */

/* The two reasons that are most of a line's time. */
static void print_reasons(const struct hot_counts *c, FILE *out)
{
    char text[64] = "";
    const double all = (double)hot_samples(c);
    unsigned first = 0, second = SM_WAITS;
    for (unsigned i = 1; i < SM_WAITS; i++)
        first = c->waits[i] > c->waits[first] ? i : first;
    for (unsigned i = 0; i < SM_WAITS; i++)
        if (i != first && c->waits[i] && (second == SM_WAITS || c->waits[i] > c->waits[second]))
            second = i;
    if (all > 0) {
        int n = snprintf(text, sizeof text, "%s %.0f%%", hot_wait_names[first],
                         100 * (double)c->waits[first] / all);
        if (second < SM_WAITS && (double)c->waits[second] >= 0.1 * all)
            snprintf(text + n, sizeof text - (size_t)n, ", %s %.0f%%", hot_wait_names[second],
                     100 * (double)c->waits[second] / all);
    }
    fprintf(out, "  %-34s", text);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_place(const struct hot_line *l, FILE *out)
{
    char place[96];
    const char *text = l->text ? l->text : "";
    text += strspn(text, " \t");
    snprintf(place, sizeof place, "%.60s:%u", base_of(l->file), l->line);
    fprintf(out, "  %s  ", place);
    for (unsigned i = 0; i < TEXT_WIDTH && text[i]; i++)
        fputc(text[i] == '\t' ? ' ' : text[i], out);
    fputc('\n', out);
}

static void print_line(const struct hot_line *l, uint64_t all, FILE *out)
{
    const struct hot_counts *c = &l->counts;
    fprintf(out, "  %5.1f%%", 100 * stat_ratio((double)hot_samples(c), (double)all));
    print_reasons(c, out);
    fprintf(out, "%10llu %5.1f %6.1f %8llu %9llu %8llu", (unsigned long long)c->inst,
            stat_ratio((double)c->lanes, (double)c->inst),
            stat_ratio((double)c->lines, (double)c->accesses), (unsigned long long)c->misses,
            (unsigned long long)c->conflicts, (unsigned long long)c->divergences);
    print_place(l, out);
}

static void print_list(const struct hot *h, bool by_source, FILE *out)
{
    size_t n;
    struct hot_line *lines = hot_lines(h, by_source, &n);
    const uint64_t all = all_samples(lines, n);
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= lines[i].is_source;
    if (any || !by_source) {
        fprintf(out, "\nlines of the %s, by the time that warps waited for them:\n",
                by_source ? "program" : "PTX");
        fprintf(out, "  %6s  %-34s%10s %5s %6s %8s %9s %8s\n", "time", "what they waited for",
                "inst", "lanes", "lines", "misses", "conflicts", "diverged");
        for (size_t i = 0; i < n && i < SHOWN; i++)
            print_line(&lines[i], all, out);
        if (n > SHOWN)
            fprintf(out, "  and %zu more (all in --json FILE)\n", n - SHOWN);
    }
    hot_lines_free(lines, n);
}

void report_hot_print(const struct session *s, FILE *out)
{
    const struct hot *h = session_hot(s);
    if (!h || !hot_func_count(h))
        return;
    print_list(h, true, out);
    print_list(h, false, out);
}

/* --- JSON --- */

static json *line_json(const struct hot_line *l, uint64_t all)
{
    const struct hot_counts *c = &l->counts;
    json *o = json_object_new_object();
    char *name = demangle(l->func);
    json_add_text(o, "file", l->file);
    json_add_count(o, "line", l->line);
    json_add_text(o, "function", name);
    json_add_text(o, "text", l->text);
    json_add_real(o, "time_share", stat_ratio((double)hot_samples(c), (double)all));
    json_add_count(o, "samples", hot_samples(c));
    for (unsigned i = 0; i < SM_WAITS; i++)
        json_add_count(json_child(o, "waits"), hot_wait_keys[i], c->waits[i]);
    json_add_count(o, "warp_instructions", c->inst);
    json_add_count(o, "thread_instructions", c->lanes);
    json_add_count(o, "divergences", c->divergences);
    json_add_count(o, "memory_instructions", c->accesses);
    json_add_count(o, "memory_lines", c->lines);
    json_add_count(o, "l1_misses", c->misses);
    json_add_count(o, "bank_conflict_cycles", c->conflicts);
    free(name);
    return o;
}

static json *list_json(const struct hot *h, bool by_source)
{
    size_t n;
    struct hot_line *lines = hot_lines(h, by_source, &n);
    const uint64_t all = all_samples(lines, n);
    json *a = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        if (lines[i].is_source == by_source)
            json_object_array_add(a, line_json(&lines[i], all));
    hot_lines_free(lines, n);
    return a;
}

struct json_object *report_hot_json(const struct session *s)
{
    const struct hot *h = s ? session_hot(s) : NULL;
    if (!h)
        return NULL;
    json *o = json_object_new_object();
    json_add_count(o, "sample_cycles", HOT_CYCLES);
    json_object_object_add(o, "source", list_json(h, true));
    json_object_object_add(o, "ptx", list_json(h, false));
    return o;
}
