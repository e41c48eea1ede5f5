import type { Results, SimMessage, SimulationRecord } from '@flyball/evals';
import { conditionOf, dumpJson, factsOf } from '@flyball/evals';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import { notFound } from '../problem.js';
import { type EvalsFolder, type Evaluation, withoutDomain } from './evals-folder.js';

const orNone = <T>(of: { readonly json: Readonly<Record<string, unknown>>; readonly type?: T }) =>
  s.oneOf([of, s.enumOf([null])] as const);

const rowFields = {
  id: s.string(),
  task: s.string(),
  trial: s.integer(),
  reward: orNone(s.number({ description: 'null if it could not be judged, or the infrastructure failed.' })),
  termination: s.string(),
  dbMatch: orNone(s.boolean()),
  seconds: s.number(),
  messages: s.integer(),
  modelCalls: s.integer(),
  toolCalls: s.integer(),
  cost: orNone(s.number({ description: 'Cost of the agent in USD.' })),
};
const rowSchema = s.named('EvaluationSimulation', s.object(rowFields));
const conversationSchema = s.named(
  'EvaluationConversation',
  s.object({
    ...rowFields,
    checks: s.list(s.object({ what: s.string(), met: s.boolean() }), { description: 'The checks behind the grade.' }),
    conversation: s.list(
      s.object({
        by: s.enumOf(['assistant', 'user', 'tool']),
        text: s.string(),
        calls: s.list(s.object({ name: s.string(), arguments: s.string({ description: 'JSON' }) })),
        failed: s.boolean(),
      }),
    ),
    run: orNone(s.string({ description: 'Its run, in the journal next to the results.' })),
  }),
);

const about = { method: 'get', tag: 'evaluations', scope: 'runs:read' } as const;
const query = s.object({ file: s.string({ maxLength: 1_000, description: 'One of the files of the evaluation.' }) });
const id = s.string({ minLength: 1, maxLength: 100 });
const nothing = { id: '0000000000000000' };

/** From a cell of a table to the simulations behind it, and to the conversation of each. */
export function simulationRoutes(
  folder: EvalsFolder | undefined,
  list: () => Promise<readonly Evaluation[]>,
): readonly Route[] {
  const resultsOf = async (wanted: string, file: string): Promise<Results> => {
    const found = (await list()).find((one) => one.id === wanted);
    if (folder === undefined || found === undefined) throw notFound('evaluation', wanted);
    const results = await folder.results(found, file);
    if (results === undefined) throw notFound('results file', file);
    return results;
  };
  return [
    route({
      id: 'listSimulations',
      path: '/v1/evals/{id}/simulations',
      ...about,
      summary: 'The simulations behind the figures of one condition',
      params: s.object({ id }),
      query,
      answers: { 200: { about: 'All of the file', schema: s.object({ simulations: s.list(rowSchema) }) } },
      examples: [{ title: 'no such evaluation', params: nothing, query: { file: 'a/results.json' }, status: 404 }],
      handle: async (request) => {
        const results = await resultsOf(request.params.id, request.query.file);
        return { status: 200, body: { simulations: rowsOf(results) } };
      },
    }),
    route({
      id: 'getSimulation',
      path: '/v1/evals/{id}/simulations/{simulation}',
      ...about,
      summary: 'One simulation with its conversation',
      params: s.object({ id, simulation: id }),
      query,
      answers: { 200: { about: 'The messages, and the checks behind the grade', schema: conversationSchema } },
      examples: [
        {
          title: 'no such evaluation',
          params: { ...nothing, simulation: 'none' },
          query: { file: 'a/results.json' },
          status: 404,
        },
      ],
      handle: async (request) => {
        const { simulation } = request.params;
        const results = await resultsOf(request.params.id, request.query.file);
        const at = results.simulations.findIndex((one) => one.id === simulation);
        const [record, row] = [results.simulations[at], rowsOf(results)[at]];
        if (record === undefined || row === undefined) throw notFound('simulation', simulation);
        return { status: 200, body: { ...row, ...conversationOf(record) } };
      },
    }),
  ];
}

/** One for each simulation of the file, in its order: also those that are in no figure. */
function rowsOf(results: Results): readonly object[] {
  const facts = new Map(
    factsOf(conditionOf(results, withoutDomain(results.info.domain))).map((one) => [one.id, one] as const),
  );
  return results.simulations.map((record) => {
    const known = facts.get(record.id);
    return {
      id: record.id,
      task: record.taskId,
      trial: record.trial,
      reward: record.reward?.reward ?? null,
      termination: record.termination,
      dbMatch: known?.accuracy.dbMatch ?? null,
      seconds: record.seconds,
      messages: record.messages.length,
      modelCalls: known?.cost.modelCalls ?? 0,
      toolCalls: known?.cost.toolCalls ?? 0,
      cost: record.agentCost,
    };
  });
}

function conversationOf({ reward, messages, info }: SimulationRecord): object {
  const runId = info?.['runId'];
  return {
    checks: [
      ...(reward?.db == null ? [] : [{ what: 'The database is correct', met: reward.db.match }]),
      ...(reward?.actions ?? []).map(({ action, matched }) => ({
        what: `${action.name} ${dumpJson(action.arguments)}`,
        met: matched,
      })),
      ...(reward?.communicate ?? []).map(({ info: said, met }) => ({ what: `Said: ${said}`, met })),
      ...(reward?.nl ?? []).map(({ assertion, met }) => ({ what: assertion, met })),
    ],
    conversation: messages.map(turnOf),
    run: typeof runId === 'string' ? runId : null,
  };
}

function turnOf(message: SimMessage): object {
  if (message.role === 'tool') return { by: 'tool', text: message.content, calls: [], failed: message.error };
  return {
    by: message.role,
    text: message.content ?? '',
    calls: message.calls.map((call) => ({ name: call.name, arguments: dumpJson(call.arguments) })),
    failed: false,
  };
}
