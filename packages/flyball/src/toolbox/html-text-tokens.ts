import { decodeEntities } from './html-text-entities.js';

export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string };

/** What stands in these is no markup; only their own end tag ends them. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);
const MAX_ATTRIBUTES = 64;
const MAX_NAME = 64;

/**
 * The tokens of a page, however broken. Every character is looked at a bounded number of times: a construct without an
 * end takes the rest of the page with it, as it does in a browser, so nothing is searched for twice.
 */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) return yield { kind: 'text', text: decodeEntities(html.slice(at)) };
    if (open > at) yield { kind: 'text', text: decodeEntities(html.slice(at, open)) };
    const next = html[open + 1] ?? '';
    if (html.startsWith('<!--', open)) at = after(html, '-->', open + 4);
    else if (next === '!' || next === '?') at = after(html, '>', open + 2);
    else if (next === '/' && isLetter(html[open + 2])) {
      const end = after(html, '>', open + 2);
      yield { kind: 'close', name: nameAt(html, open + 2) };
      at = end;
    } else if (isLetter(next)) {
      const tag = readTag(html, open + 1);
      yield { kind: 'open', name: tag.name, attributes: tag.attributes };
      at = tag.end;
      if (RAW.has(tag.name)) {
        const close = endOfRaw(html, tag.name, at);
        if (tag.name === 'title' || tag.name === 'textarea')
          yield { kind: 'text', text: decodeEntities(html.slice(at, close)) };
        at = close;
      }
    } else {
      yield { kind: 'text', text: '<' };
      at = open + 1;
    }
  }
}

function after(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from);
  return found < 0 ? html.length : found + end.length;
}

function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function nameAt(html: string, from: number): string {
  let end = from;
  while (end < html.length && end - from < MAX_NAME && !/[\s/>]/.test(html[end] ?? '')) end++;
  return html.slice(from, end).toLowerCase();
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

function readTag(html: string, from: number): Tag {
  const name = nameAt(html, from);
  const attributes = new Map<string, string>();
  let at = from + name.length;
  while (at < html.length && html[at] !== '>') {
    if (isSpace(html[at]) || html[at] === '/') {
      at++;
      continue;
    }
    const key = readUntil(html, at, /[\s/>=]/);
    at = skipSpaces(html, key.end);
    let value = '';
    if (html[at] === '=') {
      const read = readValue(html, skipSpaces(html, at + 1));
      value = read.text;
      at = read.end;
    } else if (key.end === at && key.text === '') at++; // a stray character such as =
    // the first one counts, as in a browser: a second one could hide what the first one says
    const known = key.text.toLowerCase();
    if (attributes.size < MAX_ATTRIBUTES && known !== '' && !attributes.has(known)) attributes.set(known, value);
  }
  return { name, attributes, end: Math.min(at + 1, html.length) };
}

function readValue(html: string, from: number): { readonly text: string; readonly end: number } {
  const quote = html[from];
  if (quote !== '"' && quote !== "'") {
    const { text, end } = readUntil(html, from, /[\s>]/);
    return { text: decodeEntities(text), end };
  }
  const close = html.indexOf(quote, from + 1);
  const end = close < 0 ? html.length : close;
  return { text: decodeEntities(html.slice(from + 1, end)), end: Math.min(end + 1, html.length) };
}

function readUntil(html: string, from: number, stop: RegExp): { readonly text: string; readonly end: number } {
  let end = from;
  while (end < html.length && !stop.test(html[end] ?? '')) end++;
  return { text: html.slice(from, end), end };
}

function skipSpaces(html: string, from: number): number {
  let at = from;
  while (isSpace(html[at])) at++;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[a-zA-Z]/.test(character);
}
