// The pieces of the desk as DOM: query bar, cards, finish panel, guide. They hold no state;
// desk.js paints them and input.js listens to them.

const UNSURE = "?";

// "Answers: someone could act on it" -> the name on the button and the rest for the guide.
function splitMeaning(meaning) {
  const at = meaning.indexOf(": ");
  return at > 0 ? [meaning.slice(0, at), meaning.slice(at + 2)] : [meaning, ""];
}

function buildBar(data) {
  const bar = make("header", "bar");
  const count = make("span", "count");
  const clock = make("span", "clock", "0:00");
  const remaining = make("span", "remaining");
  const saved = make("span", "saved", make("i"), make("span", "", "Saved"));
  const where = make("span", "where", make("span", "", data.where), put(make("bdi", "who"), data.who));
  const query = put(make("h1", "query"), data.query);
  query.id = "query";
  if (data.query.length > 160) {
    query.classList.add("long");
    scrollable(query);
  }
  const alert = make("p", "alert");
  alert.hidden = true;
  const ticks = make("div", data.chunks.length > 120 ? "ticks many" : "ticks");
  ticks.setAttribute("aria-hidden", "true"); // the count says the same in words
  for (let i = 0; i < data.chunks.length; i += 1) ticks.append(make("span"));
  const head = make("div", "head", make("div", "meta", where, count, clock, remaining, saved), query);
  bar.append(head);
  if (data.need) {
    const need = make("p", "need", "Looking for: ", put(make("bdi"), data.need));
    if (data.need.length > 200) scrollable(need);
    bar.append(need);
  }
  bar.append(alert, ticks);
  return { bar, head, query, count, clock, remaining, saved, alert, ticks: [...ticks.children] };
}

// What may scroll by itself must be within reach of the keyboard.
function scrollable(node) {
  node.tabIndex = 0;
}

function buildCard(data, index) {
  const place = `${index + 1} of ${data.chunks.length}`;
  const card = make("li", "card");
  card.tabIndex = -1;
  card.dataset.index = index;
  card.setAttribute("aria-label", `Text ${place}`);
  card.setAttribute("aria-describedby", `text-${index}`);
  const text = make("div", "text");
  text.id = `text-${index}`;
  text.lang = ""; // the page is in English, the chunk in a language we do not know
  const whole = data.chunks[index][1];
  showText(text, whole.length > data.fold ? beginning(whole, data.fold) : whole, null);
  const fold = makeButton("plain unfold", `Show all ${whole.length.toLocaleString("en")} characters`);
  fold.append(keycap("S"));
  fold.hidden = true;
  const position = make("div", "position", place);
  position.setAttribute("aria-hidden", "true");
  const grades = make("fieldset", "grades", make("legend", "unseen", `Grade for text ${place}`));
  for (const [grade, meaning] of data.scale) {
    const [name] = splitMeaning(meaning);
    grades.append(buildGrade(index, String(grade), name, grade < 10 ? String(grade) : ""));
  }
  grades.append(buildGrade(index, UNSURE, "Can’t tell", "T"));
  const refused = make("p", "refused");
  refused.hidden = true;
  const memo = make("div", "memo");
  card.append(make("div", "reading", text, fold), make("div", "side", position, grades, refused), memo);
  return { card, text, fold, memo, refused, inputs: [...grades.querySelectorAll("input")] };
}

function buildGrade(index, value, name, key) {
  const input = make("input");
  input.type = "radio";
  input.name = `grade-${index}`;
  input.value = value;
  if (key) input.setAttribute("aria-keyshortcuts", key);
  const face = make("span", "face", keycap(key || value), put(make("span", "name"), name));
  const label = make("label", value === UNSURE ? "grade unsure" : "grade", input, face);
  label.title = name;
  return label;
}

const WHY_NOTHING = [
  "The documents do not cover it",
  "Only fragments of an answer",
  "The query is unclear",
  "Another reason",
];

function buildFinish() {
  const panel = make("section", "finish");
  const title = make("h2");
  const text = make("p");
  const why = buildSelect("Why is nothing relevant?", WHY_NOTHING);
  const button = makeButton("primary");
  const list = make("ul");
  const review = make("div", "review", make("p"), list);
  review.hidden = true;
  panel.append(title, text, review, make("div", "row", why, button));
  return { panel, title, text, why, button, review, list };
}

// The way to what the pool missed.
function buildMissing() {
  const button = makeButton("plain", "Search all texts");
  button.append(keycap("F"));
  return { line: make("div", "missing", button), button };
}

const WHY_SKIP = [
  "The query is unclear",
  "It is outside my knowledge",
  "It is not a real query",
  "It holds personal data",
  "Another reason",
];

function buildSkip() {
  const why = buildSelect("Why skip it?", WHY_SKIP);
  const button = makeButton("plain", "Skip this query");
  button.disabled = true;
  const details = make("details", "skip", make("summary", "", "Skip this query, because …"));
  details.addEventListener("toggle", () => details.scrollIntoView({ block: "nearest" }));
  details.append(
    make("p", "quiet", "Skipping says nothing about the texts. Grades already given are kept."),
    make("div", "row", why, button),
  );
  return { details, why, button };
}

function buildSelect(label, choices) {
  const select = make("select");
  select.setAttribute("aria-label", label);
  for (const choice of ["", ...choices]) {
    const option = make("option", "", choice || label);
    option.value = choice;
    select.append(option);
  }
  return select;
}

function makeButton(kind, label = "") {
  const button = make("button", `button ${kind}`, label);
  button.type = "button";
  return button;
}
