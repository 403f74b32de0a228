/* parsim codec encode and decode: files in a codec's format (codec/container.h). */
#include "base/outfile.h"
#include "cli.h"
#include "cmd.h"
#include "cmd_codec.h"
#include "codec/container.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    struct codec_input in;
    struct outfile *out; /* NULL: not open */
    struct container box;
};

static bool read_input(void *self, uint64_t at, void *data, size_t n, struct err *err)
{
    const struct job *j = self;
    return codec_input_read(&j->in, at, data, n, err);
}

static bool write_output(void *self, const void *data, size_t n, struct err *err)
{
    struct job *j = self;
    return fwrite(data, 1, n, outfile_stream(j->out)) == n ||
           err_set(err, "the output cannot be written: %s", strerror(errno));
}

/* e2mc's table is made from the whole input, unless it is given. */
static bool build_table(struct job *j, unsigned symbol_bits, struct err *err)
{
    enum { CHUNK = 1 << 16, VALUES_MAX = 3000000 };
    uint8_t *buf = xmalloc(CHUNK);
    struct codec_counts *counts = codec_counts_new(symbol_bits, VALUES_MAX);
    uint64_t end = j->in.bytes / j->box.block * j->box.block;
    bool ok = true;
    for (uint64_t at = 0; at < end && ok; at += CHUNK) {
        size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        ok = codec_input_read(&j->in, at, buf, n, err);
        if (ok)
            codec_counts_add(counts, buf, n);
    }
    if (ok)
        j->box.table = codec_table_build(counts);
    codec_counts_free(counts);
    free(buf);
    return ok;
}

/* ---- the commands ---- */

struct args {
    const char *codec, *in, *out, *table;
    uint64_t block, mag;
};

static bool parse_args(struct args *a, int argc, char **argv, struct err *err)
{
    static const struct option options[] = {{"codec", 1, NULL, 'c'},  {"block", 1, NULL, 'b'},
                                            {"mag", 1, NULL, 'm'},    {"table", 1, NULL, 't'},
                                            {"output", 1, NULL, 'o'}, {0}};
    optind = 1;
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, "c:o:", options, NULL)) != -1;) {
        if (k == 'c')
            a->codec = optarg;
        else if (k == 't')
            a->table = optarg;
        else if (k == 'o')
            a->out = optarg;
        else if (k == '?' || !cli_u64(optarg, k == 'b' ? &a->block : &a->mag))
            return err_set(err, "bad option '%s'; see parsim codec --help", argv[optind - 1]);
    }
    if (optind < argc)
        a->in = argv[optind++];
    if (optind < argc && !a->out)
        a->out = argv[optind++];
    if (!a->in || optind < argc)
        return err_set(err, "takes IN and OUT; see parsim codec --help");
    if (!a->out && isatty(STDOUT_FILENO))
        return err_set(err, "will not write binary data to a terminal; name a file");
    return !a->out || outfile_probe(a->out, err);
}

static bool is_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

static void close_job(struct job *j)
{
    container_close(&j->box);
    outfile_discard(j->out);
    codec_input_close(&j->in);
}

/* The input is open. */
static void connect(struct job *j)
{
    j->box.name = j->in.name;
    j->box.bytes = j->in.bytes;
    j->box.read = read_input;
    j->box.write = write_output;
    j->box.self = j;
}

static bool finish_output(struct job *j, bool ok, struct err *err)
{
    struct outfile *o = j->out;
    if (!ok)
        return false; /* close_job() leaves nothing of it */
    j->out = NULL;
    return outfile_close(o, err);
}

static bool open_output(struct job *j, const struct args *a, struct err *err)
{
    return (j->out = outfile_open(a->out ? a->out : "-", err));
}

static bool encode_file(const struct args *a, struct job *j, struct err *err)
{
    enum codec_id id;
    unsigned symbol_bits, ways;
    struct codec_error why;
    bool known = codec_name_parse(a->codec, &id, &symbol_bits, &ways);
    if (!a->block || a->block > CODEC_BLOCK_MAX || a->mag > CODEC_BLOCK_MAX)
        return err_set(err, "a block of %llu bytes; 32, 64 or 128 is possible",
                       (unsigned long long)a->block);
    if (a->table && !(j->box.table = codec_table_load(a->table, &why)))
        return err_set(err, "%s", why.msg);
    if ((!known || !symbol_bits) && !container_open_codec(&j->box, err))
        return false;
    if (!codec_input_open(&j->in, a->in, j->box.block, err))
        return false;
    connect(j);
    if (symbol_bits && !j->box.table && !build_table(j, symbol_bits, err))
        return false;
    if ((!j->box.codec && !container_open_codec(&j->box, err)) || !open_output(j, a, err))
        return false;
    return finish_output(j, container_encode(&j->box, err), err);
}

int codec_cmd_encode(int argc, char **argv)
{
    struct args a = {.codec = "bestof", .block = 128, .mag = 32};
    struct err err;
    if (is_help(argc, argv))
        return cmd_codec(2, (char *[]){"codec", "--help", NULL});
    bool ok = parse_args(&a, argc, argv, &err);
    struct job j = {.in.fd = -1, .box = {.block = (unsigned)a.block, .mag = (unsigned)a.mag}};
    snprintf(j.box.codec_name, sizeof j.box.codec_name, "%s", a.codec);
    ok = ok && encode_file(&a, &j, &err);
    close_job(&j);
    return ok ? EXIT_DONE : cli_fail("codec encode", "%s", err.msg);
}

/* A first walk checks everything, so that nothing is written of a file that is not whole. */
static bool decode_file(const struct args *a, struct job *j, struct err *err)
{
    if (!codec_input_open(&j->in, a->in, 1, err))
        return false;
    connect(j);
    return container_decode(&j->box, false, err) && open_output(j, a, err) &&
           finish_output(j, container_decode(&j->box, true, err), err);
}

int codec_cmd_decode(int argc, char **argv)
{
    struct args a = {0};
    struct err err;
    if (is_help(argc, argv))
        return cmd_codec(2, (char *[]){"codec", "--help", NULL});
    struct job j = {.in.fd = -1};
    bool ok = parse_args(&a, argc, argv, &err) && decode_file(&a, &j, &err);
    close_job(&j);
    return ok ? EXIT_DONE : cli_fail("codec decode", "%s", err.msg);
}
