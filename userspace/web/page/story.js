// SPDX-License-Identifier: Apache-2.0
// Drawing functions, and the story of one eviction. Untrusted text goes through textContent only.
"use strict";

/** A new element with attributes and children; a text child is never parsed as markup. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** "1.5 Gi" for bytes, "1,234" for other units; "-" for an unknown value. */
function amount(value, signal = "") {
  if (value === null || value === undefined) return "-";
  if (signal.startsWith("pid.") || signal.endsWith("inodesFree")) return value.toLocaleString("en");
  const units = ["", " Ki", " Mi", " Gi", " Ti"];
  let size = value;
  let unit = 0;
  while (Math.abs(size) >= 1024 && unit < units.length - 1) { size /= 1024; unit += 1; }
  return (unit === 0 ? String(size) : size.toFixed(1)) + units[unit];
}

/** Nanoseconds as "12.3 us", "4.5 ms" or "1.20 s". */
function span(ns) {
  if (Math.abs(ns) < 1e6) return (ns / 1e3).toFixed(1) + " us";
  return Math.abs(ns) < 1e9 ? (ns / 1e6).toFixed(2) + " ms" : (ns / 1e9).toFixed(2) + " s";
}

/** A curve of [seconds, value] pairs through a box of 100 by 30, with a threshold across it. */
function curve(points, threshold, name) {
  const svg = draw("svg", {class: "curve", viewBox: "0 0 100 30", preserveAspectRatio: "none", role: "img",
                           "aria-label": name});
  if (points.length < 2) return svg;
  const values = points.map((point) => point[1]).concat(threshold === null ? [] : [threshold]);
  const low = Math.min(...values);
  const height = Math.max(...values) - low || 1;
  const first = points[0][0];
  const length = points[points.length - 1][0] - first || 1;
  const y = (value) => 29 - 28 * (value - low) / height;
  if (threshold !== null) svg.append(draw("line", {class: "mark", x1: 0, x2: 100, y1: y(threshold), y2: y(threshold)}));
  svg.append(draw("polyline", {class: "graph", points: points.map((point) =>
    (100 * (point[0] - first) / length).toFixed(2) + "," + y(point[1]).toFixed(2)).join(" ")}));
  return svg;
}

const MOMENTS = [
  ["hook_ns", "detection: a kernel program saw the crossing"],
  ["wake_ns", "wake: the hot thread ran"],
  ["observe_ns", "observation: all readings were taken"],
  ["decide_ns", "decision: the victim was chosen"],
  ["first_signal_ns", "signal: the first one was sent"],
  ["killed_ns", "SIGKILL: the last one was sent"],
  ["exited_ns", "exit: no process was left"],
  ["freed_ns", "freed: the memory was free"],
];

/** The known moments of a record in order, relative to the first one. */
function momentsOf(record) {
  const known = MOMENTS.filter(([key]) => record.timeline && typeof record.timeline[key] === "number")
    .map(([key, text]) => ({at: record.timeline[key], text}));
  known.sort((a, b) => a.at - b.at);
  return known.map((moment) => ({after: moment.at - known[0].at, text: moment.text}));
}

/** Groups moments whose labels would overlap: {x, first, last}, with indexes into the list. */
function groupsOf(moments, end) {
  const groups = [];
  moments.forEach((moment, i) => {
    const x = 5 + 590 * moment.after / end;
    const last = groups[groups.length - 1];
    if (last && x - last.x < 16) last.last = i;
    else groups.push({x, first: i, last: i});
  });
  return groups;
}

/** A time line to scale. The caller draws a second one of the decision alone, where moments are dense. */
function timeLine(moments, name) {
  const end = moments[moments.length - 1].after || 1;
  const svg = draw("svg", {class: "wide", viewBox: "0 0 600 34", role: "img", "aria-label": name});
  svg.append(draw("line", {class: "graph", x1: 5, x2: 595, y1: 22, y2: 22}));
  for (const moment of moments) {
    const x = 5 + 590 * moment.after / end;
    svg.append(draw("line", {class: "mark", x1: x, x2: x, y1: 14, y2: 30}));
  }
  for (const {x, first, last} of groupsOf(moments, end)) {
    const label = draw("text", {x, y: 10, "text-anchor": x > 550 ? "end" : "start"});
    label.textContent = first === last ? String(first + 1) : (first + 1) + "-" + (last + 1);
    svg.append(label);
  }
  return svg;
}

function momentTable(moments) {
  const body = make("tbody");
  moments.forEach((moment, i) =>
    body.append(make("tr", {}, make("td", {}, String(i + 1)), make("td", {class: "figure"}, "+" + span(moment.after)),
                     make("td", {}, moment.text))));
  return make("table", {}, body);
}

function rankingTable(record) {
  const head = make("thead", {}, make("tr", {}, ...["#", "Pod", "Usage", "Request", "Why"].map((text) =>
    make("th", {}, text))));
  const body = make("tbody");
  for (const pod of record.ranking || []) {
    const row = make("tr", {}, make("td", {}, String(pod.place)), make("td", {}, pod.namespace + "/" + pod.name),
                     make("td", {class: "figure"}, record.resource === "memory" ? amount(pod.usage) : String(pod.usage)),
                     make("td", {class: "figure"}, record.resource === "memory" ? amount(pod.request) : String(pod.request)),
                     make("td", {}, pod.reason));
    if (pod.uid === record.uid) row.setAttribute("class", "bad");
    body.append(row);
  }
  return make("div", {class: "scroll"}, make("table", {}, head, body));
}

/** Fills `place` with the story of `record`. `points` is the curve of its signal around the decision. */
function tell(place, record, points) {
  const moments = momentsOf(record);
  const cause = record.local_limit || (record.signal + " below " + record.threshold);
  place.replaceChildren(
    make("h3", {}, (record.dry_run ? "Would have evicted " : "Evicted ") + record.pod),
    make("p", {}, record.time + ", because of " + cause + (record.available === null ? "" :
      ": " + amount(record.available, record.signal) + " available")),
    make("p", {}, record.message || ""));
  if (moments.length > 1) {
    const decided = moments.filter((moment) => !/^(exit|freed)/.test(moment.text));
    place.append(make("h3", {}, "Time line, to scale"), timeLine(moments, "the whole eviction"));
    if (decided.length > 1) {
      place.append(make("p", {class: "quiet"}, "up to the signal:"), timeLine(decided, "up to the signal"));
    }
    place.append(momentTable(moments));
  }
  if (points.length > 1) {
    const acted = (record.thresholds || []).find((threshold) => threshold.stood === "acted_on");
    place.append(make("h3", {}, record.signal + " around the decision, as this page and evictd saw it"),
                 curve(points, acted ? acted.met_below : null, record.signal + " through its threshold"));
  }
  if ((record.ranking || []).length > 0) place.append(make("h3", {}, "Ranking"), rankingTable(record));
  place.hidden = false;
}
