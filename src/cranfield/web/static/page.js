// Small helps only: every page works without this file.
"use strict";

const question = document.getElementById("question");

// ── the design form shows what belongs to the chosen design ──────────────────────────────────────────────────
function arrange() {
  if (!document.getElementById("find")) return;  // only the design form has parts that come and go
  const typed = document.getElementById("data").value === "";
  const picked = question.querySelector("[name=kind]:checked");
  if (typed && picked.closest("[data-from]")) document.getElementById("kind-pairs").checked = true;  // it needs data
  const kind = question.querySelector("[name=kind]:checked").value;
  const find = document.getElementById("find");
  for (const option of find.options) {
    option.hidden = option.disabled = !option.dataset.kinds.split(" ").includes(kind);
  }
  if (find.selectedOptions[0].disabled) find.value = "topics";
  for (const part of question.querySelectorAll("[data-kinds], [data-unless], [data-typed], [data-from]")) {
    if (part.tagName === "OPTION") continue;
    const fits = (!part.dataset.kinds || part.dataset.kinds.split(" ").includes(kind))
      && part.dataset.unless !== find.value
      && (!("typed" in part.dataset) || typed)
      && (!("from" in part.dataset) || !typed);
    part.hidden = !fits;
    for (const input of part.querySelectorAll("input, select")) input.disabled = !fits;
  }
}

// ── a slider beside every box that holds a single number ─────────────────────────────────────────────────────
function addSliders() {
  for (const box of question.querySelectorAll("[data-slider]")) {
    const [min, max, step] = box.dataset.slider.split(" ");
    const slider = Object.assign(document.createElement("input"), { type: "range", min, max, step });
    slider.setAttribute("aria-label", `${document.querySelector(`label[for=${box.id}]`).textContent}, slider`);
    const follow = () => {
      const shown = box.value || box.placeholder;
      if (shown !== "" && isFinite(shown)) slider.value = shown;
    };
    follow();
    slider.addEventListener(
      "input",
      () => { box.value = slider.value; box.dispatchEvent(new Event("input", { bubbles: true })); }
    );
    box.addEventListener("input", follow);
    box.insertAdjacentElement("afterend", slider);
  }
}

// ── the answer follows the form ──────────────────────────────────────────────────────────────────────────────
let latest = 0, moved = false;  // whether the form is ahead of the address
function address() {
  const settings = new URLSearchParams();
  for (const [name, value] of new FormData(question)) if (value !== "") settings.append(name, value);
  return `${question.getAttribute("action")}?${settings}`;
}
async function update(step) {
  const mine = ++latest, asked = address();
  const old = document.getElementById("result");
  if (old.dataset.job) fetch(
    `/api/jobs/${encodeURIComponent(old.dataset.job)}`,
    { method: "DELETE" }
  );  // nobody waits for it now
  old.classList.add("stale");
  try {
    const answer = await fetch(asked, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== latest) return;
    const fresh = page.getElementById("result");
    if (!fresh) { location.assign(asked); return; }
    const kept = document.querySelector("[data-kept]");  // a panel that leads from answer to answer
    document.getElementById("result").replaceWith(fresh);
    if (kept) fresh.querySelector("[data-kept]").replaceWith(kept);
    for (const name of ["chips"]) {
      const [now, next] = [document.getElementById(name), page.getElementById(name)];
      if (now && next) now.replaceWith(next);
    }
    if (location.pathname + location.search !== asked) history[step ? "pushState" : "replaceState"](null, "", asked);
    moved = false;
    watch();
  } catch {
    old.classList.remove("stale");  // the server is gone or busy; the old answer stays
    if (mine === latest) moved = false;
  }
}
if (question && question.classList.contains("live")) {
  const settings = question.closest(".settings"), name = `settings of ${location.pathname}`;
  if (settings) {  // who is trying values finds the form open after the page was loaded anew
    if (sessionStorage.getItem(name) === "open") settings.open = true;
    settings.addEventListener("toggle", () => sessionStorage.setItem(name, settings.open ? "open" : "closed"));
  }
  addSliders();
  arrange();
  let waiting = 0;
  question.addEventListener("input", (event) => {
    arrange();
    moved = true;
    clearTimeout(waiting);
    const typed = event.target.type === "range" || event.target.type === "text";
    waiting = setTimeout(update, typed ? 400 : 50, !typed);  // a choice is a step to come back to, typing is not
  });
  question.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(waiting); update(true); });
  addEventListener("popstate", () => location.reload());
} else if (question) {
  // Blank boxes stay out of the address.
  question.addEventListener("submit", (event) => {
    event.preventDefault();
    const start = event.submitter && event.submitter.name ? `&${event.submitter.name}=${event.submitter.value}` : "";
    location.assign(address() + start);
  });
}

// Back shows the form as the page was made, above the result that belongs to it.
addEventListener("pageshow", (event) => { if (event.persisted && question) question.reset(); });

// What is chosen in a short form applies at once.
for (const short of document.querySelectorAll("form.at-once")) {
  short.addEventListener("change", () => short.requestSubmit());
}

// A click elsewhere, or Escape, closes the list of datasets.
const which = document.querySelector(".which");
addEventListener("click", (event) => { if (!which.contains(event.target)) which.open = false; });
which.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { which.open = false; which.querySelector("summary").focus(); }
});

// ── a job is watched until it is done ────────────────────────────────────────────────────────────────────────
// The form may have more to choose from then; but what was chosen in it meanwhile stays, and its answer is on the way.
function finished() { if (!moved) location.reload(); }
async function watch() {
  const place = document.querySelector("[data-job]");
  if (!place) return;
  const id = place.dataset.job;
  while (document.contains(place)) {
    let job;
    try {
      const answer = await fetch(`/api/jobs/${encodeURIComponent(id)}`);
      if (!answer.ok) { finished(); return; }
      job = await answer.json();
    } catch {
      document.getElementById("job-text").textContent = "The server does not respond. Check that it is running.";
      return;
    }
    if (job.state === "cancelled") {
      document.getElementById("job-text").textContent = "Cancelled. Submit the form to start again.";
      return;
    }
    if (job.state !== "waiting" && job.state !== "running") { finished(); return; }
    const bar = document.getElementById("job-bar");
    if (job.total) bar.value = job.share;
    document.getElementById("job-text").textContent = job.state === "waiting"
      ? `Waiting for ${job.ahead} other computation${job.ahead === 1 ? "" : "s"}.`
      : !job.total
      ? "Preparing."
      : (job.stage ? `${job.stage}: ` : "")
        + `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")} done.`;
    await new Promise((done) => setTimeout(done, 400));
  }
}
watch();

// ── copying the source of a table ────────────────────────────────────────────────────────────────────────────
for (const source of document.querySelectorAll(".source")) {
  const text = source.querySelector("code"), label = source.querySelector("summary").textContent;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet copy" });
  button.textContent = `Copy ${label}`;
  button.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(text.textContent); button.textContent = `Copied ${label}`; } catch {
      source.open = true;  // no clipboard here: what is to be copied is marked
      getSelection().selectAllChildren(text);
    }
  });
  source.before(button);
}

// ── on paper ─────────────────────────────────────────────────────────────────────────────────────────────────
// A chart that paper would make so small that its text falls below 7 points is not printed; the page says so.
const PAPER = 920;
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("main details:not([open], .settings)")];
  for (const one of closed) one.open = true;  // paper has nothing to click
  for (const figure of document.querySelectorAll("figure")) figure.classList.toggle(
    "too-wide",
    (figure.querySelector("img") || {}).naturalWidth > PAPER
  );
});

addEventListener("afterprint", () => { for (const one of closed) one.open = false; });

// ── dropping files, on every page ────────────────────────────────────────────────────────────────────────────
const limit = () => Number(document.body.dataset.limit), PACKED = /\.(gz|bz2|xz|zst|zip|parquet|xls[xmb]?|ods)$/i;
const dropping = document.getElementById("dropping");
const inform = (text) => { dropping.textContent = text; dropping.hidden = !text; };
const megabytes = (size) => `${Math.ceil(size / 1e6)} MB`;

/** Files as [path, file]; folders with all that is in them. */
async function dropped(transfer) {
  const found = [];
  async function walk(entry) {
    if (entry.isFile) {
      found.push([entry.fullPath.replace(/^\//, ""), await new Promise((done, fail) => entry.file(done, fail))]);
    } else {
      const reader = entry.createReader();
      for (;;) {  // a folder is read in portions
        const some = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (!some.length) break;
        for (const one of some) await walk(one);
      }
    }
  }
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => [file.name, file]);
  for (const entry of entries) await walk(entry);
  return found;
}

/** The files small enough to be sent: as they are, or packed by the browser; null, and a remedy, otherwise. */
async function fitting(list) {
  const total = (some) => some.reduce((sum, [, file]) => sum + file.size, 0);
  if (total(list) <= limit()) return list;
  const packed = [];
  if (window.CompressionStream) for (const [path, file] of list) {
    inform(
      `${megabytes(total(list))} are more than the limit of ${megabytes(limit())}. `
        + `Compressing ${packed.length + 1} of ${list.length}.`
    );
    packed.push(PACKED.test(path) ? [path, file] : [
      `${path}.gz`, await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob()
    ]);
    if (total(packed) > limit()) break;
  }
  if (packed.length === list.length && total(packed) <= limit()) return packed;
  inform(
    `These files are ${megabytes(total(list))}, and too large also when compressed: the limit is ${megabytes(limit())}.`
    + " Send a .zip of fewer runs, or start with: cranfield serve QRELS RUNS, or cranfield serve --max-upload MB.");
  return null;
}

async function send(list, fields = []) {
  if (!list.length) { inform("Choose files or a folder first."); return; }
  const chosen = await fitting(list);
  if (!chosen) return;
  inform(`Sending ${chosen.length} file${chosen.length === 1 ? "" : "s"}.`);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const [path, file] of chosen) form.append("files", file, path);
  try {
    const answer = await fetch("/data", { method: "POST", body: form });
    if (answer.redirected) { location.assign(answer.url); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    inform((page.querySelector(".problem") || page.querySelector("main")).textContent.trim());
  } catch { inform("The server does not respond. Check that it is running."); }
}

const carriesFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
let over = 0;
addEventListener("dragenter", (event) => {
  if (!carriesFiles(event)) return;
  over++;
  inform("Drop files or a folder to add them.");
});
addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
addEventListener("dragleave", (event) => { if (carriesFiles(event) && --over <= 0) { over = 0; inform(""); } });
addEventListener("drop", (event) => {
  if (!carriesFiles(event) || (event.target.matches && event.target.matches("input[type=file]"))) return;
  event.preventDefault();
  over = 0;
  const upload = document.getElementById("upload");
  dropped(event.dataTransfer).then((list) => send(list, upload ? others(upload) : []));
});
const others = (form) => [...new FormData(form)].filter(([, value]) => typeof value === "string");
const upload = document.getElementById("upload");
if (upload) upload.addEventListener("submit", (event) => {
  event.preventDefault();
  const inputs = [...upload.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
  send(inputs.map((file) => [file.webkitRelativePath || file.name, file]), others(upload));
});
