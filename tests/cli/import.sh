# parsim gpus --import: a machine of a gpgpusim.config, what it could not take, and what is no configuration.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

mkdir "$tmp/SM7_Own"
cat >"$tmp/SM7_Own/gpgpusim.config" <<'C'
# an SM of four quarters; values may go over lines within quotes
-gpgpu_compute_capability_major 7
-gpgpu_compute_capability_minor 0
-gpgpu_n_clusters 10
-gpgpu_n_cores_per_cluster 2
-gpgpu_clock_domains 1132.0:1000.0:900.0:850.0
-gpgpu_shader_core_pipeline 2048:32
-gpgpu_shader_cta 99
-gpgpu_sub_core_model 1
-gpgpu_num_sched_per_core 4
-gpgpu_scheduler two_level_active:6:0:1
-gpgpu_num_sp_units 4
-gpgpu_num_sfu_units 3
-gpgpu_num_reg_banks 16
-ptx_opcode_latency_int 4,13,4,5,145,21
-gpgpu_cache:dl1  S:4:128:64,L:T:m:L:L,A:512:8,16:0,32
-gpgpu_unified_l1d_size 128
-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32
-gpgpu_l2_rop_latency 160
-gpgpu_n_mem 8
-gpgpu_n_sub_partition_per_mchannel 2
-gpgpu_n_mem_per_ctrlr 1
-gpgpu_dram_buswidth 16
-gpgpu_dram_burst_length 2
-dram_data_command_freq_ratio 2  # two transfers a cycle
-gpgpu_mem_addr_mapping dramid@8;0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS
-gpgpu_dram_timing_opt "nbk=16:CCD=1:RRD=3:RCD=12:
                        RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3"
-gpgpu_runtime_stat 500
C
"$PARSIM_BIN" gpus --import "$tmp/SM7_Own/gpgpusim.config" >"$tmp/own.yaml" 2>"$tmp/err"
grep -q '24 options were taken over, 3 were not' "$tmp/err" || fail "counts: $(cat "$tmp/err")"
for want in 'line 8: -gpgpu_shader_cta 99: .*sm.ctas' 'line 13: -gpgpu_num_sfu_units 3: not a multiple of 4 sub-cores' \
    'line 29: -gpgpu_runtime_stat 500: no field of ours' 'line 26: -gpgpu_mem_addr_mapping .* the order of banks'; do
    sed -n '/^# Not taken over/,$p' "$tmp/own.yaml" | grep -q -- "$want" || fail "not listed: $want: $(cat "$tmp/own.yaml")"
done
"$PARSIM_BIN" gpus "$tmp/own.yaml" >"$tmp/machine"
grep -q '^sm7_own: ' "$tmp/machine" || fail "name: $(head -n 1 "$tmp/machine")"
# 8 channels x 32 bytes a cycle x 850 MHz
grep -q '^20 SMs at 1132 MHz, 16 L2 slices of 96 KB, 8 DRAM channels of 27.2 GB/s, 217.6 GB/s in all' "$tmp/machine" ||
    fail "sizes: $(head -n 4 "$tmp/machine")"
grep -q '^in all: L2 460.8 GB/s (16 ports of 32 bytes at 900 MHz), interconnect to SMs 800.0 GB/s .* DRAM 217.6 GB/s' "$tmp/machine" ||
    fail "bandwidths: $(sed -n 4p "$tmp/machine")"
for want in 'l2_mhz +900 ' 'subcores +4 ' 'schedulers +1 ' 'sp_units +1 ' 'scheduler +two_level ' 'active_warps +6 ' 'ctas +8 ' \
    'thread_registers +255 ' 'idiv_latency +145 ' 'shfl_latency +21 ' 'latency +136 ' 'rows +8192 ' 'row_bytes +2048 ' 't_wtr_l +3 ' \
    'banks +4 '; do
    grep -Eq "^  $want" "$tmp/machine" || fail "lacks $want"
done
"$PARSIM_BIN" run --quiet --gpu "$tmp/own.yaml" workload:sdk-tra --size tiny | grep -q '^check ' || fail "it does not run"

# a machine that cannot be: the file is written, and the reason said
sed -i 's/-gpgpu_dram_buswidth 16/-gpgpu_dram_buswidth 12/' "$tmp/SM7_Own/gpgpusim.config"
rc=0; "$PARSIM_BIN" gpus --import "$tmp/SM7_Own/gpgpusim.config" >"$tmp/bad.yaml" 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q 'no machine yet: .*24 is not a power of two' "$tmp/err" && grep -q 'access_bytes: 24' "$tmp/bad.yaml" ||
    fail "no machine: $rc $(cat "$tmp/err")"

refused() { # what is in the file, what is said
    printf -- "$1" >"$tmp/f.config"
    rc=0; "$PARSIM_BIN" gpus --import "$tmp/f.config" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = 2 ] && [ ! -s "$tmp/out" ] && grep -q -- "$2" "$tmp/err" || fail "$1: $rc $(cat "$tmp/err")"
}
refused '' 'f.config: no option in it'
refused '# nothing\n' 'f.config: no option in it'
refused '0x7f 1\n' 'f.config:1: expected an option'
refused '\n-gpgpu_n_mem 6\ngpgpu_n_clusters 15 16\n' "f.config:3: expected an option .*found 'gpgpu_n_clusters'"
rc=0; "$PARSIM_BIN" gpus --import "$tmp/none" >"$tmp/out" 2>"$tmp/err" || rc=$?
[ $rc = 2 ] && grep -q 'none' "$tmp/err" || fail "no file: $rc $(cat "$tmp/err")"
# values that are none are left, with the reason
printf -- '-gpgpu_n_mem\n-gpgpu_clock_domains fast:1\n-gpgpu_cache:dl1 N:32\n-gpgpu_dram_timing_opt "nbk=16:XYZ=3\n-gpgpu_n_clusters nan\n' >"$tmp/f.config"
"$PARSIM_BIN" gpus --import "$tmp/f.config" >"$tmp/out" 2>/dev/null
for want in 'n_mem : it has no value' "domains fast:1: 'fast' is not a number" 'expected KIND:SETS' "'XYZ=3-gpgpu_n_clustersnan' is not known"; do
    grep -q -- "$want" "$tmp/out" || fail "lacks $want: $(cat "$tmp/out")"
done
# bytes that are no text; names and values that would break the file's lines
refused '-gpgpu_n_mem 6\n-gpgpu_n_clusters 15\000\n-gpgpu_n_mem 8\n' 'f.config:2: a byte 0'
name=$tmp/$(printf 'a\nb.config')
printf -- '-gpgpu_n_mem 6\n-odd \001\033[2J\n' >"$name"
"$PARSIM_BIN" gpus --import "$name" >"$tmp/odd.yaml" 2>"$tmp/err" || fail "a line break in the name: $(cat "$tmp/err")"
grep -q "a?b.config'" "$tmp/odd.yaml" && grep -q -- '-odd ??\[2J: no field' "$tmp/odd.yaml" || fail "odd bytes: $(cat "$tmp/odd.yaml")"
"$PARSIM_BIN" gpus "$tmp/odd.yaml" >/dev/null || fail "what was made cannot be read"
# nothing that could be taken over
printf -- '-gpgpu_n_mem\n-gpgpu_runtime_stat 500\n' >"$tmp/f.config"
rc=0; "$PARSIM_BIN" gpus --import "$tmp/f.config" >"$tmp/out" 2>"$tmp/err" || rc=$?
[ $rc = 1 ] && grep -q 'none of its 2 options could be taken over' "$tmp/err" || fail "nothing taken over: $rc $(cat "$tmp/err")"
