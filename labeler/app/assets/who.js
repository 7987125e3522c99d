// By which name somebody is here, and the way to change it.

export default function mount(component) {
  const { data, parentElement } = component;
  const line = parentElement.querySelector(".who");
  const parts = [make("span", "quiet", data.doing), put(make("bdi"), data.who)];
  if (data.change) {
    const change = make("button", "button quiet", data.change);
    change.type = "button";
    change.addEventListener("click", () => component.setStateValue("act", { press: newId() }));
    parts.push(change);
  }
  line.replaceChildren(...parts);
}
