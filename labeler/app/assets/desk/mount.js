// Streamlit calls this at every run that changes something. The desk is built once a query
// and then left alone: only the way back to the server is taken from later calls.

const desks = new WeakMap();

export default function mount(component) {
  const root = component.parentElement.querySelector(".desk");
  const present = desks.get(root);
  if (present?.data.desk === component.data.desk) {
    present.component = component;
  } else {
    present?.close();
    desks.set(root, new Desk(root, component));
  }
  return () => {
    desks.get(root)?.close();
    desks.delete(root);
    root.replaceChildren();
  };
}
