import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Triggers } from './open-triggers.js';

const instant = (description: string) =>
  s.optional(s.integer({ description: `${description}, in milliseconds since 1970` }));

const triggerSchema = s.named(
  'Trigger',
  s.object({
    name: s.string(),
    kind: s.enumOf(['cron', 'webhook']),
    agent: s.string(),
    tenant: s.string(),
    schedule: s.optional(s.string()),
    timezone: s.optional(s.string()),
    style: s.optional(s.enumOf(['flyball', 'github'])),
    next: instant('When it is due next'),
    last: instant('When it last started a run; for a webhook, since this server started'),
    lastRun: s.optional(s.string({ description: 'The last run it started.' })),
    missed: s.optional(s.integer({ description: 'Number of scheduled times at which no server was running.' })),
    lastMissed: instant('The last of them'),
    failure: s.optional(s.string({ description: 'Why the last attempt did not start a run.' })),
  }),
);

/** What starts runs by itself, and the address at which others may. */
export function triggerRoutes({ triggers }: { readonly triggers: Pick<Triggers, 'list' | 'hook'> }): readonly Route[] {
  return [
    route({
      id: 'listTriggers',
      method: 'get',
      path: '/v1/triggers',
      tag: 'triggers',
      summary: 'List the triggers',
      scope: 'agents:read',
      answers: { 200: { about: 'The triggers of the tenant', schema: s.object({ triggers: s.list(triggerSchema) }) } },
      examples: [{ title: 'All of them', status: 200 }],
      handle: async ({ principal }) => ({ status: 200, body: { triggers: await triggers.list(principal.tenant) } }),
    }),
    route({
      id: 'callHook',
      method: 'post',
      path: '/v1/hooks/{name}',
      tag: 'triggers',
      summary: 'Start a run with a signed message',
      about:
        'Takes no bearer credential; the message is signed. `Flyball-Signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of `<seconds>.<body>` ' +
        'with the secret of the hook; GitHub-style hooks use `X-Hub-Signature-256`. A message that was delivered before ' +
        'returns the run it started then. `Flyball-Delivery` identifies a delivery, so it can be signed again.',
      scope: undefined,
      params: s.object({ name: s.string({ pattern: '^[\\w-]{1,100}$' }) }),
      raw: true,
      idempotent: 'by-message',
      answers: {
        202: {
          about: 'The run started by this message',
          schema: s.object({ runId: s.string(), repeated: s.boolean() }),
        },
      },
      refuses: [401, 429],
      examples: [{ title: 'Without a signature', params: { name: 'release' }, status: 401 }],
      handle: async ({ params: { name }, headers, rawBody, principal, countFor }) => {
        const onSigned = (tenant: string) => countFor({ ...principal, id: `trigger:${name}`, tenant });
        return { status: 202, body: await triggers.hook(name, { headers, body: rawBody, onSigned }) };
      },
    }),
  ];
}
