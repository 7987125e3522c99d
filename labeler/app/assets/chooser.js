// Who is there: a name from the workspace's list, or a new one. The browser remembers it in a
// cookie, because a cookie reaches the server with the first byte of the next visit, and after
// a restart of the server; localStorage would show this question first each time.

const YEAR_IN_SECONDS = 31536000;

export default function mount(component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".chooser");
  const choose = (name) => {
    const value = encodeURIComponent(name);
    document.cookie = `${data.cookie}=${value};path=/;max-age=${YEAR_IN_SECONDS};SameSite=Strict`;
    component.setStateValue("act", { name, press: newId() });
    document.activeElement?.blur(); // the desk's keys must not end up in the field
  };
  const names = make("div", "names");
  for (const name of data.names) {
    const button = put(makeNameButton(), name);
    button.addEventListener("click", () => choose(name));
    names.append(button);
  }
  const parts = [make("h2", "", data.question), make("p", "quiet", `${data.kept} This browser will remember it.`)];
  if (data.names.length) parts.push(names);
  if (data.trouble) parts.push(put(make("p", "alert"), data.trouble));
  root.replaceChildren(...parts, newName(data, choose));
}

function makeNameButton() {
  const button = make("button", "button");
  button.type = "button";
  return button;
}

function newName(data, choose) {
  const form = make("form", "row");
  const input = make("input");
  input.type = "text";
  input.maxLength = 80;
  input.autocomplete = "name";
  input.dir = "auto";
  input.id = "new-name";
  const label = make("label", "", data.names.length ? "Another name" : "Your name");
  label.htmlFor = input.id;
  const start = make("button", "button primary", "Start");
  start.disabled = true;
  input.addEventListener("input", () => {
    start.disabled = !input.value.trim();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) choose(input.value.trim());
  });
  form.append(label, input, start);
  return form;
}
