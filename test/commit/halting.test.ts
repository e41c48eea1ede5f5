import { type Clock, type Entry, memoryStore, type Outcome, type Retriever, type Store, systemClock } from 'flyball';
import type { CommitResult } from 'flyball/loops';
import { documentsRetriever } from 'flyball/retrieval';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { commitCourseOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import { proposes } from '../loops/stage-loop.js';
import { type Life, RUN, Stage } from '../runtime/stage.js';
import {
  type CommitRun,
  courseOf,
  criticized,
  judging,
  loopWith,
  PLAN,
  ROOMY,
  resultOf,
  runCommit,
  SMOOTH,
  TASK,
  withoutPatterns,
} from './stage-commit.js';

const library = documentsRetriever({
  name: 'library',
  documents: [{ source: 'moon.md', text: 'The moon and tides.' }],
});

/** Every phase, and where each of them lets a test in. */
function course(inside: () => Promise<void>): {
  readonly script: Script;
  readonly retriever: Retriever;
  readonly store: Store;
} {
  const inner = memoryStore();
  const during = (reply: string) => async () => {
    await inside();
    return reply;
  };
  return {
    script: {
      planner: during(PLAN),
      worker: during('Because it is so.'),
      judge: async (request, n, how) => {
        await inside();
        return judging((shown) => ({ correctness: shown.includes('and the sun') ? 1 : 0.6 }))(request, n, how);
      },
      critic: async (_request, n) => {
        await inside();
        return criticized({ description: 'too much', cause: n === 1 ? 'complexity-exceeded' : 'logic-error' });
      },
      repairer: during('Because of the moon and the sun.'),
    },
    retriever: {
      name: 'library',
      retrieve: async (query, how) => {
        await inside();
        return library.retrieve(query, how);
      },
    },
    store: {
      ...inner,
      get: async (at) => {
        if (at.collection === 'commits') await inside();
        return inner.get(at);
      },
      propose: async (at, proposal) => {
        if (at.collection === 'commits') await inside();
        return inner.propose(at, proposal);
      },
    },
  };
}

describe('a pause', () => {
  it('halts the loop wherever it stands without a rollback, and it goes on from there [R4-LOOP-HALT] [R4-EXIT-ARTEFACTS]', async () => {
    let moments = 0;
    const { script, ...parts } = course(async () => void moments++);
    const calm = await runCommit(script, parts);
    const halts: string[] = [];
    for (let moment = 1; moment <= moments; moment++) halts.push(await pausedAt(moment, calm));
    const phases = ['PLAN', 'DECOMPOSE', 'RETRIEVE', 'ACT', 'VERIFY', 'CRITIQUE', 'REPAIR', 'COMMIT'];
    expect([...new Set(halts)].sort()).toEqual(phases.sort());
  });

  /** Pauses in the midst of an effect, resumes, and says in which phase it stood meanwhile. */
  async function pausedAt(moment: number, calm: CommitRun): Promise<string> {
    let life: Life | undefined;
    let moments = 0;
    const { script, ...parts } = course(async () => {
      if (++moments === moment) await life?.runtime.pause(RUN, { by: 'ada' });
    });
    const model = scriptedModel({ ...SMOOTH, ...script });
    const stage = new Stage<Clock>(systemClock());
    const loop = loopWith(model, parts);
    life = stage.open((run, input) => loop(run, input as TaskSpec));
    expect(await life.start(TASK, ROOMY)).toMatchObject({ stop: 'suspended', paused: true });
    const halted = await stage.entries();
    const halt = commitCourseOf(halted, { runId: RUN })?.halt;
    expect(halt).toMatchObject({ run: RUN, by: 'ada', at: expect.any(Number) as number });
    expect(halted.some(({ event }) => event.type === 'rollback-end' || event.type === 'run-end')).toBe(false);
    const ended = (await life.resume({ by: 'bob' })) as Outcome<CommitResult>;
    expect(resultOf({ outcome: ended }).outputs).toEqual(resultOf(calm).outputs);
    expect(await courseOf(stage)).toEqual(await courseOf(calm.stage));
    expect(model.requests).toHaveLength(calm.model.requests.length);
    const after = (await stage.entries()).slice(halted.length);
    const next = after.flatMap(({ event }) => ('id' in event ? [String(event.id)] : []))[0];
    expect(withoutPatterns(next)).toMatch(new RegExp(`^/${halt?.phase.toLowerCase()}-${halt?.iteration}[/#]`));
    expect(commitCourseOf(await stage.entries(), { runId: RUN })?.halt).toBeUndefined();
    return halt?.phase ?? '';
  }
});

describe('a cancellation', () => {
  it('ends the loop as cancelled and takes back what its tools did [R4-LOOP-OUTCOMES]', async () => {
    const world = new Set<string>();
    const note = tool({
      name: 'note',
      description: 'Writes a note. Not for letters.',
      effect: 'undoable',
      timeoutMs: 1000,
      execute: async () => {
        world.add('note');
        return 'noted';
      },
      compensate: async () => {
        world.delete('note');
      },
    });
    let life: Life | undefined;
    const model = scriptedModel({
      ...SMOOTH,
      worker: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'By the moon.' : proposes('note')),
      judge: async () => {
        expect([...world]).toEqual(['note']);
        await life?.runtime.cancel(RUN, { by: 'ada', why: 'no longer needed' });
        return 'whatever';
      },
    });
    const stage = new Stage<Clock>(systemClock());
    const loop = loopWith(model, {
      parts: (session) => ({ execution: { worker: { session: session('worker'), tools: [note] } } }),
    });
    life = stage.open((run, input) => loop(run, input as TaskSpec));
    expect(await life.start(TASK, ROOMY)).toMatchObject({
      stop: 'cancelled',
      because: expect.stringContaining('no longer needed') as string,
      rollback: { success: true, entries: [{ name: 'note', status: 'COMPENSATED' }] },
    });
    expect([...world]).toEqual([]);
  });

  it('after the result was stored takes that back too: nothing is given out that was undone [R4-COMMIT-IDEMPOTENT]', async () => {
    const inner = memoryStore();
    let life: Life | undefined;
    const store: Store = {
      ...inner,
      propose: async (at, proposal) => {
        if (at.collection === 'commit-lessons') await life?.runtime.cancel(RUN, { by: 'ada', why: 'too late' });
        return inner.propose(at, proposal);
      },
    };
    const stage = new Stage<Clock>(systemClock());
    const loop = loopWith(scriptedModel(SMOOTH), { store });
    life = stage.open((run, input) => loop(run, input as TaskSpec));
    expect(await life.start(TASK, ROOMY)).toMatchObject({ stop: 'cancelled', rollback: { success: true } });
    const again = await runCommit({}, { store: inner });
    expect(again.outcome).not.toMatchObject({ value: { resubmitted: true } });
    expect(again.model.requests.length).toBeGreaterThan(0);
  });
});

describe('every transition', () => {
  it('is in the journal before the first effect of the phase it leads to [R4-LOOP-JOURNALED]', async () => {
    const { script, ...parts } = course(async () => undefined);
    const { stage } = await runCommit(script, parts);
    const entries = await stage.entries();
    const told = phaseNotes(entries);
    expect(told.length).toBeGreaterThan(12);
    for (const { seq, scope } of told) {
      const effects = entries.filter(({ event }) => 'id' in event && withoutPatterns(event.id).startsWith(scope));
      for (const effect of effects) expect(effect.seq, scope).toBeGreaterThan(seq);
    }
    const withEffects = told.filter(({ scope }) =>
      entries.some(({ event }) => 'id' in event && withoutPatterns(event.id).startsWith(scope)),
    );
    expect(withEffects.length).toBeGreaterThan(8);
  });

  /** The scope in which the phase works that a note leads to. */
  function phaseNotes(entries: readonly Entry[]): readonly { readonly seq: number; readonly scope: string }[] {
    return entries.flatMap(({ event, seq }) => {
      if (event.type !== 'note' || event.event.kind !== 'phase') return [];
      const { phase, iteration } = event.event;
      return [{ seq, scope: `/${String(phase).toLowerCase()}-${String(iteration)}` }];
    });
  }
});
