// Events that the server has not acknowledged. Each stands under its own key in localStorage
// before it is sent, so tabs never overwrite each other's, and a closed tab's events are
// sent by whichever tab of this desk is open next. One message is in flight at a time and holds
// everything open; the server stores by event id, so sending twice does no harm.

const RETRY_MS = 3000;
const WORRY_MS = 2500; // after this long "Saving" becomes "not saved yet"
const MOST_IN_A_MESSAGE = 200;

class Outbox {
  constructor({ desk, send, onChange, onSettled, onPeerEvent, onPeerChunk }) {
    Object.assign(this, { send, onChange, onSettled, onPeerEvent, onPeerChunk });
    this.prefix = `onecause/${desk}/event/`;
    this.open = new Map(); // event by id, oldest first
    this.flight = null;
    this.attempt = 0;
    this.openSince = 0;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(this.prefix) : null;
    if (this.channel) this.channel.onmessage = ({ data }) => this.hear(data);
    this.adopt(0);
    this.timer = setInterval(() => this.tick(), 500);
  }

  get size() {
    return this.open.size;
  }

  get state() {
    if (this.size === 0) return "saved";
    return performance.now() - this.openSince > WORRY_MS ? "waiting" : "saving";
  }

  add(event) {
    this.keep(event);
    remember(localStorage, this.prefix + event.id, JSON.stringify({ at: Date.now(), event }));
    this.tell({ added: event });
    if (!this.flight) this.post();
    this.onChange();
  }

  // Takes over what stands in the store: after a reload, or from a tab that was closed.
  adopt(leastAge) {
    this.lastLook = performance.now();
    const found = [];
    for (const key of storedKeys(this.prefix)) {
      const entry = JSON.parse(remembered(localStorage, key) ?? "null");
      const old = entry && Date.now() - entry.at >= leastAge;
      if (old && !this.open.has(entry.event.id)) found.push(entry);
    }
    found.sort((a, b) => a.at - b.at);
    for (const { event } of found) this.keep(event);
    return found.map(({ event }) => event);
  }

  keep(event) {
    if (this.size === 0) this.openSince = performance.now();
    this.open.set(event.id, event);
  }

  post() {
    if (this.size === 0) return;
    this.attempt += 1;
    this.flight = performance.now();
    this.send(this.attempt, [...this.open.values()].slice(0, MOST_IN_A_MESSAGE));
  }

  // The server's answer: ids that are on disk, and [id, reason] of those that never will be.
  settle({ stored, refused }, { heardFromPeer = false } = {}) {
    const kept = stored.map((id) => this.release(id)).filter(Boolean);
    const lost = refused
      .map(([id, reason]) => ({ event: this.release(id), reason }))
      .filter(({ event }) => event);
    if (kept.length + lost.length === 0) return;
    this.openSince = performance.now();
    if (!heardFromPeer) this.tell({ stored, refused });
    this.flight = null;
    this.post();
    this.onSettled(kept, lost);
    this.onChange();
  }

  release(id) {
    const event = this.open.get(id);
    this.open.delete(id);
    remember(localStorage, this.prefix + id, null);
    return event;
  }

  tell(message) {
    this.channel?.postMessage(message);
  }

  hear(message) {
    if (message.chunk) this.onPeerChunk(message.chunk);
    else if (message.added) this.onPeerEvent(message.added);
    else this.settle(message, { heardFromPeer: true });
  }

  tick() {
    const now = performance.now();
    if (now - this.lastLook > RETRY_MS) this.adopt(RETRY_MS).forEach(this.onPeerEvent);
    if (!this.flight || now - this.flight > RETRY_MS) this.post();
    this.onChange();
  }

  close() {
    clearInterval(this.timer);
    this.channel?.close();
  }
}

function storedKeys(prefix) {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}
