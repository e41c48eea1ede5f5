import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { ownRun } from './own-run.js';
import { runParams, shortText } from './run-schemas.js';

const heldSchema = s.object({
  run: s.string(),
  held: s.boolean(),
  by: s.optional(s.string()),
  at: s.optional(s.integer()),
  why: s.optional(s.string()),
});

/** Legal holds: a run under one is neither pruned nor erased. Both are kept in the log of operations. */
export function holdRoutes(parts: Parts): readonly Route[] {
  const change = (id: string, verb: 'hold' | 'release', summary: string): Route =>
    route({
      id,
      method: 'post',
      path: `/v1/runs/{runId}/${verb}`,
      tag: 'runs',
      summary,
      scope: 'admin',
      params: runParams,
      body: s.object({ why: shortText('Recorded in the operations log.') }),
      answers: { 200: { about: 'The current state', schema: heldSchema } },
      examples: [{ title: 'An unknown run', params: { runId: 'run_0' }, body: { why: 'case 2026-17' }, status: 404 }],
      handle: async ({ principal, params, body }) => {
        const { id: run } = await ownRun(parts, principal, params.runId);
        const by = principal.subject;
        await parts.engine.hold(run, { hold: verb === 'hold', by, why: body.why, at: parts.clock.now() });
        const hold = (await parts.engine.get(run))?.hold;
        return { status: 200, body: { run, held: hold !== undefined, ...hold } };
      },
    });
  return [
    change('holdRun', 'hold', 'Put a run under a legal hold'),
    change('releaseRun', 'release', 'Release a run from a legal hold'),
  ];
}
