// printf in kernels: what arrives on standard output, byte by byte.
#include "check.h"

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

__global__ void formats(int *returned)
{
    char letters[] = "local";
    returned[0] = printf("plain\n");
    returned[1] = printf("%d %i %u %x %X %o %c %%\n", -5, 7, 3000000000u, 0xbeef, 0xBEEF, 8, 'q');
    printf("%lld %llu %lx %hd\n", -5000000000ll, 18446744073709551615ull, 0x123456789abl,
           (short)-3);
    printf("%f %.3f %e %g %10.2f|%-8.1f|\n", 1.5f, 3.14159, 12345.678, 0.0001, 2.5, 2.5);
    printf("[%5d] [%-5d] [%05d] [%+d] [%*d]\n", 42, 42, 42, 42, 6, 42);
    printf("%s and %s, %10s|%-10s|%.3s\n", "literal", letters, "right", "left", "cut off");
    returned[2] = printf("%d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8);
}

__global__ void many()
{
    if (threadIdx.x % 2 == 0)
        printf("block %d thread %d of %s\n", blockIdx.x, threadIdx.x, "many");
}

static std::string captured(void (*launch)())
{
    fflush(stdout);
    FILE *file = tmpfile();
    int saved = dup(1);
    CHECK(file && saved >= 0);
    dup2(fileno(file), 1);
    launch();
    cudaError_t e = cudaDeviceSynchronize();
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    CUDA(e);
    std::string text;
    lseek(fileno(file), 0, SEEK_SET);
    char buf[4096];
    for (ssize_t n; (n = read(fileno(file), buf, sizeof buf)) > 0;)
        text.append(buf, n);
    fclose(file);
    return text;
}

static int *returned;

int main()
{
    check_name = "printf";
    CUDA(cudaMallocManaged(&returned, 3 * sizeof(int)));
    std::string got = captured([] { formats<<<1, 1>>>(returned); });
    const char *want = "plain\n"
                       "-5 7 3000000000 beef BEEF 10 q %\n"
                       "-5000000000 18446744073709551615 123456789ab -3\n"
                       "1.500000 3.142 1.234568e+04 0.0001       2.50|2.5     |\n"
                       "[   42] [42   ] [00042] [+42] [    42]\n"
                       "literal and local,      right|left      |cut\n"
                       "1 2 3 4 5 6 7 8\n";
    if (got != want)
        check_fail("the text is\n%s", got.c_str());
    // The number of arguments, as CUDA documents, not of characters.
    CHECK_EQ(returned[0], 0);
    CHECK_EQ(returned[1], 7);
    CHECK_EQ(returned[2], 8);

    got = captured([] { many<<<3, 64>>>(); });
    std::vector<std::string> lines, expected;
    for (size_t at = 0, nl; (nl = got.find('\n', at)) != std::string::npos; at = nl + 1)
        lines.push_back(got.substr(at, nl - at));
    for (int b = 0; b < 3; b++)
        for (int t = 0; t < 64; t += 2)
            expected.push_back("block " + std::to_string(b) + " thread " + std::to_string(t) +
                               " of many");
    std::sort(lines.begin(), lines.end());
    std::sort(expected.begin(), expected.end());
    CHECK(lines == expected);
    CUDA(cudaFree(returned));
    return check_pass();
}
