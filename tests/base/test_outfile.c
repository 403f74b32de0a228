/* Outputs are whole or not there; inputs without an end are refused. */
#include "base/file.h"
#include "base/outfile.h"
#include "base/tempfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/parsim-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    tempfile_remove_folder(folder);
    return !access(folder, F_OK);
}

static unsigned files_in_folder(void)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static void assert_content(const char *path, const char *text)
{
    struct err err = {0};
    size_t len;
    char *data = file_read(path, &len, &err);
    assert_non_null(data);
    assert_string_equal(data, text);
    free(data);
}

static void put(const char *path, const char *text)
{
    struct err err = {0};
    assert_true(file_write(path, text, strlen(text), &err));
}

static void a_file_appears_when_it_is_closed(void **state)
{
    (void)state;
    struct err err = {0};
    struct outfile *o = outfile_open(in_folder("a"), &err);
    assert_non_null(o);
    fputs("all of it", outfile_stream(o));
    assert_int_not_equal(access(in_folder("a"), F_OK), 0);
    assert_true(outfile_close(o, &err));
    assert_content(in_folder("a"), "all of it");
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("a"));
}

static void the_old_file_stays_until_then(void **state)
{
    (void)state;
    struct err err = {0};
    put(in_folder("a"), "old");
    chmod(in_folder("a"), 0600);
    struct outfile *o = outfile_open(in_folder("a"), &err);
    fputs("new", outfile_stream(o));
    outfile_discard(o);
    assert_content(in_folder("a"), "old");
    put(in_folder("a"), "new");
    struct stat st;
    assert_int_equal(stat(in_folder("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("a"));
}

static void a_link_keeps_pointing_at_the_new_file(void **state)
{
    (void)state;
    struct err err = {0};
    struct stat st;
    put(in_folder("a"), "old");
    assert_int_equal(symlink("a", in_folder("l")), 0);
    put(in_folder("l"), "new");
    assert_int_equal(lstat(in_folder("l"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_content(in_folder("a"), "new");
    unlink(in_folder("a"));
    assert_false(outfile_probe(in_folder("l"), &err));
    assert_non_null(strstr(err.msg, "link to nothing"));
    unlink(in_folder("l"));
}

/* A disk that fills up: the limit on a file's size gives the same error at the same place. */
static void a_write_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    struct err err = {0};
    struct rlimit old, small;
    static char much[1 << 16];
    put(in_folder("a"), "old");
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 1000;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool ok = file_write(in_folder("a"), much, sizeof much, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, before);
    assert_false(ok);
    assert_non_null(strstr(err.msg, "cannot write"));
    assert_content(in_folder("a"), "old");
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("a"));
}

static void a_device_is_written_and_stays(void **state)
{
    (void)state;
    struct err err = {0};
    struct stat st;
    assert_true(outfile_probe("/dev/full", &err));
    assert_false(file_write("/dev/full", "x", 1, &err));
    assert_non_null(strstr(err.msg, "No space left"));
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_true(file_write("/dev/null", "x", 1, &err));
}

static void folders_and_missing_folders_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    assert_false(outfile_probe(folder, &err));
    assert_non_null(strstr(err.msg, "it is a folder"));
    assert_null(outfile_open(in_folder("no/such"), &err));
    assert_non_null(strstr(err.msg, "No such file"));
    assert_false(outfile_probe(in_folder("no/"), &err));
    assert_true(outfile_probe(in_folder("new"), &err));
    assert_int_equal(files_in_folder(), 0);
}

static void a_name_that_somebody_took_is_left_alone(void **state)
{
    (void)state;
    struct err err = {0};
    bool exists;
    struct outfile *o = outfile_open(in_folder("a"), &err);
    put(in_folder("a"), "theirs");
    assert_false(outfile_close_new(o, &exists, &err));
    assert_true(exists);
    assert_content(in_folder("a"), "theirs");
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("a"));
}

static void temporaries_go_with_their_process_only(void **state)
{
    (void)state;
    struct err err = {0};
    struct outfile *o = outfile_open(in_folder("a"), &err);
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        tempfile_remove_all();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(files_in_folder(), 1);
    tempfile_remove_all();
    assert_int_equal(files_in_folder(), 0);
    outfile_discard(o);
}

/* Names of a descriptor that is a plain file: written behind what is there, which stays. */
static void an_open_descriptor_is_written_on(void **state)
{
    (void)state;
    struct err err = {0};
    char name[32], link_name[64];
    int fd = open(in_folder("log"), O_RDWR | O_CREAT, 0600);
    struct stat before, after;
    assert_int_equal(write(fd, "one ", 4), 4);
    assert_int_equal(fstat(fd, &before), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    snprintf(link_name, sizeof link_name, "%s/link", folder);
    assert_int_equal(symlink(name, link_name), 0);
    assert_true(outfile_probe(name, &err));
    assert_true(file_write(name, "two ", 4, &err));
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    assert_true(file_write(name, "three ", 6, &err));
    assert_true(file_write(link_name, "four ", 5, &err));
    assert_int_equal(write(fd, "five", 4), 4);
    assert_content(in_folder("log"), "one two three four five");
    assert_int_equal(stat(in_folder("log"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    close(fd);
    assert_false(outfile_probe(name, &err));
    assert_false(file_write(name, "six", 3, &err));
    fd = open(in_folder("log"), O_RDONLY);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_false(outfile_probe(name, &err));
    close(fd);
    unlink(link_name);
    unlink(in_folder("log"));
}

static void an_output_in_the_place_of_an_input_is_found(void **state)
{
    (void)state;
    struct err err = {0};
    char a[64], b[64], l[64];
    put(in_folder("a"), "data");
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b", folder);
    snprintf(l, sizeof l, "%s/l", folder);
    assert_int_equal(symlink("a", l), 0);
    const char *const in[] = {"/dev/null", l}, *const fine[] = {b, "-", "/dev/null"},
                      *const bad[] = {b, a};
    assert_true(outfile_check_inputs(fine, 3, in, 2, &err));
    assert_false(outfile_check_inputs(bad, 2, in, 2, &err));
    assert_non_null(strstr(err.msg, "would take its place"));
    unlink(l);
    unlink(a);
}

static void what_has_no_end_is_not_read(void **state)
{
    (void)state;
    struct err err = {0};
    size_t len;
    assert_null(file_read("/dev/zero", &len, &err));
    assert_non_null(strstr(err.msg, "is a device"));
    assert_null(file_read(folder, &len, &err));
    assert_non_null(strstr(err.msg, "is a directory"));
    assert_int_equal(mkfifo(in_folder("p"), 0600), 0);
    assert_null(file_read(in_folder("p"), &len, &err));
    assert_non_null(strstr(err.msg, "nobody writes"));
    unlink(in_folder("p"));
    put(in_folder("a"), "");
    assert_int_equal(truncate(in_folder("a"), (off_t)FILE_READ_MAX + 1), 0); /* one hole */
    assert_null(file_read(in_folder("a"), &len, &err));
    assert_non_null(strstr(err.msg, "more than 1024 MB"));
    unlink(in_folder("a"));
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    struct err err = {0};
    size_t len;
    int ends[2];
    char name[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "some text", 9), 9);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    char *data = file_read(name, &len, &err);
    assert_non_null(data);
    assert_int_equal(len, 9);
    free(data);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_when_it_is_closed),
        cmocka_unit_test(the_old_file_stays_until_then),
        cmocka_unit_test(a_link_keeps_pointing_at_the_new_file),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file),
        cmocka_unit_test(a_device_is_written_and_stays),
        cmocka_unit_test(folders_and_missing_folders_are_refused),
        cmocka_unit_test(a_name_that_somebody_took_is_left_alone),
        cmocka_unit_test(temporaries_go_with_their_process_only),
        cmocka_unit_test(an_open_descriptor_is_written_on),
        cmocka_unit_test(an_output_in_the_place_of_an_input_is_found),
        cmocka_unit_test(what_has_no_end_is_not_read),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
