// One pair on which assessors differ. The text comes first; what the assessors gave appears once
// there is a grade of one's own, or when it is asked for.

const cases = new WeakMap(); // what is on the page, by its root
let current = null;
let listening = false;

export default function mount(component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".decide");
  const act = (more) => component.setStateValue("act", { ...more, press: newId() });
  let there = cases.get(root);
  if (!there || there.pair !== data.pair) {
    const before = there;
    there = data.pair ? buildCase(data) : { pair: null, node: nothingLeft(data) };
    there.undo = undoLine();
    root.replaceChildren(there.node, there.undo);
    cases.set(root, there);
    if (before?.pair) root.querySelector("h2")?.focus();
  }
  there.act = act;
  there.data = data;
  there.undo.hidden = !data.decided;
  there.undo.firstChild.onclick = () => act({ kind: "undo" });
  if (data.pair) paintCase(there);
  current = there;
  listenForKeys();
}

// The keys of the desk, unless they were switched off there.
function listenForKeys() {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", (event) => {
    if (!current?.pair || !current.node.isConnected || isTyping(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (remembered(localStorage, "onecause/view/keys") === "off") return;
    const key = event.key.toLowerCase();
    const input = current.inputs.find(({ value }) => value === (key === "t" ? UNSURE : key));
    if (!input) return;
    event.preventDefault();
    choose(current, input.value);
  });
}

function nothingLeft({ decided }) {
  const title = make("h2", "", "Nothing to decide");
  title.tabIndex = -1;
  const text = decided
    ? "Every pair on which assessors differ is decided."
    : "No two assessors gave different grades to the same chunk of a query.";
  return make("div", "", title, make("p", "quiet", text));
}

function undoLine() {
  return make("p", "undo", makeButton("quiet", "Undo the last decision"));
}

const TOOK_PART =
  "You are one of those who differ here. Read the text again as if it were new: your grade is not " +
  "chosen for you. The label set will say that one of them decided.";

function buildCase(data) {
  const title = put(make("h2", "query"), data.query);
  title.tabIndex = data.query.length > 160 ? 0 : -1;
  title.classList.toggle("long", data.query.length > 160);
  const place = make("p", "quiet place");
  const node = make("div", "", place, title);
  if (data.need) node.append(make("p", "need", "Looking for: ", put(make("bdi"), data.need)));
  if (data.took_part) node.append(make("p", "took-part", TOOK_PART));
  const { card, inputs } = buildPair(data);
  const panel = make("section", "panel");
  node.append(card, panel);
  const there = { pair: data.pair, node, place, inputs, panel, chosen: null, rule: "", note: "" };
  for (const input of inputs) input.addEventListener("change", () => choose(there, input.value));
  return there;
}

function buildPair(data) {
  const text = put(make("div", "text"), data.text);
  text.lang = "";
  const grades = make("fieldset", "grades", make("legend", "unseen", "Your decision"));
  for (const [grade, meaning] of data.scale) {
    grades.append(buildGrade(0, String(grade), splitMeaning(meaning)[0], grade < 10 ? String(grade) : ""));
  }
  grades.append(buildGrade(0, UNSURE, "Can’t tell", "T"));
  const card = make("div", "card active", text, make("div", "side", grades));
  return { card, inputs: [...grades.querySelectorAll("input")] };
}

function choose(there, value, rule = "") {
  there.chosen = value;
  there.rule = rule;
  if (!there.data.theirs) there.act({ kind: "see" });
  paintCase(there);
}

function paintCase(there) {
  const { data, place, inputs, panel } = there;
  place.textContent = `${plural(data.left, "pair")} to decide`;
  for (const input of inputs) {
    input.checked = input.value === there.chosen;
    input.parentElement.classList.toggle("given", input.checked);
  }
  if (!data.theirs) {
    if (!panel.childNodes.length) panel.append(...shutParts(there));
    return;
  }
  if (!there.button) {
    panel.replaceChildren(...openParts(there));
    there.live.textContent = "What they gave is shown.";
  }
  there.button.disabled = there.chosen === null;
  there.by.value = there.rule;
}

function shutParts(there) {
  const see = makeButton("plain", "Show what they gave");
  see.addEventListener("click", () => there.act({ kind: "see" }));
  const advice = "Read the text and give your own grade; then you see what the assessors gave.";
  return [make("p", "quiet", advice), make("div", "row", see, laterButton(there))];
}

function laterButton(there) {
  const later = makeButton("quiet", "Later");
  later.addEventListener("click", () => there.act({ kind: "later" }));
  return later;
}

function openParts(there) {
  const { data } = there;
  const list = make("dl", "theirs");
  for (const [name, grade, note] of data.theirs) {
    const said = make("dd", "", put(make("span"), grade));
    if (note) said.append(put(make("p", "note"), note));
    list.append(put(make("dt"), name), said);
  }
  there.by = buildRules(there);
  const note = make("textarea");
  note.rows = 2;
  note.maxLength = 2000;
  note.dir = "auto";
  note.id = "why";
  note.addEventListener("input", () => {
    there.note = note.value;
  });
  there.button = makeButton("primary", "Record the decision");
  there.button.addEventListener("click", () =>
    there.act({ kind: "decide", value: there.chosen, rule: there.rule, note: there.note }),
  );
  there.live = make("p", "unseen");
  there.live.setAttribute("role", "status");
  return [
    make("h3", "", "What they gave"),
    list,
    make("div", "fields", labelled("Decided by", there.by), labelled("Note (may be left empty)", note)),
    make("div", "row", there.button, laterButton(there)),
    there.live,
  ];
}

function buildRules(there) {
  const select = make("select");
  select.id = "by";
  const own = make("option", "", "My own reading");
  own.value = "";
  select.append(own);
  for (const [rule, name, grade] of there.data.rules) {
    const option = make("option", "", `${name}: ${grade}`);
    option.value = rule;
    select.append(option);
  }
  select.addEventListener("change", () => {
    const found = there.data.rules.find(([rule]) => rule === select.value);
    choose(there, found ? found[2] : there.chosen, select.value);
  });
  return select;
}

function labelled(text, control) {
  const label = make("label", "", text);
  label.htmlFor = control.id;
  return make("div", "field", label, control);
}
