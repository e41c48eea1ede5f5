import { escapeItem, one } from './escapes.js';
import type { Source } from './source.js';
import { type Node, PatternError, type SetItem } from './syntax.js';

/** What follows `[`. A bracket that comes first is a member, and so is a hyphen at either end. */
export function parseSet(source: Source): Node {
  const negate = source.match('^');
  const items: SetItem[] = [];
  for (;;) {
    const token = member(source);
    if (token === ']' && items.length > 0) break;
    const item = itemOf(source, token);
    if (!source.match('-')) {
      items.push(item);
      continue;
    }
    const end = member(source);
    if (end === ']') {
      items.push(item, one(0x2d));
      break;
    }
    items.push(range(item, itemOf(source, end)));
  }
  return { kind: 'set', negate, items };
}

function member(source: Source): string {
  const token = source.get();
  if (token === undefined) throw new PatternError('unterminated character set');
  return token;
}

function itemOf(source: Source, token: string): SetItem {
  return token.startsWith('\\') ? escapeItem(source, token) : one(token.codePointAt(0) ?? 0);
}

function range(first: SetItem, last: SetItem): SetItem {
  if ('category' in first || 'category' in last || last.from < first.from)
    throw new PatternError('bad character range');
  return { from: first.from, to: last.from };
}
