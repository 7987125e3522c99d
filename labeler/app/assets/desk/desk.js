// The judging desk: all chunks of one query, one of them active. It keeps what the assessor
// said so far, paints it, and hands every act to the outbox as an event:
//   {id, k, v, p, s, m, n}   chunk key, grade as text or "?" or null (undone), position shown,
//                            seconds since the chunk's last event, how it was done, note
//   {id, end, why}           through with the query: finished or skipped

const REST_MS = 900; // arrow keys pass over grades; what rests this long is meant
const GUARD_MS = 280; // the next card arrives under the pointer: no second click so soon
const SEEN_MS = 150; // the next card must have been on screen so long before a key grades it
const UNDOABLE = 20;
const UNANSWERED = 2; // messages, each of which waited for three seconds

class Desk {
  constructor(root, data) {
    this.root = root;
    this.data = { ...data, chunks: [...data.chunks] };
    this.keys = this.data.chunks.map(([key]) => key);
    this.marks = new Map(Object.entries(this.data.marks));
    this.notes = new Map(Object.entries(this.data.notes));
    this.stored = new Map(this.marks); // what the server is known to have
    this.ended = this.data.ended;
    this.active = 0;
    this.opened = new Set(); // long texts that are shown whole
    this.shownAt = 0; // when the active card came on the screen by itself
    this.refusals = new Map(); // reason by key
    this.stale = new Set(this.keys.keys()); // cards to paint anew
    this.clock = new ActiveClock();
    this.build();
    this.outbox = new Outbox({
      desk: this.data.desk,
      send: (attempt, events) => this.post(attempt, events),
      onChange: () => this.soon(),
      onSettled: (kept, lost) => this.settled(kept, lost),
      onPeerEvent: (event) => this.show(event),
      onPeerChunk: (chunk) => this.append(...chunk),
    });
    for (const event of this.outbox.open.values()) this.show(event);
    this.active = this.startingPoint();
    this.resting = this.nextOpen() < 0; // nothing is chosen, so keys grade nothing
    this.paintStale();
    this.unlisten = listen(this);
    this.start();
    this.outbox.post();
    const read = remembered(localStorage, `onecause/guidelines/${this.data.who}`);
    if (read !== this.data.guidelines.sha256) this.showRules();
    if (remembered(sessionStorage, UNDOING) === this.data.desk) this.undo();
    remember(sessionStorage, UNDOING, null);
  }

  // At the first chunk the page begins at its top, where a phone shows what is looked for. The
  // font may come after the texts and move them.
  start() {
    const settle = () => this.active > 0 && this.pinActive();
    settle();
    document.fonts.load('18px "Source Serif"').then(settle, () => {});
  }

  pinActive() {
    this.cards[this.active].card.scrollIntoView({ block: "start", behavior: "instant" });
  }

  // Where this tab was before a reload, else the first chunk without a grade.
  startingPoint() {
    const kept = remembered(sessionStorage, `onecause/${this.data.desk}/at`);
    if (kept !== null && Number(kept) < this.keys.length) return Number(kept);
    const open = this.keys.findIndex((key) => !this.marks.has(key));
    return Math.max(0, open);
  }

  build() {
    const { data } = this;
    this.bar = buildBar(data);
    this.cards = data.chunks.map((_, index) => buildCard(data, index));
    this.finish = buildFinish();
    this.skip = buildSkip();
    this.switches = {
      mark: buildSwitch("mark", "Mark query words", {
        initially: false,
        forgetful: true,
        onChange: (on) => this.markWords(on),
      }),
      fixed: buildSwitch("fixed", "Fixed-width text", {
        initially: false,
        onChange: (on) => this.root.classList.toggle("fixed", on),
      }),
      onward: buildSwitch("onward", "Go on after judging", { initially: true }),
      keys: buildSwitch("keys", "Single-letter keys", { initially: true }),
    };
    this.root.classList.toggle("fixed", this.switches.fixed.input.checked);
    const list = make("ol", "cards", ...this.cards.map(({ card }) => card));
    list.setAttribute("aria-labelledby", "query");
    this.finder = new Finder(this);
    this.searches = [buildMissing(), buildMissing()];
    this.finish.panel.append(this.searches[0].line);
    const { details } = this.skip;
    this.guide = buildGuide(data, Object.values(this.switches), this.searches[1].line, details);
    this.rules = buildRules(data);
    this.rules.addEventListener("close", () => this.rulesRead());
    this.live = make("div", "unseen");
    this.live.setAttribute("aria-live", "polite");
    const main = make("div", "main", list, this.finish.panel);
    const columns = make("div", "columns", main, this.guide);
    this.root.replaceChildren(this.bar.bar, columns, this.live, this.finder.parts.dialog, this.rules);
  }

  get activeKey() {
    return this.keys[this.active];
  }

  // What the time goes to.
  get attendedKey() {
    return this.finder.isOpen || this.rules.open ? SEARCHING : this.activeKey;
  }

  showRules() {
    this.settleArrow();
    this.clock.lap(this.activeKey);
    this.rules.showModal();
  }

  rulesRead() {
    this.clock.lap(SEARCHING);
    remember(localStorage, `onecause/guidelines/${this.data.who}`, this.data.guidelines.sha256);
  }

  // Moving

  go(index, { focus = true, scroll = true } = {}) {
    this.settleArrow();
    this.clock.lap(this.activeKey);
    this.stale.add(this.active);
    this.active = Math.max(0, Math.min(this.cards.length - 1, index));
    this.resting = false;
    this.shownAt = 0;
    this.stale.add(this.active);
    this.arrival = { focus, scroll };
    this.soon();
    remember(sessionStorage, `onecause/${this.data.desk}/at`, String(this.active));
  }

  // An act is known at once and seen a turn later, when its event is on the way: to send it takes
  // two milliseconds, to lay out the page anew ten. Both are in the same frame.
  soon() {
    this.turn ??= setTimeout(() => this.catchUp());
  }

  catchUp() {
    clearTimeout(this.turn);
    const { arrival } = this;
    const { card } = this.cards[this.active];
    this.turn = this.arrival = null;
    if (arrival && !arrival.scroll) keepInPlace(card, () => this.paintStale());
    else this.paintStale();
    if (arrival?.focus) card.focus({ preventScroll: true });
    if (arrival?.scroll) this.pinActive();
    if (arrival?.byItself) this.shownAt = performance.now();
  }

  nextOpen(from = this.active) {
    for (let step = 1; step <= this.keys.length; step += 1) {
      const index = (from + step) % this.keys.length;
      if (!this.marks.has(this.keys[index])) return index;
    }
    return -1;
  }

  // Nothing more is asked here: it was skipped, or finished and no chunk was added since.
  get over() {
    return this.ended === "skipped" || (Boolean(this.ended) && this.nextOpen() < 0);
  }

  goToNextOpen() {
    const index = this.nextOpen();
    if (index >= 0) this.go(index);
    else this.goToFinish();
    return index >= 0;
  }

  goToFinish() {
    this.resting = true;
    this.stale.add(this.active);
    this.catchUp();
    const { panel, button, why } = this.finish;
    panel.scrollIntoView({ block: "nearest", behavior: "instant" });
    (button.disabled ? why : button).focus({ preventScroll: true });
  }

  // Judging

  judge(index, value, how) {
    if (this.arrow?.index === index) this.dropArrow();
    else this.settleArrow();
    if (value !== UNSURE && this.isFolded(index)) {
      this.refuse(index, "Show the whole text before you grade it.");
      return;
    }
    const last = [this.data.desk, queryOfAddress(), this.keys[index]];
    const acts = [...lastActs(this.data.who), [...last, this.marks.get(this.keys[index]) ?? null]];
    rememberActs(this.data.who, acts.slice(-UNDOABLE));
    this.emit(index, value, how);
    const name = this.cards[index].inputs.find((input) => input.value === value)?.parentElement.title;
    this.say(`Text ${index + 1}: ${name}.`);
    if (!this.switches.onward.input.checked || how === "arrow") return;
    this.active = index;
    if (this.goToNextOpen()) {
      this.arrival.byItself = true;
      this.shownAt = Infinity;
    }
    this.guardUntil = performance.now() + GUARD_MS;
  }

  // By a digit or T. A second press so soon after the first was meant for the card before.
  judgeByKey(value, pressedAt) {
    if (this.resting) this.say("All are judged. Choose one to change its grade.");
    else if (pressedAt - this.shownAt >= SEEN_MS || !this.shownAt) this.judge(this.active, value, "key");
  }

  isFolded(index) {
    return this.data.chunks[index][1].length > this.data.fold && !this.opened.has(index);
  }

  unfold(index) {
    if (!this.isFolded(index)) return;
    this.opened.add(index);
    this.refusals.delete(this.keys[index]);
    this.showTexts([index]);
    this.stale.add(index);
    this.soon();
    this.say("The whole text is shown.");
  }

  refuse(index, reason) {
    this.refusals.set(this.keys[index], reason);
    this.stale.add(index);
    this.say(reason);
  }

  // Arrow keys in a group of grades move over them; only where they come to rest is stored.
  passOver(index, value) {
    this.dropArrow();
    this.arrow = { index, value, timer: setTimeout(() => this.settleArrow(), REST_MS) };
  }

  dropArrow() {
    clearTimeout(this.arrow?.timer);
    this.arrow = null;
  }

  settleArrow() {
    if (!this.arrow) return;
    const { index, value } = this.arrow;
    this.dropArrow();
    if (this.marks.get(this.keys[index]) !== value) this.judge(index, value, "arrow");
  }

  // The last acts of this tab. One on another query leads there first.
  undo() {
    this.settleArrow();
    const acts = lastActs(this.data.who);
    if (!acts.length) {
      this.say("There is nothing to undo.");
      return;
    }
    const [desk, query, key, value] = acts.at(-1);
    const index = this.keys.indexOf(key);
    if (desk !== this.data.desk && query) {
      remember(sessionStorage, UNDOING, desk);
      this.tell("next", { id: newId(), back: query });
      return;
    }
    rememberActs(this.data.who, acts.slice(0, -1));
    if (index < 0) return;
    this.emit(index, value, "undo");
    this.go(index);
    this.say(`Undone: text ${index + 1}.`);
  }

  // A note travels with the grade. Without a grade yet, it waits for it.
  writeNote(index, note) {
    const key = this.keys[index];
    if (note === (this.notes.get(key) ?? "")) return;
    this.notes.set(key, note);
    if (this.marks.has(key)) this.emit(index, this.marks.get(key), "note");
  }

  emit(index, value, how) {
    const key = this.keys[index];
    this.clock.lap(this.activeKey);
    const event = {
      id: newId(),
      k: key,
      v: value,
      p: index,
      s: this.clock.take(key),
      m: this.switches.mark.input.checked ? `${how}+marked` : how,
    };
    if (this.notes.has(key)) event.n = this.notes.get(key);
    this.outbox.add(event);
    this.show(event);
  }

  end(outcome, why) {
    this.settleArrow();
    this.outbox.add({ id: newId(), end: outcome, why });
  }

  // Asks the server for the next query.
  leave() {
    this.tell("next", newId());
  }

  // A server that was restarted while the line was cut may take what is sent and know nothing of
  // this page. Loading it anew helps; what is not saved waits in the browser's store.
  post(attempt, events) {
    const app = document.querySelector('[data-testid="stApp"]');
    const connected = app?.dataset.testConnectionState === "CONNECTED" && lines.has(this.data.desk);
    this.unanswered = connected ? (this.unanswered ?? 0) + 1 : 0;
    if (this.unanswered > UNANSWERED && !this.root.querySelector("textarea")) {
      this.reloading = true;
      location.reload();
      return;
    }
    this.tell("outbox", { attempt, events });
  }

  // Sets a state of the wire. A state and not a trigger: triggers can get lost. While there is
  // no wire yet, nothing is said; the wire's first answer makes up for it.
  tell(name, value) {
    lines.get(this.data.desk)?.(name, value);
  }

  // What happened: here, in another tab of this assessor, or before a reload

  show(event) {
    if (event.end) return;
    const index = this.keys.indexOf(event.k);
    if (index < 0) return;
    if (event.v === null) this.marks.delete(event.k);
    else this.marks.set(event.k, event.v);
    if (event.n !== undefined) this.notes.set(event.k, event.n);
    this.refusals.delete(event.k);
    this.stale.add(index);
    this.soon();
  }

  settled(kept, lost) {
    for (const { k, v, end } of kept) {
      if (k) this.stored.set(k, v);
      if (end) {
        this.ended = end;
        this.leave();
      }
    }
    for (const { event, reason } of lost) if (event.k) this.takeBack(event.k, reason);
    if (lost.length) this.alert(`${plural(lost.length, "act")} refused: ${lost[0].reason}`);
    else if (!this.trouble) this.alert("");
    this.soon();
  }

  takeBack(key, reason) {
    const index = this.keys.indexOf(key);
    if (index < 0) return;
    const value = this.stored.get(key) ?? null;
    if (value === null) this.marks.delete(key);
    else this.marks.set(key, value);
    this.refusals.set(key, `Not stored: ${reason}`);
    this.stale.add(index);
  }

  answered({ attempt, stored, refused, trouble, frozen }) {
    this.trouble = trouble;
    this.unanswered = 0;
    if (frozen) this.data.frozen = frozen;
    if (trouble) this.alert(trouble);
    this.outbox.settle({ stored, refused });
    if (attempt === 0) this.outbox.post(); // the wire has just come
  }

  close() {
    this.settleArrow();
    this.unlisten();
    this.finder.stop();
    this.outbox.close();
    clearTimeout(this.turn);
  }
}

// What can be undone: acts of this tab under one name, each as desk, query, key and what was there.
const UNDOING = "onecause/undoing";
const lastActs = (who) => JSON.parse(remembered(sessionStorage, `onecause/acts/${who}`) ?? "[]");
const rememberActs = (who, acts) =>
  remember(sessionStorage, `onecause/acts/${who}`, JSON.stringify(acts));
const queryOfAddress = () => new URLSearchParams(location.search).get("q");

// Runs a change of layout without moving the card under the reader's eyes.
function keepInPlace(card, change) {
  const before = card.getBoundingClientRect().top;
  change();
  const moved = card.getBoundingClientRect().top - before;
  if (moved) scrollerOf(card).scrollBy(0, moved);
}

function scrollerOf(node) {
  for (let at = node; at; at = at.parentNode ?? at.host) {
    if (at instanceof Element && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement;
}
