// SPDX-License-Identifier: Apache-2.0
// The page: polls the status, faster while a signal moves; follows the events; shows each eviction as a story.
"use strict";

const HISTORY_SECONDS = 600;
const STORY_SECONDS = 30;
const FAST_MS = 100;
const SLOW_MS = 1000;
const MOST_EVENTS = 100;

const byId = (id) => document.getElementById(id);
const seen = new Map();  // signal -> [[seconds, available], ...]
let order = "memory_rank";
let lastStatus = null;
let shownRecord = null;
let evictionsChanged = true;

function headers() {
  const token = sessionStorage.getItem("token");
  return token ? {Authorization: "Bearer " + token} : {};
}

async function ask(path) {
  const answer = await fetch(path, {headers: headers(), cache: "no-store"});
  if (answer.status === 401) {
    byId("login").hidden = false;
    throw new Error("this evictd-web requires its token");
  }
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error || "HTTP " + answer.status);
  byId("login").hidden = true;
  return body;
}

function trouble(text) {
  byId("trouble").textContent = text;
  byId("trouble").hidden = text === "";
}

// --- Signals -----------------------------------------------------------------------------------------------------

/** Whether a signal has moved by a thousandth of its capacity since the last status. */
function remember(status) {
  const now = performance.now() / 1000;
  let moves = false;
  for (const signal of status.signals) {
    if (!signal.observed) continue;
    const points = seen.get(signal.signal) || [];
    const last = points[points.length - 1];
    if (last && last[0] === now) continue;
    moves = moves || (last && Math.abs(signal.available - last[1]) * 1000 > signal.capacity);
    points.push([now, signal.available]);
    while (points[0][0] < now - HISTORY_SECONDS) points.shift();
    seen.set(signal.signal, points);
  }
  return moves;
}

function signalBar(signal) {
  const svg = draw("svg", {class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img",
                           "aria-label": signal.signal + ": " + amount(signal.available, signal.signal) + " of " +
                                         amount(signal.capacity, signal.signal) + " available"});
  svg.append(draw("rect", {class: "track", width: 100, height: 10}));
  if (signal.observed && signal.capacity > 0) {
    const share = (value) => Math.min(100, Math.max(0, 100 * value / signal.capacity));
    svg.append(draw("rect", {class: signal.met ? "over" : "fill", width: share(signal.available), height: 10}));
    const x = share(signal.met_below);
    svg.append(draw("line", {class: "mark", x1: x, x2: x, y1: 0, y2: 10}));
  }
  return svg;
}

/** ", reached in 4.20 s because of shop/cart" while the signal approaches its threshold. */
function forecastText(forecast) {
  if (!forecast || !forecast.time_to_threshold_ms) return "";
  const pod = forecast.because_of;
  return ", reached in " + span(forecast.time_to_threshold_ms * 1e6) +
         (pod ? " because of " + (pod.name ? pod.namespace + "/" + pod.name : pod.uid) : "");
}

function signalRow(signal) {
  const distance = signal.observed ? signal.available - signal.met_below : null;
  const figures = signal.observed
    ? amount(signal.available, signal.signal) + " of " + amount(signal.capacity, signal.signal) + " available, " +
      (distance >= 0 ? amount(distance, signal.signal) + " above the threshold"
                     : amount(-distance, signal.signal) + " past the threshold") + forecastText(signal.forecast)
    : "not observed";
  return make("div", {class: "signal", "data-signal": signal.signal},
              make("strong", signal.met ? {class: "bad"} : {}, signal.signal + " < " + signal.threshold + " (" +
                   signal.kind + ")"),
              signalBar(signal),
              curve(seen.get(signal.signal) || [], signal.observed ? signal.met_below : null,
                    signal.signal + ", the last ten minutes"),
              make("span", {class: "figures"}, figures));
}

// --- Pods ----------------------------------------------------------------------------------------------------------

function usageBar(pod) {
  const most = Math.max(pod.working_set_bytes || 0, pod.memory_request_bytes || 0) || 1;
  const svg = draw("svg", {class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img",
                           "aria-label": "usage against request"});
  const over = (pod.working_set_bytes || 0) > (pod.memory_request_bytes || 0);
  svg.append(draw("rect", {class: "track", width: 100, height: 10}),
             draw("rect", {class: over ? "over" : "fill", width: 100 * (pod.working_set_bytes || 0) / most, height: 10}));
  const x = 100 * (pod.memory_request_bytes || 0) / most;
  svg.append(draw("line", {class: "mark", x1: x, x2: x, y1: 0, y2: 10}));
  return make("div", {}, amount(pod.working_set_bytes) + " of " + amount(pod.memory_request_bytes), svg);
}

function podRow(pod) {
  const name = pod.name ? pod.namespace + "/" + pod.name : pod.uid;
  const state = pod.protection && pod.protection !== "none" ? pod.state + ", " + pod.protection : pod.state;
  return make("tr", {}, make("td", {}, pod[order] ? String(pod[order]) : "-"), make("td", {}, name),
              make("td", {}, state), make("td", {}, pod.qos || "-"),
              make("td", {}, pod.priority === undefined ? "-" : String(pod.priority)),
              make("td", {}, pod.working_set_bytes === undefined ? "-" : usageBar(pod)),
              make("td", {}, pod.tasks === undefined || pod.tasks === null ? "-" : String(pod.tasks)));
}

function showPods(pods) {
  const place = (pod) => pod[order] || Number.MAX_SAFE_INTEGER;
  byId("pods").replaceChildren(...[...pods].sort((a, b) => place(a) - place(b)).map(podRow));
}

// --- The rest of the status ----------------------------------------------------------------------------------------

function badge(text, kind) {
  return make("span", {class: "badge " + kind}, text);
}

function showBadges(status) {
  const brake = status.brakes && status.brakes.on;
  byId("badges").replaceChildren(
    badge("evictd " + status.version, "quiet"),
    badge("events from " + status.event_source, status.event_source === "bpf" ? "good" : "bad"),
    badge(status.realtime ? "real-time" : "ordinary priority", status.realtime ? "good" : "bad"),
    status.dry_run ? badge("dry run", "bad") : "",
    brake ? badge("brake: " + brake, "bad") : "",
    ...(status.conditions || []).filter((one) => one.status).map((one) => badge(one.type, "bad")));
}

function showKernel(status) {
  const kernel = (status.counters && status.counters.kernel) || null;
  const rows = Object.entries(status.hooks || {});
  if (kernel) {
    const sum = (counters) => Object.values(counters).reduce((a, b) => a + b, 0);
    rows.push(["events emitted", sum(kernel.emitted)], ["events dropped", sum(kernel.dropped)],
              ["recursion misses", kernel.recursion_misses], ["timer", kernel.timer_stalled ? "stalled" : "running"]);
  } else {
    rows.push(["kernel side", "none: evictd polls"]);
  }
  rows.push(["kernel OOM kills", status.counters.kernel_oom_kills]);
  byId("kernel").replaceChildren(...rows.flatMap(([name, value]) =>
    [make("dt", {}, name), make("dd", {}, String(value))]));
}

function show(status) {
  byId("node").textContent = "on node " + status.node;
  showBadges(status);
  byId("signals").replaceChildren(...status.signals.map(signalRow));
  showPods(status.pods);
  showKernel(status);
}

// --- Evictions -----------------------------------------------------------------------------------------------------

/**
 * The page's points of the record's signal within half a minute of the decision, and the value that evictd decided by.
 * A page whose clock differs from the node's has no such points: no curve is better than a wrong one.
 */
function aroundDecision(record) {
  const at = (Date.parse(record.time) - performance.timeOrigin) / 1000;
  const points = (seen.get(record.signal) || []).filter((point) => Math.abs(point[0] - at) < STORY_SECONDS);
  if (typeof record.available !== "number" || points.length === 0) return points;
  return [...points, [at, record.available]].sort((a, b) => a[0] - b[0]);
}

async function openStory(id, focus) {
  const record = await ask("/api/v1/records/" + id);
  shownRecord = id;
  tell(byId("story"), record, aroundDecision(record));
  if (focus) byId("story").focus();
}

function evictionText(record) {
  return record.time.slice(0, 19).replace("T", " ") + "  " + (record.dry_run ? "would have evicted " : "evicted ") +
         record.pod + ", " + (record.local_limit || record.signal) + ", " + record.state;
}

function evictionItem(record) {
  const button = make("button", {type: "button"}, "");
  button.addEventListener("click", () => openStory(record.id, true).catch((error) => trouble(error.message)));
  return make("li", {"data-record": record.id}, button);
}

/** Keeps the items of records that are still listed, and so the focus on their buttons. */
function listEvictions(records) {
  const list = byId("evictions");
  const gone = new Map([...list.children].map((item) => [item.dataset.record, item]));
  records.forEach((record, place) => {
    const item = gone.get(String(record.id)) || evictionItem(record);
    gone.delete(String(record.id));
    item.firstChild.textContent = evictionText(record);
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] || null);
  });
  gone.forEach((item) => item.remove());
}

async function showEvictions() {
  const answer = await ask("/api/v1/records?outcome=evicted,oom_guard&limit=20");
  byId("no-evictions").hidden = answer.records.length > 0;
  listEvictions(answer.records);
  const newest = answer.records[0];
  if (newest && (shownRecord === null || newest.id >= shownRecord)) await openStory(newest.id, false);
}

// --- Events --------------------------------------------------------------------------------------------------------

function eventText(event) {
  const rest = Object.entries(event).filter(([key, value]) =>
    !["schema", "kind", "time", "node", "moment_ns", "seq", "ranking", "observations", "thresholds", "timeline",
      "local_candidates", "events", "release", "hooks"].includes(key) && value !== null && typeof value !== "object" &&
    value !== "");
  return event.kind + ": " + rest.map(([key, value]) => key + " " + value).join(", ");
}

function showEvent(event) {
  if (event.kind === "decision" || event.kind === "progress") evictionsChanged = true;
  byId("events").prepend(make("li", {}, make("span", {class: "quiet"}, (event.time || "").slice(11, 23) + " "),
                              eventText(event)));
  while (byId("events").children.length > MOST_EVENTS) byId("events").lastChild.remove();
}

/** Reads one stream until it ends; returns the id of the last event. */
async function readStream(after) {
  const answer = await fetch("/api/v1/events", {headers: {...headers(), "Last-Event-ID": after}, cache: "no-store"});
  if (!answer.ok) throw new Error("events: HTTP " + answer.status);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const {value, done} = await reader.read();
    if (done) return after;
    text += value;
    const messages = text.split("\n\n");
    text = messages.pop();
    for (const message of messages) {
      const fields = Object.fromEntries(message.split("\n").filter((line) => line && !line.startsWith(":"))
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      if (!fields.id) continue;
      after = fields.id;
      showEvent(JSON.parse(fields.data));
    }
    if (evictionsChanged) update();
  }
}

async function follow() {
  let after = "0";
  for (;;) {
    try {
      after = await readStream(after);
    } catch (error) {
      trouble(error.message);
    }
    await new Promise((resume) => setTimeout(resume, SLOW_MS));
  }
}

// --- The loop --------------------------------------------------------------------------------------------------------

let updating = false;
let timer = 0;

async function update() {
  if (updating) return;
  updating = true;
  clearTimeout(timer);
  let pause = SLOW_MS;
  try {
    // An event that arrives meanwhile does not wait for the next poll.
    do {
      lastStatus = await ask("/api/v1/status");
      if (remember(lastStatus)) pause = FAST_MS;
      show(lastStatus);
      if (evictionsChanged) {
        evictionsChanged = false;
        await showEvictions();
      }
    } while (evictionsChanged);
    trouble("");
  } catch (error) {
    evictionsChanged = true;
    trouble(error.message);
  }
  updating = false;
  timer = setTimeout(update, pause);
}

for (const button of document.querySelectorAll("[data-order]")) {
  button.addEventListener("click", () => {
    order = button.dataset.order;
    for (const other of document.querySelectorAll("[data-order]")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    if (lastStatus) showPods(lastStatus.pods);
  });
}
byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", byId("token").value);
  update();
});
update();
follow();
