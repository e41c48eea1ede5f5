import { FlyballError, type StandardSchema } from 'flyball';
import { documentsRetriever } from 'flyball/memory';
import { beforeAll, describe, expect, it } from 'vitest';
import { moving } from '../runtime/stage.js';
import { courseOf, criticised, judging, notesOf, PLAN, phasesOf, resultOf, runCommit } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const NAMED: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof (value as { readonly cause?: unknown }).cause === 'string'
        ? { value }
        : { issues: [{ message: 'it needs a cause' }] },
  },
};

describe('an answer without the structure that was asked for', () => {
  it('goes straight to repair: nobody judges it, and nobody criticises it [R4-VERIFY-SCHEMA]', async () => {
    const run = await runCommit(
      { worker: ['{"why":"the moon"}'], repairer: ['{"cause":"the moon"}'], critic: [] },
      { verification: { schema: NAMED, judge: { session: judgeOf() } } },
    );
    expect(resultOf(run)).toMatchObject({
      outputs: { artefacts: [{ text: '{"cause":"the moon"}' }] },
      provenance: { repairs: [{ cause: 'schema-violation', strategy: 'full-regeneration', resolved: true }] },
    });
    expect(await courseOf(run.stage)).toEqual([
      ...['PLAN planned DECOMPOSE', 'DECOMPOSE decomposed RETRIEVE', 'RETRIEVE retrieved ACT', 'ACT acted VERIFY'],
      ...['VERIFY schema-failed REPAIR', 'REPAIR repaired VERIFY', 'VERIFY gates-passed COMMIT'],
      'COMMIT committed COMMIT',
    ]);
    expect(run.model.promptAt('repairer')).toContain('it needs a cause');
    expect(run.model.requestsOf('critic')).toEqual([]);
    const order = run.model.requests.map(({ session }) => session);
    expect(order.indexOf('judge')).toBeGreaterThan(order.indexOf('repairer'));

    function judgeOf() {
      return { name: 'judge', model: undefined as never, setup: '' };
    }
  });
});
