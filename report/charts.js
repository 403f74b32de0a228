// Stacked bars, the roofline, the memory chart, time series.
function stackedBars(names, parts, values, format) { // values[bar][part]
  const left = 230, w = 700, h = 24, all = names.length * h + 30;
  const s = svg("svg", { viewBox: `0 0 ${left + w + 90} ${all}`, role: "img" });
  const most = Math.max(...values.map((v) => v.reduce((a, b) => a + b, 0)), 1e-30);
  names.forEach((name, i) => {
    let x = left;
    const label = name.length > 34 ? name.slice(0, 16) + "…" + name.slice(-16) : name;
    s.append(svg("text", { x: left - 8, y: i * h + 16, "text-anchor": "end" }, label));
    values[i].forEach((v, k) => {
      const width = v / most * w;
      const r = svg("rect", { x, y: i * h + 3, width: Math.max(width, 0), height: h - 7, fill: COLOURS[k % COLOURS.length] });
      r.append(svg("title", {}, `${name}: ${parts[k]} ${format(v)}`));
      s.append(r);
      x += width;
    });
    s.append(svg("text", { x: x + 6, y: i * h + 16, class: "soft" }, format(values[i].reduce((a, b) => a + b, 0))));
  });
  return el("div", {}, legend(parts), s);
}

function roofline(points, peak, bandwidth) { // points: {name, intensity, rate}
  const W = 760, H = 330, l = 70, b = 40;
  const xs = points.map((p) => p.intensity).concat(peak / bandwidth), ys = points.map((p) => p.rate).concat(peak);
  const x0 = Math.floor(Math.log10(Math.min(...xs) / 2)), x1 = Math.ceil(Math.log10(Math.max(...xs) * 2));
  const y1 = Math.ceil(Math.log10(peak)), y0 = Math.min(Math.floor(Math.log10(Math.min(...ys))), y1 - 2);
  const X = (v) => l + (Math.log10(v) - x0) / (x1 - x0) * (W - l - 20), Y = (v) => H - b - (Math.log10(v) - y0) / (y1 - y0) * (H - b - 20);
  const s = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img" });
  for (let e = x0; e <= x1; e++) {
    s.append(svg("line", { x1: X(10 ** e), x2: X(10 ** e), y1: 20, y2: H - b, class: "axis" }), svg("text", { x: X(10 ** e), y: H - b + 16, "text-anchor": "middle", class: "soft" }, si(10 ** e, "")));
  }
  for (let e = y0; e <= y1; e++) {
    s.append(svg("line", { x1: l, x2: W - 20, y1: Y(10 ** e), y2: Y(10 ** e), class: "axis" }), svg("text", { x: l - 6, y: Y(10 ** e) + 4, "text-anchor": "end", class: "soft" }, si(10 ** e, "")));
  }
  const knee = peak / bandwidth, first = Math.max(10 ** x0, 10 ** y0 / bandwidth);
  s.append(svg("polyline", { points: `${X(first)},${Y(first * bandwidth)} ${X(knee)},${Y(peak)} ${X(10 ** x1)},${Y(peak)}`, fill: "none", stroke: "var(--c3)", "stroke-width": 2 }));
  for (const p of points) {
    const c = svg("circle", { cx: X(p.intensity), cy: Y(p.rate), r: 5, fill: "var(--c0)" });
    c.append(svg("title", {}, `${p.name}: ${p.intensity.toPrecision(3)} instructions a byte, ${si(p.rate, "instructions/s")}`));
    s.append(c);
  }
  for (const p of [...points].sort((a, c) => c.rate - a.rate).slice(0, 6)) s.append(svg("text", { x: X(p.intensity) + 8, y: Y(p.rate) + 4 }, p.name.slice(0, 28)));
  s.append(svg("text", { x: (l + W) / 2, y: H - 6, "text-anchor": "middle" }, "thread instructions a byte of DRAM"), svg("text", { x: l, y: 14 }, "thread instructions a second"));
  return s;
}

function memoryChart(boxes, links) { // boxes: {name, lines}; links between neighbours: {to, back, unit (none: bytes)}
  const w = 150, gap = 110, H = 130, s = svg("svg", { viewBox: `0 0 ${boxes.length * (w + gap) - gap + 4} ${H}`, role: "img" });
  boxes.forEach((b, i) => {
    const x = 2 + i * (w + gap);
    s.append(svg("rect", { x, y: 16, width: w, height: 98, rx: 6, fill: "var(--card)", stroke: "var(--line)" }), svg("text", { x: x + w / 2, y: 36, "text-anchor": "middle", "font-weight": "bold" }, b.name));
    b.lines.forEach((t, k) => s.append(svg("text", { x: x + w / 2, y: 56 + 17 * k, "text-anchor": "middle", class: "soft" }, t)));
  });
  links.forEach((k, i) => {
    const most = Math.max(...links.filter((o) => o.unit === k.unit).flatMap((o) => [o.to || 0, o.back || 0]), 1);
    const x = 2 + i * (w + gap) + w, wide = (v) => 1 + 9 * Math.sqrt((v || 0) / most);
    for (const [v, y, dir] of [[k.to, 48, 1], [k.back, 92, -1]]) {
      const a = dir > 0 ? x + 4 : x + gap - 4, z = dir > 0 ? x + gap - 10 : x + 10;
      s.append(svg("line", { x1: a, x2: z, y1: y, y2: y, stroke: "var(--c0)", "stroke-width": wide(v) }), svg("polygon", { points: `${z},${y - 7} ${z + dir * 9},${y} ${z},${y + 7}`, fill: "var(--c0)" }),
        svg("text", { x: x + gap / 2, y: y - 10, "text-anchor": "middle" }, si(v, k.unit || "B")));
    }
  });
  return s;
}

function seriesChart(title, cycles, lines, kernels) { // lines: {name, values}
  const W = 900, H = 190, l = 60, b = 26, last = cycles[cycles.length - 1] || 1;
  const most = Math.max(...lines.flatMap((k) => k.values), 1e-30);
  const X = (c) => l + c / last * (W - l - 10), Y = (v) => H - b - v / most * (H - b - 24);
  const s = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img" });
  kernels.slice(0, 400).forEach((k, i) => {
    const r = svg("rect", { x: X(k.start), y: 20, width: Math.max(X(k.start + k.cycles) - X(k.start), .5), height: H - b - 20, fill: i % 2 ? "var(--card)" : "var(--bg)", stroke: "var(--line)", "stroke-width": .5 });
    r.append(svg("title", {}, `${k.name}, ${whole(k.cycles)} cycles`));
    s.append(r);
  });
  lines.forEach((k, i) => s.append(svg("polyline", { points: cycles.map((c, n) => `${X(c).toFixed(1)},${Y(k.values[n]).toFixed(1)}`).join(" "), fill: "none", stroke: COLOURS[i], "stroke-width": 1.5 })));
  s.append(svg("text", { x: l, y: 14 }, title), svg("text", { x: l - 6, y: 28, "text-anchor": "end", class: "soft" }, most.toPrecision(3)), svg("text", { x: l - 6, y: H - b, "text-anchor": "end", class: "soft" }, "0"),
    svg("text", { x: W - 10, y: H - 6, "text-anchor": "end", class: "soft" }, `cycle ${whole(last)}`));
  return el("div", {}, lines.length > 1 ? legend(lines.map((k) => k.name)) : "", s);
}
