// What the page says, section by section, of one run or of several side by side.
const runs = JSON.parse(document.getElementById("data").textContent);
const SLOTS = ["active", "compute_stall", "memory_stall", "data_stall", "idle"];

function cards(r) {
  const s = r.summary || {}, all = [
    ["cycles", whole(r.cycles)], ["simulated time", si(s.simulated_seconds, "s")], ["thread instructions a cycle", fixed(1)(r.ipc)], ["launches", whole(r.launches)],
    ["occupancy, warps an SM", fixed(1)(s.occupancy_warps)], ["SMs with blocks", percent(s.busy_share)], ["L1 read hits", percent(get(s, "hit_rates.l1"))], ["L2 read hits", percent(get(s, "hit_rates.l2"))],
    ["DRAM bandwidth", percent(s.dram_share)], ["energy", si(get(r, "energy.total_joules"), "J")], ["power", si(get(r, "energy.average_watts"), "W")], ["time on the host", si(r.wall_seconds, "s")]];
  return el("div", { class: "cards" }, ...all.map(([n, v]) => el("div", { class: "card" }, el("b", {}, v), el("span", {}, n))));
}

function byKernel(r) {
  const map = new Map();
  for (const k of r.kernels || []) {
    const m = map.get(k.name) || { name: k.short_name || k.name, launches: 0, cycles: 0, inst: 0, bytes: 0, worst: k, seconds: 0, slots: SLOTS.map(() => 0) };
    m.launches += 1; m.cycles += k.cycles; m.inst += k.thread_instructions; m.bytes += get(k, "summary.dram_bytes") || 0; m.seconds += get(k, "summary.simulated_seconds") || 0;
    SLOTS.forEach((x, i) => { m.slots[i] += (get(k, "summary.issue_slots." + x) || 0) * k.cycles; });
    if (k.cycles > m.worst.cycles) m.worst = k;
    map.set(k.name, m);
  }
  return [...map.values()].sort((a, b) => b.cycles - a.cycles);
}

function kernelTable(r) {
  const all = byKernel(r);
  return table([
    { name: "kernel", text: true, value: (k) => k.name }, { name: "time", value: (k) => k.cycles / r.cycles, show: percent }, { name: "launches", value: (k) => k.launches, show: whole },
    { name: "cycles", value: (k) => k.cycles, show: whole }, { name: "IPC", value: (k) => k.inst / k.cycles, show: fixed(1) }, { name: "registers", value: (k) => k.worst.registers }, { name: "shared bytes", value: (k) => k.worst.shared_bytes },
    { name: "blocks an SM", value: (k) => k.worst.ctas_per_sm }, { name: "held back by (longest launch)", text: true, value: (k) => get(k.worst, "summary.bottleneck") || "" }], all);
}

function issueSlots(r) {
  const all = byKernel(r).filter((k) => k.slots.some((v) => v > 0)).slice(0, 16), sum = (v) => v.reduce((a, b) => a + b, 0) || 1;
  const names = ["all", ...all.map((k) => k.name)];
  return stackedBars(names, SLOTS.map((n) => n.replace("_", " ")), [SLOTS.map((n) => get(r, "summary.issue_slots." + n) || 0), ...all.map((k) => k.slots.map((v) => v / sum(k.slots)))], percent);
}

function drawRoofline(r) {
  const sms = get(r, "machine.gpu.sms"), mhz = get(r, "machine.gpu.core_mhz"), slots = get(r, "machine.sm.subcores") * get(r, "machine.sm.schedulers");
  const bandwidth = get(r, "summary.dram_peak_bytes_per_second"), peak = sms * mhz * 1e6 * slots * 32;
  const points = byKernel(r).filter((k) => k.bytes > 0 && k.seconds > 0).map((k) => ({ name: k.name, intensity: k.inst / k.bytes, rate: k.inst / k.seconds }));
  if (!points.length || !is(peak) || !is(bandwidth)) return el("p", { class: "note" }, "No kernel has moved bytes of DRAM by itself (run with --per-kernel).");
  return el("div", {}, roofline(points, peak, bandwidth), el("p", { class: "note" }, `The roof: ${si(peak, "")} thread instructions a second that the schedulers can issue, ${si(bandwidth, "B")}/s of DRAM.`));
}

function drawMemory(r) {
  const s = r.stats || {}, n = (p) => get(s, p) || 0, bytes = get(r, "summary.dram_bytes") || 0, bursts = n("dram.rd") + n("dram.wr") || 1;
  return memoryChart([
    { name: "SMs", lines: [`${whole(n("sm.mem_inst"))} instructions`, `${whole(n("sm.accesses"))} lines`, `conflicts ${whole(n("sm.shared_conflicts"))}`] },
    { name: "L1", lines: [`read hits ${percent(n("l1.hit_rate"))}`, `${whole(n("l1.reads"))} reads`, `${whole(n("l1.writes"))} writes`] },
    { name: "L2", lines: [`read hits ${percent(n("l2.hit_rate"))}`, `${whole(n("l2.requests"))} requests`, `${whole(n("l2.atomics"))} atomics`] },
    { name: "DRAM", lines: [`row hits ${percent(n("dram.row_hit_rate"))}`, `bus ${percent(n("dram.bandwidth_fraction"))}`, si(get(r, "summary.dram_bytes"), "B")] }],
  [{ to: n("l1.writes"), back: n("l1.reads"), unit: " lines" }, { to: n("noc_request.bytes"), back: n("noc_reply.bytes") },
    { to: bytes * n("dram.wr") / bursts, back: bytes * n("dram.rd") / bursts }]);
}

function drawSeries(r) {
  const s = r.series;
  if (!s || !s.cycles || s.cycles.length < 2) return el("p", { class: "note" }, "No time series (run with --interval N).");
  const step = s.cycles.map((c, i) => Math.max(c - (i ? s.cycles[i - 1] : 0), 1)), rate = (name, f) => ({ name, values: s[name] ? s[name].map((v, i) => v / step[i] * (f || 1)) : step.map(() => 0) });
  const slots = step.map((c) => c * get(r, "machine.gpu.sms") * get(r, "machine.sm.subcores") * get(r, "machine.sm.schedulers"));
  const share = (name, label) => ({ name: label, values: s[name] ? s[name].map((v, i) => v / slots[i]) : step.map(() => 0) });
  return el("div", {}, seriesChart("thread instructions a cycle", s.cycles, [rate("sm.thread_inst")], r.kernels),
    seriesChart("share of issue slots", s.cycles, [share("sm.issue_active", "active"), share("sm.issue_data_stall", "data stall"), share("sm.issue_memory_stall", "memory stall")], r.kernels),
    seriesChart("requests a cycle", s.cycles, [{ ...rate("l2.requests"), name: "L2" }, { ...rate("dram.rd"), name: "DRAM reads" }, { ...rate("dram.wr"), name: "DRAM writes" }], r.kernels));
}

const WAITS = (w) => Object.entries(w).filter((e) => e[1]).sort((a, b) => b[1] - a[1]);
function hotTable(lines) {
  const why = (l) => { const all = WAITS(l.waits), n = l.samples || 1; return all.slice(0, 3).map(([k, v]) => `${k} ${(100 * v / n).toFixed(0)}%`).join(", "); };
  return table([
    { name: "line", value: (l) => l.line, style: (l) => `background: rgba(var(--hot), ${Math.min(.75, 1.5 * l.time_share).toFixed(3)})` }, { name: "code", code: true, value: (l) => (l.text || "").replace(/\t/g, "  ").slice(0, 110) },
    { name: "time", value: (l) => l.time_share, show: percent }, { name: "warps wait for", text: true, value: why }, { name: "instructions", value: (l) => l.warp_instructions, show: whole },
    { name: "lanes", value: (l) => l.warp_instructions ? l.thread_instructions / l.warp_instructions : 0, show: fixed(1) }, { name: "lines an access", value: (l) => l.memory_instructions ? l.memory_lines / l.memory_instructions : 0, show: fixed(1) },
    { name: "L1 misses", value: (l) => l.l1_misses, show: whole }, { name: "bank conflicts", value: (l) => l.bank_conflict_cycles, show: whole }, { name: "divergences", value: (l) => l.divergences, show: whole }], lines);
}
function drawHot(r) {
  const h = r.hot;
  if (!h || !h.ptx || !h.ptx.length) return el("p", { class: "note" }, "No lines (run with --hot).");
  const out = el("div");
  for (const [file, text] of Object.entries(r.sources || {})) {
    const at = new Map(h.source.filter((l) => l.file === file).map((l) => [l.line, l])), none = { waits: {}, samples: 0, time_share: 0, warp_instructions: 0, thread_instructions: 0, memory_instructions: 0, memory_lines: 0, l1_misses: 0, bank_conflict_cycles: 0, divergences: 0 };
    const used = [...at.keys()], from = Math.max(1, Math.min(...used) - 3), to = Math.max(...used) + 3;
    const rows = text.split("\n").map((t, i) => ({ ...(at.get(i + 1) || none), line: i + 1, text: t })).slice(from - 1, to);
    out.append(el("h3", {}, file), hotTable(rows));
  }
  out.append(el("h3", {}, "PTX, most time first"), hotTable(h.ptx.slice(0, 60)));
  return out;
}

function drawEnergy(all) {
  const parts = Object.keys(get(all[0], "energy.joules") || {}).filter((k) => all.some((r) => get(r, "energy.joules." + k) > 0.004 * get(r, "energy.total_joules")));
  return parts.length ? stackedBars(all.map((r) => r.label), parts, all.map((r) => parts.map((k) => get(r, "energy.joules." + k) || 0)), (v) => si(v, "J")) : el("p", {}, "-");
}

function drawDesigns() {
  const base = runs[0];
  return el("div", {}, table([
    { name: "design", text: true, value: (r) => r.label }, { name: "cycles", value: (r) => r.cycles, show: whole }, { name: "speedup", value: (r) => base.cycles / r.cycles, show: fixed(3) }, { name: "IPC", value: (r) => r.ipc, show: fixed(1) },
    { name: "L2 read hits", value: (r) => get(r, "summary.hit_rates.l2"), show: percent }, { name: "DRAM bytes", value: (r) => get(r, "summary.dram_bytes"), show: (v) => si(v, "B") }, { name: "DRAM share", value: (r) => get(r, "summary.dram_share"), show: percent },
    { name: "energy", value: (r) => get(r, "energy.total_joules"), show: (v) => si(v, "J") }, { name: "EDP", value: (r) => get(r, "energy.edp_joule_seconds"), show: (v) => si(v, "Js") }, { name: "bottleneck", text: true, value: (r) => get(r, "summary.limit.resource") }], runs),
  stackedBars(runs.map((r) => r.label), ["speedup"], runs.map((r) => [base.cycles / r.cycles]), fixed(3)));
}

const main = runs[0];
document.title = `Parsim: ${main.label}`;
document.getElementById("title").textContent = main.program || main.label;
document.getElementById("subtitle").textContent = `${main.gpu || "no GPU"}${get(main, "machine.gpu.about") ? " (" + main.machine.gpu.about + ")" : ""}, ${main.mode}`;
section("Summary", el("p", {}, el("b", {}, "What holds it back: "), get(main, "summary.bottleneck") || "-"), cards(main));
if (runs.length > 1) section("Designs", drawDesigns());
section("Kernels", kernelTable(main));
section("Issue slots", issueSlots(main));
section("Roofline", drawRoofline(main));
section("Memory", drawMemory(main));
section("Time series", drawSeries(main));
section("Hot lines", drawHot(main));
section("Energy", drawEnergy(runs));
document.getElementById("footer").textContent = `Made by parsim ${main.version}. Tables sort by a click on their heads.`;
document.body.dataset.ready = "yes";
