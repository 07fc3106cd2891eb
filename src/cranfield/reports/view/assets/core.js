// The linked view of a collection. One selection drives every panel and lives in the address; see `update`.
// No dependency, no eval; names of systems and topics reach the page as text only, never as markup.

// ── elements ─────────────────────────────────────────────────────────────────────────────────────────────────
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// ── numbers as people read them ──────────────────────────────────────────────────────────────────────────────
const digits = (value, places = 4) => value.toFixed(places).replace("-", "−");
const signed = (value, places = 4) => (value > 0 ? "+" : "") + digits(value, places);
/** The p-value of a pair; it gets more digits where the usual ones would put it on the other side of alpha. */
function pText({ p, apart }, sign = "= ", written = (more) => p.toPrecision(3 + more)) {
  const { alpha } = view.measure;
  if (p < 0.0001) return "< 0.0001";
  for (let more = 0; more < 6; more++) if ((Number(written(more)) <= alpha) === apart) return sign + written(more);
  return `${apart ? "≤" : ">"} ${alpha}`; // 32 bits cannot tell
}
const percent = (share) => `${Math.round(100 * share)}%`;
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// ── packed numbers ───────────────────────────────────────────────────────────────────────────────────────────
function unpack(text, Kind) {
  if (text.startsWith("8:")) return unpack(text.slice(2), Float64Array); // too large or too small for 32 bits
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

/** A measure of the payload, ready to be asked: systems by number, places by merit, pairs in both directions. */
class Measure {
  constructor(raw, data) {
    Object.assign(this, raw);
    this.n = raw.order.length;
    this.nTopics = data.topics.length;
    this.place = new Array(this.n);
    raw.order.forEach((system, place) => { this.place[system] = place; });
    this.values = unpack(raw.scores, Float32Array);
    this.packed = Object.fromEntries(Object.entries(raw.pairs).map(([name, text]) => [
      name, unpack(text, name === "significant" || name === "equivalent" ? Uint8Array : Float32Array)
    ]));
    this.widest = this.packed.difference.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
    this.highest = this.values.reduce((a, b) => Math.max(a, b), -Infinity);
    this.lowest = this.values.reduce((a, b) => Math.min(a, b), Infinity);
    this.difficulty = Array.from({ length: this.nTopics }, (_, topic) => {
      let sum = 0;
      for (let system = 0; system < this.n; system++) sum += this.values[topic * this.n + system] / this.n;
      return sum;
    });
  }
  score(topic, system) { return this.values[topic * this.n + system]; }
  /** The pair of two systems, as seen from the first: difference, interval, adjusted p and decision. */
  pair(a, b) {
    const i = this.place[a], j = this.place[b], swap = i > j;
    const [low, high] = swap ? [j, i] : [i, j];
    const at = low * this.n - low * (low + 1) / 2 + high - low - 1, packed = this.packed;
    const decided = {
      p: packed.p_adjusted[at], apart: packed.significant[at] === 1,
      alike: packed.equivalent !== undefined && packed.equivalent[at] === 1
    };
    return swap
      ? { difference: -packed.difference[at], lower: -packed.upper[at], upper: -packed.lower[at], ...decided }
      : { difference: packed.difference[at], lower: packed.lower[at], upper: packed.upper[at], ...decided };
  }
  /** The mean over all topics, as the comparison has it, or over the chosen ones. */
  mean(system, topics) {
    if (!topics.size) return this.means[this.place[system]];
    let sum = 0;
    for (const topic of topics) sum += this.score(topic, system);
    return sum / topics.size;
  }
}

// ── what everything shares ───────────────────────────────────────────────────────────────────────────────────
const view = {
  root: null, form: null, data: null, source: null, measure: null, problem: "", pinned: null,
  measures: new Map(), panels: [],
  // The selection: a system, a pair, topics that filter, one topic looked at, and how panels are set.
  chosen: { measure: null, system: null, pair: null, topics: new Set(), topic: null },
  settings: {
    sort: "rank", down: "no", search: "", group: "all", bars: "bars", other: "", heat: "clustered", plan: ""
  },
};
const USUAL = { ...view.settings };
/** What a setting may be in an address; of the others any text will do, and one that fits nothing changes nothing. */
const POSSIBLE = {
  sort: ["rank", "system", "mean", "ranks", "judged"], down: ["no", "yes"],
  group: ["all", "best", "team"], bars: ["bars", "scatter"], heat: ["clustered", "sorted"]
};

const nameOf = (system) => view.data.systems[system];
const topicName = (topic) => view.data.topics[topic];
/** Without Shift, a second system tapped is the one to compare with. */
const byFinger = matchMedia("(pointer: coarse)");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const isDark = () => prefersDark.matches && !printing;

/** What there is to say about two systems, in a sentence. */
function pairText(a, b) {
  const pair = view.measure.pair(a, b);
  const verdict = !pair.apart
    ? (pair.alike ? `equivalent within ±${view.measure.margin}` : "not shown to differ")
    : pair.difference > 0
    ? `${nameOf(a)} is better`
    : `${nameOf(b)} is better`;
  const interval = `[${digits(pair.lower)}, ${digits(pair.upper)}]`;
  return `${nameOf(a)} − ${nameOf(b)}: ${signed(pair.difference)} ${interval}, p ${pText(pair)}: ${verdict}`;
}

// ── the address ──────────────────────────────────────────────────────────────────────────────────────────────
function address() {
  const words = new URLSearchParams(), chosen = view.chosen;
  if (chosen.measure !== view.data.measures[0].measure) words.set("measure", chosen.measure);
  if (chosen.system !== null) words.set("system", nameOf(chosen.system));
  if (chosen.pair) { words.set("a", nameOf(chosen.pair[0])); words.set("b", nameOf(chosen.pair[1])); }
  for (const topic of chosen.topics) words.append("only", topicName(topic));
  if (chosen.topic !== null) words.set("topic", topicName(chosen.topic));
  for (const [name, value] of Object.entries(view.settings)) if (value !== USUAL[name]) words.set(name, value);
  return `#${words}`;
}
/** Put selection and settings into the address: a step to come back to, or in place of the last (while typing). */
function remember(step = true) {
  const words = address();
  if (words !== (location.hash || "#")) history[step ? "pushState" : "replaceState"](null, "", words);
}
/** Set panels otherwise; the address follows. */
function arrange(changes, step = true) {
  Object.assign(view.settings, changes);
  remember(step);
  drawAll();
}
function settingsFromAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const fits = (name, value) => value !== null
    && (!POSSIBLE[name] || POSSIBLE[name].includes(value))
    && (value !== "judged" || view.data.judged);
  return Object.fromEntries(Object.keys(USUAL).map((name) => [
    name, fits(name, words.get(name)) ? words.get(name) : USUAL[name]
  ]));
}
function fromAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const system = (name) => { const at = view.data.systems.indexOf(words.get(name)); return at < 0 ? null : at; };
  const topic = (name) => view.data.topics.indexOf(name);
  const [a, b] = [system("a"), system("b")], looked = topic(words.get("topic"));
  const known = view.data.agreement.measures;
  return {
    measure: known.includes(words.get("measure")) ? words.get("measure") : view.data.measures[0].measure,
    system: system("system"),
    pair: a !== null && b !== null && a !== b ? [a, b] : null,
    topics: new Set(words.getAll("only").map(topic).filter((at) => at >= 0)),
    topic: looked < 0 ? null : looked,
  };
}

/** Change the selection: the address follows, and every panel is drawn anew. */
async function update(changes, step = true) {
  Object.assign(view.chosen, changes);
  if (step) remember();
  const wanted = view.chosen.measure;
  if (!view.measure || view.measure.measure !== wanted) {
    let loaded = view.measure, problem = "";
    try { loaded = await load(wanted); } catch (error) { problem = `No numbers by ${wanted}: ${error.message}`; }
    if (view.chosen.measure !== wanted) return;  // it took a while, and another was chosen meanwhile
    view.measure = loaded || await load(view.data.measures[0].measure);
    view.chosen.measure = view.measure.measure;
    view.problem = problem;
    if (problem) { remember(false); say(problem); }
  }
  drawAll();
  if (step && changes.pair) {
    const drawer = view.panels.find((one) => one.id === "pair").place;
    drawer.scrollIntoView({ block: "nearest" });
    if (document.activeElement.tagName === "CANVAS") drawer.querySelector(".view-close").focus({ preventScroll: true });
  }
}
function drawAll(all) { for (const panel of view.panels) panel.draw(all === true); }

/** The numbers by a measure: carried by the page, or asked of the server, which may take a while. */
async function load(measure) {
  const ready = ({ mean, ...rest }) => view.measures.set(
    measure,
    new Measure({ ...rest, means: mean }, view.data)
  ).get(measure);
  if (view.measures.has(measure)) return view.measures.get(measure);
  const carried = view.data.measures.find((one) => one.measure === measure);
  if (carried) return ready(carried);
  view.root.setAttribute("aria-busy", "true");
  try {
    const more = await ask(`${view.source}&measure=${encodeURIComponent(measure)}`);
    return ready(more.view.measures[0]);
  } finally { view.root.removeAttribute("aria-busy"); }
}

async function ask(where) {
  for (;;) {
    let answer;
    try { answer = await fetch(where); } catch {
      throw new Error("the server does not respond. Check that it is running, then try again.");
    }
    const body = await answer.json();
    if (answer.status === 202) { await new Promise((done) => setTimeout(done, 300)); continue; }
    if (!answer.ok) throw new Error(body.error);
    return body;
  }
}

/** A long name with places where it may be broken: after underscores, dots and slashes, never between letters. */
const breakable = (name) => name.split(name.length > 16 ? /(?<=[_./])/ : /$^/)
  .flatMap((part, at) => (at ? [make("wbr"), part] : [part]));

// ── saying things ────────────────────────────────────────────────────────────────────────────────────────────
const live = make("p", { class: "view-unseen", "aria-live": "polite" });
const tip = make("div", { class: "view-tip", hidden: true, "aria-hidden": "true" });
const say = (text) => { live.textContent = text; };
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
}
const hideTip = () => { tip.hidden = true; };
