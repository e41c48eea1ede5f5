import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, done, type Entry, FlyballError, type Outcome, type Run, systemClock } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { supervised } from 'flyball/patterns';
import { supervise, supervisedScope } from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { tool, toolset } from 'flyball/tools';
import { checkpointOf } from 'flyball/views';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fired, SuperviseOptions } from '../../packages/flyball/src/people/supervise.js';
import { proposes } from '../loops/stage-loop.js';
import { gate, moving, RUN, Stage } from '../runtime/stage.js';
import '@cfworker/json-schema'; // loaded now: with a clock that moves by itself, loading takes hours

const interruptAt =
  (path: string): SuperviseOptions['monitor'] =>
  ({ event }) =>
    event.type === 'intent' && JSON.stringify(event.input).includes(path)
      ? { tier: 'interrupt', why: `${path} is being changed` }
      : undefined;

const interruptAtIntent: SuperviseOptions['monitor'] = ({ event }) =>
  event.type === 'intent' ? { tier: 'interrupt', why: 'it acts' } : undefined;

const waitsThenWorks = async (run: Run) => {
  await run.wait({ name: 'go' });
  return done(await run.step('work', null, () => 'worked', 'idempotent'));
};

/** A folder of ten files, and a scripted agent that edits one after the other. */
function tenEdits() {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-supervised-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'docs'));
  const path = (name: string) => join(folder, 'docs', name);
  for (let n = 1; n <= 10; n++) writeFileSync(path(`file-${n}.md`), 'old');
  const hold = gate();
  const edit = tool({
    name: 'edit',
    description: 'Replaces the text of a file.',
    input: {
      type: 'object',
      properties: { file: { type: 'string' }, text: { type: 'string' } },
      required: ['file', 'text'],
    },
    effect: {
      class: 'undoable',
      compensate: async ({ file }: { file: string }) => writeFileSync(path(file), 'old'),
    },
    execute: async ({ file, text }: { file: string; text: string }) => {
      if (file === 'file-4.md') await hold.opened; // in flight while it is interrupted
      writeFileSync(path(file), text);
      return 'written';
    },
  });
  // written from the prompt alone, as a model does: whoever goes on with the run gets the same
  const model = scriptedModel({
    editor: ({ messages }) => {
      const all = messages.map(({ content }) => content).join('\n');
      const made = messages.filter(({ role }) => role === 'tool').length;
      if (made >= 10) return 'All ten are edited.';
      return proposes(
        'edit',
        { file: `file-${made + 1}.md`, text: all.includes('upper case') ? 'NEW' : 'new' },
        `c${made}`,
      );
    },
  });
  const loop = toolLoop({
    session: { name: 'editor', model, setup: 'You edit files.' },
    tools: toolset([edit]),
    config: { maxIterations: 20, safePoints: true },
  });
  const texts = () =>
    readdirSync(join(folder, 'docs')).map((name) => `${name.slice(5, -3)} ${readFileSync(path(name), 'utf8')}`);
  return { agent: (run: Run) => loop(run, 'Edit all ten.'), hold, model, texts };
}

const paths = (entries: readonly Entry[]) =>
  entries.flatMap(({ event }) => (event.type === 'intent' ? [(event.input as { readonly file: string }).file] : []));

const callsIn = (entries: readonly Entry[]) =>
  checkpointOf(RUN, entries).completedActions.filter(({ verb }) => verb === 'call').length;

describe('a run that somebody watches', () => {
  it('pauses behind the edit in flight when a rule fires, goes on as it is told, and can be aborted [R4-PEOPLE-SUPERVISE] [R4-PEOPLE-REDIRECT] [R4-PEOPLE-ABORT] [V2.6] [V2.acceptance]', async () => {
    const { agent, hold, texts, model } = tenEdits();
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open(agent);
    const fired: Fired[] = [];
    const seen: number[] = [];
    const started = life.start();
    const watch = supervise(life.runtime, RUN, {
      monitor: (entry, window) => {
        seen.push(entry.seq);
        return interruptAt('file-4.md')(entry, window) ?? interruptAt('file-8.md')(entry, window);
      },
      from: 'start',
      by: 'ada',
      onTrigger: {
        interrupt: (trigger) => {
          fired.push(trigger);
          hold.open();
        },
      },
    });
    expect(await started).toMatchObject({ stop: 'suspended', paused: true });
    // it waited for nobody before, the fourth edit was made to its end, and nothing after it was begun
    expect(paths(await stage.entries())).toEqual([1, 2, 3, 4].map((n) => `file-${n}.md`));
    expect(texts().filter((text) => text.endsWith(' new'))).toHaveLength(4);
    expect(callsIn(await stage.entries())).toBe(4);
    expect(fired).toMatchObject([
      { tier: 'interrupt', why: 'file-4.md is being changed', entry: { event: { type: 'intent' } } },
    ]);
    expect(await stage.events('run-pause')).toMatchObject([{ by: 'ada' }]);

    await watch.resume('Write everything in upper case.');
    const second = await life.runtime.handle(RUN).outcome();
    expect(second).toMatchObject({ stop: 'suspended', paused: true });
    await watch.settled();
    expect(seen).toEqual((await stage.entries()).map(({ seq }) => seq)); // what let it go on was looked at, too
    expect(texts()).toContain('5 NEW');
    expect(texts()).toContain('4 new');
    expect(await stage.events('redirect')).toMatchObject([{ by: 'ada', text: 'Write everything in upper case.' }]);
    expect(
      model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('\n'),
    ).toContain('upper case');
    const made = callsIn(await stage.entries());

    await watch.abort('that is enough');
    const end = await (await life.runtime.wake(RUN)).outcome();
    expect(end).toMatchObject({ stop: 'cancelled', because: 'that is enough', rollback: { success: true } });
    expect(texts().every((text) => text.endsWith(' old'))).toBe(true);
    expect(callsIn(await stage.entries())).toBe(made); // the checkpoint can still be read, to its last action
    watch.stop();
  });

  it('does not wait for its monitor, however long that thinks [R4-PEOPLE-SUPERVISE] [V2.1]', async () => {
    const life = moving().open(async (run: Run) => done(await run.step('work', null, () => 'worked', 'idempotent')));
    const thinking = new Promise<undefined>(() => undefined);
    let asked = 0;
    const started = life.start();
    const watch = supervise(life.runtime, RUN, {
      monitor: () => {
        asked++;
        return thinking;
      },
      from: 'start',
    });
    expect(await started).toMatchObject({ stop: 'done', value: 'worked' });
    expect(asked).toBe(1); // it still thinks about the first entry
    watch.stop();
  });

  it('is interrupted when its monitor gives way, because nobody watches it any more [R4-PEOPLE-SUPERVISE]', async () => {
    const hold = gate();
    const stage = moving();
    const life = stage.open(twoSteps(hold));
    const started = life.start();
    const fired: Fired[] = [];
    const watch = supervise(life.runtime, RUN, {
      monitor: ({ event }) => {
        if (event.type === 'intent') throw new Error('out of memory');
        return undefined;
      },
      from: 'start',
      onTrigger: {
        interrupt: (trigger) => {
          fired.push(trigger);
          hold.open();
        },
      },
    });
    expect(await started).toMatchObject({ stop: 'suspended', paused: true });
    expect(fired).toMatchObject([{ tier: 'interrupt', why: 'the monitor failed: out of memory' }]);
    expect(watch.healthy()).toBe(false);
    watch.stop();
  });

  it('is interrupted when its monitor falls too far behind', async () => {
    const hold = gate();
    const life = moving().open(async (run: Run) => {
      for (let n = 0; n < 10_100; n++) run.note({ kind: 'noise', n });
      return twoSteps(hold)(run);
    });
    const started = life.start();
    const watch = supervise(life.runtime, RUN, {
      monitor: () => new Promise<undefined>(() => undefined),
      from: 'start',
      onTrigger: { interrupt: () => hold.open() },
    });
    expect(await started).toMatchObject({ stop: 'suspended', paused: true });
    expect(watch.fired()).toMatchObject([{ why: 'the monitor is 10000 entries behind' }]);
    expect(watch.healthy()).toBe(false);
    watch.stop();
  });

  it('tells whoever asks when it could not be paused', async () => {
    const hold = gate();
    const life = moving().open(twoSteps(hold));
    const unreachable = { ...life.runtime, pause: () => Promise.reject(new Error('the disk is full')) };
    const started = life.start();
    const watch = supervise(unreachable, RUN, { monitor: interruptAtIntent, from: 'start' });
    hold.open();
    expect(await started).toMatchObject({ stop: 'done' });
    await expect(watch.settled()).rejects.toThrow('the disk is full');
    expect(watch.healthy()).toBe(false);
    watch.stop();
  });

  it('shows its monitor a window, not the whole history', async () => {
    const sizes: number[] = [];
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      for (let n = 0; n < 10; n++) await run.step('work', n, (at) => at, 'idempotent');
      return done(null);
    });
    const started = life.start();
    const seen: Entry[] = [];
    const watch = supervise(life.runtime, RUN, {
      windowSize: 3,
      from: 'start',
      monitor: (entry, window) => {
        seen.push(entry);
        sizes.push(window.length);
        expect(window.at(-1)).toBe(entry);
        return undefined;
      },
    });
    await started;
    await watch.settled();
    expect(Math.max(...sizes)).toBe(3);
    expect(seen.map(({ seq }) => seq)).toEqual((await stage.entries()).map(({ seq }) => seq)); // each once, in order
    watch.stop();
  });

  it('is looked at once for each entry, also when the journal is read late', async () => {
    const hold = gate();
    const stage = moving();
    const { runtime, start } = stage.open(async (run: Run) => done(await run.step('work', 1, (n) => n, 'idempotent')));
    const late = { ...runtime, entries: (id: string) => hold.opened.then(() => runtime.entries(id)) };
    const seen: number[] = [];
    const watch = supervise(late, RUN, {
      from: 'start',
      monitor: ({ seq }) => {
        seen.push(seq);
        return undefined;
      },
    });
    await start();
    hold.open();
    await watch.settled();
    expect(seen).toEqual((await stage.entries()).map(({ seq }) => seq));
    watch.stop();
  });

  it('tells alerts at once while there are few of them, and the rest in a summary', async () => {
    const life = moving().open(async (run: Run) => {
      for (let n = 0; n < 6; n++) await run.step('work', n, (at) => at, 'idempotent');
      return done(null);
    });
    const alerts: Fired[] = [];
    const summaries: (readonly Fired[])[] = [];
    const started = life.start();
    const watch = supervise(life.runtime, RUN, {
      from: 'start',
      maxAlerts: 2,
      monitor: ({ event }) =>
        event.type === 'intent'
          ? { tier: 'alert', why: 'it acts' }
          : event.type === 'run-end'
            ? { tier: 'summary', why: 'it ended' }
            : undefined,
      onTrigger: { alert: (fired) => alerts.push(fired), summary: (fired) => summaries.push(fired) },
    });
    expect(await started).toMatchObject({ stop: 'done' }); // neither of them stops it
    await watch.settled();
    watch.stop();
    expect(alerts).toHaveLength(2);
    expect(summaries.map((summary) => summary.map(({ tier }) => tier))).toEqual([
      ['alert', 'alert', 'alert', 'alert', 'summary'],
    ]);
    expect(watch.fired()).toHaveLength(7);
  });

  it('is really interrupted by a drill, and goes on; a silent monitor fails it [R4-PEOPLE-SUPERVISE]', async () => {
    const hold = gate();
    const stage = moving();
    const life = stage.open(twoSteps(hold));
    const started = life.start();
    const entry: Entry = {
      generation: 0,
      seq: 1e6,
      at: 0,
      activeMs: 0,
      event: { type: 'note', path: '', event: { kind: 'drill' } },
    };
    const watch = supervise(life.runtime, RUN, {
      monitor: ({ event }) =>
        event.type === 'note' && event.event.kind === 'drill' ? { tier: 'interrupt', why: 'drill' } : undefined,
      drillEntry: entry,
    });
    const silent = supervise(life.runtime, RUN, { monitor: () => undefined, drillEntry: entry });
    const drill = watch.drill();
    await new Promise((resolve) => setImmediate(resolve));
    hold.open();
    expect(await drill).toEqual({
      ok: true,
      paused: true,
      met: 'paused',
      monitor: 'fired',
      why: 'it paused and continued',
    });
    await started;
    expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'done' });
    expect(await stage.events('run-pause')).toHaveLength(1);
    expect(watch.healthy()).toBe(true);
    await expect(silent.drill()).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
    watch.stop();
    silent.stop();
  });

  it('fails a drill whose monitor says nothing', async () => {
    const hold = gate();
    const life = moving().open(twoSteps(hold));
    void life.start();
    const entry = { generation: 0, seq: 1e6, at: 0, activeMs: 0, event: { type: 'stuck' } } as const;
    const watch = supervise(life.runtime, RUN, { monitor: () => undefined, drillEntry: entry });
    const drill = watch.drill();
    await new Promise((resolve) => setImmediate(resolve));
    hold.open();
    expect(await drill).toMatchObject({
      ok: false,
      paused: true,
      monitor: 'silent',
      why: expect.stringContaining('did not interrupt') as string,
    });
    expect(watch.healthy()).toBe(false);
    watch.stop();
  });

  it('leaves no pause behind in a run that only waits: it goes on when it is answered [R4-PEOPLE-SUPERVISE]', async () => {
    const stage = moving();
    const life = stage.open(waitsThenWorks);
    expect(await life.start()).toMatchObject({ stop: 'suspended' });
    const watch = supervise(life.runtime, RUN, { monitor: () => undefined });
    expect(await watch.drill()).toEqual({
      ok: false,
      paused: false,
      met: 'waiting',
      monitor: 'not tried',
      why: 'the run is only waiting for somebody, so there was nothing to interrupt.',
    });
    expect(watch.healthy()).toBe(true); // nothing was shown, neither way
    await life.runtime.signal(RUN, 'go', 1);
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: 'worked' });
    expect(await stage.events('run-pause')).toEqual([]);
    watch.stop();
  });

  it('stays paused through a drill when somebody had paused it', async () => {
    const life = moving().open(waitsThenWorks);
    await life.start();
    await life.runtime.pause(RUN, { by: 'ann' });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ paused: true });
    const watch = supervise(life.runtime, RUN, { monitor: () => undefined });
    expect(await watch.drill()).toMatchObject({ ok: false, met: 'held', why: expect.stringContaining('stays paused') });
    expect((await life.runtime.get(RUN)).status).toBe('paused');
    expect(watch.healthy()).toBe(true);
    watch.stop();
  });

  it('is told of where a drill could not take its pause back', async () => {
    const life = moving().open(waitsThenWorks);
    await life.start();
    const resume = () => Promise.reject(new FlyballError('RUN_UNLOADED', 'it is held elsewhere'));
    const watch = supervise({ ...life.runtime, resume }, RUN, { monitor: () => undefined });
    expect(await watch.drill()).toMatchObject({ ok: false, met: 'waiting', why: expect.stringContaining('elsewhere') });
    expect(watch.healthy()).toBe(false);
    watch.stop();
  });

  it('refuses settings that watch nothing', () => {
    const { runtime } = moving().open(async () => done(null));
    expect(() => supervise(runtime, RUN, { monitor: () => undefined, windowSize: 0 })).toThrow('windowSize is 0');
  });
});

function twoSteps(hold: { readonly opened: Promise<void> }) {
  return async (run: Run): Promise<Outcome<unknown>> => {
    await run.step('first', null, () => hold.opened.then(() => 1), 'idempotent');
    return done(await run.step('second', null, () => 2, 'idempotent'));
  };
}

const baseline = { suite: 'edits 3', score: 0.93, minimum: 0.9, classes: ['pure', 'idempotent', 'undoable', 'notes'] };

const acts = (['pure', 'idempotent', 'irreversible'] as const).map((effect) =>
  tool({
    name: effect,
    description: `An action that is ${effect}.`,
    input: { type: 'object', properties: { path: { type: 'string' } } },
    effect,
    execute: async () => 'acted',
  } as never),
);

const callAll = async (run: Run): Promise<Outcome<unknown>> => {
  const results: unknown[] = [];
  for (const act of acts) {
    const result = await run.call(act, { path: 'notes/a.md' });
    results.push(result.ok ? result.value : result.failure.code);
  }
  return done(results);
};

describe('a supervised scope', () => {
  it('denies what is outside it although the tool is loaded, before anybody is asked to approve it [R4-PEOPLE-SCOPE-OF-ACTION] [V2.2]', async () => {
    const stage = moving();
    const life = stage.open((run: Run) => callAll(run.guarded(supervisedScope({ allow: ['pure'], baseline }))));
    expect(await life.start()).toMatchObject({ stop: 'done', value: ['acted', 'DENIED', 'DENIED'] });
    expect(await stage.events('guard-decision')).toMatchObject([
      {
        guard: 'supervised-scope',
        verdict: 'denied',
        why: expect.stringContaining('idempotent is idempotent and outside') as string,
      },
      { guard: 'supervised-scope', verdict: 'denied' },
    ]);
    expect(await stage.events('wait-start')).toEqual([]);
  });

  it('holds as a seam of the runtime too, and for classes that are made for it [R4-PEOPLE-SCOPE-OF-ACTION]', async () => {
    const notes = {
      name: 'notes',
      effect: 'idempotent',
      matches: (_tool: unknown, args: unknown) => (args as { readonly path: string }).path.startsWith('notes/'),
    } as const;
    const within = moving().open(callAll, { seams: supervisedScope({ allow: [notes], baseline }) });
    expect(await within.start()).toMatchObject({ value: ['acted', 'acted', 'DENIED'] }); // never what cannot be undone
    const other = { ...notes, matches: () => false };
    const outside = moving().open(callAll, { seams: supervisedScope({ allow: [other], baseline }) });
    expect(await outside.start()).toMatchObject({ value: ['DENIED', 'DENIED', 'DENIED'] });
  });

  it('cannot grow while the run goes on, whoever goes on with it [R4-PEOPLE-SCOPE-OF-ACTION] [V2.3]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.wait({ name: 'go' });
      return callAll(run);
    };
    const first = stage.open(supervised(agent, { allow: ['pure'], baseline }));
    await first.start();
    first.die();
    const wider = stage.open(supervised(agent, { allow: ['pure', 'idempotent'], baseline }));
    await wider.runtime.signal(RUN, 'go');
    expect(await wider.resume()).toMatchObject({ value: ['acted', 'DENIED', 'DENIED'] });
    const allow: ('pure' | 'idempotent')[] = ['pure'];
    const frozen = supervisedScope({ allow, baseline });
    allow.push('idempotent');
    expect(await moving().open(callAll, { seams: frozen }).start()).toMatchObject({
      value: ['acted', 'DENIED', 'DENIED'],
    });
  });

  it.each([
    ['what cannot be undone', { allow: ['irreversible'], baseline }, 'cannot be undone'],
    [
      'an own class of it',
      { allow: [{ name: 'x', effect: 'irreversible', matches: () => true }], baseline },
      '"x" cannot be undone',
    ],
    ['no baseline', { allow: ['pure'] }, 'needs a baseline'],
    [
      'a baseline that is not met',
      { allow: ['pure'], baseline: { ...baseline, score: 0.8 } },
      'below the required 0.9',
    ],
    ['a class that was not measured', { allow: ['pure'], baseline: { ...baseline, classes: [] } }, 'Measure it again'],
    ['an unknown kind', { allow: ['harmless'], baseline }, 'no effect kind "harmless"'],
  ])('is refused at assembly with %s [R4-PEOPLE-SCOPE-OF-ACTION] [V2.4] [V2.5]', (_, options, sentence) => {
    expect(() => supervisedScope(options as never)).toThrow(sentence);
  });
});
