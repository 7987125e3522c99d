// Brings the server's answer to the desk. A component of its own, so that the desk's data, with
// all its texts, stays the same from run to run and is not sent again.

export default function acknowledge({ data }) {
  window.dispatchEvent(new CustomEvent("onecause-acknowledged", { detail: data }));
}
