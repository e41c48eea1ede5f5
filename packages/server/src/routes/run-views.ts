import type { Entry, MediaPart, Prompt } from 'flyball';
import type { Privacy } from 'flyball/internal';
import {
  BLANK,
  bytesOf,
  commitCoursesOf,
  hashOf,
  lastGeneration,
  linksOf,
  mediaIn,
  scopeOf,
  sharedPrefix,
} from 'flyball/internal';
import {
  auditLines,
  costBy,
  failuresOf,
  forkPoints,
  guardDecisionsOf,
  loopTraceOf,
  provenanceOf,
  traceOf,
} from 'flyball/views';
import { mediaSchema } from '../contract/message-parts.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';
import { ownRun } from './own-run.js';
import { promptSchema, runParams } from './run-schemas.js';

/** All of them are made of the journal as it may leave the house. */
const VIEWS = {
  trace: traceOf,
  cost: (_runId, entries) => costBy(entries),
  provenance: provenanceOf,
  loop: (_runId, entries) => loopTraceOf(entries),
  guards: (_runId, entries) => guardDecisionsOf(entries),
  failures: (_runId, entries) => failuresOf(entries),
  commit: (runId, entries) => commitCoursesOf(entries, runId),
  audit: auditLines,
} as const satisfies Record<string, (runId: string, entries: readonly Entry[]) => unknown>;
const NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[];

const about = { method: 'get', tag: 'runs', scope: 'runs:read' } as const;

/** What can be read back from a journal: views, prompts, points to fork from. */
export function runViewRoutes(parts: Parts): readonly Route[] {
  return [
    route({
      ...about,
      id: 'viewRun',
      path: '/v1/runs/{runId}/views/{view}',
      summary: 'Read a run as a trace, a cost report, a list of decisions, and so on',
      params: s.object({ runId: s.string({ minLength: 1, maxLength: 200 }), view: s.enumOf(NAMES) }),
      answers: { 200: { about: 'The view', schema: s.any() } },
      examples: [{ title: 'An unknown run', params: { runId: 'run_0', view: 'cost' }, status: 404 }],
      handle: async ({ principal, params: { runId, view } }) => {
        const { id } = await ownRun(parts, principal, runId);
        return { status: 200, body: VIEWS[view](id, await parts.feed.journal(id)) };
      },
    }),
    route({
      ...about,
      id: 'listForkPoints',
      path: '/v1/runs/{runId}/fork-points',
      summary: 'List the entries from which a run can be forked',
      params: runParams,
      answers: {
        200: {
          about: 'The fork points of its latest generation',
          schema: s.object({ points: s.list(s.object({ generation: s.integer(), seq: s.integer() })) }),
        },
      },
      examples: [{ title: 'An unknown run', params: { runId: 'run_0' }, status: 404 }],
      handle: async ({ principal, params }) => {
        const { id } = await ownRun(parts, principal, params.runId);
        const entries = await parts.fleet.entries(id);
        const generation = lastGeneration(entries);
        const points = forkPoints(entries, generation).map((seq) => ({ generation, seq }));
        return { status: 200, body: { points } };
      },
    }),
    ...promptRoutes(parts),
  ];
}

function promptRoutes(parts: Parts): readonly Route[] {
  return [
    route({
      ...about,
      id: 'getPrompt',
      path: '/v1/runs/{runId}/prompts/{tip}',
      summary: 'Read the prompt of a model call, segment by segment',
      about: '`tip` is in the `ask-start` entry of the call.',
      params: s.object({
        runId: s.string({ minLength: 1, maxLength: 200 }),
        tip: s.string({ minLength: 1, maxLength: 100 }),
      }),
      answers: { 200: { about: 'The prompt', schema: promptSchema } },
      examples: [{ title: 'An unknown run', params: { runId: 'run_0', tip: 'x' }, status: 404 }],
      handle: async ({ principal, params: { runId, tip } }) => {
        const { id } = await ownRun(parts, principal, runId);
        const segments = (await promptOf(parts, id, tip)).map(({ shown }) => shown);
        return { status: 200, body: { tip, segments } };
      },
    }),
    route({
      ...about,
      id: 'getPromptMedia',
      path: '/v1/runs/{runId}/prompts/{tip}/media/{hash}',
      summary: 'Read an image, audio or file of a prompt',
      params: s.object({
        runId: s.string({ minLength: 1, maxLength: 200 }),
        tip: s.string({ minLength: 1, maxLength: 100 }),
        hash: s.string({ minLength: 1, maxLength: 100 }),
      }),
      answers: { 200: { about: 'The content, as base64', schema: mediaSchema } },
      examples: [{ title: 'An unknown run', params: { runId: 'run_0', tip: 'x', hash: 'y' }, status: 404 }],
      handle: async ({ principal, params: { runId, tip, hash } }) => {
        const { id } = await ownRun(parts, principal, runId);
        const found = (await promptOf(parts, id, tip))
          .flatMap(({ media }) => media)
          .find((one) => hashOf(one) === hash);
        if (found === undefined) throw notFound('content', hash);
        return { status: 200, body: found };
      },
    }),
  ];
}

interface ShownSegment {
  readonly shown: unknown;
  /** What of it may be read, with its bytes. */
  readonly media: readonly MediaPart[];
}

/** Only of calls that this run made and shows: links are shared by all runs of a tenant. */
async function promptOf({ feed, fleet }: Parts, runId: string, tip: string): Promise<readonly ShownSegment[]> {
  const asks = (await feed.journal(runId)).flatMap(({ event }) => (event.type === 'ask-start' ? [event] : []));
  const at = asks.findIndex((ask) => ask.tip === tip);
  const ask = asks[at];
  const prompt = ask === undefined || tip === BLANK ? undefined : await fleet.prompt(runId, tip);
  if (ask === undefined || prompt === undefined) throw notFound('prompt', tip);
  const before = asks.slice(0, at).findLast(({ model }) => model === ask.model);
  const shared = before === undefined ? undefined : sharedPrefix(prompt, await fleet.prompt(runId, before.tip));
  const { privacy } = await feed.fold(runId);
  const links = linksOf(prompt);
  const shown = { shared: shared?.length ?? 0, privacy, scope: scopeOf(ask.id), toolOf: callNames(links) };
  return links.map((link) => shownSegment(link, shown));
}

/** Which tool a result comes from, where only the call that asked for it says so. */
function callNames(links: readonly Prompt[]): ReadonlyMap<string, string> {
  return new Map(links.flatMap(({ segment }) => (segment.toolCalls ?? []).map(({ id, name }) => [id, name] as const)));
}

interface Shown {
  /** Links that the call before began with too. */
  readonly shared: number;
  readonly privacy: Privacy;
  readonly scope: string;
  readonly toolOf: ReadonlyMap<string, string>;
}

function shownSegment({ id, segment, length }: Prompt, { shared, privacy, scope, toolOf }: Shown): ShownSegment {
  const { role, band, trust, owner, content, parts, toolCallId, toolCalls } = segment;
  const name = segment.name ?? (role === 'tool' ? toolOf.get(toolCallId ?? '') : undefined);
  const isHidden = (tool: string | undefined): boolean => tool !== undefined && privacy.hidesTool(scope, tool);
  const calls = toolCalls?.map((call) => (isHidden(call.name) ? { ...call, arguments: BLANK } : call));
  const isBlank = role === 'tool' && isHidden(name);
  const media = isBlank ? [] : mediaIn(parts);
  const shown = {
    id: privacy.isEmpty ? id : `#${length}`, // a hash of what is blanked would let it be guessed
    role,
    band,
    trust,
    owner,
    content: isBlank ? BLANK : content,
    ...(media.length === 0 ? {} : { media: media.map(mediaShown) }),
    cached: length <= shared,
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(calls === undefined ? {} : { toolCalls: calls }),
  };
  return { shown, media };
}

function mediaShown(part: MediaPart): unknown {
  const { type, mediaType, data, name } = part;
  return { type, mediaType, hash: hashOf(part), bytes: bytesOf(data), ...(name === undefined ? {} : { name }) };
}
