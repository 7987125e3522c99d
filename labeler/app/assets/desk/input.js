// Hands and keys. Single-letter keys listen on the whole document, so that one need not focus
// anything first; they stay silent in text fields, under dialogs and with any modifier, and can
// be switched off (WCAG 2.1.4). C and R are Streamlit's own and not used here.

// Connects a desk to the page and returns what undoes it.
function listen(desk) {
  const off = new AbortController();
  const on = (target, type, act, options = {}) =>
    target.addEventListener(type, act, { signal: off.signal, ...options });
  const alive = () => desk.clock.input(desk.attendedKey);
  for (const type of ["pointermove", "pointerdown", "wheel", "keydown", "touchmove"]) {
    on(document, type, alive, { passive: true, capture: true });
  }
  on(document, "keydown", (event) => onKey(desk, event));
  on(document, "visibilitychange", () => {
    desk.clock.lap(desk.attendedKey, { visible: document.visibilityState === "hidden" });
    if (document.visibilityState === "hidden") desk.settleArrow();
  });
  on(window, "pagehide", () => desk.settleArrow());
  on(window, "beforeunload", (event) => {
    desk.settleArrow();
    if (desk.outbox.size && !desk.reloading) event.preventDefault();
  });
  on(window, "onecause-answer", ({ detail }) => {
    if (detail.desk === desk.data.desk) desk.answered(detail);
    if (detail.desk === `${desk.data.desk}/search`) desk.finder.answered(detail);
  });
  listenToCards(desk, on);
  listenToPanels(desk, on);
  const unpin = pin(desk);
  const timer = setInterval(() => {
    desk.clock.lap(desk.attendedKey);
    desk.paintTime();
  }, 1000);
  return () => {
    off.abort();
    unpin();
    clearInterval(timer);
  };
}

function listenToCards(desk, on) {
  let how = "key"; // by what the next change of a radio button was made
  let blocked = false;
  const cardOf = (event) => event.target.closest?.(".card");
  on(desk.root, "pointerdown", (event) => {
    how = event.pointerType === "mouse" ? "click" : event.pointerType || "click";
    blocked = Boolean(cardOf(event)) && performance.now() < (desk.guardUntil ?? 0);
  }, { capture: true });
  on(desk.root, "click", (event) => {
    if (!blocked) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  on(desk.root, "keydown", (event) => {
    how = event.key.startsWith("Arrow") ? "arrow" : "key";
    blocked = false;
  }, { capture: true });
  on(desk.root, "click", (event) => {
    const card = cardOf(event);
    if (!card) return;
    if (event.target.closest(".unfold")) desk.unfold(Number(card.dataset.index));
    if (Number(card.dataset.index) === desk.active && !desk.resting) return;
    // On a card that is judged even its one grade only opens it: the others are hidden there.
    if (event.target.closest("label") && !card.classList.contains("judged")) return;
    desk.go(Number(card.dataset.index), { scroll: false });
  });
  on(desk.root, "change", (event) => {
    const card = cardOf(event);
    if (!card || event.target.type !== "radio") return;
    const index = Number(card.dataset.index);
    if (how === "arrow") {
      desk.passOver(index, event.target.value);
    } else {
      if (index !== desk.active) desk.go(index, { scroll: false, focus: false });
      desk.judge(index, event.target.value, how);
    }
  });
  on(desk.root, "focusout", (event) => {
    if (desk.arrow && !cardOf(event)?.contains(event.relatedTarget)) desk.settleArrow();
  });
}

function listenToPanels(desk, on) {
  const { finish, skip, searches } = desk;
  for (const { button } of searches) on(button, "click", () => desk.finder.open());
  on(finish.why, "change", () => desk.paintTotals());
  on(finish.button, "click", () => {
    if (desk.over) desk.leave();
    else if (desk.nextOpen() >= 0) desk.goToNextOpen();
    else desk.end("finished", finish.why.hidden ? null : finish.why.value);
  });
  on(skip.why, "change", () => {
    skip.button.disabled = !skip.why.value;
  });
  on(skip.button, "click", () => {
    skip.button.disabled = true;
    desk.end("skipped", skip.why.value);
  });
}

function onKey(desk, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  if (!desk.switches.keys.input.checked || isTyping(event)) return;
  if (desk.finder.isOpen || desk.rules.open || document.querySelector('[role="dialog"]')) return;
  const act = actOf(desk, event.key.toLowerCase(), event.timeStamp);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

function actOf(desk, key, pressedAt) {
  if (desk.data.scale.some(([grade]) => grade < 10 && String(grade) === key)) {
    return () => desk.judgeByKey(key, pressedAt);
  }
  return {
    t: () => desk.judgeByKey(UNSURE, pressedAt),
    j: () => desk.go(desk.active + (desk.resting ? 0 : 1)),
    k: () => desk.go(desk.active - (desk.resting ? 0 : 1)),
    s: () => desk.unfold(desk.active),
    u: () => desk.undo(),
    n: () => desk.goToNextOpen(),
    h: () => desk.markWords(!desk.switches.mark.input.checked),
    w: () => desk.resting || desk.openNote(desk.active),
    f: () => desk.finder.open(),
    "?": () => desk.showRules(),
  }[key];
}

// Keeps the measures for what is pinned: the app's own header, then the query.
function pin(desk) {
  const { bar, head } = desk.bar;
  const measure = () => {
    const header = document.querySelector('[data-testid="stHeader"]');
    const pinned = getComputedStyle(bar).display === "contents" ? head : bar;
    desk.root.style.setProperty("--top", `${header?.getBoundingClientRect().height ?? 0}px`);
    desk.root.style.setProperty("--pinned", `${pinned.getBoundingClientRect().height}px`);
  };
  const observer = new ResizeObserver(measure);
  observer.observe(bar);
  observer.observe(head);
  const narrow = matchMedia("(max-width: 1080px)");
  const fold = () => {
    desk.guide.open = !narrow.matches;
    measure();
  };
  narrow.addEventListener("change", fold);
  fold();
  return () => {
    observer.disconnect();
    narrow.removeEventListener("change", fold);
  };
}
