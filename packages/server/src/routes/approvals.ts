import type { JsonSchema, Verdict } from 'flyball';
import type { InboxFilter } from 'flyball/internal';
import { VERDICT_JSON_SCHEMA, verdictProblem, withRecommended } from 'flyball/internal';
import type { ApprovalInbox, InboxItem } from 'flyball/people';
import { answeringScopes, type Principal } from '../access/principal.js';
import { screenMessage } from '../agents/screen-message.js';
import { runCardSchema } from '../contract/resources.js';
import { type Answer, type Route, route, type ServerRequest } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';
import { heard } from './approvals-heard.js';
import { ShownRequests } from './approvals-shown.js';

const STATUSES = ['open', 'decided', 'timed-out', 'withdrawn'] as const;
const RISKS = ['low', 'medium', 'high', 'critical'] as const;
const VERDICTS = ['approve', 'reject', 'modify', 'escalate'] as const;

const decision = s.object({
  by: s.string(),
  at: s.optional(s.integer()),
  verdict: s.optional(s.enumOf(VERDICTS)),
  reason: s.optional(s.string()),
  value: s.optional(s.any({ description: 'The answer to a question, or the modified arguments of an action.' })),
  recommended: s.optional(s.boolean({ description: 'With `approve`: the recommendation was approved.' })),
});

/** A verdict is checked once more by the inbox, against what is asked. */
const ANY_VERDICT = withRecommended(VERDICT_JSON_SCHEMA);

interface VerdictForm {
  readonly properties: { readonly verdict: { readonly const: string }; readonly recommended?: unknown };
  readonly required?: readonly string[];
}

/** Alternatives as conditions: generators of clients make one type of those, and one of each alternative otherwise. */
function whereVerdictIs([form, ...others]: readonly VerdictForm[]): JsonSchema {
  if (form === undefined) return {};
  const { verdict, ...properties } = form.properties;
  // a yes has two forms, with `recommended` and without: they differ in nothing else
  const isYes = verdict.const === 'approve';
  const then = { properties: isYes ? { ...properties, recommended: { const: true } } : properties };
  const rest = isYes ? others.filter((other) => other.properties.verdict.const !== 'approve') : others;
  return {
    if: { properties: { verdict }, required: ['verdict'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: form.required === undefined || isYes ? then : { ...then, required: form.required },
    ...(rest.length === 0 ? {} : { else: whereVerdictIs(rest) }),
  };
}

const verdictBody = {
  ...s.object(
    {
      verdict: s.enumOf(VERDICTS),
      reason: s.optional(s.string({ maxLength: 10_000 })),
      reask: s.optional(
        s.boolean({
          description: 'With `reject`: the run may ask for the same action again. Otherwise the rejection is final.',
        }),
      ),
      value: s.optional(s.any({ description: 'Only with `modify`.' })),
      recommended: s.optional(
        s.boolean({
          description: 'With `approve`: approves the recommendation of the request. Must be true.',
        }),
      ),
    },
    whereVerdictIs(ANY_VERDICT['anyOf'] as readonly VerdictForm[]),
  ),
  inWords: (value: unknown) => verdictProblem(ANY_VERDICT, value),
};

const itemFields = {
  id: s.string(),
  run: s.string(),
  agent: s.string(),
  tenant: s.string(),
  kind: s.enumOf(['approval', 'question', 'doubt'], {
    description: 'A doubt asks whether an interrupted action took place.',
  }),
  effect: s.string(),
  name: s.string(),
  token: s.string(),
  about: s.string({ description: 'The tool or action it is about.' }),
  why: s.optional(s.string()),
  risk: s.optional(s.enumOf(RISKS)),
  request: s.any({
    description:
      'What people see: the arguments, where they come from (`provenance`), and a recommendation (`recommended`). See docs/people.md.',
  }),
  answer: s.optional(s.any({ description: 'JSON Schema of the answer.' })),
  scopes: s.list(s.string(), { description: 'A person needs one of these scopes to answer; if empty, anybody can.' }),
  alsoScopes: s.optional(s.list(s.list(s.string()))),
  notBy: s.list(s.string(), { description: 'People who have already approved.' }),
  requesters: s.optional(s.list(s.string(), { description: 'People who requested the action and may not decide.' })),
  askedAt: s.integer(),
  due: s.optional(s.integer()),
  status: s.enumOf(STATUSES),
  decision: s.optional(decision),
  overdue: s.boolean(),
};
const itemSchema = s.named('Request', s.object(itemFields));
const wholeSchema = s.named(
  'RequestDetail',
  s.object({
    ...itemFields,
    history: s.list(decision, { description: 'Earlier decisions about the same action, oldest first.' }),
    card: runCardSchema,
    timeline: s.list(
      s.object({ symbol: s.string(), text: s.string(), detail: s.optional(s.string()), offsetMs: s.number() }),
      { description: 'The last lines of the timeline of the run.' },
    ),
    arguments: s.optional(s.any({ description: 'JSON Schema of the arguments, if known.' })),
  }),
);
const metricsSchema = s.named(
  'RequestMetrics',
  s.object({
    verdicts: s.integer(),
    approved: s.integer(),
    rejected: s.integer(),
    modified: s.integer(),
    escalated: s.integer(),
    unmodifiedShare: s.optional(s.number({ description: 'Share of verdicts that approved the first proposal.' })),
    open: s.integer(),
    deadlineMisses: s.integer(),
    alarms: s.list(s.enumOf(['rubber-stamping', 'poor-proposals'])),
  }),
);

const idParams = s.object({ id: s.string({ minLength: 1, maxLength: 1_000 }) });
const about = { tag: 'approvals', scope: 'approvals:decide' } as const;
const TAKEN = { about: 'The request after the run received the answer', schema: itemSchema };
const SENT = {
  about: 'Sent; the run has not received it yet and may be waiting or running elsewhere',
  schema: itemSchema,
};
const UNKNOWN = { title: 'no such request', params: { id: '000000000000000~none' } } as const;

type Asked = Pick<ServerRequest<{ readonly id: string }>, 'params' | 'principal' | 'signal' | 'once' | 'isAbout'>;

/** What runs ask of people, and what people say to it. */
export function approvalRoutes(parts: Parts): readonly Route[] {
  const desk: Desk = {
    parts,
    shown: new ShownRequests(parts),
    found: async (id, { tenant }) => {
      const inbox = await parts.inbox(tenant);
      const item = await inbox.get(id);
      if (item === undefined || item.tenant !== tenant) throw notFound('request', id);
      return { item, inbox };
    },
  };
  return [...readingRoutes(desk), ...answeringRoutes(desk), metricsRoute(parts)];
}

interface Desk {
  readonly parts: Parts;
  readonly shown: ShownRequests;
  found(id: string, principal: Principal): Promise<{ readonly item: InboxItem; readonly inbox: ApprovalInbox }>;
}

async function told(
  { parts, shown, found }: Desk,
  { params, principal, signal, once, isAbout }: Asked,
  said: Readonly<Record<string, unknown>>,
  say: (inbox: ApprovalInbox) => Promise<void>,
): Promise<Answer> {
  const { item: asked, inbox } = await found(params.id, principal);
  isAbout(asked.run);
  // a reason and an answer are read by a model like any other message to the run
  await screenMessage(said, { runId: asked.run, principal, scan: parts.settings.inputScan });
  const by = principal.subject;
  const item = await heard(parts, { item: asked, inbox, signal, by, said, once, say: () => say(inbox) });
  return { status: item.status === 'open' ? 202 : 200, body: await shown.one(item) };
}

function readingRoutes({ parts, shown, found }: Desk): readonly Route[] {
  return [
    route({
      id: 'listApprovals',
      method: 'get',
      path: '/v1/approvals',
      ...about,
      summary: 'List requests to people, oldest first',
      query: s.object({
        status: s.optional(s.enumOf(STATUSES)),
        run: s.optional(s.string({ maxLength: 200 })),
        risk: s.optional(s.enumOf(RISKS)),
        limit: s.optional(s.integer({ minimum: 1, maximum: 100 })),
        cursor: s.optional(s.string({ maxLength: 1_000 })),
      }),
      answers: {
        200: { about: 'A page', schema: s.object({ items: s.list(itemSchema), cursor: s.optional(s.string()) }) },
      },
      examples: [
        { title: 'everything', status: 200 },
        { title: 'open requests with high risk', query: { status: 'open', risk: 'high' }, status: 200 },
      ],
      handle: async ({ query, principal }) => {
        const inbox = await parts.inbox(principal.tenant);
        const { items, cursor } = await inbox.list(query as InboxFilter);
        return { status: 200, body: { items: await shown.page(items), ...(cursor === undefined ? {} : { cursor }) } };
      },
    }),
    route({
      id: 'getApproval',
      method: 'get',
      path: '/v1/approvals/{id}',
      ...about,
      summary: 'Read a request with everything a reviewer needs',
      params: idParams,
      answers: {
        200: { about: 'The request, its history, its run and the last lines of its timeline', schema: wholeSchema },
      },
      examples: [{ ...UNKNOWN, status: 404 }],
      handle: async ({ params, principal }) => {
        const { item } = await found(params.id, principal);
        return { status: 200, body: await shown.whole(item) };
      },
    }),
  ];
}

function answeringRoutes(desk: Desk): readonly Route[] {
  return [
    route({
      id: 'decideApproval',
      method: 'post',
      path: '/v1/approvals/{id}/decide',
      ...about,
      summary: 'Decide about an action or an output',
      about: '`reject` and `escalate` require a reason. `modify` requires a value: new arguments, or a new output.',
      params: idParams,
      body: verdictBody,
      answers: { 200: TAKEN, 202: SENT },
      examples: [
        { ...UNKNOWN, body: { verdict: 'approve' }, status: 404 },
        { ...UNKNOWN, title: 'no such verdict', body: { verdict: 'perhaps' }, status: 400 },
      ],
      handle: ({ body, ...asked }) =>
        told(desk, asked, body, (inbox) =>
          inbox.decide(asked.params.id, body as unknown as Verdict, answering(asked.principal)),
        ),
    }),
    route({
      id: 'answerApproval',
      method: 'post',
      path: '/v1/approvals/{id}/answer',
      ...about,
      summary: 'Answer a question or a doubt',
      about: 'Answer a doubt with { "happened": true, "result": … } or { "happened": false }.',
      params: idParams,
      body: s.object({ value: s.any({ description: 'Must match the JSON Schema of the request.' }) }),
      answers: { 200: TAKEN, 202: SENT },
      examples: [{ ...UNKNOWN, body: { value: true }, status: 404 }],
      handle: ({ body, ...asked }) =>
        told(desk, asked, body, (inbox) => inbox.answer(asked.params.id, body.value, answering(asked.principal))),
    }),
  ];
}

function metricsRoute(parts: Parts): Route {
  return route({
    id: 'getApprovalMetrics',
    method: 'get',
    path: '/v1/approvals-metrics',
    ...about,
    summary: 'Statistics about decisions, with alarms',
    query: s.object({ since: s.optional(s.integer({ minimum: 0, description: 'Milliseconds since 1970.' })) }),
    answers: { 200: { about: 'Counts', schema: metricsSchema } },
    examples: [{ title: 'over all time', status: 200 }],
    handle: async ({ query: { since }, principal }) => {
      const inbox = await parts.inbox(principal.tenant);
      return { status: 200, body: await inbox.metrics(since === undefined ? {} : { since }) };
    },
  });
}

function answering(principal: Principal): { readonly by: string; readonly scopes: readonly string[] } {
  return { by: principal.subject, scopes: answeringScopes(principal) };
}
