// What all parts of the pages share. Texts that are not ours (chunks, queries, needs, names,
// notes) enter the page through put() alone: as text, never as markup.

// Controls that a reader cannot see, and the overrides that would turn the rest of a line around.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/gu;
const DIRECTION_NAMES = {
  "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
  "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
};

function make(tag, className = "", ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

// Shows `text` literally in `node` and returns the node. Each hidden control gets a visible mark
// and a box of its own, out of which it cannot reorder its neighbours. The mark is drawn by
// the style sheet, so the node's textContent stays equal to the text.
function put(node, text) {
  node.textContent = text;
  node.dir = "auto";
  wrapMatches(node, HIDDEN, (found) => {
    const box = make("span", "control");
    box.dataset.name = controlName(found);
    return box;
  });
  return node;
}

function controlName(character) {
  const code = character.codePointAt(0);
  return DIRECTION_NAMES[character] ?? String.fromCodePoint(code === 0x7f ? 0x2421 : 0x2400 + code);
}

// Wraps every match of a global pattern inside `node` by splitting its text nodes.
function wrapMatches(node, pattern, makeWrapper) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    for (const match of [...text.data.matchAll(pattern)].reverse()) {
      const found = text.splitText(match.index);
      found.splitText(match[0].length);
      const wrapper = makeWrapper(match[0]);
      found.replaceWith(wrapper);
      wrapper.append(found);
    }
  }
}

// A text in plain Markdown: headings, lists and paragraphs; all else stands as it was typed.
function writtenText(text) {
  const box = make("div", "written");
  let open = null; // the paragraph or list that the next line goes on with
  for (const line of text.split("\n")) {
    const [, sign, rest] = line.match(/^(#+|[-*]) +(.*)/) ?? [null, "", line];
    if (!line.trim() || sign.startsWith("#")) open = null;
    if (sign.startsWith("#")) box.append(put(make("p", "heading"), rest));
    else if (sign) {
      if (open?.tagName !== "UL") box.append((open = make("ul")));
      open.append(put(make("li"), rest));
    } else if (line.trim()) {
      if (!open) box.append((open = make("p")));
      const last = open.tagName === "UL" ? open.lastChild : open;
      put(last, `${last.textContent} ${line.trim()}`.trim());
    }
  }
  return box;
}

function keycap(label) {
  const cap = make("kbd", "", label);
  cap.setAttribute("aria-hidden", "true"); // the name of the control says what the key does
  return cap;
}

function clockText(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

// 96 random bits. crypto.randomUUID is missing on plain http, where a proxy may put us.
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

// A browser may forbid storage altogether; then we do without and lose only comfort.
function remembered(store, key) {
  try {
    return store.getItem(key);
  } catch {
    return null;
  }
}

function remember(store, key, value) {
  try {
    if (value === null) store.removeItem(key);
    else store.setItem(key, value);
  } catch {
    // see above
  }
}

function isTyping(event) {
  const target = event.composedPath()[0];
  if (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  return target.tagName === "INPUT" && !/^(radio|checkbox)$/.test(target.type);
}
