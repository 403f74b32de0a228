"use strict";
// Elements, numbers, tables that sort.
const COLOURS = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)", "var(--c7)"];
const SVG = "http://www.w3.org/2000/svg";

function el(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) e.setAttribute(k, v);
  for (const c of children) e.append(c);
  return e;
}
function svg(tag, attrs, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attrs || {})) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
}
function get(o, path) {
  for (const k of path.split(".")) o = o === null || o === undefined ? undefined : o[k];
  return o === null ? undefined : o;
}
const is = (v) => typeof v === "number" && isFinite(v);
function si(v, unit) {
  if (!is(v)) return "-";
  const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  if (v === 0) return "0 " + unit;
  for (const [f, p] of steps) if (Math.abs(v) >= f) return (v / f).toPrecision(3) + " " + p + unit;
  return v.toExponential(2) + " " + unit;
}
const percent = (v) => is(v) ? (100 * v).toFixed(1) + "%" : "-";
const whole = (v) => is(v) ? Math.round(v).toLocaleString("en") : "-";
const fixed = (n) => (v) => is(v) ? v.toFixed(n) : "-";

// columns: {name, value(row), show(value), text: left-aligned, code: monospaced, style(row)}
function table(columns, rows) {
  const t = el("table"), head = el("tr"), body = el("tbody");
  let sorted = -1, up = false;
  const fill = () => {
    body.replaceChildren(...rows.map((r) => {
      const tr = el("tr");
      for (const c of columns) {
        const v = c.value(r), td = el("td", { class: c.code ? "code" : c.text ? "text" : "" }, c.show ? c.show(v) : v === undefined || v === null ? "-" : String(v));
        if (c.style) td.style.cssText = c.style(r);
        tr.append(td);
      }
      return tr;
    }));
  };
  columns.forEach((c, i) => {
    const th = el("th", { class: c.text || c.code ? "text" : "", scope: "col", tabindex: 0 }, c.name);
    const sort = () => {
      up = sorted === i ? !up : Boolean(c.text || c.code);
      sorted = i;
      const key = (r) => { const v = c.value(r); return v === undefined || v === null ? -Infinity : v; };
      rows = [...rows].sort((a, b) => { const x = key(a), y = key(b); return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1); });
      head.querySelectorAll("th").forEach((h) => h.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      fill();
    };
    th.addEventListener("click", sort);
    th.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); sort(); } });
    head.append(th);
  });
  fill();
  t.append(el("thead", {}, head), body);
  return el("div", { class: "scroll" }, t);
}
function legend(names) {
  return el("p", { class: "legend" }, ...names.map((n, i) => {
    const mark = el("i"); mark.style.background = COLOURS[i % COLOURS.length];
    return el("span", {}, mark, n);
  }));
}
function section(title, ...children) {
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  document.getElementById("nav").append(el("a", { href: "#" + id }, title));
  document.getElementById("main").append(el("section", { id }, el("h2", {}, title), ...children));
}
