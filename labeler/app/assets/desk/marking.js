// Marking the words of the query in a text. Off at first, since it draws the eye away from
// what the text says; whether it was on is stored with every grade.

const TOO_COMMON = new Set(
  ("a an and are as at be before by can do does for from have how i if in is it me my need no not " +
    "of on or our so that the their them this to was we what when where which who why will with " +
    "you your").split(" "),
);

// A pattern for the telling words of the query, or null when it has none.
function queryWordPattern(query) {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const telling = [...words].filter((word) => !TOO_COMMON.has(word));
  if (telling.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${telling.join("|")})(?![\\p{L}\\p{N}])`, "giu");
}

const BLOCK = 20000; // characters; what is out of sight of a longer text is not laid out

function showText(node, text, pattern) {
  if (text.length <= BLOCK) put(node, text);
  else node.replaceChildren(...inBlocks(text).map((each) => put(make("div", "block"), each)));
  if (pattern) wrapMatches(node, pattern, () => make("mark"));
}

// Pieces of a text that end where a line does, or a word, if they can.
function inBlocks(text) {
  const pieces = [];
  for (let at = 0; at < text.length; ) {
    const last = ["\n", " "].map((end) => text.lastIndexOf(end, at + BLOCK)).find((end) => end > at);
    const end = at + BLOCK >= text.length ? text.length : (last ?? at + BLOCK - 1) + 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
