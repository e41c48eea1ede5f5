import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';
import { EvalsFolder, type Evaluation, type Figures, type Read } from './evals-folder.js';
import { simulationRoutes } from './evals-simulations.js';

const orNone = <T>(of: { readonly json: Readonly<Record<string, unknown>>; readonly type?: T }) =>
  s.oneOf([of, s.enumOf([null])] as const);

const meanSchema = s.object({ value: orNone(s.number()), of: s.integer({ description: 'Number of simulations.' }) });
const shareSchema = s.object({ hits: s.integer(), of: s.integer() });

const figuresSchema = s.named(
  'EvaluationFigures',
  s.object({
    file: s.string(),
    label: s.string(),
    domain: s.string(),
    model: s.string(),
    agent: s.string(),
    retrieval: s.string(),
    simulations: s.integer(),
    tasks: s.integer(),
    infrastructureErrors: s.integer(),
    unscored: s.integer(),
    pass1: orNone(s.object({ value: s.number(), low: s.number(), high: s.number() })),
    passHat: s.list(s.number(), { description: 'pass^k by k.' }),
    dbMatch: shareSchema,
    turns: meanSchema,
    modelCalls: meanSchema,
    toolCalls: meanSchema,
    seconds: meanSchema,
    costPerTask: meanSchema,
    promptTokens: meanSchema,
    completionTokens: meanSchema,
    cacheShare: shareSchema,
  }),
);
const pointSchema = s.named(
  'EvaluationPoint',
  s.object({
    label: s.string(),
    agent: s.string(),
    model: s.string(),
    retrieval: s.string(),
    pass1: s.number(),
    costPerTask: s.number({ description: 'USD' }),
  }),
);
const evaluationFields = {
  id: s.string(),
  name: s.string(),
  updatedAt: s.integer({ description: 'Milliseconds since 1970.' }),
  files: s.list(s.string()),
};
const evaluationSchema = s.named('Evaluation', s.object(evaluationFields));
const detailSchema = s.named(
  'EvaluationDetail',
  s.object({
    ...evaluationFields,
    summaries: s.list(figuresSchema),
    points: s.list(pointSchema, { description: 'Conditions with a pass rate and a cost, for a plot.' }),
    unread: s.list(s.object({ file: s.string(), why: s.string() })),
  }),
);

const about = { method: 'get', tag: 'evaluations', scope: 'agents:read' } as const;

/** Results of evaluations in the folder that the server was given. They belong to the server, not to a tenant. */
export function evalRoutes({ settings }: Parts): readonly Route[] {
  const folder = settings.evals === undefined ? undefined : new EvalsFolder(settings.evals);
  const list = async (): Promise<readonly Evaluation[]> => (await folder?.list()) ?? [];
  return [
    route({
      id: 'listEvaluations',
      path: '/v1/evals',
      ...about,
      summary: 'Evaluations with results, newest first',
      answers: {
        200: {
          about: 'The evaluations found; empty if the server has no folder',
          schema: s.object({ evaluations: s.list(evaluationSchema) }),
        },
      },
      examples: [{ title: 'all', status: 200 }],
      handle: async () => ({ status: 200, body: { evaluations: (await list()).map(described) } }),
    }),
    route({
      id: 'getEvaluation',
      path: '/v1/evals/{id}',
      ...about,
      summary: 'The figures of one evaluation',
      params: s.object({ id: s.string({ minLength: 1, maxLength: 100 }) }),
      answers: { 200: { about: 'Figures by condition, and the points of a plot', schema: detailSchema } },
      examples: [{ title: 'no such evaluation', params: { id: '0000000000000000' }, status: 404 }],
      handle: async ({ params: { id } }) => {
        const found = (await list()).find((one) => one.id === id);
        if (folder === undefined || found === undefined) throw notFound('evaluation', id);
        return { status: 200, body: { ...described(found), ...withPoints(await folder.read(found)) } };
      },
    }),
    ...simulationRoutes(folder, list),
  ];
}

function described({ id, name, updatedAt, files }: Evaluation): object {
  return { id, name, updatedAt, files: files.map(({ file }) => file) };
}

function withPoints({ summaries, unread }: Read): object {
  return { summaries, points: summaries.flatMap(pointOf), unread };
}

function pointOf({ label, agent, model, retrieval, pass1, costPerTask }: Figures): readonly object[] {
  const { value: cost } = costPerTask;
  if (pass1 === null || cost === null || cost <= 0) return []; // no place on a logarithmic scale
  return [{ label, agent, model, retrieval, pass1: pass1.value, costPerTask: cost }];
}
