// Looking for what the pool missed: a search over all texts, in a dialog above the desk. What is
// added goes to the end of the list; nothing that is there moves or is painted anew.

const TYPING_MS = 250;
const PREPARING_MS = 700;

class Finder {
  constructor(desk) {
    this.desk = desk;
    this.attempt = 0;
    this.asked = null; // when, while no answer has come
    this.answer = { text: "", results: [] };
    this.wanted = new Set(); // keys to add that the server has not confirmed
    this.parts = buildFinder();
    const { dialog, form, field, close } = this.parts;
    field.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.post(), TYPING_MS);
      this.paintStatus();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault(); // which would only empty the field
      dialog.close();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.post();
    });
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => this.closed());
    this.timer = setInterval(() => this.tick(), 200);
  }

  get isOpen() {
    return this.parts.dialog.open;
  }

  open() {
    if (this.isOpen) return;
    this.desk.settleArrow();
    this.desk.catchUp();
    this.desk.clock.lap(this.desk.activeKey);
    this.target = null;
    this.parts.dialog.showModal();
    this.parts.field.focus();
    this.parts.field.select();
    this.post(); // makes the index ready
  }

  closed() {
    this.desk.clock.lap(SEARCHING);
    this.desk.go(this.target ?? this.desk.active, { scroll: this.target !== null });
  }

  post() {
    clearTimeout(this.typing);
    this.attempt += 1;
    this.asked = performance.now();
    const message = { attempt: this.attempt, text: this.parts.field.value, adds: [...this.wanted] };
    lines.get(`${this.desk.data.desk}/search`)?.("search", message);
    this.paintStatus();
  }

  // Asks again when nothing was answered, and while the index is being made.
  tick() {
    if (!this.isOpen && this.wanted.size === 0) return;
    const now = performance.now();
    if (this.asked !== null && now - this.asked > RETRY_MS) this.post();
    else if (this.asked === null && now > this.again) this.post();
  }

  answered(answer) {
    for (const [key, text] of answer.added ?? []) {
      this.wanted.delete(key);
      this.desk.append(key, text);
    }
    for (const key of answer.unknown ?? []) this.wanted.delete(key);
    if (answer.attempt !== this.attempt) return;
    this.asked = null;
    this.again = answer.preparing === undefined ? Infinity : performance.now() + PREPARING_MS;
    const changed = JSON.stringify(answer.results) !== JSON.stringify(this.answer.results);
    this.answer = answer;
    if (answer.results && changed) this.paintResults();
    this.paintStates();
    this.paintStatus();
  }

  add(key) {
    this.wanted.add(key);
    this.post();
    this.paintStates();
  }

  paintResults() {
    const { results } = this.parts;
    this.hits = this.answer.results.map(([key, text]) => buildHit(key, text));
    for (const { key, button } of this.hits) button.addEventListener("click", () => this.press(key));
    results.replaceChildren(...this.hits.map(({ item }) => item));
    results.parentElement.scrollTop = 0;
  }

  press(key) {
    const index = this.desk.keys.indexOf(key);
    if (index < 0) {
      this.add(key);
      return;
    }
    this.target = index;
    this.parts.dialog.close();
  }

  paintStates() {
    for (const { key, item, state, button } of this.hits ?? []) {
      const index = this.desk.keys.indexOf(key);
      item.classList.toggle("here", index >= 0);
      state.textContent = index >= 0 ? `Text ${index + 1} of this query` : "";
      button.textContent = index >= 0 ? "Go to it" : "Add to this query";
      button.classList.toggle("quiet", index >= 0);
      if (index < 0 && this.wanted.has(key)) state.textContent = "Adding …";
      button.hidden = index < 0 && this.wanted.has(key);
      state.hidden = !state.textContent;
    }
  }

  paintStatus() {
    const text = this.statusText();
    if (this.parts.status.textContent !== text) put(this.parts.status, text);
  }

  statusText() {
    const { trouble, preparing, results, text, unknown } = this.answer;
    if (trouble) return trouble;
    if (preparing !== undefined) return `Getting the search ready: ${Math.round(100 * preparing)}%`;
    if (unknown?.length) return "This was not added. Search for it again.";
    if (!this.parts.field.value.trim()) return "Words in “quotes” must stand together.";
    if (this.asked !== null || text !== this.parts.field.value) return "Searching …";
    if (!results.length) return "No text has any of these words.";
    return results.length < 20 ? `${plural(results.length, "text")} found` : "The 20 best texts";
  }

  stop() {
    clearInterval(this.timer);
    clearTimeout(this.typing);
  }
}

function buildFinder() {
  const field = make("input");
  field.type = "search";
  field.id = "sought";
  field.dir = "auto";
  field.maxLength = 1000;
  field.autocomplete = "off";
  const label = make("label", "unseen", "Words to look for");
  label.htmlFor = field.id;
  const form = make("form", "row", label, field);
  const close = makeButton("plain", "Close");
  const title = make("h2", "", "Search all texts");
  title.id = "finder-title";
  const head = make("div", "finder-head", title, close);
  const status = make("p", "quiet");
  status.setAttribute("role", "status");
  const results = make("ol", "hits");
  results.setAttribute("aria-label", "Texts found");
  const list = make("div", "finder-list", results);
  scrollable(list);
  const dialog = make("dialog", "finder", head, make("p", "quiet", FINDER_ADVICE), form, status, list);
  dialog.setAttribute("aria-labelledby", title.id);
  return { dialog, form, field, close, status, results };
}

const FINDER_ADVICE =
  "Is there a text that should be judged for this query and is not among its own? " +
  "What you add comes last in your list and is judged by everybody.";
const SEARCHING = "searching"; // time in the dialog is the query's and no chunk's

function buildHit(key, text) {
  const body = put(make("div", "text"), text);
  body.lang = "";
  const state = make("span", "quiet");
  const button = makeButton("plain");
  return { key, item: make("li", "hit", body, make("div", "row", state, button)), state, button };
}

// A chunk that comes to the end of the list.
Object.assign(Desk.prototype, {
  append(key, text) {
    if (this.keys.includes(key)) return;
    this.data.chunks.push([key, text]);
    this.keys.push(key);
    const index = this.keys.length - 1;
    this.cards.push(buildCard(this.data, index));
    const tick = make("span");
    this.bar.ticks.push(tick);
    this.bar.ticks[0].parentElement.append(tick);
    this.cards[0].card.parentElement.append(this.cards[index].card);
    this.cards.forEach(({ card }, at) => this.paintPlace(card, at));
    this.stale.add(index);
    this.soon();
    this.outbox.tell({ chunk: [key, text] });
    this.say(`Added as text ${index + 1}.`);
  },

  paintPlace(card, index) {
    const place = `${index + 1} of ${this.keys.length}`;
    card.querySelector(".position").textContent = place;
    card.setAttribute("aria-label", `Text ${place}`);
    card.querySelector("legend").textContent = `Grade for text ${place}`;
  },
});
