// Painting: from what the desk knows to what is seen. Nothing here changes a text that the
// assessor reads, and nothing moves the page.

Object.assign(Desk.prototype, {
  paintStale() {
    for (const index of this.stale) this.paint(index);
    this.stale.clear();
    this.paintTotals();
    this.paintSaved();
    if (this.said) put(this.live, this.said);
    this.said = "";
  },

  paint(index) {
    const key = this.keys[index];
    const value = this.marks.get(key) ?? null;
    const active = index === this.active && !this.resting;
    const { card, inputs, refused, fold } = this.cards[index];
    fold.hidden = !this.isFolded(index);
    card.classList.toggle("active", active);
    card.classList.toggle("judged", value !== null);
    for (const input of inputs) {
      input.checked = input.value === value;
      input.parentElement.classList.toggle("given", input.checked);
      input.tabIndex = active ? 0 : -1;
    }
    put(refused, this.refusals.get(key) ?? "");
    refused.hidden = !this.refusals.has(key);
    this.paintMemo(index, active);
    const state = value === null ? "" : value === UNSURE ? "unsure" : "judged";
    this.bar.ticks[index].className = active ? `${state} active` : state;
  },

  // The note below a card: the way to write one where the card is active, else only its text.
  paintMemo(index, active) {
    const { memo } = this.cards[index];
    if (memo.querySelector("textarea")) return;
    const note = this.notes.get(this.keys[index]) ?? "";
    memo.replaceChildren();
    if (note) memo.append(put(make("p", "note"), note));
    if (!active) return;
    const button = makeButton("quiet", note ? "Change the note" : "Write a note");
    button.append(keycap("W"));
    button.addEventListener("click", () => this.openNote(index));
    memo.append(button);
  },

  openNote(index) {
    this.catchUp();
    const { memo, card } = this.cards[index];
    if (memo.querySelector("textarea")) return;
    const area = make("textarea");
    area.value = this.notes.get(this.keys[index]) ?? "";
    area.rows = 2;
    area.maxLength = 2000;
    area.dir = "auto";
    area.setAttribute("aria-label", `Note on text ${index + 1}`);
    const close = (keep) => {
      if (!area.isConnected) return;
      const text = area.value.trim();
      memo.replaceChildren();
      if (keep) this.writeNote(index, text);
      this.paint(index);
    };
    area.addEventListener("blur", () => close(true));
    area.addEventListener("keydown", (event) => {
      const done = event.key === "Enter" && (event.ctrlKey || event.metaKey);
      if (!done && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close(done);
      card.focus({ preventScroll: true });
    });
    memo.replaceChildren(area, make("p", "quiet", "Ctrl+Enter keeps it, Esc leaves it as it was."));
    area.focus({ preventScroll: true });
  },

  paintTotals() {
    const total = this.keys.length;
    const judged = this.keys.filter((key) => this.marks.has(key)).length;
    write(this.bar.count, `${judged} of ${total} judged`);
    this.paintTime(judged);
    const { title, text, why, button } = this.finish;
    this.paintReview(judged === total);
    const relevant = [...this.marks.values()].some((value) => Number(value) >= this.data.least);
    const ending = [...this.outbox.open.values()].some((event) => event.end);
    why.hidden = judged < total || relevant || this.over;
    if (this.over) {
      write(title, this.ended === "skipped" ? "You skipped this query" : "This query is finished");
      write(text, this.later());
      write(button, "Next query");
      button.disabled = false;
    } else if (judged < total) {
      write(title, `${plural(total - judged, "text")} still to judge`);
      write(text, "Every text needs a grade or “Can’t tell” before the query is finished.");
      write(button, "Go to the next open one");
      button.disabled = false;
    } else {
      write(title, `All ${total} judged`);
      write(
        text,
        relevant
          ? this.later()
          : "You found nothing relevant. Say why, so that the query can be mended or kept as unanswerable.",
      );
      write(button, ending ? "Saving …" : "Finish and go to the next query");
      button.disabled = ending || (!relevant && !why.value);
    }
  },

  // What becomes of changes from now on.
  later() {
    return this.data.frozen ?? "You can still change any grade until the labels are frozen.";
  },

  // What was marked as relevant, to be looked over before the query is finished.
  paintReview(whole) {
    const relevant = whole
      ? this.keys.filter((key) => Number(this.marks.get(key)) >= this.data.least)
      : [];
    const shown = relevant.map((key) => key + this.marks.get(key)).join();
    if (shown === this.reviewed) return;
    this.reviewed = shown;
    const { review, list } = this.finish;
    review.hidden = !relevant.length;
    write(review.firstChild, `You marked ${relevant.length === 1 ? "this one" : `these ${relevant.length}`} as relevant`);
    list.replaceChildren(
      ...relevant.map((key) => {
        const index = this.keys.indexOf(key);
        const button = makeButton("review-item");
        const start = put(make("span"), this.data.chunks[index][1].slice(0, 160));
        button.append(keycap(this.marks.get(key)), start);
        button.addEventListener("click", () => this.go(index));
        return make("li", "", button);
      }),
    );
  },

  // Time so far, and time to go at the assessor's own pace once there is one to speak of.
  paintTime(judged = this.keys.filter((key) => this.marks.has(key)).length) {
    const seconds = this.data.spent + this.clock.total;
    write(this.bar.clock, clockText(seconds));
    const open = this.keys.length - judged;
    const known = judged >= 5 && open > 0;
    write(this.bar.remaining, known ? `about ${clockText((seconds / judged) * open)} to go` : "");
  },

  paintSaved() {
    const { saved } = this.bar;
    const { state, size } = this.outbox;
    const text = {
      saved: "Saved",
      saving: "Saving",
      waiting: `${size} not saved yet. Keep this tab open`,
    }[state];
    if (saved.lastChild.textContent === text) return;
    const wasWaiting = saved.dataset.state === "waiting";
    saved.dataset.state = state;
    saved.lastChild.textContent = text;
    if (state === "waiting" && !wasWaiting) this.say(text);
    if (state === "saved" && wasWaiting) this.say("Everything is saved again.");
  },

  markWords(on) {
    this.switches.mark.input.checked = on;
    this.showTexts(this.cards.keys());
  },

  // The texts of some cards as they are to be seen: a long one folded, query words marked.
  showTexts(indices) {
    const pattern = this.switches.mark.input.checked ? queryWordPattern(this.data.query) : null;
    for (const index of indices) {
      const text = this.data.chunks[index][1];
      showText(this.cards[index].text, this.isFolded(index) ? beginning(text, this.data.fold) : text, pattern);
    }
  },

  alert(text) {
    if (this.bar.alert.textContent === text) return;
    put(this.bar.alert, text);
    this.bar.alert.hidden = !text;
    if (text) this.say(text);
  },

  say(text) {
    this.said = text;
    this.soon();
  },
});

// The beginning of a long text, to the last blank before its fold.
function beginning(text, length) {
  const end = text.lastIndexOf(" ", length);
  return `${text.slice(0, end > length / 2 ? end : length)} …`;
}

// A text of ours. One that stays as it is costs no layout.
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
