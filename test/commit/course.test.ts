import { memoryStore } from 'flyball';
import { verifyCommit } from 'flyball/loops';
import { describe, expect, it } from 'vitest';
import { criticized, judging, phasesOf, runCommit, TASK } from './stage-commit.js';

describe('a commit loop', () => {
  it('plans, acts, verifies and commits with everything that vouches for the result [R4-LOOP-OUTCOMES] [R4-COMMIT-RECORD]', async () => {
    const { outcome, stage } = await runCommit();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        status: 'committed',
        outputs: { artefacts: [{ name: 'answer', text: 'Because of the moon.' }] },
        provenance: { task: TASK.id, repairs: [] },
      },
    });
    if (outcome.stop !== 'done') throw new Error('it is done');
    expect(verifyCommit(outcome.value)).toBe(true);
    expect(await phasesOf(stage)).toEqual(['PLAN', 'DECOMPOSE', 'RETRIEVE', 'ACT', 'VERIFY', 'COMMIT', 'COMMIT']);
  });

  it('repairs what the critic found, verifies it again and commits [R4-LOOP-TABLE]', async () => {
    const { outcome, stage } = await runCommit({
      judge: judging((shown) => ({ correctness: shown.includes('of the moon') ? 1 : 0.6 })),
      critic: [criticized({ description: 'the moon is not named', line: 1 })],
      worker: ['Because it is so.'],
      repairer: () => 'Because of the moon.',
    });
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        outputs: { artefacts: [{ text: 'Because of the moon.' }] },
        provenance: { repairs: expect.arrayContaining([expect.objectContaining({ resolved: true })]) },
      },
    });
    expect(await phasesOf(stage)).toEqual([
      ...['PLAN', 'DECOMPOSE', 'RETRIEVE', 'ACT', 'VERIFY', 'CRITIQUE', 'REPAIR', 'VERIFY', 'COMMIT', 'COMMIT'],
    ]);
  });

  it('gives out a committed result again without a model call [R4-COMMIT-IDEMPOTENT]', async () => {
    const store = memoryStore();
    const first = await runCommit({}, { store });
    const second = await runCommit({}, { store });
    expect(second.outcome).toMatchObject({ stop: 'done', value: { resubmitted: true } });
    expect(second.model.requests).toEqual([]);
    if (first.outcome.stop !== 'done' || second.outcome.stop !== 'done') throw new Error('both are done');
    expect(second.outcome.value.seal).toBe(first.outcome.value.seal);
    const other = await runCommit({}, { store, task: { ...TASK, goal: 'Something else.' } });
    expect(other.model.requests.length).toBeGreaterThan(0);
  });
});
