/* parsim codec: how compressible is this data, by which algorithm, at which granularity? */
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "study/codec/codec_study.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- which codecs there are --- */

/* All that have a column by default, with `between` between them. */
static char *list_codecs(bool with_parameters, const char *between)
{
    char *text = xstrdup("");
    for (unsigned i = 0; i < CODEC_ID_COUNT; i++) {
        const char *name =
            i == CODEC_E2MC ? "e2mc-4,e2mc-8,e2mc-16,e2mc-32" : codec_id_name((enum codec_id)i);
        if (i == CODEC_ZERO || (!with_parameters && (i == CODEC_E2MC || i == CODEC_BESTOF)))
            continue;
        char *more = xasprintf("%s%s%s", text, *text ? between : "", name);
        free(text);
        text = more;
    }
    return text;
}

/* Words in lines of the help's right column. */
static void put_wrapped(FILE *out, const char *text)
{
    enum { INDENT = 20, WIDTH = 76 };
    size_t at = 0;
    while (*text) {
        const size_t word = strcspn(text, " ");
        if (at && at + 1 + word > WIDTH) {
            fprintf(out, "\n%*s", INDENT, "");
            at = 0;
        }
        fprintf(out, "%s%.*s", at ? " " : "", (int)word, text);
        at += word + (at > 0);
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

/* --- the command line --- */

static const char help[] =
    "usage: parsim codec [OPTIONS] FILE...        how compressible are the blocks of these files?\n"
    "       parsim codec encode [OPTIONS] IN OUT  write a file in a codec's format\n"
    "       parsim codec decode IN OUT            and back\n"
    "\n"
    "FILE may be '-', the standard input. Bytes after the last whole block are left out.\n"
    "\n"
    "  --block B         bytes a block: 32, 64, 128 (default 128)\n"
    "  --mag M           memory access granularity in bytes, a divisor of B (default 32)\n"
    "  --codec LIST      ";
static const char help_codecs[] =
    "comma-separated, or 'all' (default): %s; e2mc-L or e2mc-LwW (symbols of L = 4, 8, 16, 32 "
    "bits, W = 1, 2, 4, 8 decoding ways; e2mc = e2mc-16); bestof (= bestof:bdi+fpc+cpack) or "
    "bestof:NAME+NAME...; zero; and lz4, zstd on the same blocks";
static const char help_rest[] =
    "  --window BYTES    step of the picture and of the JSON's \"windows\" (default: file / 512)\n"
    "  --sample BYTES    e2mc: tables from the first BYTES, which stay raw, as in an online\n"
    "                    sampling phase; without it, from the whole file (offline)\n"
    "  --values N        e2mc: codewords for the N most frequent symbols of 16 and 32 bits "
    "(default\n"
    "                    1024)\n"
    "  --table FILE      e2mc: a saved table, for its symbol length (may be given several times)\n"
    "  --save-tables P   write e2mc's tables to P-L.e2mc\n"
    "  --no-shannon      do not count symbols beyond what e2mc needs\n"
    "  --json FILE       write the results as JSON ('-': to standard output, instead of the text)\n"
    "  --plot FILE.svg   draw the compression ratio along the files\n"
    "  --threads N       default: the host's processors, at most 8; the result does not depend on "
    "it\n"
    "\n"
    "encode takes --codec (one; default bestof), --block, --mag, --table; '-' and a missing OUT "
    "are\n"
    "standard input and output.\n"
    "\n"
    "exit code: 0 done, 2 bad usage or input, or an output that cannot be written\n";

static void put_help(FILE *out)
{
    char *names = list_codecs(false, " "), *codecs = xasprintf(help_codecs, names);
    fputs(help, out);
    put_wrapped(out, codecs);
    fputs(help_rest, out);
    free(names);
    free(codecs);
}

struct command {
    struct codec_options opts;
    const char *list;
    char *split; /* the list in pieces, to which opts.names point */
};

static bool parse_number(const char *name, const char *s, uint64_t max, uint64_t *v,
                         struct err *err)
{
    if (!cli_u64(s, v) || *v == 0 || *v > max)
        return err_set(err, "--%s takes a number from 1 to %llu, not '%s'", name,
                       (unsigned long long)max, s);
    return true;
}

static bool parse_option(struct command *c, const char *name, const char *value, struct err *err)
{
    struct codec_options *o = &c->opts;
    const struct {
        const char *name;
        uint64_t max;
        uint64_t *v;
    } numbers[] = {{"block", CODEC_BLOCK_MAX, &o->block_bytes},
                   {"mag", CODEC_BLOCK_MAX, &o->mag_bytes},
                   {"threads", 256, &o->threads},
                   {"window", INT64_MAX, &o->window_bytes},
                   {"sample", INT64_MAX, &o->sample_bytes},
                   {"values", CODEC_VALUES_MAX, &o->values}};
    const struct {
        const char *name;
        const char **v;
    } strings[] = {{"codec", &c->list},
                   {"save-tables", &o->save_tables},
                   {"json", &o->json},
                   {"plot", &o->plot}};
    for (unsigned i = 0; i < ARRAY_LEN(numbers); i++)
        if (!strcmp(name, numbers[i].name))
            return parse_number(name, value, numbers[i].max, numbers[i].v, err);
    for (unsigned i = 0; i < ARRAY_LEN(strings); i++)
        if (!strcmp(name, strings[i].name))
            *strings[i].v = value;
    if (!strcmp(name, "no-shannon"))
        o->shannon = false;
    return strcmp(name, "table") || codec_add_table(o, value, err);
}

static bool split_codecs(struct command *c, struct err *err)
{
    struct codec_options *o = &c->opts;
    if (!codec_check_name(o, "zero", err)) /* block and granularity, whatever the codecs are */
        return false;
    char *all = list_codecs(true, ",");
    c->split = strcmp(c->list, "all") ? xstrdup(c->list) : xasprintf("%s,lz4,zstd", all);
    free(all);
    for (char *name = strtok(c->split, ","); name; name = strtok(NULL, ",")) {
        if (o->ncolumns == CODEC_COLUMNS_MAX)
            return err_set(err, "more than %d codecs", CODEC_COLUMNS_MAX);
        for (unsigned i = 0; i < o->ncolumns; i++)
            if (!strcmp(o->names[i], name))
                return err_set(err, "codec '%s' is named twice", name);
        if (!codec_check_name(o, name, err))
            return false;
        o->names[o->ncolumns++] = name;
    }
    return o->ncolumns || err_set(err, "--codec names no codec");
}

static unsigned default_threads(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 8 ? 8 : (unsigned)n;
}

/* Returns the index of the first file in argv, 0 for --help, -1 on error. */
static int parse_args(struct command *c, int argc, char **argv, struct err *err)
{
    static const struct option options[] = {{"block", 1, NULL, 0},   {"mag", 1, NULL, 0},
                                            {"codec", 1, NULL, 0},   {"window", 1, NULL, 0},
                                            {"sample", 1, NULL, 0},  {"values", 1, NULL, 0},
                                            {"table", 1, NULL, 0},   {"save-tables", 1, NULL, 0},
                                            {"json", 1, NULL, 0},    {"plot", 1, NULL, 0},
                                            {"threads", 1, NULL, 0}, {"no-shannon", 0, NULL, 0},
                                            {"help", 0, NULL, 'h'},  {0}};
    int which = 0;
    optind = 1;
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, "h", options, &which)) != -1;) {
        if (k == 'h')
            return 0;
        if (k == '?' ? !cli_refuse_option(argv, err)
                     : !parse_option(c, options[which].name, optarg, err))
            return -1;
    }
    if (!split_codecs(c, err))
        return -1;
    if (optind == argc) {
        err_set(err, "no file was given; see parsim codec --help");
        return -1;
    }
    return optind;
}

/* --- encode and decode --- */

static bool parse_file(struct codec_file *f, int argc, char **argv, struct err *err)
{
    static const struct option options[] = {{"codec", 1, NULL, 'c'},  {"block", 1, NULL, 'b'},
                                            {"mag", 1, NULL, 'm'},    {"table", 1, NULL, 't'},
                                            {"output", 1, NULL, 'o'}, {0}};
    optind = 1;
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, "c:o:", options, NULL)) != -1;) {
        if (k == 'c')
            f->codec = optarg;
        else if (k == 't')
            f->table = optarg;
        else if (k == 'o')
            f->out = optarg;
        else if (k == '?')
            return cli_refuse_option(argv, err);
        else if (!cli_u64(optarg, k == 'b' ? &f->block : &f->mag)) /* which: encode_file() */
            return err_set(err, "--%s takes a number, not '%s'", k == 'b' ? "block" : "mag",
                           optarg);
    }
    if (optind < argc)
        f->in = argv[optind++];
    if (optind < argc && !f->out)
        f->out = argv[optind++];
    if (!f->in || optind < argc)
        return err_set(err, "takes IN and OUT; see parsim codec --help");
    if (!f->out && isatty(STDOUT_FILENO))
        return err_set(err, "will not write binary data to a terminal; name a file");
    return !f->out || outfile_probe(f->out, err);
}

static int convert(const char *name, bool (*run)(const struct codec_file *f, struct err *err),
                   int argc, char **argv)
{
    struct codec_file f = {.codec = "bestof", .block = 128, .mag = 32};
    struct err err;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            put_help(stdout);
            return EXIT_DONE;
        }
    bool ok = parse_file(&f, argc, argv, &err) && run(&f, &err);
    return ok ? EXIT_DONE : cli_fail(name, "%s", err.msg);
}

int cmd_codec(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "encode"))
        return convert("codec encode", codec_encode_file, argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "decode"))
        return convert("codec decode", codec_decode_file, argc - 1, argv + 1);
    struct command c = {.list = "all",
                        .opts = {.block_bytes = 128,
                                 .mag_bytes = 32,
                                 .values = CODEC_VALUES,
                                 .shannon = true,
                                 .threads = default_threads()}};
    struct err err;
    int first = parse_args(&c, argc, argv, &err);
    if (first == 0)
        put_help(stdout);
    bool ok = first == 0 || (first > 0 && codec_analyse(&c.opts, argv + first,
                                                        (unsigned)(argc - first), stdout, &err));
    for (unsigned l = 0; l < CODEC_LENGTHS; l++)
        codec_table_free(c.opts.tables[l]);
    free(c.split);
    return ok ? EXIT_DONE : cli_fail("codec", "%s", err.msg);
}
