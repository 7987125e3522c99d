// Shows facts, tables and checks whose texts may come from logs and corpora. Streamlit's own
// elements would read Markdown out of them, or draw them where they cannot be found or read aloud.

const BLOCKS = { numbers, facts, notes, table, checks, prose, written };

export default function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".sheet");
  root.replaceChildren(...data.map((block) => BLOCKS[block.kind](block)));
}

function numbers({ rows }) {
  const list = make("dl", "numbers");
  for (const [name, value] of rows) {
    list.append(make("div", "", put(make("dt"), name), put(make("dd"), value)));
  }
  return list;
}

function facts({ rows }) {
  const list = make("dl", "facts");
  for (const [name, value] of rows) list.append(put(make("dt"), name), put(make("dd"), value));
  return list;
}

function notes({ rows }) {
  return make("div", "notes", ...rows.map((text) => put(make("p", "quiet"), text)));
}

function table({ label, columns, rows }) {
  const head = make("tr");
  for (const { name, numeric } of columns) {
    const cell = put(make("th", numeric ? "numeric" : ""), name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = make("tbody");
  for (const row of rows) {
    const cells = row.map((value, at) => put(make("td", columns[at].numeric ? "numeric" : ""), value));
    body.append(make("tr", "", ...cells));
  }
  const frame = make("div", "frame", make("table", "", make("thead", "", head), body));
  frame.tabIndex = 0; // it may scroll sideways, so the keyboard must reach it
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  return frame;
}

const SIGNS = { good: "✓", care: "!", stop: "✕" };
const SIGN_NAMES = { good: "Fine", care: "Take care", stop: "In the way" };

function checks({ rows }) {
  const list = make("ul", "checks");
  for (const { mark, text, detail } of rows) {
    const sign = make("span", `sign ${mark}`, SIGNS[mark]);
    sign.setAttribute("role", "img");
    sign.setAttribute("aria-label", SIGN_NAMES[mark]);
    const words = make("div", "", put(make("p"), text));
    if (detail) words.append(put(make("p", "quiet"), detail));
    list.append(make("li", "", sign, words));
  }
  return list;
}

function written({ text }) {
  return writtenText(text);
}

// A whole document to read, which scrolls by itself; it starts at its top when it is another one.
function prose({ label, text }) {
  const frame = put(make("div", "prose"), text);
  frame.tabIndex = 0; // so that the keyboard can scroll it
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  return frame;
}
