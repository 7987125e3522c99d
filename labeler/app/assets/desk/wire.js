// The line between the desk and the server, both ways. A component of its own, because what
// answers a judgement is run and sent again at each one: with the desk in it, that would be all
// the texts. This file travels along each time; what it does is in line.js.

export default (wire) => {
  (window.onecauseWires ??= []).push(wire);
};
