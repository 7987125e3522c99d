// Time spent judging, by chunk: only while the tab is visible and somebody was there. The
// last input keeps the clock going for 30 seconds; what comes after it is not counted.

const IDLE_MS = 30000;

class ActiveClock {
  constructor() {
    this.secondsByKey = new Map();
    this.total = 0;
    this.lastInput = this.lapStart = performance.now();
  }

  // Call at every sign of life, with the chunk that is being read.
  input(key) {
    this.lap(key);
    this.lastInput = performance.now();
  }

  // Adds the time since the last lap to a chunk.
  lap(key, { visible = document.visibilityState === "visible" } = {}) {
    const now = performance.now();
    const end = Math.min(now, this.lastInput + IDLE_MS);
    const seconds = visible ? Math.max(0, end - this.lapStart) / 1000 : 0;
    this.lapStart = now;
    this.total += seconds;
    this.secondsByKey.set(key, (this.secondsByKey.get(key) ?? 0) + seconds);
  }

  // Seconds on a chunk since this was last asked, so that the events of a chunk add up.
  take(key) {
    const seconds = this.secondsByKey.get(key) ?? 0;
    this.secondsByKey.set(key, 0);
    return Math.round(seconds * 10) / 10;
  }
}
