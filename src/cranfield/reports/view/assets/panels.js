// ── the pair map ─────────────────────────────────────────────────────────────────────────────────────────────
const MOST_NAMED = 60;
/** The largest cell, in pixels: of a few systems the map is small. */
const WIDEST = 56;
/** The colours of the tokens, as the style has them by day and by night; paper is always day. */
const COLOURS = {};
function palette() {
  const time = isDark() ? "night" : "day";
  if (COLOURS[time]) return COLOURS[time];
  const style = getComputedStyle(document.documentElement);
  const text = (name) => style.getPropertyValue(`--${time}-${name}`).trim();
  const parts = (name) => [1, 3, 5].map((at) => parseInt(text(name).slice(at, at + 2), 16));
  COLOURS[time] = {
    ink: text("ink"), faint: text("soft"), line: text("line"), paper: text("paper"),
    none: parts("paper"), self: parts("self"),
    better: parts("better"), worse: parts("worse"), same: parts("same"), size: [parts("size-low"), parts("size")],
  };
  return COLOURS[time];
}

/** What so many topics would detect, where the slider asks for other than those of the collection. */
function planned() {
  const { detection } = view.measure, wanted = Number(view.settings.plan);
  const at = detection ? detection.topics.indexOf(wanted) : -1;
  return at < 0 || wanted === view.data.topics.length ? null : { topics: wanted, least: detection.min_diff[at] };
}
function plannedText({ topics, least }) {
  const { measure, packed, detection } = view.measure;
  const shown = packed.difference.reduce((count, value) => count + (Math.abs(value) >= least), 0);
  const smallest = `${Number(least.toPrecision(2))} ${measure}`, every = packed.difference.length;
  return `${plural(topics, "topic")} detect ${smallest} with ${percent(detection.power)} power. `
    + `${shown.toLocaleString("en")} of ${every.toLocaleString("en")} observed differences are that large (blue).`;
}

/** What green means, where a margin says what is alike. */
const alikeText = () => (view.measure.margin ? `, green where equivalent within ±${view.measure.margin}` : "");

function pairMap() {
  const { chosen, settings } = view;
  const cell = (r, c) => [view.measure.order[r], view.measure.order[c]];
  let map = null;
  const { detection } = view.data.measures[0];
  const count = make("output", {});
  const slider = make("input", {
    type: "range", min: 0, max: 0, step: 1, "aria-label": "with so many topics",
    oninput: () => {
      const topics = view.measure.detection.topics[slider.value];
      arrange({ plan: topics === view.data.topics.length ? "" : String(topics) }, false);
    },
  });
  const plan = make("label", { class: "view-plan", hidden: !detection }, "with", slider, count);
  const one = panel("map", "Which pairs differ", {
    lead: () => (planned()
      ? plannedText(planned())
      : `Above the diagonal: blue where the row is better, white where not shown to differ${alikeText()}. `
        + "Below: the darker, the larger the difference."),
    draw: (host) => {
      const stops = view.measure.detection ? view.measure.detection.topics : [], own = view.data.topics.length;
      if (stops.length) {
        slider.max = stops.length - 1;
        slider.value = stops.indexOf(planned() ? planned().topics : own);
        count.textContent = `${plural(stops[slider.value], "topic")}${planned() ? "" : ", as here"}`;
        slider.setAttribute("aria-valuetext", count.textContent);
      }
      const label = "Map of all pairs; arrow keys move, Enter opens the pair";
      map = map || cellMap(host, label, {
        shape: () => {
          const measure = view.measure, colours = palette(), plan = planned();
          return {
            rows: measure.n, columns: measure.n, widest: WIDEST, key: `${measure.measure} ${settings.plan}`,
            across: (c) => nameOf(measure.order[c]), down: (r) => nameOf(measure.order[r]),
            label: measure.n <= MOST_NAMED ? (r) => nameOf(measure.order[r]) : null, rank: (r) => measure.rank[r],
            strong: (r) => chosen.system === null
              || measure.order[r] === chosen.system
              || !measure.pair(chosen.system, measure.order[r]).apart,
            colour: (r, c) => {
              if (r === c) return colours.self;
              const pair = measure.pair(...cell(r, c)), share = Math.sqrt(Math.abs(pair.difference) / measure.widest);
              if (r > c) return mixed(...colours.size, share);
              if (plan) return Math.abs(pair.difference) >= plan.least ? colours.better : colours.none;
              return pair.apart
                ? (pair.difference > 0 ? colours.better : colours.worse)
                : (pair.alike ? colours.same : colours.none);
            },
          };
        },
        text: (r, c) => (r === c ? nameOf(cell(r, c)[0]) : pairText(...cell(r, c))),
        pick: (r, c) => (r === c ? update({ system: cell(r, c)[0] }) : update({ pair: cell(r, c), topic: null })),
        height: (now, width) => Math.min(now.rows * Math.max(width, now.named ? LINE : 0), 620),
        mark: (context, box, now, ink) => {
          context.strokeStyle = ink; context.lineWidth = 1.5;
          if (chosen.system !== null) {
            const at = view.measure.place[chosen.system], [x, y, w, h] = box(at, at);
            context.strokeRect(now.left, y, w * now.columns, h); context.strokeRect(x, now.top, w, h * now.rows);
          }
          if (chosen.pair) {
            const [x, y, w, h] = box(...chosen.pair.map((system) => view.measure.place[system]));
            context.lineWidth = 2.5; context.strokeRect(x - 2, y - 2, w + 4, h + 4);
          }
        },
      });
      map.paint();
    },
    table: () => {
      const { order, n, margin } = view.measure, rows = [], go = [];
      for (let r = 0; r < n; r++) for (let c = r + 1; c < n; c++) {
        const pair = view.measure.pair(order[r], order[c]);
        rows.push([
          nameOf(order[r]), nameOf(order[c]), pair.difference, pair.lower, pair.upper, pair.p,
          pair.apart ? "yes" : "no", ...(margin ? [pair.alike ? "yes" : "no"] : [])
        ]);
        go.push([order[r], order[c]]);
      }
      return {
        columns: ["system_a", "system_b", "difference", "lower", "upper", "p_adjusted", "significant",
          ...(margin ? ["equivalent"] : [])],
        rows, go: (at) => update({ pair: go[at], topic: null }),
        write: { p_adjusted: ([, , , , , p, apart]) => pText(
          { p, apart: apart === "yes" },
          "",
          (more) => p.toFixed(4 + more)
        ) }
      };
    },
  });
  one.place.querySelector(".view-head").after(plan);
}

// ── topics ───────────────────────────────────────────────────────────────────────────────────────────────────
function hardest() {
  const { difficulty } = view.measure;
  return difficulty.map((_, topic) => topic).sort((a, b) => difficulty[a] - difficulty[b]);
}
const relevantText = (topic) => (view.data.relevant ? `, ${view.data.relevant[topic]} relevant` : "");
/** Links to the pages of topics, where there is a server that has them. */
const topicLinks = (topics, pair = null) => (view.topicPage ? topics : []).slice(0, 12).flatMap((topic) => {
  const words = new URLSearchParams([
    ["measure", view.measure.measure], ["topic", topicName(topic)],
    ...(pair ? [["a", nameOf(pair[0])], ["b", nameOf(pair[1])]] : [])
  ]);
  return [" ", make("a", { href: `${view.topicPage}&${words}`, text: `Page of topic ${topicName(topic)}` })];
});

function topicStrip() {
  const { chosen } = view;
  let last = null;
  panel("topics", "Topics, hardest to easiest", {
    wide: true,
    lead: () => (view.form
      ? "Bars show the mean over all systems. Click a topic to look at it."
      : chosen.topics.size
      ? `${plural(chosen.topics.size, "topic")} chosen: ${[...chosen.topics].slice(0, 12).map(topicName).join(", ")}`
        + `${chosen.topics.size > 12 ? " …" : ""}. Means use these topics; decisions use all topics. Escape clears.`
      : "Bars show the mean over all systems. Click a topic to see means on it alone; Shift-click selects a range."),
    links: () => topicLinks([...chosen.topics]),
    draw: (host) => {
      const order = hardest(), { difficulty } = view.measure;
      bars(host, order.map((topic) => {
        const apart = chosen.pair
          ? view.measure.score(topic, chosen.pair[0]) - view.measure.score(topic, chosen.pair[1])
          : 0;
        return {
          value: difficulty[topic],
          on: chosen.topics.has(topic),
          off: chosen.topics.size && !chosen.topics.has(topic) && !view.form,
          kind: apart > 0 ? "better" : apart < 0 ? "worse" : "",
          text: `Topic ${topicName(topic)}: mean ${digits(difficulty[topic])}${relevantText(topic)}`
            + (chosen.pair ? `; ${nameOf(chosen.pair[0])} ${signed(apart)}` : ""),
        };
      }), "Topics; arrow keys move, Enter chooses", (at, event) => {
        if (view.form) { fillForm(order[at], null); return; }
        const topics = new Set(chosen.topics), topic = order[at];
        if (event.shiftKey && last !== null) {
          const ends = [order.indexOf(last), at].sort((a, b) => a - b);
          for (const between of order.slice(ends[0], ends[1] + 1)) topics.add(between);
        } else if (!topics.delete(topic)) topics.add(topic);
        last = topic;
        update({ topics });
        const chosenText = `${plural(topics.size, "topic")} chosen. Means use them; decisions use all topics.`;
        say(topics.size ? chosenText : "All topics.");
      });
    },
    table: () => ({
      columns: ["topic", "mean", ...(view.data.relevant ? ["relevant"] : [])],
      rows: hardest().map((topic) => [
        topicName(topic), view.measure.difficulty[topic],
        ...(view.data.relevant ? [view.data.relevant[topic]] : [])
      ]),
    }),
  });
}

// ── a pair, topic by topic, and what both retrieved ──────────────────────────────────────────────────────────
function pairPanel() {
  const { chosen, settings, data } = view;
  const selects = [0, 1].map((k) => make("select", { "aria-label": k ? "against" : "System", onchange: (event) => {
    const pair = [...chosen.pair];
    pair[k] = Number(event.target.value);
    if (pair[0] !== pair[1]) update({ pair }); else one.draw();
  } }));
  const kinds = [
    ["bars", "bars"], ["scatter", "scatter"]
  ].map(([kind, text]) => make(
    "button",
    { type: "button", class: "view-small", text, onclick: () => arrange({ bars: kind }) }
  ));
  const text = make("p", { class: "view-verdict" }), chart = make("div"), lists = make("div", { class: "view-lists" });
  const ordered = () => {
    const [a, b] = chosen.pair, { measure } = view;
    return data.topics.map((_, topic) => ({
      topic, a: measure.score(topic, a), b: measure.score(topic, b)
    })).map((row) => ({ ...row, d: row.a - row.b })).sort((x, y) => y.d - x.d);
  };
  const look = (topic) => update({ topic: chosen.topic === topic ? null : topic });
  const one = panel("pair", "Two systems", {
    lead: () => (chosen.topic === null && (view.data.rankings || view.rankings)
      ? "Click a topic to see what both retrieved first." : ""),
    draw: (host) => {
      const [a, b] = chosen.pair, { measure } = view, rows = ordered();
      if (!host.contains(text)) {
        for (const select of selects) select.append(...measure.order.map((system) => make(
          "option",
          { value: system, text: nameOf(system) }
        )));
        host.replaceChildren(
          make(
            "p",
            { class: "view-filters" },
            selects[0],
            make("span", { text: "against" }),
            selects[1],
            ...kinds
          ),
          text,
          chart,
          lists
        );
      }
      selects.forEach((select, k) => { select.value = String(chosen.pair[k]); });
      kinds.forEach((button, k) => button.setAttribute(
        "aria-pressed",
        String(settings.bars === ["bars", "scatter"][k])
      ));
      const off = (row) => chosen.topics.size > 0 && !chosen.topics.has(row.topic),
        within = rows.filter((row) => !off(row));
      const counted = (some) => {
        const count = (test) => some.filter(test).length;
        const [wins, ties, losses] = [1, 0, -1].map((sign) => count((row) => Math.sign(row.d) === sign));
        return `${wins} · ties ${ties} · losses ${losses}`;
      };
      text.textContent = `${pairText(a, b)}. Wins ${counted(rows)}.`;
      if (chosen.topics.size) {
        const apart = measure.mean(a, chosen.topics) - measure.mean(b, chosen.topics);
        text.textContent += ` On ${plural(within.length, "chosen topic")}: ${signed(apart)}, wins ${counted(within)}.`;
      }
      const told = (row) => `Topic ${topicName(row.topic)}: ${digits(row.a)} and ${digits(row.b)}, `
        + `difference ${signed(row.d)}${relevantText(row.topic)}`;
      if (settings.bars === "bars") bars(
        chart,
        rows.map((row) => ({
          value: row.d, kind: row.d > 0 ? "better" : "worse", on: row.topic === chosen.topic,
          off: off(row), text: told(row)
        })),
        `${nameOf(a)} minus ${nameOf(b)} by topic; Enter shows what both retrieved`,
        (at) => look(rows[at].topic)
      );
      else {
        const top = Math.max(...rows.map((row) => Math.max(row.a, row.b)), 0) || 1,
          low = Math.min(...rows.map((row) => Math.min(row.a, row.b)), 0);
        scatter(
          chart,
          rows.map((row) => ({
            x: row.b, y: row.a, text: told(row), on: row.topic === chosen.topic, off: off(row),
            kind: row.d > 0 ? "better" : "worse"
          })),
          { x: [nameOf(b), low, top], y: [nameOf(a), low, top], line: true },
          (at) => look(rows[at].topic)
        );
      }
      drawLists(lists);
    },
    table: () => {
      const rows = ordered();
      return {
        columns: ["topic", "score_a", "score_b", "difference"],
        rows: rows.map((row) => [topicName(row.topic), row.a, row.b, row.d]),
        go: (at) => look(rows[at].topic)
      };
    },
  });
  one.place.querySelector(".view-tools").append(make("button", {
    type: "button", class: "view-small view-close", text: "Close", onclick: () => update({ pair: null, topic: null })
  }));
  const drawPanel = one.draw;
  one.draw = () => {
    one.place.hidden = !chosen.pair;
    if (one.place.parentElement) one.place.parentElement.classList.toggle("paired", Boolean(chosen.pair));
    one.place.querySelector("h3").textContent = chosen.pair
      ? `${nameOf(chosen.pair[0])} against ${nameOf(chosen.pair[1])}`
      : "";
    drawPanel(true);
  };
}

/** The first documents of two systems for a topic: from the page itself, or from the server. */
async function retrieved(topic, systems) {
  const carried = view.data.rankings;
  if (carried) {
    const one = carried.topics[topic], places = unpack(one.lists, Uint16Array), { depth } = carried;
    return {
      lists: systems.map((system) => [...places.slice(system * depth, (system + 1) * depth)]
        .filter((at) => at < 65535)
        .map((at) => [one.documents[at], one.grades[at]])),
      titles: Object.fromEntries((one.titles || []).map((title, at) => [one.documents[at], title]))
    };
  }
  if (!view.rankings) return null;
  const words = new URLSearchParams([
    ["topic", topicName(topic)], ...systems.map((system) => ["system", nameOf(system)])
  ]);
  return ask(`${view.rankings}?${words}`);
}
async function drawLists(host) {
  const { topic, pair } = view.chosen;
  if (topic === null) { host.replaceChildren(); return; }
  let found = null, problem = "No ranked lists here: they need runs, and a large report leaves them out.";
  try { found = await retrieved(topic, pair); } catch (error) { problem = `No ranked lists: ${error.message}`; }
  if (topic !== view.chosen.topic || pair !== view.chosen.pair) return;
  const heading = make("h4", { text: `Topic ${topicName(topic)}${relevantText(topic)}: what both retrieved first` });
  if (!found) { host.replaceChildren(heading, make("p", { class: "view-note", text: problem })); return; }
  const { lists, titles = {}, there = null } = found;
  const high = Math.max(1, ...lists.flat().map(([, grade]) => grade ?? 0)), height = 24;
  /** The rank in the other list: in the whole of it where the server tells, else in what is shown. */
  const thereText = (k, at) => {
    const other = lists[1 - k].findIndex(([name]) => name === lists[k][at][0]) + 1;
    const rank = there ? there[k][at] : other;
    return rank ? `${rank} there` : there ? "not there" : `not in the first ${lists[1 - k].length} there`;
  };
  const column = (k) => make("ol", { "aria-label": nameOf(pair[k]) }, ...lists[k].map(([name, grade], at) => {
    const shown = thereText(k, at), line = make(
      "li",
      {
        class: grade === null ? "unjudged" : grade > 0 ? "relevant" : "",
        title: `${at + 1}. ${name}${titles[name] ? ` ${titles[name]}` : ""}: `
          + `${grade === null ? "unjudged" : `grade ${grade}`}, ${shown}`
      },
      make("span", { text: `${at + 1} ${titles[name] || name}` }),
      shown.length < 12 ? make("i", { text: shown }) : null,
      make("b", { text: grade === null ? "unjudged" : String(grade) })
    );
    if (grade > 0) line.style.setProperty("--share", `${Math.round(15 + 40 * grade / high)}%`);
    return line;
  }));
  const lines = draw(
    "svg",
    {
      "aria-hidden": "true",
      viewBox: `0 0 60 ${height * Math.max(...lists.map((list) => list.length), 1)}`,
      preserveAspectRatio: "none"
    }
  );
  lists[0].forEach(([name], i) => {
    const j = lists[1].findIndex(([other]) => other === name);
    if (j >= 0) lines.append(draw("line", { x1: 0, x2: 60, y1: (i + 0.5) * height, y2: (j + 0.5) * height }));
  });
  host.replaceChildren(heading, make(
    "div",
    { class: "view-two" },
    make("b", { text: nameOf(pair[0]) }),
    make("span"),
    make("b", { text: nameOf(pair[1]) }),
    column(0),
    lines,
    column(1)
  ),
    make(
      "p",
      { class: "view-note" },
      "Numbers on the right are grades. Hatched documents are unjudged. Lines join the same document.",
      ...topicLinks([topic], pair)
    ));
  host.scrollIntoView({ block: "nearest" });
}

// ── all scores at once, and what else there is to know ───────────────────────────────────────────────────────
function heatMap() {
  const { chosen, settings } = view;
  let map = null;
  const button = make(
    "button",
    {
      type: "button", class: "view-small",
      onclick: () => arrange({ heat: settings.heat === "clustered" ? "sorted" : "clustered" })
    }
  );
  const legend = make("div", { class: "view-legend" });
  const orders = () => (settings.heat === "clustered" ? view.measure.heat : {
    systems: view.measure.order, topics: hardest()
  });
  const one = panel("heat", "Every score: systems by topics", {
    wide: true,
    lead: () => `Stronger colour: higher score. ${settings.heat === "clustered"
      ? "Similar systems and topics are adjacent."
      : "Best systems on top, hardest topics on the left."}`,
    links: () => topicLinks([...chosen.topics]),
    draw: (host) => {
      button.textContent = settings.heat === "clustered" ? "Sort by mean" : "Sort by similarity";
      const where = host.querySelector("div") || host.appendChild(make("div"));
      const { lowest, highest } = view.measure;
      if (!host.contains(legend)) host.append(legend);
      legend.replaceChildren(digits(Math.min(lowest, 0), 2), make("i"), digits(highest, 2), ` ${view.measure.measure}`);
      map = map || cellMap(where, "Scores of every system on every topic; arrow keys move, Enter chooses", {
        shape: () => {
          const measure = view.measure, { systems, topics } = orders(), [from, to] = palette().size;
          const least = Math.min(measure.lowest, 0), span = measure.highest - least || 1;
          return {
            rows: measure.n,
            columns: topics.length,
            key: `${measure.measure} ${settings.heat}`,
            label: measure.n <= MOST_NAMED ? (r) => nameOf(systems[r]) : null,
            rank: (r) => measure.rank[measure.place[systems[r]]],
            topLabel: (c) => topicName(topics[c]),
            colour: (r, c) => mixed(from, to, (measure.score(topics[c], systems[r]) - least) / span),
          };
        },
        text: (r, c) => {
          const { systems, topics } = orders();
          const score = digits(view.measure.score(topics[c], systems[r]));
          return `${nameOf(systems[r])} on topic ${topicName(topics[c])}: ${score}`;
        },
        pick: (r, c) => {
          const { systems, topics } = orders(), only = new Set(chosen.topics);
          if (view.form) { fillForm(topics[c], systems[r]); return; }
          if (!only.delete(topics[c])) only.add(topics[c]);
          update({ system: systems[r], topics: only });
        },
        height: (now) => Math.max(160, Math.min(now.rows * LINE, 620)),
        mark: (context, box, now, ink) => {
          const { systems, topics } = orders();
          context.strokeStyle = ink;
          if (chosen.system !== null) {
            const [, y, w, h] = box(systems.indexOf(chosen.system), 0);
            context.strokeRect(now.left, y, w * now.columns, h);
          }
          for (const topic of chosen.topics) {
            const [x, , w, h] = box(0, topics.indexOf(topic));
            context.strokeRect(x, now.top, w, h * now.rows);
          }
        },
      });
      map.paint();
    },
    table: () => {
      const { topics } = orders();
      return {
        columns: ["topic", ...view.measure.order.map(nameOf)],
        rows: topics.map((topic) => [
          topicName(topic), ...view.measure.order.map((system) => view.measure.score(topic, system))
        ])
      };
    },
  });
  one.place.querySelector(".view-tools").prepend(button);
}

function agreementPanel() {
  const { data, settings, chosen } = view, { measures, rank, tau, interval } = data.agreement;
  if (measures.length < 2) return;
  const select = make(
    "select",
    { "aria-label": "Compare ranks with", onchange: () => arrange({ other: select.value }) }
  );
  const sides = () => {
    const mine = measures.indexOf(view.measure.measure),
      others = measures.filter((name) => name !== view.measure.measure);
    const other = others.includes(settings.other) ? settings.other : others[0];
    return { mine, others, other, at: measures.indexOf(other) };
  };
  const one = panel("agreement", "Do measures agree?", {
    lead: () => {
      const { mine, other, at } = sides(), value = tau[mine][at], ends = interval[mine][at];
      const limits = ends ? ` (unlimited topics: ${ends.map((end) => digits(end, 2)).join(" to ")})` : "";
      const found = value === null ? "not defined" : digits(value, 3);
      return `Kendall's τ between ${measures[mine]} and ${other}: ${found}${limits}. On the line both ranks are equal.`;
    },
    draw: (host) => {
      const { mine, others, other, at } = sides(), n = view.measure.n;
      select.replaceChildren(...others.map((name) => make(
        "option",
        { value: name, text: name, selected: name === other }
      )));
      if (!host.contains(select)) host.replaceChildren(make("p", { class: "view-filters" }, select), make("div"));
      scatter(host.lastChild, data.systems.map((name, system) => ({
        x: rank[mine][system], y: rank[at][system], on: chosen.system === system,
        text: `${name}: rank ${rank[mine][system]} by ${measures[mine]}, ${rank[at][system]} by ${other}`
      })),
        {
          x: [`rank by ${measures[mine]}`, 0.5, n + 0.5], y: [`rank by ${other}`, 0.5, n + 0.5],
          line: true, down: true
        }, (system) => update({ system }));
    },
    table: () => ({
      columns: ["system", ...measures],
      rows: view.measure.order.map((system) => [nameOf(system), ...rank.map((list) => list[system])]),
      go: (at) => update({ system: view.measure.order[at] })
    }),
  });
}

function judgedPanel() {
  const { data, chosen } = view;
  if (!data.judged) return;
  panel("judged", "Judged share and score", {
    lead: () => `Runs with a low judged share of their top ${data.judged_depth} may be underrated.`,
    draw: (host) => {
      const measure = view.measure,
        low = Math.min(...data.judged, 0.95),
        means = data.systems.map((_, system) => measure.mean(system, chosen.topics));
      const only = chosen.topics.size ? ` on ${plural(chosen.topics.size, "chosen topic")}` : "";
      const title = `mean ${measure.measure}${only}`;
      scatter(host, data.systems.map((name, system) => ({
        x: 100 * data.judged[system], y: means[system], on: chosen.system === system,
        text: `${name}: ${percent(data.judged[system])} judged, mean ${digits(means[system])}`
      })),
        {
          x: [`% judged of the first ${data.judged_depth}`, 100 * low, 100],
          y: [title, Math.min(0, ...means), Math.max(...means) * 1.05 || 1]
        }, (system) => update({ system }));
    },
    table: () => ({
      columns: ["system", "judged", "mean"],
      rows: view.measure.order.map((system, at) => [
        nameOf(system), data.judged[system],
        chosen.topics.size ? view.measure.mean(system, chosen.topics) : view.measure.means[at]
      ]),
      go: (at) => update({ system: view.measure.order[at] })
    }),
  });
}

function alikePanel() {
  const table = () => ({
    columns: ["system_a", "system_b", "distance", "equal_topics"],
    rows: view.measure.alike.map(([a, b, distance, equal]) => [nameOf(a), nameOf(b), distance, equal]),
    go: (at) => update({ pair: view.measure.alike[at].slice(0, 2), topic: null }),
  });
  panel("alike", "Near-identical runs", {
    lead: () => (view.measure.alike.length
      ? `${plural(view.measure.n_alike, "pair")} with a mean absolute difference of at most a tenth of the median.`
      : "No two runs are nearly identical."),
    draw: (host) => host.replaceChildren(
      ...(view.measure.alike.length ? [tableOf(table(), "Near-identical runs")] : [])
    ),
    table,
  });
}
