// ── a panel: a heading, what it shows, the same as a table, and as a file ────────────────────────────────────
/** A number with the digits it came with: what was packed in 32 bits has seven, and what follows them is noise. */
const asSent = (value) => (Math.fround(value) === value ? Number(value.toPrecision(7)) : Number(value.toPrecision(10)));

function saveFile(name, columns, rows) {
  const cell = (value) => {
    let text = typeof value === "number" ? String(asSent(value)) : value ?? "";
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;  // a spreadsheet would run it
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  const link = make(
    "a",
    { download: `${name}.csv`, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) }
  );
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const MOST_ROWS = 300;

/** `draw(body)` fills the panel; `table()` gives {columns, rows} with numbers as numbers, and how to write those of a
 * column where it has a way of its own; `lead()` is the line above. */
function panel(id, title, { draw: drawBody, table, lead, links, wide, label }) {
  const body = make("div", { class: "view-body" }), behind = make("div", { class: "view-behind", hidden: true });
  const note = make("p", { class: "view-note" });
  const toggle = make("button", {
    type: "button", class: "view-small", text: "Table",
    "aria-expanded": "false", "aria-label": `${title}: show as table`,
    onclick: () => {
      const open = behind.hidden;
      behind.hidden = !open; body.hidden = open;
      toggle.setAttribute("aria-expanded", String(open));
      toggle.textContent = open ? "Picture" : "Table";
      toggle.setAttribute("aria-label", `${title}: show as ${open ? "picture" : "table"}`);
      one.draw();
    },
  });
  const save = make("button", {
    type: "button", class: "view-small", text: "CSV", "aria-label": `${title}: download as CSV`,
    onclick: () => { const { columns, rows } = table(); saveFile(id, columns, rows); },
  });
  const heading = make("h3", { id: `view-${id}`, text: title });
  const place = make("div", {
    role: "group", class: `view-panel view-${id}${wide ? " view-wide" : ""}`,
    "aria-labelledby": heading.id
  },
    make(
      "div",
      { class: "view-head" },
      heading,
      make("span", { class: "view-tools" }, id === "board" ? null : toggle, save)
    ), note, body, behind);
  let seen = true, stale = false;  // a panel out of sight waits until it is scrolled to
  new IntersectionObserver(
    ([entry]) => { seen = entry.isIntersecting; if (seen && stale) one.draw(); },
    { rootMargin: "200px" }
  ).observe(place);
  const one = {
    id, place,
    draw(all) {
      stale = !seen && !all && place.isConnected;
      if (place.hidden || stale) return;
      const text = lead ? lead() : "";
      note.replaceChildren(text, ...(links ? links() : []));
      note.hidden = !text;
      if (behind.hidden) drawBody(body); else behind.replaceChildren(tableOf(table(), label || title));
    },
  };
  view.panels.push(one);
  return one;
}

function tableOf({ columns, rows, go, write = {} }, label) {
  const shown = rows.slice(0, MOST_ROWS),
    text = (value, row, k) => {
      if (write[columns[k]]) return write[columns[k]](row);
      if (typeof value !== "number") return value ?? "";
      return Number.isInteger(value) ? String(value) : digits(value);
    };
  const cell = (row, at, value, k) => make(
    "td",
    { class: typeof value === "number" ? "view-number" : null },
    ...(k === 0 && go
      ? [make(
        "button",
        { type: "button", class: "view-link", onclick: () => go(at) },
        ...breakable(text(value, row, k))
      )]
      : (typeof value === "string"
      ? breakable(text(value, row, k))
      : [document.createTextNode(text(value, row, k))]))
  );
  const table = make("table", { "aria-label": label },
    make(
      "thead",
      {},
      make("tr", {}, ...columns.map((name) => make("th", { scope: "col", text: name.replaceAll("_", " ") })))
    ),
    make("tbody", {}, ...shown.map((row, at) => make("tr", {}, ...row.map((value, k) => cell(row, at, value, k))))));
  const more = rows.length > shown.length ? make(
    "p",
    { class: "view-note", text: `${plural(rows.length - shown.length, "more row")} in the CSV file.` }
  ) : null;
  return make(
    "div",
    { class: "view-scroll", tabindex: "0", role: "region", "aria-label": `${label}, table` },
    table,
    ...(more ? [more] : [])
  );
}

// ── bars, one per topic: buttons that the arrow keys walk through ────────────────────────────────────────────
/** `items`: {value, text, kind, on}; values below 0 hang from the line. Click and Enter call `pick(at, event)`. */
function bars(host, items, label, pick) {
  const most = Math.max(...items.map((one) => one.value), 0),
    least = Math.min(...items.map((one) => one.value), 0),
    span = most - least || 1;
  let strip = host.querySelector(".view-bars"), scale = host.querySelector(".view-scale");
  if (!strip || strip.childElementCount !== items.length) {
    scale = make("div", { class: "view-scale", "aria-hidden": "true" });
    strip = make("div", { class: items.length > 100 ? "view-bars many" : "view-bars", role: "group" });
    strip.append(...items.map((_, at) => make("button", { type: "button", tabindex: at ? "-1" : "0" }, make("span"))));
    const wider = make("p", { class: "view-note", hidden: true, text: "Scroll sideways to see all." });
    host.replaceChildren(make("div", { class: "view-bars-axis" }, make("div", {}, strip), scale), wider);
    new ResizeObserver(() => requestAnimationFrame(() => {
      wider.hidden = strip.scrollWidth <= strip.clientWidth;
    })).observe(strip);
    strip.addEventListener("keydown", (event) => {
      const all = [...strip.children],
        at = all.indexOf(document.activeElement),
        step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: all.length - 1 - at }[event.key];
      const next = step === undefined ? null : all[at + step];
      if (!next) return;
      event.preventDefault();
      all[at].tabIndex = -1; next.tabIndex = 0; next.focus();
      if (event.shiftKey) next.click();
    });
    for (const kind of ["pointermove", "focusin"]) strip.addEventListener(kind, (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const box = button.getBoundingClientRect();
      showTip(button.getAttribute("aria-label"), event.clientX || box.left, event.clientY || box.bottom);
    });
    for (const kind of ["pointerleave", "focusout"]) strip.addEventListener(kind, hideTip);
  }
  strip.setAttribute("aria-label", label);
  const ends = [most, least].filter((value) => value || most === least), near = 0.18 * span;
  scale.replaceChildren(...[...ends, ...(ends.every((value) => Math.abs(value) > near) ? [0] : [])].map((value) => {
    const mark = make("span", { text: digits(value, 2) });
    mark.style.top = `${100 * (most - value) / span}%`;
    return mark;
  }));
  items.forEach((one, at) => {
    const button = strip.children[at], bar = button.firstChild;
    button.setAttribute("aria-label", one.text);
    button.setAttribute("aria-pressed", String(Boolean(one.on)));
    button.className = `${one.kind || ""}${one.off ? " off" : ""}`;
    bar.style.top = `${100 * (most - Math.max(one.value, 0)) / span}%`;
    bar.style.height = `${Math.max(100 * Math.abs(one.value) / span, 1)}%`;
    button.onclick = (event) => pick(at, event);
  });
}

// ── a scatter of points ──────────────────────────────────────────────────────────────────────────────────────
/** `points`: {x, y, text, on, off}; `axes`: {x: [title, low, high], y: …, line, down} with `line` the diagonal. */
function scatter(host, points, axes, pick) {
  const width = Math.max(240, Math.min(420, host.clientWidth || 420)),
    height = Math.round(width * 0.76),
    left = 52,
    bottom = 40,
    right = 16,
    top = 10;
  const [xTitle, x0, x1] = axes.x, [yTitle, y0, y1] = axes.y;
  const px = (x) => left + (x - x0) / (x1 - x0 || 1) * (width - left - right);
  const fromStart = (y) => (y - y0) / (y1 - y0 || 1) * (height - top - bottom);
  const py = (y) => (axes.down ? top + fromStart(y) : height - bottom - fromStart(y));
  const picture = draw(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`, role: "img", class: "view-scatter",
      "aria-label": `${yTitle} against ${xTitle}, one point each`
    }
  );
  const ticks = (low, high) => {
    const step = niceStep((high - low) / 4);
    const list = [];
    for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9; t += step) list.push(Number(t.toPrecision(6)));
    return list;
  };
  for (const t of ticks(x0, x1)) picture.append(
    draw("line", { class: "grid", x1: px(t), x2: px(t), y1: top, y2: height - bottom }),
    draw("text", { x: px(t), y: height - bottom + 15, "text-anchor": "middle", text: String(t) })
  );
  for (const t of ticks(y0, y1)) picture.append(
    draw("line", { class: "grid", x1: left, x2: width - right, y1: py(t), y2: py(t) }),
    draw("text", { x: left - 6, y: py(t) + 4, "text-anchor": "end", text: String(t) })
  );
  if (axes.line) picture.append(draw(
    "line",
    {
      class: "diagonal", x1: px(Math.max(x0, y0)), y1: py(Math.max(x0, y0)),
      x2: px(Math.min(x1, y1)), y2: py(Math.min(x1, y1))
    }
  ));
  picture.append(draw(
    "text",
    { class: "title", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", text: xTitle }
  ),
    draw(
      "text",
      {
        class: "title", transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`,
        "text-anchor": "middle", text: yTitle
      }
    ));
  for (const [at, one] of [...points.entries()].sort((a, b) => (a[1].on || 0) - (b[1].on || 0))) {
    picture.append(draw("circle", {
      class: ["point", one.on && "on", one.off && "off", one.kind].filter(Boolean).join(" "),
      cx: px(one.x), cy: py(one.y), r: one.on ? 6 : 4, onclick: () => pick(at),
      onpointermove: (event) => showTip(one.text, event.clientX, event.clientY), onpointerleave: hideTip,
    }));
  }
  host.replaceChildren(picture);
}
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough || 1)), first = rough / power;
  return (first <= 1 ? 1 : first <= 2 ? 2 : first <= 5 ? 5 : 10) * power;
}

// ── a map of cells on a canvas, walked by arrow keys ─────────────────────────────────────────────────────────
const FONT = "12px system-ui, sans-serif";
/** The least height of a row that has a name beside it. */
const LINE = 14;
/** What the style leaves a map on paper, where its text keeps its size. */
const PAPER = 529;
/**
 * `shape()` gives {rows, columns, colour(r, c) → [r, g, b], key, label(r) or null, rank(r), topLabel(c)}; ranks replace
 * labels where there is no room. `text(r, c)` describes a cell, `pick(r, c, event)` selects it, and
 * `mark(context, cell, offsets)` draws the selection on top.
 */
function cellMap(host, label, { shape, text, pick, mark, height }) {
  const canvas = make(
    "canvas",
    { tabindex: "0", role: "application", "aria-label": label, "aria-roledescription": "map" }
  );
  const status = make("p", { class: "view-status" }),
    ranks = make("p", { class: "view-ranks", text: "Numbers on the left are ranks." });
  host.replaceChildren(canvas, ranks, status);
  let at = [0, 1], over = null, now = null, image = null, cachedKey = "", room = Math.floor(host.clientWidth);
  // In the next frame, since drawing may resize the host: the browser complains of observers that do so at once.
  new ResizeObserver(([entry]) => requestAnimationFrame(() => {
    room = Math.floor(entry.contentRect.width);
    paint();
  })).observe(host);
  const cellAt = (event) => {
    if (!now) return null;  // not drawn yet
    const box = canvas.getBoundingClientRect(),
      x = (event.clientX - box.left - now.left) / now.cellWidth,
      y = (event.clientY - box.top - now.top) / now.cellHeight;
    return x >= 0 && y >= 0 && x < now.columns && y < now.rows ? [Math.floor(y), Math.floor(x)] : null;
  };
  function paint() {
    if (!room) return;
    now = shape();
    const width = printing ? Math.min(room, PAPER) : room, named = now.label && width > 420;
    ranks.hidden = named;
    const context = canvas.getContext("2d");
    context.font = FONT;
    const longest = named ? Math.max(...Array.from(
      { length: now.rows },
      (_, r) => context.measureText(now.label(r)).width
    )) : 22;
    const left = Math.min(200, width * 0.32, longest + 9), top = now.topLabel || now.across ? 18 : 4;
    const cellWidth = Math.min((width - left - 1) / now.columns, now.widest || Infinity);
    const wide = cellWidth * now.columns;
    now.named = Boolean(named);
    const tall = height(now, cellWidth), cellHeight = tall / now.rows;
    Object.assign(now, { left, top, cellWidth, cellHeight });
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale); canvas.height = Math.round((top + tall + 1) * scale);
    canvas.style.width = `${width}px`; canvas.style.height = `${top + tall + 1}px`;
    context.scale(scale, scale);
    const key = `${now.key} ${isDark()}`;
    if (key !== cachedKey) {
      image = make("canvas", { width: now.columns, height: now.rows });
      const inner = image.getContext("2d"), pixels = inner.createImageData(now.columns, now.rows);
      let k = 0;
      for (let r = 0; r < now.rows; r++) for (let c = 0; c < now.columns; c++) {
        const colour = now.colour(r, c);
        for (const part of [...colour, 255]) pixels.data[k++] = part;
      }
      inner.putImageData(pixels, 0, 0);
      cachedKey = key;
    }
    context.imageSmoothingEnabled = false;
    context.drawImage(image, left, top, wide, tall);
    const { ink, faint, line } = palette();
    context.strokeStyle = line;
    context.strokeRect(left - 0.5, top - 0.5, wide + 1, tall + 1);
    context.font = FONT; context.fillStyle = faint; context.textBaseline = "middle"; context.textAlign = "right";
    const step = named ? Math.max(1, Math.ceil(LINE / cellHeight - 1e-9)) : niceStep(14 / cellHeight);
    for (let r = 0; r < now.rows; r++) {
      if (named ? r % step : r && (r + 1) % step) continue;
      context.fillStyle = now.strong && now.strong(r) ? ink : faint;
      context.fillText(
        named ? shorten(context, now.label(r), left - 8) : String(now.rank(r)),
        left - 5,
        top + (r + 0.5) * cellHeight
      );
    }
    if (now.topLabel) {
      context.textAlign = "center"; context.fillStyle = faint;
      const every = Math.max(1, Math.ceil(28 / cellWidth));
      for (let c = 0; c < now.columns; c += every) context.fillText(now.topLabel(c), left + (c + 0.5) * cellWidth, 8);
    }
    if (now.across && over) nameEdges(context, over, width, ink);
    mark(context, (r, c) => [left + c * cellWidth, top + r * cellHeight, cellWidth, cellHeight], now, ink);
    if (document.activeElement === canvas) {
      context.strokeStyle = ink; context.lineWidth = 2;
      context.strokeRect(left + at[1] * cellWidth - 1, top + at[0] * cellHeight - 1, cellWidth + 2, cellHeight + 2);
    }
  }
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    if (String(cell) !== String(over)) { over = cell; if (now && now.across) paint(); }
    if (!cell) { hideTip(); return; }
    const said = text(...cell);
    status.textContent = said;
    showTip(said, event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => { over = null; hideTip(); paint(); });
  /** Both names along the edges of the map, where the pointer is. */
  function nameEdges(context, [r, c], width, ink) {
    const { left, top, cellWidth, cellHeight } = now, { paper } = palette();
    const write = (text, x, y) => {
      const long = context.measureText(text).width + 8, from = Math.max(0, Math.min(x, width - long));
      context.fillStyle = paper; context.fillRect(from, y - 8, long, 16);
      context.fillStyle = ink; context.textAlign = "left"; context.fillText(text, from + 4, y);
    };
    const across = now.across(c), down = now.down(r);
    write(across, left + (c + 0.5) * cellWidth - context.measureText(across).width / 2, 8);
    write(down, left - context.measureText(down).width - 9, top + (r + 0.5) * cellHeight);
    context.strokeStyle = ink; context.lineWidth = 1;
    context.strokeRect(left + c * cellWidth - 0.5, top + r * cellHeight - 0.5, cellWidth + 1, cellHeight + 1);
  }
  canvas.addEventListener(
    "click",
    (event) => { const cell = cellAt(event); if (cell) { at = cell; pick(...cell, event); } }
  );
  canvas.addEventListener("keydown", (event) => {
    if (!now) return;
    const far = event.shiftKey ? 10 : 1;
    const step = { ArrowUp: [-far, 0], ArrowDown: [far, 0], ArrowLeft: [0, -far], ArrowRight: [0, far] }[event.key];
    if (step) at = [
      Math.max(0, Math.min(now.rows - 1, at[0] + step[0])),
      Math.max(0, Math.min(now.columns - 1, at[1] + step[1]))
    ];
    else if (event.key === "Enter" || event.key === " ") pick(...at, event);
    else return;
    event.preventDefault();
    paint();
    status.textContent = text(...at);
    say(text(...at));
  });
  canvas.addEventListener("focus", () => { paint(); say(text(...at)); });
  canvas.addEventListener("blur", paint);
  return { paint, status };
}
/** A name that fits: names of one team differ at their ends, so both ends stay. */
function shorten(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text], cut = (kept) => [
    ...letters.slice(0, Math.ceil(kept * 0.6)), "…", ...letters.slice(letters.length - Math.floor(kept * 0.4))
  ].join("");
  let kept = letters.length - 1;
  while (kept > 1 && context.measureText(cut(kept)).width > width) kept--;
  return cut(kept);
}
const mixed = (from, to, share) => from.map((value, k) => Math.round(value + (to[k] - value) * share));
