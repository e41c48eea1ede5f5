/**
 * `*` is any run of characters, `?` any single one, everything else itself. Not a regular expression: those are
 * matched here against text of a model, which could make one of them run for ever. This takes pattern times text.
 */
export function matchesText(pattern: string, text: string): boolean {
  let [at, inText, star, starAt] = [0, 0, -1, 0];
  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      starAt = inText;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[inText])) {
      at++;
      inText++;
    } else if (star >= 0) {
      at = star + 1; // only the last run takes one more character: earlier ones need not
      inText = ++starAt;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesText(pattern, text));
}
