import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';

export const limitsSchema = s.object({
  requestsPerMinute: s.optional(s.number({ minimum: 1, maximum: 1_000_000 })),
  costUsdPerDay: s.optional(
    s.number({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'US dollars that runs started within a day (UTC) may cost together',
    }),
  ),
});

const whoamiSchema = s.named(
  'Whoami',
  s.object({
    id: s.string({ description: 'key:<prefix>, jwt:<sub> or local' }),
    kind: s.enumOf(['key', 'jwt', 'local']),
    tenant: s.string(),
    subject: s.string({ description: 'For whom runs are started, and who is named as having decided.' }),
    scopes: s.list(s.string()),
    limits: limitsSchema,
  }),
);

export function whoamiRoutes(): readonly Route[] {
  return [
    route({
      id: 'whoami',
      method: 'get',
      path: '/v1/whoami',
      tag: 'access',
      summary: 'Who the credential is',
      scope: 'any',
      answers: { 200: { about: 'Whose credential it is, and what it may do.', schema: whoamiSchema } },
      examples: [{ title: 'Who am I', status: 200 }],
      handle: ({ principal: { id, kind, tenant, subject, scopes, limits } }) => ({
        status: 200,
        body: { id, kind, tenant, subject, scopes, limits },
      }),
    }),
  ];
}
