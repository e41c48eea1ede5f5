import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import { eventText, namedEvent } from '../feed/event-stream.js';
import { type Position, positionFrom, positionText } from '../feed/position.js';
import type { StreamSlots } from '../feed/stream-slots.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { ownRun } from './own-run.js';
import { entryPageSchema, entryQuery, POSITION, runParams } from './run-schemas.js';
import { STREAM, streamed } from './streamed.js';

/** Journals in pages and as they grow. */
export function runEventRoutes(parts: Parts, slots: StreamSlots): readonly Route[] {
  const { feed } = parts;
  const unknown = { title: 'A run that is not there', params: { runId: 'run_0' }, status: 404 };
  return [
    route({
      id: 'listEntries',
      method: 'get',
      path: '/v1/runs/{runId}/entries',
      tag: 'runs',
      summary: 'Read the journal of a run in pages',
      scope: 'runs:read',
      params: runParams,
      query: entryQuery,
      answers: { 200: { about: 'A page of it; private texts and secrets are blanked', schema: entryPageSchema } },
      examples: [unknown],
      handle: async ({ principal, params, query }) => {
        const { id } = await ownRun(parts, principal, params.runId);
        const { limit = 500 } = query;
        const after = query.after === undefined ? undefined : requirePosition(query.after);
        const found = await feed.entries(id, { ...(after === undefined ? {} : { after }), limit: limit + 1 });
        const entries = found.slice(0, limit);
        const last = entries.at(-1) ?? after;
        return {
          status: 200,
          body: { entries, ...(last === undefined ? {} : { last: positionText(last) }), more: found.length > limit },
        };
      },
    }),
    route({
      id: 'followRun',
      method: 'get',
      path: '/v1/runs/{runId}/events',
      tag: 'runs',
      summary: 'Follow a run: its entries as server-sent events',
      about:
        'Events are `entry` (with an id to come back with as `Last-Event-ID`), `card` when status, cost or waits have ' +
        'changed, `delta` for text while it arrives (not kept, and dropped for a slow reader) and `end`.',
      scope: 'runs:read',
      params: runParams,
      query: s.object({ after: s.optional(s.string(POSITION)), deltas: s.optional(s.boolean()) }),
      answers: { 200: { about: 'The events, until the run ends', type: STREAM } },
      examples: [unknown],
      streams: true,
      handle: async (request) => {
        const { id } = await ownRun(parts, request.principal, request.params.runId);
        const after = positionAsked(request);
        const from = { ...(after === undefined ? {} : { after }), deltas: request.query.deltas === true };
        await feed.fold(id); // one that cannot be read is told now: a stream that has begun can only break off
        return streamed(parts, slots, request, async function* (signal) {
          for await (const items of feed.batches(id, from, signal)) yield items.map(eventText).join('');
        });
      },
    }),
    route({
      id: 'followRuns',
      method: 'get',
      path: '/v1/events',
      tag: 'runs',
      summary: 'Follow all runs of the tenant: a card for each one that changes',
      about: 'Begins with `hello`: list the runs then, and again after every reconnection.',
      scope: 'runs:read',
      answers: { 200: { about: 'The events, for as long as somebody reads', type: STREAM } },
      examples: [{ title: 'Every run of the tenant', status: 200 }],
      streams: true,
      handle: (request) => {
        const { tenant } = request.principal;
        return streamed(parts, slots, request, async function* (signal) {
          yield namedEvent('hello', { tenant, at: parts.clock.now() });
          for await (const card of feed.cards(tenant, signal)) yield namedEvent('card', card);
        });
      },
    }),
  ];
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
  throw new Problem(400, 'REQUEST_INVALID', 'That is no position in a journal.', {
    next: 'Send the id of the last event that you have, such as 0.12.',
  });
}
