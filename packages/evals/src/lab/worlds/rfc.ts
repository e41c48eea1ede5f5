import type { Questions } from 'flyball/testing/simulated';
import { mark } from './arithmetic.js';

/** W5: headers of real RFCs: number, title, and what it obsoletes. The graph says which one is current. */
const HEADERS: readonly (readonly [number: number, title: string, obsoletes: readonly number[]])[] = [
  [9110, 'HTTP Semantics', [7231]],
  [7231, 'Hypertext Transfer Protocol: Semantics and Content', [2616]],
  [2616, 'Hypertext Transfer Protocol 1.1', [2068]],
  [2068, 'Hypertext Transfer Protocol 1.1, first edition', []],
  [8446, 'The Transport Layer Security Protocol Version 1.3', [5246]],
  [5246, 'The Transport Layer Security Protocol Version 1.2', [4346]],
  [4346, 'The Transport Layer Security Protocol Version 1.1', [2246]],
  [2246, 'The TLS Protocol Version 1.0', []],
  [5322, 'Internet Message Format', [2822]],
  [2822, 'Internet Message Format, earlier edition', [822]],
  [822, 'Standard for the Format of ARPA Internet Text Messages', []],
  [5321, 'Simple Mail Transfer Protocol', [2821]],
  [2821, 'Simple Mail Transfer Protocol, earlier edition', [821]],
  [821, 'Simple Mail Transfer Protocol, first edition', []],
  [8259, 'The JavaScript Object Notation Data Interchange Format', [7159]],
  [7159, 'JavaScript Object Notation, earlier edition', [4627]],
  [4627, 'The application/json Media Type', []],
  [3986, 'Uniform Resource Identifier: Generic Syntax', [2396]],
  [2396, 'Uniform Resource Identifiers, earlier edition', []],
  [8200, 'Internet Protocol Version 6 Specification', [2460]],
  [2460, 'Internet Protocol Version 6, earlier edition', [1883]],
  [1883, 'Internet Protocol Version 6, first edition', []],
  [9293, 'Transmission Control Protocol', [793]],
  [793, 'Transmission Control Protocol, first edition', []],
  [9112, 'HTTP/1.1', [7230]],
  [7230, 'Hypertext Transfer Protocol 1.1: Message Syntax and Routing', []],
  [9113, 'HTTP/2', [7540]],
  [7540, 'Hypertext Transfer Protocol Version 2', []],
];

const successors = new Map(HEADERS.flatMap(([number, , obsoletes]) => obsoletes.map((old) => [old, number] as const)));
const OLD = HEADERS.map(([number]) => number).filter((number) => successors.has(number));

/** The document that stands at the end of the chain. */
export function currentOf(number: number): number {
  const next = successors.get(number);
  return next === undefined ? number : currentOf(next);
}

const oldOf = (item: number): number => OLD[item % OLD.length] ?? 0;

/** Which document obsoletes another one, asked by its number. */
export const rfcs: Questions & {
  readonly documents: readonly { readonly source: string; readonly text: string }[];
  /** The header that says so. */
  readonly fact: (item: number) => string;
  readonly old: (item: number) => number;
} = {
  ask: (item) => `${mark(item)}: which RFC obsoletes RFC ${oldOf(item)}?`,
  truth: (item) => String(successors.get(oldOf(item))),
  wrong: (item, n) => String(10_000 + oldOf(item) + n),
  old: oldOf,
  fact: (item) => `Obsoletes: RFC ${oldOf(item)}.`,
  documents: HEADERS.map(([number, title, obsoletes]) => ({
    source: `rfc${number}.txt`,
    text: `RFC ${number}. ${title}. ${obsoletes.map((old) => `Obsoletes: RFC ${old}.`).join(' ')}`.trim(),
  })),
};
