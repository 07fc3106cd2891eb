// Small helps only: every page works without this file.
"use strict";

const question = document.getElementById("question");

// ── the design form shows what belongs to the chosen design ──────────────────────────────────────────────────
function arrange() {
  if (!document.getElementById("find")) return;  // only the design form has parts that come and go
  const kind = question.querySelector("[name=kind]:checked").value;
  const find = document.getElementById("find");
  for (const option of find.options) {
    option.hidden = option.disabled = !option.dataset.kinds.split(" ").includes(kind);
  }
  if (find.selectedOptions[0].disabled) find.value = "topics";
  const typed = document.getElementById("data").value === "";
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
    document.getElementById("result").replaceWith(fresh);
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
      : job.total ? `${job.stage ? `${job.stage}: ` : ""}${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")} done.` : "Preparing.";
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
const PAPER = 720;
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

// ── dropping files ───────────────────────────────────────────────────────────────────────────────────────────
// Files as they are, folders with all that is in them.
async function dropped(transfer) {
  const found = new DataTransfer();
  async function walk(entry) {
    if (entry.isFile) {
      found.items.add(await new Promise((done, fail) => entry.file(done, fail)));
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
  if (!entries.some((entry) => entry.isDirectory)) return transfer.files;
  for (const entry of entries) await walk(entry);
  return found.files;
}
const drop = document.getElementById("drop"), form = document.getElementById("upload");
if (drop && form) {
  const files = document.getElementById("files"), text = document.getElementById("upload-text");
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(
    kind,
    (event) => { event.preventDefault(); drop.classList.add("over"); }
  );
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    dropped(event.dataTransfer).then((list) => { files.files = list; form.requestSubmit(); });
  });
  form.addEventListener("submit", (event) => {
    const sent = [...files.files, ...document.getElementById("folder").files];
    if (!sent.length) { event.preventDefault(); text.textContent = "Choose files or a folder first."; return; }
    const size = sent.reduce((total, file) => total + file.size, 0);
    if (size > Number(form.dataset.limit)) {
      event.preventDefault();
      text.textContent = `These files are ${Math.ceil(size / 1e6)} MB; the limit is ${Math.floor(form.dataset.limit / 1e6)} MB.`
        + " Compress them, or start the server with a larger --max-upload.";
    } else {
      text.textContent = "Sending the files.";
    }
  });
}
