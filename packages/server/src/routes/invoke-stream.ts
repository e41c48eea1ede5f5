import { holds } from '../access/principal.js';
import { invokedIterativeFields, invokeIterativeSchema } from '../contract/invocations.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import { eventText, namedEvent } from '../feed/event-stream.js';
import type { FeedItem } from '../feed/run-feed.js';
import type { StreamSlots } from '../feed/stream-slots.js';
import type { Parts } from '../parts.js';
import { agentNamed, agentParams } from './agents.js';
import { invocationAnswer } from './invocation-answer.js';
import { examplesOf, loopOf, startInvocation } from './invoke.js';
import { itemsUntilRest } from './items-until-rest.js';
import { LiveReplies } from './live-replies.js';
import { ITEM_EVENTS } from './run-schemas.js';
import { streamedStart } from './streamed.js';

const startedSchema = s.object({ run_id: s.string() });
const resultSchema = s.object({
  status: s.integer({ description: 'The status that `invoke-iterative` would return.' }),
  ...invokedIterativeFields,
});

/** An invocation and its events in one request. */
export function invokeStreamRoutes(parts: Parts, slots: StreamSlots): readonly Route[] {
  return [
    route({
      id: 'invokeAgentStream',
      method: 'post',
      path: '/v1/agents/{name}/invoke-iterative/stream',
      tag: 'agents',
      summary: 'Invoke an agent with its tool loop and stream its events',
      about:
        'Events are `run` (its id, first), `delta` for text while it arrives, `entry`, `card` and every kind of `delta` for ' +
        'a credential with `runs:read`, and finally `result`: the response of `invoke-iterative`, with its `status`. The stream ends when ' +
        'the run ends or waits for somebody. If the client disconnects, the run continues.',
      scope: 'agents:invoke',
      params: agentParams,
      body: invokeIterativeSchema,
      answers: {
        200: {
          about: 'The events, until the run ends or waits',
          events: { run: startedSchema, ...ITEM_EVENTS, result: resultSchema },
        },
      },
      examples: examplesOf(parts, 'iterative').map((example) =>
        example.status === 422 ? { ...example, status: 200 } : example,
      ),
      idempotent: false,
      streams: true,
      handle: (request) =>
        streamedStart(parts, slots, request, async (expecting) => {
          const agent = agentNamed(parts.directory, request.params.name);
          const loop = loopOf(agent, request.body);
          const { handle, invocation } = await startInvocation(parts, expecting, 'iterative', loop);
          const replies = new LiveReplies(agent, loop);
          const isTold = holds(request.principal.scopes, 'runs:read')
            ? (item: FeedItem): boolean => item.kind !== 'end'
            : (item: FeedItem): boolean => replies.isTo(item) && item.kind === 'delta';
          const source = async function* (signal: AbortSignal) {
            yield namedEvent('run', { run_id: handle.id });
            const items = itemsUntilRest(parts, handle, signal);
            let next = await items.next();
            for (; next.done !== true; next = await items.next()) {
              const text = next.value.filter(isTold).map(eventText).join('');
              if (text !== '') yield text;
            }
            const { status, body } = await invocationAnswer(parts, invocation, next.value);
            yield namedEvent('result', { status, ...(body as object) });
          };
          return { source };
        }),
    }),
  ];
}
