// The desk's end of its wires. A wire hands itself over at every answer of the server, and may
// come before the desk's own script does.

const lines = (window.onecauseLines ??= new Map()); // how to set a state, by the wire's name

function takeUp({ data, setStateValue }) {
  lines.set(data.desk, setStateValue);
  window.dispatchEvent(new CustomEvent("onecause-answer", { detail: data }));
}

const early = window.onecauseWires;
window.onecauseWires = { push: takeUp };
if (Array.isArray(early)) early.forEach(takeUp);
