// ── the leaderboard ──────────────────────────────────────────────────────────────────────────────────────────
/** Lines of the leaderboard on paper, as the style has it. */
const PRINTED = 40;

function board() {
  const { data, settings, chosen } = view;
  const columns = [["rank", "rank"], ["system", "system"], ["mean", "mean"], ["", "interval"], ["ranks", "ranks"]];
  if (data.judged) columns.push(["judged", "judged"]);
  columns.push(["", "best"]);
  const search = make(
    "input",
    {
      type: "search", "aria-label": "Search systems", placeholder: "Search systems",
      oninput: () => arrange({ search: search.value }, false)
    }
  );
  const group = make("select", { "aria-label": "Grouping", onchange: () => arrange({ group: group.value }) },
    ...[
      ["all", "all runs"], ["best", "best run per team"], ["team", "runs by team"]
    ].map(([value, text]) => make("option", { value, text })));
  const body = make("tbody"), head = make("tr"), heads = {};
  for (const [key, name] of columns) {
    heads[name] = make("th", { scope: "col", class: `view-c-${name}` }, key
      ? make(
        "button",
        {
          type: "button", class: "view-sort", text: key,
          onclick: () => arrange({ sort: key, down: settings.sort === key && settings.down === "no" ? "yes" : "no" })
        }
      )
      : make(
        "span",
        { class: name === "interval" ? "view-axis" : "", text: name === "interval" ? "interval" : "may be best" }
      ));
    head.append(heads[name]);
  }
  const table = make(
    "table",
    {
      role: "grid",
      "aria-label": "Leaderboard; arrow keys move, Enter chooses, Shift and Enter compares with the chosen one"
    },
    make("thead", {}, head),
    body
  );
  const count = make("span", { class: "view-count" }), cut = make("p", { class: "view-cut" });
  const tools = make("p", { class: "view-filters" }, search, data.teams ? group : null, count);
  const rows = new Map();
  let measure = null, scale = null;

  function row(system) {
    const place = measure.place[system], cells = {};
    const line = make("tr", { tabindex: "-1" });
    for (const [, name] of columns) line.append(cells[name] = make("td", { class: `view-c-${name}` }));
    cells.rank.textContent = measure.rank[place];
    const team = data.teams && data.teams[system];
    cells.system.append(make(
      "div",
      {},
      make("span", { class: "view-name", title: nameOf(system) }, ...breakable(nameOf(system))),
      team ? make("span", { class: "view-chip", text: team }) : null
    ));
    const [low, high] = [measure.rank_lower[place], measure.rank_upper[place]];
    cells.ranks.textContent = low === high ? String(low) : `${low}–${high}`;
    if (cells.judged) cells.judged.textContent = percent(data.judged[system]);
    if (measure.may_be_best && measure.may_be_best[place]) cells.best.append(make(
      "span",
      { class: "view-best", text: "may be best" }
    ));
    cells.interval.append(draw("svg", { "aria-hidden": "true" },
      draw("line", { x1: scale(measure.lower[place]), x2: scale(measure.upper[place]), y1: "50%", y2: "50%" }),
      draw("circle", { cx: scale(measure.means[place]), cy: "50%", r: 3.5 })));
    line.addEventListener(
      "mousedown",
      (event) => { if (event.shiftKey) event.preventDefault(); }
    );  // compares, and marks no text
    line.addEventListener("click", (event) => choose(system, event.shiftKey || event.ctrlKey || event.metaKey));
    return { line, cells, dot: cells.interval.querySelector("circle") };
  }
  function choose(system, second) {
    if ((second || byFinger.matches) && chosen.system !== null && chosen.system !== system) update({
      pair: [chosen.system, system], topic: null
    });
    else update({ system: chosen.system === system ? null : system });
    if (chosen.system !== null) say(standing(chosen.system));
  }
  body.addEventListener("keydown", (event) => {
    const all = [...body.querySelectorAll("tr[tabindex]")], at = all.indexOf(event.target.closest("tr"));
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1,
      PageDown: Math.min(at + 10, all.length - 1), PageUp: Math.max(at - 10, 0)
    }[event.key];
    if (to !== undefined && all[to]) {
      event.preventDefault();
      all[at].tabIndex = -1; all[to].tabIndex = 0; all[to].focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      all[at].dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: event.shiftKey }));
    }
  });

  /** The column that orders the rows: on chosen topics their means, in place of the ranks of all topics. */
  const sorted = () => (settings.sort === "rank" && chosen.topics.size ? "mean" : settings.sort);
  /** Which way its numbers go: means begin with the highest. */
  const way = (key) => {
    if (key !== sorted()) return "none";
    return (settings.down === "yes") === (key === "mean") ? "ascending" : "descending";
  };
  function listed() {
    const wanted = settings.search.trim().toLowerCase(), team = (system) => (data.teams ? data.teams[system] : "");
    const fits = (system) => [nameOf(system), team(system)].some((name) => name.toLowerCase().includes(wanted));
    let systems = measure.order.filter(fits);
    const mean = (system) => measure.mean(system, chosen.topics);
    const by = {
      rank: (s) => measure.place[s], system: nameOf, mean: (s) => -mean(s),
      ranks: (s) => measure.rank_upper[measure.place[s]] + measure.rank_lower[measure.place[s]] / 1e4,
      judged: (s) => data.judged[s]
    };
    const keys = new Map(systems.map((system) => [system, by[sorted()](system)]));
    systems.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      return x < y ? -1 : x > y ? 1 : measure.place[a] - measure.place[b];
    });
    if (settings.down === "yes") systems.reverse();
    if (data.teams && settings.group !== "all") {
      const firsts = new Map();
      for (const system of systems) firsts.set(team(system), [...(firsts.get(team(system)) || []), system]);
      systems = settings.group === "best"
        ? [...firsts.values()].map((members) => members.reduce((a, b) => (measure.place[b] < measure.place[a] ? b : a)))
        : [...firsts.values()].flat();
    }
    return systems;
  }
  function paint(host) {
    if (measure !== view.measure) {
      measure = view.measure;
      const low = Math.min(...measure.lower),
        high = Math.max(...measure.upper),
        least = measure.lowest >= 0 ? 0 : low;
      const step = niceStep((high - least) / 4), places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      const first = Math.ceil(least / step - 1e-9), marks = [];
      for (let k = first; k * step <= high + 1e-9; k++) marks.push(k * step);
      scale = (value) => `${Math.min(98, Math.max(2, 3 + 94 * (value - least) / (high - least || 1))).toFixed(2)}%`;
      heads.interval.firstChild.replaceChildren(
        ...marks.map((value) => {
          const mark = make("span", { text: digits(value, places) });
          mark.style.left = scale(value);
          return mark;
        }),
        make("span", { class: "view-unseen", text: "interval" })
      );
      rows.clear();
      for (const system of measure.order) rows.set(system, row(system));
    }
    if (!host.contains(table)) host.replaceChildren(tools, make("div", { class: "view-scroll view-rows" }, table), cut);
    table.classList.toggle("filtered", chosen.topics.size > 0);
    const systems = listed(), focused = chosen.system !== null ? chosen.system : systems[0];
    for (const [system, { line, cells, dot }] of rows) {
      const apart = chosen.system !== null && system !== chosen.system && measure.pair(chosen.system, system).apart;
      const kind = system === chosen.system ? "chosen" : chosen.system === null ? "" : apart ? "apart" : "near";
      const paired = (chosen.pair && chosen.pair.includes(system) ? " paired" : "")
        + (system === view.pinned ? " pinned" : "");
      if (line.className !== kind + paired) line.className = kind + paired;
      line.setAttribute("aria-selected", String(system === chosen.system));
      line.tabIndex = system === focused ? 0 : -1;
      const mean = measure.mean(system, chosen.topics), text = digits(mean);
      if (cells.mean.textContent !== text) { cells.mean.textContent = text; dot.setAttribute("cx", scale(mean)); }
    }
    const fresh = [];
    let before = null;
    for (const system of systems) {
      if (data.teams && settings.group === "team" && data.teams[system] !== before) {
        before = data.teams[system];
        fresh.push(make(
          "tr",
          { class: "view-team" },
          make("td", { colspan: columns.length, text: before || "no team" })
        ));
      }
      fresh.push(rows.get(system).line);
    }
    const bests = systems.map((system) => rows.get(system).cells.best.firstChild);  // a thin bracket joins neighbours
    bests.forEach((mark, at) => {
      if (!mark) return;
      mark.classList.toggle("view-first", !bests[at - 1]);
      mark.classList.toggle("view-last", !bests[at + 1]);
    });
    if (fresh.length !== body.childElementCount || fresh.some((line, at) => line !== body.children[at])) {
      const kept = document.activeElement;
      body.replaceChildren(...fresh);
      if (body.contains(kept)) kept.focus({ preventScroll: true });
    }
    for (const [key, name] of columns) if (key) heads[name].setAttribute("aria-sort", way(key));
    group.value = settings.group;
    if (search.value !== settings.search) search.value = settings.search;
    const printed = fresh.slice(0, PRINTED).filter((line) => line.className !== "view-team").length;
    cut.textContent = printed === measure.n ? "" : `Printed: ${printed} of ${plural(measure.n, "system")}.`;
    count.textContent = systems.length === measure.n ? "" : `${systems.length} of ${measure.n}`;
  }
  const one = panel("board", "Leaderboard", {
    draw: paint,
    lead: () => (chosen.topics.size
      ? `Means over ${plural(chosen.topics.size, "chosen topic")}. `
        + `Intervals and “may be best” need all ${data.topics.length} topics and are hidden; `
        + "ranks and decisions use all."
      : chosen.system === null
      ? `Click a system. Those it significantly differs from fade.${apartFromBest()}`
      : `${chosen.system === view.pinned ? "" : `${standing(chosen.system)} `}`
        + (byFinger.matches ? "Tap another system to compare."
          : "Shift-click another system, or click the map, to compare.")),
    table: () => {
      const topics = chosen.topics, m = view.measure;
      return {
        columns: [
          "rank", "system", ...(data.teams ? ["team"] : []), "mean", "lower", "upper", "rank_lower",
          "rank_upper", ...(data.judged ? ["judged"] : []),
          ...(m.may_be_best ? ["may_be_best"] : []),
          ...(topics.size ? ["mean_of_chosen_topics"] : [])
        ],
        rows: listed().map((s) => {
          const at = m.place[s];
          return [
            m.rank[at], nameOf(s), ...(data.teams ? [data.teams[s]] : []), m.means[at], m.lower[at],
            m.upper[at], m.rank_lower[at], m.rank_upper[at],
            ...(data.judged ? [data.judged[s]] : []),
            ...(m.may_be_best ? [m.may_be_best[at] ? "yes" : "no"] : []),
            ...(topics.size ? [m.mean(s, topics)] : [])
          ];
        }),
      };
    },
  });
  return one;
}

/** A note for when a system that does not significantly differ from the first is not among those that may be best. */
function apartFromBest() {
  const { order, may_be_best: best } = view.measure;
  const both = best
    && order.some((system, place) => place > 0 && !best[place] && !view.measure.pair(order[0], system).apart);
  return both
    ? " “May be best” means that the rank interval includes 1. "
      + "It can exclude systems that the all-pairs test does not separate."
    : "";
}

/** Where a system stands, in a sentence. */
function standing(system) {
  const measure = view.measure;
  let better = 0, worse = 0;
  for (let other = 0; other < measure.n; other++) {
    if (other === system) continue;
    const pair = measure.pair(system, other);
    if (pair.apart) pair.difference > 0 ? better++ : worse++;
  }
  const place = measure.place[system], [low, high] = [measure.rank_lower[place], measure.rank_upper[place]];
  const systems = (count) => (count ? plural(count, "system") : "none");
  return `${nameOf(system)}: rank ${measure.rank[place]} (${low}–${high}), better than ${systems(better)},`
    + ` worse than ${systems(worse)}, not shown to differ from ${measure.n - 1 - better - worse}.`;
}
