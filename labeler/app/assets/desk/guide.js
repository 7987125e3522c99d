// The rail beside the cards: what the grades mean, the keys, the switches, and the way out.

const KEYS = [
  ["T", "can’t tell"],
  ["J", "next"],
  ["K", "back"],
  ["N", "next open"],
  ["U", "undo, last 20"],
  ["H", "mark words"],
  ["W", "write a note"],
  ["F", "find more"],
  ["S", "show all"],
  ["?", "guidelines"],
];

const KEYS_ADVICE =
  "The next text takes a grade once it has been in sight for a moment, so two quick presses grade one.";

function buildGuide(data, switches, missing, skip) {
  const guide = make("details", "guide");
  guide.open = true;
  const body = make("div", "guide-body");
  guide.append(make("summary", "", "How to judge, keys and switches"), body);
  body.append(
    section("What relevant means", writtenText(data.guidelines.text)),
    section("How to judge", meanings(data), make("p", "quiet", advice(data))),
    section("Keys", keyList(data), make("p", "quiet", KEYS_ADVICE)),
    section("View", ...switches.map(({ label }) => label)),
    section("Something missing?", missing),
    section("Something wrong with the query?", skip),
  );
  return guide;
}

// What relevant means, over the desk: at first entry, where it was changed since, and on "?".
function buildRules(data) {
  const { text, changed } = data.guidelines;
  const title = make("h2", "", "What relevant means");
  title.id = "rules-title";
  const button = makeButton("primary", "Go on to the texts");
  button.autofocus = true;
  const list = make("div", "finder-list", writtenText(text), make("h3", "", "Grades"), meanings(data));
  scrollable(list);
  const dialog = make("dialog", "finder rules", make("div", "finder-head", title));
  if (changed) dialog.append(make("p", "changed", changed));
  dialog.append(list, make("div", "row", button));
  dialog.setAttribute("aria-labelledby", title.id);
  button.addEventListener("click", () => dialog.close());
  return dialog;
}

function section(title, ...children) {
  return make("section", "", make("h2", "", title), ...children);
}

function meanings(data) {
  const list = make("dl", "meanings");
  for (const [grade, meaning] of data.scale) {
    const [name, rest] = splitMeaning(meaning);
    const text = make("dd", "", put(make("b"), name));
    if (rest) text.append(put(make("span"), rest));
    list.append(make("dt", "", keycap(String(grade))), text);
  }
  return list;
}

function advice(data) {
  const grades = data.scale.map(([grade]) => grade);
  const counts = grades.filter((grade) => grade >= data.least);
  const rule =
    grades.length > 2
      ? `Grade ${counts.length > 1 ? `${counts[0]} and above counts` : `${counts[0]} counts`} as relevant. `
      : "";
  return `${rule}Judge each text by itself. The order is shuffled; titles, ranks and scores are left out on purpose.`;
}

function keyList(data) {
  const digits = data.scale.map(([grade]) => grade).filter((grade) => grade < 10);
  const list = make("dl", "keys");
  const row = (keys, text) => list.append(make("dt", "", ...keys), make("dd", "", text));
  const inARow = digits.length > 2 && digits.at(-1) - digits[0] === digits.length - 1;
  if (inARow) row([keycap(digits[0]), "–", keycap(digits.at(-1))], "grade");
  else row(digits.map((digit) => keycap(digit)), "grade");
  for (const [key, text] of KEYS) row([keycap(key)], text);
  return list;
}

// A switch that this browser remembers, unless it is `forgetful`.
function buildSwitch(name, text, { initially, forgetful = false, onChange = () => {} }) {
  const key = `onecause/view/${name}`;
  const input = make("input");
  input.type = "checkbox";
  const kept = forgetful ? null : remembered(localStorage, key);
  input.checked = kept === null ? initially : kept === "on";
  input.addEventListener("change", () => {
    if (!forgetful) remember(localStorage, key, input.checked ? "on" : "off");
    onChange(input.checked);
  });
  return { input, label: make("label", "switch", input, text) };
}
