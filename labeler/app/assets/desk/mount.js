// Streamlit calls this at every run of the page. The desk is built once a query and then left
// alone: a later run never touches what the assessor reads.

const desks = new WeakMap();

export default function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".desk");
  const present = desks.get(root);
  if (present?.data.desk !== data.desk) {
    present?.close();
    desks.set(root, new Desk(root, data));
  }
  return () => {
    desks.get(root)?.close();
    desks.delete(root);
    root.replaceChildren();
  };
}
