const DEEPEST = 64;
/**
 * Values in one text, names not counted. Bytes do not bound the work: whatever looks at each value (schemas, guards,
 * the journal) costs far more for a value than for a character, and a value takes two characters.
 */
export const MOST_VALUES = 20_000;

/** Whether a JSON text holds more values than anybody needs. Reads each character once, and stops at the limit. */
export function hasTooManyValues(text: string): boolean {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ',' || character === '{' || character === '[') {
      values++;
      if (values > MOST_VALUES) return true;
    }
  }
  return false;
}

/**
 * What is wrong with a JSON text that parses: too many values, nested too deep, a name twice in one object (parsers disagree on which
 * counts, so a check and its use could see different values), or a name that reaches for a prototype.
 */
export function flawOf(text: string): string | undefined {
  if (hasTooManyValues(text)) return `contains more than ${MOST_VALUES.toLocaleString('en-US')} values`;
  const open: (Set<string> | undefined)[] = []; // names of each open object; undefined for a list
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
      case '[':
        open.push(text[at] === '{' ? new Set() : undefined);
        if (open.length > DEEPEST) return `is nested deeper than ${DEEPEST} levels`;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case '"': {
        const end = endOfString(text, at);
        const names = open.at(-1);
        if (names !== undefined && isName(text, end)) {
          const name = JSON.parse(text.slice(at, end + 1)) as string;
          if (name === '__proto__') return 'has a name that is not allowed';
          if (names.has(name)) return 'has a name twice in one object';
          names.add(name);
        }
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** In an object, a string before a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++;
  return text[at] === ':';
}
