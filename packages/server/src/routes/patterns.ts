import { laboratory } from '@flyball/evals/files';
import { catalogueJson, type Finding, lint, lintJournals } from 'flyball/catalogue';
import { type PatternUse, patternsIn } from 'flyball/views';
import { holds, type Principal } from '../access/principal.js';
import { servedName } from '../agents/served-agent.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { ownRun } from './own-run.js';
import { runParams } from './run-schemas.js';

/** What only some of them have is not listed: `flyball/catalogue` has the types. */
const open = { additionalProperties: true } as const;

const catalogueSchema = s.named(
  'Catalogue',
  s.object(
    {
      version: s.integer(),
      categories: s.list(s.object({ id: s.string(), letter: s.string(), about: s.string() }, open)),
      mechanisms: s.list(s.object({ id: s.string(), name: s.string() }, open)),
      patterns: s.list(
        s.object(
          {
            id: s.string(),
            name: s.string(),
            category: s.string(),
            purpose: s.string(),
            exports: s.list(s.string()),
            kind: s.string(),
            calls: s.any({ description: 'The call formula as data' }),
            formula: s.string({ description: 'The call formula as text' }),
            status: s.any({ description: '`complete`, or the clauses that no test shows yet' }),
          },
          open,
        ),
      ),
      relations: s.list(s.object({ from: s.string(), kind: s.string(), to: s.list(s.string()) }, open)),
      antiPatterns: s.list(s.object({ id: s.string(), name: s.string() }, open)),
      guides: s.list(s.any()),
      stacks: s.list(s.any()),
    },
    { description: 'The same document as `flyball/catalogue.json`' },
  ),
);

const placeSchema = s.object({ x: s.number(), y: s.number() });
const laboratorySchema = s.named(
  'Laboratory',
  s.object({
    condition: s.string({ description: 'What these results are about; show it wherever you show them' }),
    items: s.integer({ description: 'Items for each claim' }),
    seed: s.integer(),
    rows: s.list(s.object({ id: s.string(), pattern: s.string(), says: s.string() }, open), {
      description: 'Claims about patterns, measured and expected',
    }),
    curves: s.list(
      s.object({
        id: s.string(),
        pattern: s.string(),
        title: s.string(),
        x: s.string(),
        y: s.string(),
        lines: s.list(
          s.object({
            name: s.string(),
            points: s.list(placeSchema, { description: 'What theory expects' }),
            measured: s.list(placeSchema),
          }),
        ),
      }),
    ),
  }),
);

const findingSchema = s.named(
  'PatternFinding',
  s.object({
    rule: s.string(),
    level: s.enumOf(['error', 'warning', 'info']),
    from: s.enumOf(['journal', 'composition'], {
      description: 'What happened, or what the description of the agent says; the latter needs agents:read.',
    }),
    at: s.string({ description: 'The place in the run or in the composition' }),
    path: s.optional(s.string({ description: 'The pattern of the run that it is about' })),
    why: s.string(),
    change: s.string({ description: 'The smallest change that resolves it' }),
  }),
);

const spanSchema = s.named(
  'PatternSpan',
  s.object(
    {
      path: s.string(),
      pattern: s.string(),
      generation: s.integer(),
      predicted: s.optional(s.any({ description: '`min` and `max` of the model calls; without a limit, no `max`' })),
      modelCalls: s.integer({ description: 'Model calls made in it' }),
      costUsd: s.number(),
      how: s.optional(s.string({ description: 'How it ended' })),
    },
    open,
  ),
);

export function patternRoutes(parts: Parts): readonly Route[] {
  return [
    route({
      id: 'listPatterns',
      method: 'get',
      path: '/v1/patterns',
      tag: 'patterns',
      summary: 'Read the catalogue of agent patterns',
      scope: 'agents:read',
      answers: { 200: { about: 'The catalogue', schema: catalogueSchema } },
      examples: [{ title: 'All of it', status: 200 }],
      handle: () => ({ status: 200, body: catalogueJson() }),
    }),
    route({
      id: 'readLaboratory',
      method: 'get',
      path: '/v1/patterns/laboratory',
      tag: 'patterns',
      summary: 'Read what the laboratory measured about patterns on simulated models',
      scope: 'agents:read',
      answers: { 200: { about: 'Claims and curves', schema: laboratorySchema } },
      examples: [{ title: 'All of it', status: 200 }],
      handle: async () => ({ status: 200, body: await laboratory() }),
    }),
    route({
      id: 'listRunPatterns',
      method: 'get',
      path: '/v1/runs/{runId}/patterns',
      tag: 'runs',
      summary: 'List the patterns of a run with predicted and actual model calls, and what the linter finds',
      scope: 'runs:read',
      params: runParams,
      answers: {
        200: {
          about: 'The patterns in the order in which they began, and the findings',
          schema: s.object({ spans: s.list(spanSchema), findings: s.list(findingSchema) }),
        },
      },
      examples: [{ title: 'An unknown run', params: { runId: 'run_0' }, status: 404 }],
      handle: async ({ principal, params: { runId } }) => {
        const { id, agent } = await ownRun(parts, principal, runId);
        const spans = patternsIn(await parts.feed.journal(id));
        const findings = await findingsOf(parts, principal, { id, agent, spans });
        return { status: 200, body: { spans, findings } };
      },
    }),
  ];
}

interface RunToCheck {
  readonly id: string;
  readonly agent: string;
  readonly spans: readonly PatternUse[];
}

/**
 * What the linter says about a run and its agent. It reads the entries as they are stored, because what is blanked looks
 * unused; what it says names scopes, sessions and tools, and quotes nothing.
 */
async function findingsOf(parts: Parts, principal: Principal, { id, agent, spans }: RunToCheck) {
  const { agent: name } = servedName(agent);
  const group = parts.directory.get(name)?.group;
  const agents = group === undefined ? {} : { [name]: group.agents[name] };
  const entries = await parts.fleet.entries(id);
  const happened = lintJournals([{ run: id, entries, spans: patternsIn(entries) }], { agents });
  const declared = holds(principal.scopes, 'agents:read') ? lint({ agents, seams: group?.seams }) : [];
  return [
    ...happened.map((finding) => shown(finding, 'journal', spanAround(spans, finding.at.slice(id.length + 1)))),
    ...declared.map((finding) => shown(finding, 'composition', spanNamed(spans, finding.at))),
  ];
}

function shown({ rule, level, at, why, change }: Finding, from: 'journal' | 'composition', path: string | undefined) {
  return { rule, level, from, at, ...(path === undefined ? {} : { path }), why, change };
}

/** The innermost pattern around a scope; a session may stand behind the scope. */
function spanAround(spans: readonly PatternUse[], place: string): string | undefined {
  const scope = place.split(' ')[0] ?? '';
  const around = spans.filter(({ path }) => scope === path || scope.startsWith(`${path}/`));
  return around.sort((a, b) => b.path.length - a.path.length)[0]?.path;
}

/** The first pattern of a run that stands where a place of the composition does: inside patterns of the same names. */
function spanNamed(spans: readonly PatternUse[], at: string): string | undefined {
  const wanted = [...at.matchAll(/ > (\S+) \([A-Z]\d+\)/g)].map(([, name]) => name).join(' ');
  const namesOf = ({ path, pattern }: PatternUse): string =>
    [...spans.filter((outer) => path.startsWith(`${outer.path}/`) && outer.pattern !== 'part'), { pattern }]
      .map((span) => span.pattern)
      .join(' ');
  return wanted === '' ? undefined : spans.find((span) => namesOf(span) === wanted)?.path;
}
