import type { StreamState } from '../api/event-stream.js';
import type { ApiProblem } from '../api/problem.js';
import type { StreamEvent } from '../api/sse-parser.js';

/** What a tab and the hub say to each other. Plain data: it goes from one thread to another. */

/** `cards` tells of every run of the tenant, `run:<id>` every entry of one. */
export type Topic = 'cards' | `run:${string}`;

export interface Want {
  /** Given by the tab; the same topic wanted again after a mistake is another one. */
  readonly id: number;
  readonly topic: Topic;
  /** The last entry that is known already. */
  readonly lastId?: string;
}

/** All that a tab wants, said at every change and every few seconds: nothing has to be remembered between two of them. */
export type ToHub =
  | { readonly kind: 'want'; readonly key?: string | undefined; readonly wants: readonly Want[] }
  | { readonly kind: 'hurry' }
  | { readonly kind: 'leave' };

export type FromHub =
  | { readonly id: number; readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly id: number; readonly kind: 'state'; readonly state: StreamState; readonly why?: ApiProblem };

/** An event of one run in the stream of several. */
export interface RunEvent {
  readonly run: string;
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** As many as the server follows in one stream; more wait until others leave. */
const MOST_RUNS = 64;

/** One address for all of it. A run that several tabs follow is read from where the one stands that knows least. */
export function addressOf(wants: readonly { readonly topic: Topic; readonly lastId?: string | undefined }[]): string {
  const from = new Map<string, string | undefined>();
  for (const { topic, lastId } of wants) {
    if (topic === 'cards') continue;
    const run = topic.slice('run:'.length);
    const known = from.get(run);
    if (!from.has(run) || (known !== undefined && isAfter(known, lastId))) from.set(run, lastId);
  }
  const runs = [...from]
    .slice(0, MOST_RUNS)
    .map(([run, lastId]) => `${encodeURIComponent(run)}${lastId === undefined ? '' : `@${lastId}`}`)
    .join(',');
  const query = new URLSearchParams();
  if (runs !== '') query.set('runs', runs);
  if (!wants.some(({ topic }) => topic === 'cards')) query.set('cards', 'false');
  return query.size === 0 ? '/v1/events' : `/v1/events?${query}`;
}

/** Whether the one position, `generation.seq`, comes after the other; after none comes any. */
export function isAfter(position: string, other: string | undefined): boolean {
  if (other === undefined) return true;
  const [generation = 0, seq = 0] = position.split('.').map(Number);
  const [otherGeneration = 0, otherSeq = 0] = other.split('.').map(Number);
  return generation === otherGeneration ? seq > otherSeq : generation > otherGeneration;
}
