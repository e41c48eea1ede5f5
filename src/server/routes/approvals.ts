import { VERDICT_JSON_SCHEMA, type Verdict, verdictProblem, withRecommended } from '../../core/approval.js';
import type { JsonSchema } from '../../core/schema.js';
import type { ApprovalInbox, InboxItem } from '../../people/approval-inbox.js';
import type { InboxFilter } from '../../people/request-shelf.js';
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
  value: s.optional(s.any({ description: 'The answer to a question, or what an action was modified to.' })),
  recommended: s.optional(s.boolean({ description: 'With an approval: of what was recommended instead.' })),
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
        s.boolean({ description: 'With a rejection: the run may ask for the same again. Otherwise a no is final.' }),
      ),
      value: s.optional(s.any({ description: 'With a modification only.' })),
      recommended: s.optional(
        s.boolean({
          description: 'With an approval: of what the request recommends instead, under `recommended`. Only true.',
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
    description: 'A doubt asks whether an action that was cut off took place.',
  }),
  effect: s.string(),
  name: s.string(),
  token: s.string(),
  about: s.string({ description: 'The tool or action it is about.' }),
  why: s.optional(s.string()),
  risk: s.optional(s.enumOf(RISKS)),
  request: s.any({
    description:
      'What the run says about it, for people: the arguments, where they come from (`provenance`), and what is recommended instead (`recommended`): docs/people.md.',
  }),
  answer: s.optional(s.any({ description: 'JSON Schema of the answer.' })),
  scopes: s.list(s.string(), { description: 'Any one of them lets a person answer; anybody may where it is empty.' }),
  alsoScopes: s.optional(s.list(s.list(s.string()))),
  notBy: s.list(s.string(), { description: 'Those who have agreed already.' }),
  requesters: s.optional(
    s.list(s.string(), { description: 'Those who asked for the act, and may not decide about it.' }),
  ),
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
    history: s.list(decision, { description: 'Who said what about the same thing, oldest first.' }),
    card: runCardSchema,
    timeline: s.list(
      s.object({ symbol: s.string(), text: s.string(), detail: s.optional(s.string()), offsetMs: s.number() }),
      { description: 'The last lines of the story of the run.' },
    ),
    arguments: s.optional(s.any({ description: 'JSON Schema of the arguments of the action, where it is known.' })),
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
    unmodifiedShare: s.optional(s.number({ description: 'Approved as first proposed, among all verdicts.' })),
    open: s.integer(),
    deadlineMisses: s.integer(),
    alarms: s.list(s.enumOf(['rubber-stamping', 'poor-proposals'])),
  }),
);

const idParams = s.object({ id: s.string({ minLength: 1, maxLength: 1_000 }) });
const about = { tag: 'approvals', scope: 'approvals:decide' } as const;
const TAKEN = { about: 'As it stands now that the run has heard it', schema: itemSchema };
const SENT = { about: 'Sent; the run has not taken it yet, and may rest or run elsewhere', schema: itemSchema };
const UNKNOWN = { title: 'no such request', params: { id: '000000000000000~none' } } as const;

type Asked = Pick<ServerRequest<{ readonly id: string }>, 'params' | 'principal' | 'signal' | 'once' | 'isAbout'>;

/** What runs ask of people, and what people say to it. */
export function approvalRoutes(parts: Parts): readonly Route[] {
  const shown = new ShownRequests(parts);
  const found = async (id: string, { tenant }: Principal): Promise<{ item: InboxItem; inbox: ApprovalInbox }> => {
    const inbox = await parts.inbox(tenant);
    const item = await inbox.get(id);
    if (item === undefined || item.tenant !== tenant) throw notFound('request', id);
    return { item, inbox };
  };
  const told = async (
    { params, principal, signal, once, isAbout }: Asked,
    said: Readonly<Record<string, unknown>>,
    say: (inbox: ApprovalInbox) => Promise<void>,
  ): Promise<Answer> => {
    const { item: asked, inbox } = await found(params.id, principal);
    isAbout(asked.run);
    // a reason and an answer are read by a model like any other message to the run
    await screenMessage(said, { runId: asked.run, principal, scan: parts.settings.inputScan });
    const by = principal.subject;
    const item = await heard(parts, { item: asked, inbox, signal, by, said, once, say: () => say(inbox) });
    return { status: item.status === 'open' ? 202 : 200, body: await shown.one(item) };
  };

  return [
    route({
      id: 'listApprovals',
      method: 'get',
      path: '/v1/approvals',
      ...about,
      summary: 'What runs ask of people, oldest first',
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
        { title: 'what is open and risky', query: { status: 'open', risk: 'high' }, status: 200 },
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
      summary: 'One request with everything that a reviewer needs',
      params: idParams,
      answers: {
        200: { about: 'The request, its history, its run and the last lines of its story', schema: wholeSchema },
      },
      examples: [{ ...UNKNOWN, status: 404 }],
      handle: async ({ params, principal }) => {
        const { item } = await found(params.id, principal);
        return { status: 200, body: await shown.whole(item) };
      },
    }),
    route({
      id: 'decideApproval',
      method: 'post',
      path: '/v1/approvals/{id}/decide',
      ...about,
      summary: 'A verdict on an action or an output',
      about:
        'To reject and to escalate need a reason; to modify needs a value: new arguments of the action, or a new output.',
      params: idParams,
      body: verdictBody,
      answers: { 200: TAKEN, 202: SENT },
      examples: [
        { ...UNKNOWN, body: { verdict: 'approve' }, status: 404 },
        { ...UNKNOWN, title: 'no such verdict', body: { verdict: 'perhaps' }, status: 400 },
      ],
      handle: ({ body, ...asked }) =>
        told(asked, body, (inbox) =>
          inbox.decide(asked.params.id, body as unknown as Verdict, answering(asked.principal)),
        ),
    }),
    route({
      id: 'answerApproval',
      method: 'post',
      path: '/v1/approvals/{id}/answer',
      ...about,
      summary: 'The answer to a question, or to a doubt',
      about: 'A doubt is answered with { "happened": true, "result": … } or { "happened": false }.',
      params: idParams,
      body: s.object({ value: s.any({ description: 'What the JSON Schema of the request asks for.' }) }),
      answers: { 200: TAKEN, 202: SENT },
      examples: [{ ...UNKNOWN, body: { value: true }, status: 404 }],
      handle: ({ body, ...asked }) =>
        told(asked, body, (inbox) => inbox.answer(asked.params.id, body.value, answering(asked.principal))),
    }),
    route({
      id: 'getApprovalMetrics',
      method: 'get',
      path: '/v1/approvals-metrics',
      ...about,
      summary: 'How people decide, with alarms',
      query: s.object({ since: s.optional(s.integer({ minimum: 0, description: 'Milliseconds since 1970.' })) }),
      answers: { 200: { about: 'Counts', schema: metricsSchema } },
      examples: [{ title: 'over all time', status: 200 }],
      handle: async ({ query: { since }, principal }) => {
        const inbox = await parts.inbox(principal.tenant);
        return { status: 200, body: await inbox.metrics(since === undefined ? {} : { since }) };
      },
    }),
  ];
}

function answering(principal: Principal): { readonly by: string; readonly scopes: readonly string[] } {
  return { by: principal.subject, scopes: answeringScopes(principal) };
}
