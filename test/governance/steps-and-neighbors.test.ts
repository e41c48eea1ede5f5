import { done, type Run, type Seams, systemClock } from 'flyball';
import { supervisedScope } from 'flyball/people';
import { turns } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { governance } from '../../packages/flyball/src/tools/governance/index.js';
import { answer, gate, moving, RUN } from '../runtime/stage.js';

const clock = systemClock();
const baseline = { suite: 'held-out', score: 0.95, minimum: 0.9, classes: ['pure', 'idempotent'] };
const undoable = { class: 'undoable', compensate: async () => undefined } as const;

/** What comes of a step of each class under these guards. */
async function stepsUnder(seams: Seams) {
  const ran: string[] = [];
  const stage = moving();
  const life = stage.open(
    async (run: Run) => {
      const said: string[] = [];
      const classes = { pure: 'pure', idempotent: 'idempotent', undoable } as const;
      for (const [name, effectClass] of Object.entries(classes)) {
        said.push(
          await run
            .step(name, 1, () => void ran.push(name), effectClass)
            .then(
              () => 'ran',
              (error: { readonly code: string }) => error.code,
            ),
        );
      }
      return done(said);
    },
    { seams },
  );
  return { stage, life, ran, outcome: await life.start() };
}

describe('a step that acts', () => {
  it('is refused where only pure actions are in the supervised scope [F-W4]', async () => {
    const { outcome, ran, stage } = await stepsUnder(supervisedScope({ allow: ['pure'], baseline }));
    expect(outcome).toMatchObject({ stop: 'done', value: ['ran', 'DENIED', 'DENIED'] });
    expect(ran).toEqual(['pure']);
    expect(await stage.events('guard-refused')).toMatchObject([{ seam: 'step.pre' }, { seam: 'step.pre' }]);
    expect(await stage.events('intent')).toEqual([]);
  });

  it('runs where its class is in the scope [F-W4]', async () => {
    const { outcome } = await stepsUnder(supervisedScope({ allow: ['pure', 'idempotent'], baseline }));
    expect(outcome).toMatchObject({ value: ['ran', 'ran', 'DENIED'] });
  });

  it('is refused at the level read-only [F-W4]', async () => {
    const { outcome, ran } = await stepsUnder(governance({ clock, autonomy: 'read-only' }));
    expect(outcome).toMatchObject({ stop: 'done', value: ['ran', 'DENIED', 'DENIED'] });
    expect(ran).toEqual(['pure']);
  });

  it('waits for a person at the level supervised when it cannot simply be repeated [F-W4]', async () => {
    const { outcome, ran, life } = await stepsUnder(governance({ clock, autonomy: 'supervised' }));
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect(ran).toEqual(['pure', 'idempotent']);
    await answer(life.runtime, RUN, 'approve:#2', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: ['ran', 'ran', 'ran'] });
    expect(ran).toEqual(['pure', 'idempotent', 'undoable']);
  });

  it('that only keeps records of the run is no action [F-W4]', async () => {
    let kept = 0;
    const life = moving().open(
      async (run: Run) => done(await run.step('keep', 1, () => ++kept, { class: 'idempotent', records: true })),
      { seams: governance({ clock, autonomy: 'read-only' }) },
    );
    expect(await life.start()).toMatchObject({ stop: 'done', value: 1 });
  });
});

describe('calls that run side by side', () => {
  const leg = (name: string, legs: readonly ('private-data' | 'untrusted-content' | 'outbound')[]) =>
    tool({ name, description: name, effect: 'pure', legs, execute: () => turns(20).then(() => `${name} ran`) });
  const tools = [
    leg('read_mail', ['private-data']),
    leg('read_page', ['untrusted-content']),
    leg('post', ['outbound']),
  ];

  it('see each other when the trifecta is judged [F-W5]', async () => {
    const seams = governance({ clock, tools, autonomy: 'autonomous', rateLimit: 'off', trifecta: 'deny' });
    const life = moving().open(
      async (run: Run) => {
        const results = await run.all(
          tools.map((one) => (on: Run) => on.call(one, {})),
          3,
        );
        return done(results.map((result) => result.ok && result.value.ok));
      },
      { seams },
    );
    expect(await life.start()).toMatchObject({ stop: 'done', value: [true, true, false] });
  });

  it('do not count as made before they have ended: what a rule obliges to come first is not met by a call beside it [F-W5]', async () => {
    const judged = gate();
    const execute = () => judged.opened.then(() => 'found');
    const first = tool({ name: 'look_up', description: 'look up', effect: 'pure', execute });
    const then = leg('refund', []);
    const seen: (readonly string[])[] = [];
    const life = moving().open(
      async (run: Run) => {
        await run.all([(on) => on.call(first, {}), (on) => on.call(then, {})], 2);
        return done(1);
      },
      {
        seams: {
          'tool.pre': [
            (next) => (value, ctx) => {
              if (value.tool.name === 'refund') judged.open();
              seen.push([...Object.keys(ctx.calledTools), ...ctx.triedTools.map((name) => `(${name})`)]);
              return next(value, ctx);
            },
          ],
        },
      },
    );
    await life.start();
    expect(seen).toEqual([[], ['(look_up)']]);
  });
});
