import { isWithin, type Principal, reachOf } from '../access/principal.js';
import { runCardSchema, STATUSES } from '../contract/resources.js';
import { type Route, route, type ServerRequest } from '../contract/route.js';
import { s } from '../contract/schema.js';
import { eventText, namedEvent, runEventText } from '../feed/event-stream.js';
import { type Followed, followedFrom } from '../feed/followed-runs.js';
import { type Position, positionFrom, positionText } from '../feed/position.js';
import type { StreamSlots } from '../feed/stream-slots.js';
import { together } from '../feed/together.js';
import type { Parts } from '../parts.js';
import { Problem, problemBody, problemFrom } from '../problem.js';
import { ownRun } from './own-run.js';
import { entryPageSchema, entryQuery, ITEM_EVENTS, POSITION, runParams } from './run-schemas.js';
import { streamed } from './streamed.js';

const endSchema = s.object({ status: s.enumOf(STATUSES) });
const helloSchema = s.object({ tenant: s.string(), at: s.integer({ description: 'Milliseconds since 1970.' }) });

const FOLLOWED = {
  maxLength: 16_000,
  description: 'Runs to follow entry by entry, percent-encoded, each with the last known position.',
  examples: ['run_1@0.12,run_2'],
} as const;

const oneOfSeveralSchema = s.object({
  run: s.string(),
  event: s.enumOf(['entry', 'card', 'delta', 'end', 'refused']),
  id: s.optional(s.string({ description: 'Position of an entry; send it to reconnect.' })),
  data: s.any({ description: 'As in the stream of one run; a Problem for `refused`.' }),
});

/** Journals in pages and as they grow. */
export function runEventRoutes(parts: Parts, slots: StreamSlots): readonly Route[] {
  return [listEntries(parts), followRun(parts, slots), followRuns(parts, slots)];
}

const UNKNOWN = { title: 'An unknown run', params: { runId: 'run_0' }, status: 404 } as const;

function listEntries(parts: Parts): Route {
  return route({
    id: 'listEntries',
    method: 'get',
    path: '/v1/runs/{runId}/entries',
    tag: 'runs',
    summary: 'Read the journal of a run in pages',
    scope: 'runs:read',
    params: runParams,
    query: entryQuery,
    answers: { 200: { about: 'A page of entries; private values and secrets are removed', schema: entryPageSchema } },
    examples: [UNKNOWN],
    handle: async ({ principal, params, query }) => {
      const { id } = await ownRun(parts, principal, params.runId);
      const { limit = 500 } = query;
      const after = query.after === undefined ? undefined : requirePosition(query.after);
      const found = await parts.feed.entries(id, { ...(after === undefined ? {} : { after }), limit: limit + 1 });
      const entries = found.slice(0, limit);
      const last = entries.at(-1) ?? after;
      return {
        status: 200,
        body: { entries, ...(last === undefined ? {} : { last: positionText(last) }), more: found.length > limit },
      };
    },
  });
}

function followRun(parts: Parts, slots: StreamSlots): Route {
  return route({
    id: 'followRun',
    method: 'get',
    path: '/v1/runs/{runId}/events',
    tag: 'runs',
    summary: 'Follow a run as server-sent events',
    about:
      'Events are `entry` (with an id to send as `Last-Event-ID`), `card` when status, cost or waits have ' +
      'changed, `delta` for text as it arrives (not stored, and dropped for slow clients) and `end`.',
    scope: 'runs:read',
    params: runParams,
    query: s.object({ after: s.optional(s.string(POSITION)), deltas: s.optional(s.boolean()) }),
    answers: { 200: { about: 'The events, until the run ends', events: { ...ITEM_EVENTS, end: endSchema } } },
    examples: [UNKNOWN],
    streams: true,
    handle: async (request) => {
      const { id } = await ownRun(parts, request.principal, request.params.runId);
      const after = positionAsked(request);
      const from = { ...(after === undefined ? {} : { after }), deltas: request.query.deltas === true };
      await parts.feed.fold(id); // one that cannot be read is told now: a stream that has begun can only break off
      return streamed(parts, slots, request, async function* (signal) {
        for await (const items of parts.feed.batches(id, from, signal)) yield items.map(eventText).join('');
      });
    },
  });
}

function followRuns(parts: Parts, slots: StreamSlots): Route {
  return route({
    id: 'followRuns',
    method: 'get',
    path: '/v1/events',
    tag: 'runs',
    summary: 'Follow all runs you can see, and any of them entry by entry, in one stream',
    about:
      'Starts with `hello`: list the runs then, and again after every reconnection. A `card` follows for each run that ' +
      'changes. Runs named in `runs` are also followed entry by entry: `run` events contain `{ run, event, id, data }`, ' +
      'where `event` is `entry`, `card`, `delta` or `end` as in the stream of one run, or `refused` with the problem ' +
      'when that run cannot be followed. Reconnect with the last `id` of each.',
    scope: 'runs:read',
    query: s.object({ runs: s.optional(s.string(FOLLOWED)), cards: s.optional(s.boolean()) }),
    answers: {
      200: {
        about: 'The events, until the client disconnects',
        events: { hello: helloSchema, card: runCardSchema, run: oneOfSeveralSchema },
      },
    },
    examples: [{ title: 'Every run you can see', status: 200 }],
    streams: true,
    handle: (request) => {
      const { principal, query } = request;
      const followed = followedFrom(query.runs ?? '');
      const events = async function* (signal: AbortSignal): AsyncGenerator<string> {
        yield namedEvent('hello', { tenant: principal.tenant, at: parts.clock.now() });
        const sources = followed.map((one) => eventsOfOne(parts, request, one, signal));
        yield* together(query.cards === false ? sources : [cardEvents(parts, principal, signal), ...sources]);
      };
      return streamed(parts, slots, request, events, followed.length);
    },
  });
}

async function* cardEvents({ feed }: Parts, principal: Principal, signal: AbortSignal): AsyncGenerator<string> {
  const reach = reachOf(principal);
  for await (const card of feed.cards(reach.tenant, signal)) if (isWithin(reach, card)) yield namedEvent('card', card);
}

/** One of several: what is wrong with it is told as an event, because the others go on. */
async function* eventsOfOne(
  parts: Parts,
  { id: requestId, principal }: Pick<ServerRequest, 'id' | 'principal'>,
  { run, after }: Followed,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    const { id } = await ownRun(parts, principal, run);
    const from = { ...(after === undefined ? {} : { after }), deltas: true };
    for await (const items of parts.feed.batches(id, from, signal))
      yield items.map((item) => runEventText(run, item)).join('');
  } catch (error) {
    if (signal.aborted) return;
    const problem = problemFrom(error);
    if (problem.retryable) throw error; // the connection breaks off, and whoever is there comes back
    yield namedEvent('run', { run, event: 'refused', data: problemBody(problem, requestId) });
  }
}

/** The header is what a browser sends by itself when it comes back: it is newer than the address. */
function positionAsked({
  headers,
  query,
}: {
  readonly headers: Headers;
  readonly query: { readonly after?: string };
}): Position | undefined {
  const text = headers.get('last-event-id') ?? query.after;
  return text === undefined || text === '' ? undefined : requirePosition(text);
}

function requirePosition(text: string): Position {
  const position = positionFrom(text);
  if (position !== undefined) return position;
  throw new Problem(400, 'REQUEST_INVALID', 'That is not a position in a journal.', {
    next: 'Send the id of the last event you have, for example 0.12.',
  });
}
