// Flips to read: a list of queries that were lost and won, and beside it one of them at length. On
// a narrow page either the list or the story is there.

const pages = new WeakMap(); // what is on the page, by its root

export default function mount(component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".flips");
  const page = pages.get(root) ?? { drafts: new Map(), filter: "", press: null, shown: null };
  pages.set(root, page);
  page.act = (more) => {
    page.press = newId();
    component.setStateValue("act", { ...more, press: page.press });
  };
  const text = JSON.stringify(data);
  if (page.shown === text) return;
  const before = page.data;
  page.shown = text;
  page.data = data;
  if (data.saved && data.saved.press === page.press) page.drafts.delete(data.saved.query);
  paint(root, page, before);
}

function paint(root, page, before) {
  const { data } = page;
  const scrolled = root.querySelector(".list")?.scrollTop ?? 0;
  root.classList.toggle("chosen", data.chosen);
  root.replaceChildren(
    filterRow(page),
    make("div", "pair", list(page), data.flip ? story(page) : nothing(data)),
  );
  showCurrent(root.querySelector(".list"), scrolled);
  if (!before) return;
  const filter = root.querySelector(`select[name="${page.filter}"]`);
  page.filter = "";
  const moved = data.chosen && (!before.chosen || before.flip?.id !== data.flip.id);
  if (filter) filter.focus();
  else if (moved) root.querySelector("h2.query").focus();
  else if (before.chosen && !data.chosen) root.querySelector(".list button")?.focus();
}

// Scrolls the list, and never the page with it, until the query that is open is in sight.
function showCurrent(frame, scrolled) {
  frame.scrollTop = scrolled;
  const current = frame.querySelector('[aria-current="true"]');
  if (!current) return;
  const [outer, inner] = [frame.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.bottom > outer.bottom) frame.scrollTop += inner.bottom - outer.bottom;
  else if (inner.top < outer.top) frame.scrollTop -= outer.top - inner.top;
}

function filterRow(page) {
  const { data, act } = page;
  const row = make("div", "filters");
  for (const { name, label, value, choices } of data.filters) {
    const select = make("select");
    select.name = name;
    select.setAttribute("aria-label", label);
    for (const [each, words, count] of choices) {
      const option = make("option", "", `${words} (${count.toLocaleString("en")})`);
      option.value = each;
      select.append(option);
    }
    select.value = value;
    select.addEventListener("change", () => {
      page.filter = name;
      act({ kind: "filter", name, value: select.value });
    });
    row.append(select);
  }
  return row;
}

function nothing(data) {
  return make("p", "quiet nothing", data.nothing);
}

function list({ data, act }) {
  const frame = make("nav", "list");
  frame.setAttribute("aria-label", "Flips");
  for (const [won, title] of [[false, "Lost"], [true, "Won"]]) {
    const rows = data.rows.filter((row) => row.won === won);
    if (!rows.length) continue;
    const count = make("span", "quiet", rows.length.toLocaleString("en"));
    const items = rows.map((row) => make("li", "", rowButton(row, row.id === data.flip?.id, act)));
    frame.append(make("h2", "", `${title} `, count), make("ul", "", ...items));
  }
  return frame;
}

function rowButton(row, current, act) {
  const button = make("button", row.read ? "flip read" : "flip");
  button.type = "button";
  if (current) button.setAttribute("aria-current", "true");
  const facts = [...(row.read ? ["Read"] : []), row.class, ...row.causes].join(", ");
  button.append(put(make("span", "words"), row.text), put(make("span", "quiet"), facts));
  button.addEventListener("click", () => act({ kind: "open", query: row.id }));
  return button;
}

function story(page) {
  const { flip } = page.data;
  const title = put(make("h2", "query"), flip.text);
  title.tabIndex = -1;
  const parts = [steps(page), savedLine(page), kicker(flip), title];
  if (flip.need) parts.push(make("p", "need", "Looking for: ", put(make("bdi"), flip.need)));
  parts.push(put(make("p", "said"), flip.said), figures(flip));
  parts.push(gold(flip.gold), outranking(flip.before), causes(flip), marking(page));
  return make("article", "", ...parts);
}

function steps({ data, act }) {
  const ids = data.rows.map((row) => row.id);
  const at = ids.indexOf(data.flip.id);
  const step = (label, to) => {
    const button = makeButton("quiet", label);
    button.disabled = to === undefined;
    button.addEventListener("click", () => act({ kind: "open", query: to }));
    return button;
  };
  const back = makeButton("quiet back", "All flips");
  back.addEventListener("click", () => act({ kind: "close" }));
  const place = at < 0 ? "" : `${at + 1} of ${ids.length}`;
  const next = step("Next", at < 0 ? ids[0] : ids[at + 1]);
  return make("p", "steps", back, step("Previous", ids[at - 1]), make("span", "quiet", place), next);
}

function savedLine({ data, press }) {
  const line = make("p", "saved");
  line.setAttribute("role", "status");
  if (!data.saved || data.saved.press !== press) return line;
  const words = data.saved.verdict === "read" ? " is marked as read." : " is marked as not read.";
  line.append("Saved: ", put(make("bdi"), data.saved.text), words);
  return line;
}

function kicker(flip) {
  const moved = make("span", flip.won ? "moved won" : "moved lost", flip.won ? "Won" : "Lost");
  const line = make("p", "kicker", moved, put(make("bdi", "quiet"), flip.class));
  line.append(put(make("bdi", "quiet"), flip.id));
  return line;
}

function figures({ arms, figures: rows }) {
  const head = make("tr", "", make("td"), ...arms.map((arm) => heading("col", arm)));
  const body = rows.map(([name, ...values]) =>
    make("tr", "", heading("row", name), ...values.map((value) => make("td", "", value))),
  );
  return make("table", "", make("thead", "", head), make("tbody", "", ...body));
}

function heading(scope, text) {
  const cell = put(make("th"), text);
  cell.scope = scope;
  return cell;
}

function section(title, ...parts) {
  return make("section", "", put(make("h3"), title), ...parts);
}

function gold(chunk) {
  const parts = [put(make("p", "quiet id"), chunk.id)];
  if (chunk.shut) parts.push(make("p", "", "Its document is held out and not opened."));
  else if (!chunk.known) parts.push(make("p", "", "Its text is not in this workspace’s snapshot."));
  else parts.push(...named(chunk), ...headers(chunk), put(make("div", "text"), chunk.text));
  if (chunk.others.length) {
    const others = chunk.others.map((id) => put(make("li"), id));
    const words = `${plural(chunk.others.length, "other gold chunk")} of this query`;
    parts.push(make("details", "", make("summary", "", words), make("ul", "", ...others)));
  }
  return section("The gold chunk", ...parts);
}

function named({ title, place }) {
  const parts = [];
  if (title) parts.push(put(make("p", "title"), title));
  if (place && place !== title) parts.push(put(make("p", "quiet"), place));
  return parts;
}

function headers(chunk) {
  return chunk.headers.map(([arm, text]) =>
    make("div", "header", put(make("span", "quiet"), `Header in ${arm}`), put(make("code"), text.replace(/\n$/, ""))),
  );
}

function outranking({ arm, rows }) {
  const title = `What ${arm} ranks before it, and the other arm does not`;
  if (!rows.length) {
    return section(title, make("p", "", "Nothing: what stands before it does so in both arms."));
  }
  const items = rows.map((chunk) => {
    const item = make("li", "", make("span", "rank", `Rank ${chunk.rank}`));
    const told = make("div", "", put(make("p", "quiet id"), chunk.id));
    if (chunk.shut) told.append(make("p", "", chunk.known ? "Its document is held out and not opened." : "Nothing is known of it here."));
    else {
      if (chunk.title) told.append(put(make("p", "title"), chunk.title));
      told.append(put(make("p", "first"), chunk.words), ...headers(chunk));
    }
    item.append(told);
    return item;
  });
  return section(title, make("ol", "before", ...items));
}

function causes(flip) {
  const title = "Guesses at the cause";
  if (!flip.causes.length) {
    const tried = flip.rules > 1;
    return section(title, make("p", "", tried ? "None of the rules fits." : "There is no guess."));
  }
  const list = make("dl", "causes");
  for (const [name, rule] of flip.causes) list.append(put(make("dt"), name), put(make("dd"), rule));
  return section(title, list);
}

function marking(page) {
  const { flip } = page.data;
  const history = make("ul", "marks");
  for (const [person, at, verdict, comment] of flip.marks) {
    const words = verdict === "read" ? ` read it, ${at} UTC` : ` marked it as not read, ${at} UTC`;
    const item = make("li", "", make("p", "quiet", put(make("bdi"), person), words));
    if (comment) item.append(put(make("p", "note"), comment));
    history.append(item);
  }
  const comment = make("textarea");
  comment.id = "comment";
  comment.rows = 3;
  comment.maxLength = 2000;
  comment.dir = "auto";
  comment.value = page.drafts.get(flip.id) ?? "";
  comment.addEventListener("input", () => page.drafts.set(flip.id, comment.value));
  const label = make("label", "", "Comment (may be left empty)");
  label.htmlFor = comment.id;
  const mark = (verdict) => () =>
    page.act({ kind: "mark", query: flip.id, verdict, comment: comment.value });
  const read = makeButton("primary", flip.read ? "Add the comment" : "Mark as read");
  read.addEventListener("click", mark("read"));
  const row = make("div", "row", read);
  if (flip.read) {
    const unread = makeButton("quiet", "Mark as not read");
    unread.addEventListener("click", mark("unread"));
    row.append(unread);
  }
  return section("Read by", ...(flip.marks.length ? [history] : [make("p", "quiet", "Nobody yet.")]), label, comment, row);
}
