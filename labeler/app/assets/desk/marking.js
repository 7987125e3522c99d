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

function showText(node, text, pattern) {
  put(node, text);
  if (pattern) wrapMatches(node, pattern, () => make("mark"));
}
