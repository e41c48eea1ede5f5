import { randomUUID } from 'node:crypto';
import type { RunRecord } from 'flyball';
import { MESSAGE } from 'flyball/agents';
import { type Principal, reachOf } from '../access/principal.js';
import { startRun } from '../agents/admission.js';
import { screenMessage } from '../agents/screen-message.js';
import { servedName } from '../agents/served-agent.js';
import { heardIn, type Turn, turnsIn } from '../agents/turns.js';
import { type MessagePartBody, messagePartsSchema } from '../contract/message-parts.js';
import { budgetSchema, runCardSchema, STATUSES } from '../contract/resources.js';
import { type Answer, type Example, type Route, route, type ServerRequest } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound, Problem } from '../problem.js';
import { agentNamed } from './agents.js';
import { untilHeard } from './conversation-heard.js';
import { cardFor, failureWords } from './failure-words.js';
import { listRuns } from './list-runs.js';
import { ownRun } from './own-run.js';
import { untilRest } from './until-rest.js';

const LONGEST_MESSAGE = 100_000;
const text = s.string({ minLength: 1, maxLength: LONGEST_MESSAGE });

const turnSchema = s.named(
  'Turn',
  s.object({
    turn: s.integer(),
    said: s.string(),
    by: s.optional(s.string()),
    answer: s.optional(s.string()),
    because: s.optional(s.string({ description: 'Why there is no answer, or why it is incomplete.' })),
    acts: s.list(
      s.object({
        id: s.string(),
        name: s.string({ description: 'Name of the tool or step.' }),
        class: s.string(),
        what: s.string({ description: '`took-place`, `refused`, `failed`, `in-doubt` or `simulated`.' }),
        undone: s.optional(s.boolean()),
      }),
      { description: 'What the turn changed or tried to change, taken from the journal.' },
    ),
    actsLeftOut: s.optional(s.integer({ description: 'Number of further acts that are not listed.' })),
  }),
);

const conversationSchema = s.named(
  'Conversation',
  s.object({
    id: s.string(),
    agent: s.string(),
    status: s.enumOf(STATUSES),
    listens: s.boolean({ description: 'Whether it is waiting for the next message.' }),
    turns: s.list(turnSchema),
    run: runCardSchema,
  }),
);

const params = s.object({ conversationId: s.string({ maxLength: 200 }) });
const NOBODY: Example = {
  title: 'An unknown conversation',
  params: { conversationId: 'run_nowhere' },
  status: 404,
};

/** A conversation is one run that waits for messages: it has the run's bounds, journal and durability. */
export function conversationRoutes(parts: Parts): readonly Route[] {
  return [starting(parts), listing(parts), reading(parts), saying(parts), ending(parts)];
}

function starting(parts: Parts): Route {
  const { directory } = parts;
  const known = directory.list().find(({ modes }) => modes.includes('conversation'));
  return route({
    id: 'startConversation',
    method: 'post',
    path: '/v1/conversations',
    tag: 'conversations',
    summary: 'Start a conversation, with or without a first message',
    scope: 'agents:invoke',
    body: s.object({
      agent: s.string({ maxLength: 200 }),
      message: s.optional(s.oneOf([text, messagePartsSchema])),
      budget: s.optional(budgetSchema),
    }),
    answers: {
      201: { about: 'The conversation with its first answer', schema: conversationSchema },
      202: { about: 'It continues; read it again for the answer', schema: conversationSchema },
    },
    refuses: [404],
    examples: [
      ...(known === undefined ? [] : [{ title: 'Without a message', body: { agent: known.name }, status: 201 }]),
      { title: 'With an unknown agent', body: { agent: 'nobody' }, status: 404 },
    ],
    handle: async (request) => {
      const { agent: name, message, budget } = request.body;
      const agent = agentNamed(directory, name);
      if (!agent.modes.includes('conversation'))
        throw new Problem(400, 'INPUT_INVALID', `${name} does not support conversations.`, {
          next: 'Start a run instead.',
        });
      const started = await startRun(parts, request, {
        agent,
        mode: 'conversation',
        input: message ?? '',
        ...(budget === undefined ? {} : { budget }),
      });
      const { clock, settings } = parts;
      const within = { clock, ms: settings.requestTimeoutMs, signal: request.signal };
      const outcome = await untilRest(started, within);
      const body = await shown(parts, request.principal, started.id);
      const rests = outcome !== undefined && (body.listens || outcome.stop !== 'suspended');
      return conversationAnswer(body, rests ? 201 : 202);
    },
  });
}

function listing({ fleet, feed, directory, cursors }: Parts): Route {
  return route({
    id: 'listConversations',
    method: 'get',
    path: '/v1/conversations',
    tag: 'conversations',
    summary: 'List conversations, newest first',
    scope: 'runs:read',
    query: s.object({
      agent: s.optional(s.string({ maxLength: 200, description: 'Agent to list; all agents if absent.' })),
      limit: s.optional(s.integer({ minimum: 1, maximum: 200 })),
      cursor: s.optional(s.string({ maxLength: 500 })),
    }),
    answers: {
      200: {
        about: 'Conversations as runs',
        schema: s.object({ conversations: s.list(runCardSchema), cursor: s.optional(s.string()) }),
      },
    },
    refuses: [404],
    examples: [{ title: 'The latest', query: { limit: '10' }, status: 200 }],
    handle: async ({ query, principal }) => {
      const { agent, limit = 50, cursor } = query;
      const wanted = agent === undefined ? undefined : agentNamed(directory, agent).name;
      const filter = { limit, ...(cursor === undefined ? {} : { cursor }) };
      const page = await listRuns({ fleet, cursors, reach: reachOf(principal) }, filter, (record) => {
        const served = servedName(record.agent);
        return served.mode === 'conversation' && (wanted === undefined || served.agent === wanted);
      });
      const conversations = await Promise.all(page.runs.map((record) => feed.card(record)));
      return { status: 200, body: { conversations, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) } };
    },
  });
}

function reading(parts: Parts): Route {
  return route({
    id: 'getConversation',
    method: 'get',
    path: '/v1/conversations/{conversationId}',
    tag: 'conversations',
    summary: 'Read a conversation with all its turns',
    scope: 'runs:read',
    params,
    answers: { 200: { about: 'The conversation', schema: conversationSchema } },
    examples: [NOBODY],
    handle: async ({ params: { conversationId }, principal }) => {
      const record = await ownConversation(parts, principal, conversationId);
      return { status: 200, body: await shown(parts, principal, record.id) };
    },
  });
}

function saying(parts: Parts): Route {
  return route({
    id: 'sayInConversation',
    method: 'post',
    path: '/v1/conversations/{conversationId}/messages',
    tag: 'conversations',
    summary: 'Send a message and get the answer',
    scope: 'agents:invoke',
    params,
    body: s.object({ text: s.optional(text), parts: s.optional(messagePartsSchema) }),
    answers: {
      200: { about: 'The conversation with the new answer', schema: conversationSchema },
      202: {
        about: 'It continues: it waits for somebody else, or takes longer than the server timeout',
        schema: conversationSchema,
      },
    },
    examples: [{ ...NOBODY, body: { text: 'Good morning' } }],
    handle: async (request) => say(parts, request, await saidIn(parts, request)),
  });
}

function ending(parts: Parts): Route {
  return route({
    id: 'endConversation',
    method: 'post',
    path: '/v1/conversations/{conversationId}/end',
    tag: 'conversations',
    summary: 'End a conversation',
    scope: 'agents:invoke',
    params,
    body: s.object({}),
    answers: {
      200: { about: 'It has ended', schema: conversationSchema },
      202: { about: 'It will end when it next waits for a message', schema: conversationSchema },
    },
    examples: [{ ...NOBODY, body: {} }],
    handle: async (request) => say(parts, request, { end: true }),
  });
}

type Asked = Pick<
  ServerRequest<{ readonly conversationId: string }>,
  'params' | 'principal' | 'once' | 'signal' | 'isAbout'
>;

/** Text or parts: one of them. */
async function saidIn(
  { contents }: Parts,
  { principal, body }: Pick<ServerRequest<unknown, unknown, SayBody>, 'principal' | 'body'>,
): Promise<object> {
  const { text: words, parts } = body;
  if ((words === undefined) === (parts === undefined))
    throw new Problem(400, 'INPUT_INVALID', 'A message has either text or parts.', { next: 'Send one of the two.' });
  return words === undefined ? { parts: await contents.filled(principal, parts) } : { text: words };
}

interface SayBody {
  readonly text?: string;
  readonly parts?: readonly MessagePartBody[];
}

/** Under its own name a message is found again in the journal, whoever else says something and whatever crashes meanwhile. */
async function say(parts: Parts, asked: Asked, said: object): Promise<Answer> {
  const { principal, signal, once } = asked;
  const record = await ownConversation(parts, principal, asked.params.conversationId);
  asked.isAbout(record.id);
  const message = once ?? randomUUID();
  const entries = await parts.fleet.entries(record.id);
  if (heardIn(entries, message) === 'unknown') {
    requireAwake(record);
    if (!('end' in said) && !turnsIn(entries).listens) throw busy(record);
    await screenMessage(said, { runId: record.id, principal, scan: parts.settings.inputScan });
    await parts.fleet.signal(record.id, MESSAGE, said, { from: principal.subject, mayAnswer: false, id: message });
  }
  const isHeard = await untilHeard(parts, { runId: record.id, message, signal });
  return conversationAnswer(await shown(parts, principal, record.id), isHeard ? 200 : 202);
}

type Shown = Awaited<ReturnType<typeof shown>>;

function conversationAnswer(body: Shown, status: 200 | 201 | 202): Answer {
  return { status, body, headers: { location: `/v1/conversations/${encodeURIComponent(body.id)}` } };
}

async function shown({ feed, fleet }: Parts, principal: Principal, runId: string) {
  const record = await fleet.get(runId);
  const { card, entries } = await feed.detail(record);
  const { turns, listens } = turnsIn(entries);
  const { agent } = servedName(record.agent);
  const run = cardFor(principal, card);
  const told = turns.map((turn, index) =>
    turnFor(principal, turn, index === turns.length - 1 ? run.outcome : undefined),
  );
  return { id: runId, agent, status: record.status, listens, turns: told, run };
}

/** A turn that the end of the run cut short is over for the same reason. */
function turnFor(
  principal: Principal,
  { stop = '', because, ...turn }: Turn,
  ended: { readonly because?: string } | undefined,
): Omit<Turn, 'stop'> {
  const isCut = turn.answer === undefined && because === undefined && ended?.because !== undefined;
  return { ...turn, ...(isCut ? { because: ended.because } : failureWords(principal, { stop, because })) };
}

async function ownConversation(parts: Parts, principal: Principal, id: string): Promise<RunRecord> {
  const record = await ownRun(parts, principal, id).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 404 ? notFound('conversation', id) : error;
  });
  if (servedName(record.agent).mode !== 'conversation') throw notFound('conversation', id);
  return record;
}

/** Nothing that is said to these is heard before somebody lets them go on. */
function requireAwake({ status }: RunRecord): void {
  if (status !== 'paused' && status !== 'stalled') return;
  throw new Problem(409, 'BUSY', `The conversation is ${status} and does not accept messages until it is resumed.`, {
    retryable: true,
    next: 'Resume its run, then send the message again.',
  });
}

function busy({ status }: RunRecord): Problem {
  if (status === 'bounded')
    return new Problem(409, 'BOUND_REACHED', 'The conversation has reached a limit.', {
      next: 'Resume its run with a larger budget, or start a new one.',
    });
  if (status !== 'running' && status !== 'suspended' && status !== 'pending')
    return new Problem(409, 'ALREADY_TERMINAL', `The conversation is ${status}.`, { next: 'Start a new one.' });
  return new Problem(
    409,
    'BUSY',
    'The conversation does not accept messages now: it is working, or waits for somebody else.',
    {
      retryable: true,
      next: 'Poll it until it waits for a message, then send the message again.',
    },
  );
}
