// ── start ────────────────────────────────────────────────────────────────────────────────────────────────────
function headline() {
  const { data } = view, place = (name) => view.root.querySelector(`[data-${name}]`);
  const select = make("select", { "aria-label": "Measure", onchange: () => update({ measure: select.value }) },
    ...data.agreement.measures
      .filter((name) => view.source || data.measures.some((one) => one.measure === name))
      .map((name) => make("option", { value: name, text: name })));
  const clear = make("button", { type: "button", class: "view-small", text: "Clear selection", onclick: clearAll });
  view.root.querySelector("[data-tools]").replaceChildren(
    make("label", {}, document.createTextNode("measure "), select),
    clear
  );
  view.panels.push({ draw() {
    select.value = view.measure.measure;
    const [first, ...others] = view.measure.sentences;
    place("figures").replaceChildren(...view.measure.figures.map(([value, label]) => make(
      "div",
      {},
      make("dt", { text: label }),
      make("dd", { text: value })
    )));
    place("headline").replaceChildren(
      first,
      ...(view.problem ? [make("span", { class: "view-problem", text: view.problem })] : [])
    );
    const told = place("headline").dataset.headline === "others" && view.measure.measure === data.measures[0].measure;
    place("headline").hidden = told && !view.problem;
    place("findings").closest("details").hidden = told;
    place("yours").hidden = view.pinned === null;
    if (view.pinned !== null) place("yours").textContent = `Your run: ${standing(view.pinned)}`;
    place("findings").replaceChildren(...others.map((text) => make("p", { text })));
    const { system, pair, topics, topic } = view.chosen;
    clear.hidden = system === null && !pair && !topics.size && topic === null;
  } });
}
function clearAll() {
  update({ system: null, pair: null, topics: new Set(), topic: null });
  hideTip();
  say("Selection cleared.");
}

/** Escape clears the innermost selection: the topic shown, then the pair, then the system and the topics. */
function stepBack() {
  const { pair, topic } = view.chosen,
    within = view.panels.find((one) => one.id === "pair").place.contains(document.activeElement);
  if (!pair) { clearAll(); return; }
  update(topic === null ? { pair: null } : { topic: null });
  hideTip();
  say(topic === null ? "Pair closed." : "Topic closed.");
  if (within && !view.chosen.pair) view.root.querySelector(".view-rows tr[tabindex='0']").focus();
}

/** On the page of one topic the form beside the panels says which one, and by which measure. */
function followForm(form) {
  const { topic, measure } = form.elements;
  const choose = () => update({
    topics: new Set([view.data.topics.indexOf(topic.value)]), measure: measure.value
  }, false);
  form.addEventListener("input", choose);
  return choose();
}
/** Choose in that form what was clicked: a topic, and perhaps a system whose ranked list to show. */
function fillForm(topic, system) {
  const { elements } = view.form, first = system === null ? null : nameOf(system);
  elements.topic.value = topicName(topic);
  if (first !== null && elements.a && elements.b.value !== first) elements.a.value = first;
  elements.topic.dispatchEvent(new Event("input", { bubbles: true }));
}

async function start() {
  view.root = document.getElementById("view");
  if (!view.root) return;
  if (view.root.dataset.form) view.form = document.getElementById(view.root.dataset.form);
  const carried = document.getElementById("view-data"), { first } = view.root.dataset;
  view.source = view.root.dataset.source || null;
  view.rankings = view.root.dataset.rankings || null;
  view.topicPage = view.root.dataset.topicPage || null;
  view.data = carried
    ? JSON.parse(carried.textContent)
    : (await ask(view.source + (first ? `&measure=${encodeURIComponent(first)}` : ""))).view;
  const grid = make("div", { class: "view-grid" });
  const topicPanels = [topicStrip, heatMap];
  const every = [headline, board, pairMap, topicStrip, pairPanel, heatMap, agreementPanel, judgedPanel, alikePanel];
  for (const build of view.form ? topicPanels : every) build();
  grid.append(...view.panels.filter((one) => one.place).map((one) => one.place));
  Object.assign(view.settings, settingsFromAddress());
  if (view.form) await followForm(view.form);
  else {
    view.pinned = fromAddress().system;  // the run that a mailed address names stays in sight
    await update(fromAddress(), false);
    view.root.querySelector("[data-still]").hidden = true;
  }
  view.root.append(grid, live, tip);
  drawAll();
  prefersDark.addEventListener("change", drawAll);
  addEventListener("beforeprint", () => { printing = true; drawAll(true); });
  addEventListener("afterprint", () => { printing = false; drawAll(); });
  view.root.dataset.ready = "yes";
  if (!view.form) followAddress();
}
/** The address holds the selection: Back and Forward, Escape, and links into the appendix of a report. */
function followAddress() {
  for (const form of view.root.querySelectorAll("form")) {  // another test, the same selection
    const where = form.getAttribute("action");
    form.addEventListener("submit", () => { form.action = where + address(); });
  }
  const appendix = document.getElementById("appendix");
  const unfold = () => {  // a link into the closed appendix opens it
    const target = appendix && location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && appendix.contains(target) && !appendix.open) { appendix.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", unfold);
  unfold();
  addEventListener(
    "popstate",
    () => { Object.assign(view.settings, settingsFromAddress()); update(fromAddress(), false); }
  );
  addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.target.closest("input, select")) stepBack();
    }
  );
}
start();
