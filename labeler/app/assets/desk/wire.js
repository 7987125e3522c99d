// The line between the desk and the server, both ways. A component of its own, because what
// answers a judgement is run and sent again at each one: with the desk in it, that would be all
// the texts. Short, because it travels along.

export default ({ data, setStateValue }) => {
  (window.onecauseWires ??= new Map()).set(data.desk, setStateValue);
  window.dispatchEvent(new CustomEvent("onecause-answer", { detail: data }));
  return () => window.onecauseWires.delete(data.desk);
};
