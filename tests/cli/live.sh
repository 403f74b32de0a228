#!/usr/bin/env bash
# --live PORT: a page and its numbers while a run goes on, for this machine only; nothing changes by being looked at.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
cat >"$tmp/long.ptx" <<'PTX'
.version 7.0
.target sm_60
.address_size 64
.visible .entry long(.param .u64 out, .param .u32 n)
{
    .reg .pred %p; .reg .u32 %r<5>; .reg .u64 %d<4>;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d3, %d1, %d2;
L:  ld.global.u32 %r3, [%d3];
    add.u32 %r3, %r3, 1;
    st.global.u32 [%d3], %r3;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra L;
    ret;
}
PTX
python3 - "$PARSIM_BIN" "$tmp" <<'PY' || fail "the view"
import json, socket, subprocess, sys, time, urllib.error, urllib.request
parsim, tmp = sys.argv[1:]
def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
launch = lambda n, *more: [parsim, "launch", f"{tmp}/long.ptx", "long", "--gpu", "gtx480", "--grid", "60", "--block", "128", *more, "out:1K", f"u32:{n}"]
port = free_port()
run = subprocess.Popen(launch(100000000, "--live", str(port)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
try:
    assert run.stderr.readline() == f"parsim: live view: http://127.0.0.1:{port}/\n"
    ask = lambda path, **headers: urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers), timeout=30)
    page = ask("/").read().decode()
    assert "state.json" in page and "http" not in page.replace("http-equiv", ""), "the page needs nothing from elsewhere"
    deadline = time.time() + 120
    while True:  # two points or more
        state = json.load(ask("/state.json"))
        if state and len(state["at"]) >= 3:
            break
        assert time.time() < deadline, state
        time.sleep(0.1)
    assert state["kernel"] == "long" and state["blocks"] == 60 and state["launch"] == 1 and state["gpu"] == "gtx480", state
    assert state["at"] == sorted(state["at"]) and state["cycles"] == state["at"][-1] > 0
    series = {s["name"]: s["values"] for s in state["series"]}
    assert set(series) == {"IPC", "warps", "L2 queue", "memory queue", "DRAM bus"} and all(len(v) == len(state["at"]) for v in series.values())
    assert 0 < series["IPC"][-1] <= 30 and 1 <= series["warps"][-1] <= 48 and series["L2 queue"][-1] >= 0, series
    for path, headers, code in (("/etc/passwd", {}, 404), ("/", {"Host": "elsewhere.example"}, 403)):
        try:
            ask(path, **headers)
            raise AssertionError(path)
        except urllib.error.HTTPError as e:
            assert e.code == code, (path, e.code)
    # a client that says nothing, and one that goes away, hold nobody up
    quiet = socket.create_connection(("127.0.0.1", port))
    gone = socket.create_connection(("127.0.0.1", port)); gone.send(b"GET / HTTP/1.1\r\n"); gone.close()
    assert json.load(ask("/state.json"))["blocks"] == 60
    quiet.close()
    # only this machine's own address
    with open("/proc/net/tcp") as f:
        mine = [l.split()[1] for l in f if l.split()[1].endswith(f":{port:04X}") and l.split()[3] == "0A"]
    assert mine == [f"0100007F:{port:04X}"], mine
    second = subprocess.run(launch(1, "--live", str(port)), capture_output=True, text=True)
    assert second.returncode == 2 and f"--live {port}: another program has this port" in second.stderr and not second.stdout, second
    second = subprocess.run([parsim, "run", "--gpu", "gtx480", "--live", str(port), "workload:sdk-tra", "--size", "tiny"], capture_output=True, text=True)
    assert second.returncode == 2 and "another program has this port" in second.stderr and not second.stdout, second
finally:
    run.terminate()
    run.communicate()
assert run.returncode == 143, run.returncode
PY
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for live in "" "--live $port"; do
    "$PARSIM_BIN" run --quiet --gpu gtx480 $live --csv "$tmp/${live:+live}.csv" workload:sdk-bfs --size tiny >"$tmp/out" 2>"$tmp/err" || fail "run $live: $(cat "$tmp/err")"
done
cmp "$tmp/.csv" "$tmp/live.csv" || fail "a look changes statistics"
"$PARSIM_BIN" run --live "$port" workload:sdk-bfs --size tiny >/dev/null 2>"$tmp/err" && fail "without time"
grep -q -e '--live needs a timed run' "$tmp/err" || fail "without time: $(cat "$tmp/err")"
"$PARSIM_BIN" run --gpu gtx480 --live 70000 workload:sdk-bfs --size tiny >/dev/null 2>"$tmp/err" && fail "no port"
grep -q 'must be 1 to 65535' "$tmp/err" || fail "no port: $(cat "$tmp/err")"
exit $failed
