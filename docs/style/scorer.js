// Of pages with the same words, those that explain come before those that list or measure.
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => {
    if (/_tables$|^(benchmarks|validation|published|sigir2019|sentences|architecture|dependencies|governance)$/.test(docname)) return score / 4;
    if (/^_generated|^_api|^tutorial|_notebook$/.test(docname)) return score / 2;
    return docname === "questions" ? score * 1.5 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
