import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';

export const limitsSchema = s.object({
  requestsPerMinute: s.optional(s.number({ minimum: 1, maximum: 1_000_000 })),
  costUsdPerDay: s.optional(
    s.number({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Cost limit in USD for all runs started within a day (UTC)',
    }),
  ),
});

const whoamiSchema = s.named(
  'Whoami',
  s.object({
    id: s.string({ description: 'key:<prefix>, jwt:<sub> or local' }),
    kind: s.enumOf(['key', 'jwt', 'local']),
    tenant: s.string(),
    subject: s.string({ description: 'The owner of started runs, and the name recorded with decisions.' }),
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
      summary: 'Identify the credential',
      scope: 'any',
      answers: { 200: { about: 'Who the credential belongs to, and what it can do.', schema: whoamiSchema } },
      examples: [{ title: 'Who am I', status: 200 }],
      handle: ({ principal: { id, kind, tenant, subject, scopes, limits } }) => ({
        status: 200,
        body: { id, kind, tenant, subject, scopes, limits },
      }),
    }),
  ];
}
