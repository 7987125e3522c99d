// Signing in leads away and back to the first page, without the query that was asked for. So it
// is kept in this tab, and the queue opens it.

export default function mount() {
  const wanted = new URLSearchParams(location.search).get("q");
  if (wanted) remember(sessionStorage, "onecause/target", wanted);
}
