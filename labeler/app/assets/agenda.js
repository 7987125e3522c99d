// The queue: the query one was at, those still to judge, and those that are done. Each is a real
// link, which opens in a new tab as links do; a plain click stays in this session, which is faster.

export default function mount(component) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".agenda");
  const open = (id) => component.setStateValue("act", { open: id, press: newId() });
  const wanted = remembered(sessionStorage, "onecause/target");
  if (wanted !== null) {
    remember(sessionStorage, "onecause/target", null);
    open(wanted);
  }
  const parts = [];
  if (data.current) parts.push(currentCard(data.current, open));
  if (data.facts.length) parts.push(factLine(data.facts));
  parts.push(queryList("To judge", data.open, open));
  if (data.open.length === 0) parts.push(make("p", "quiet empty", data.nothing));
  if (data.done.length) parts.push(queryList("Done", data.done, open));
  if (data.others.length) parts.push(folded("Not assigned to you", data.others, open));
  root.replaceChildren(...parts);
}

function currentCard(query, open) {
  const link = queryLink(query, open, "button primary");
  link.replaceChildren(query.judged ? "Continue where you were" : "Start judging");
  const card = make("div", "current", put(make("h2"), query.text));
  if (query.need) card.append(make("p", "quiet", "Looking for: ", put(make("bdi"), query.need)));
  card.append(progress(query), link);
  return card;
}

function factLine(facts) {
  const line = make("dl", "facts");
  for (const [name, value] of facts) {
    line.append(make("div", "", make("dt", "", name), make("dd", "", value)));
  }
  return line;
}

// Queries that somebody else judges: out of the way, and still to be had.
function folded(title, queries, open) {
  const heading = `${title} (${queries.length.toLocaleString("en")})`;
  const details = make("details", "others", make("summary", "", heading));
  details.append(listOf(queries, open));
  return details;
}

function queryList(title, queries, open) {
  const heading = make("h2", "", `${title} `, make("span", "quiet", queries.length.toLocaleString("en")));
  return make("section", "", heading, listOf(queries, open));
}

function listOf(queries, open) {
  const list = make("ul", "queries");
  for (const query of queries) {
    const name = query.pool
      ? queryLink(query, open, "query")
      : put(make("span", "query"), query.text);
    list.append(make("li", "", name, make("span", "state", query.state), progress(query)));
  }
  return list;
}

function queryLink(query, open, className) {
  const link = put(make("a", className), query.text);
  link.href = `judge?q=${encodeURIComponent(query.id)}`;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(query.id);
  });
  return link;
}

function progress(query) {
  const bar = make("span", "bar", make("i"));
  bar.firstChild.style.width = `${query.pool ? (100 * query.judged) / query.pool : 0}%`;
  bar.setAttribute("aria-hidden", "true"); // the words beside it say the same
  return make("span", "progress", bar, make("span", "count", `${query.judged} of ${query.pool}`));
}
