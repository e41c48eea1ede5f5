import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { AGENT_MODEL, deskServer, POLICIES, USER_MODEL } from './evals-stage.js';
import { type Desk, jsonLines, newDesk, type Started } from './flyball.js';

/** `flyball evals` in processes of its own, killed and interrupted in the middle. Models answer over HTTP. */

const TASKS = ['energy_001', 'energy_005', 'energy_013'];
const HELD = 'energy_013';
const RUN = ['evals', 'run', '--tasks', ...TASKS, '--retrieval', 'bm25', '--price', '0/0', '--out', 'runs'];
const MODELS = ['--model', AGENT_MODEL, '--user', USER_MODEL];

/** A server that stops answering about one task after some answers, until it is let go. */
async function holdingServer(after: number) {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let answers = 0;
  const server = await deskServer({
    before: async (task) => {
      if (task === HELD && ++answers > after) await released;
    },
  });
  return { server, release };
}

function deskFor(env: Readonly<Record<string, string>>): Desk & { begin(...words: readonly string[]): Started } {
  const desk = newDesk({ env });
  const started: Started[] = [];
  onTestFinished(() => {
    for (const { child } of started) child.kill('SIGKILL');
    desk.clear();
  });
  return {
    ...desk,
    begin: (...words) => {
      const one = desk.start(...words);
      started.push(one);
      return one;
    },
  };
}

/** The text of each finished simulation, byte by byte, by task. */
function finishedIn(folder: string, condition: string): ReadonlyMap<string, string> {
  const file = join(folder, 'runs', condition, 'results.json');
  if (!existsSync(file)) return new Map();
  const [, simulations = ''] = readFileSync(file, 'utf8').split('"simulations": [\n');
  const texts = simulations.split(/\n {2}\]/)[0]?.split(/,\n(?= {4}\{)/) ?? [];
  return new Map(texts.filter((text) => text.includes('"task_id"')).map((text) => [taskIn(text), text]));
}

function taskIn(simulation: string): string {
  return /"task_id": "([^"]+)"/.exec(simulation)?.[1] ?? '';
}

/** Resolves when both other tasks are finished and kept under every policy, and the held one is asked for. */
async function untilOnlyHeld(run: Started, finished: number): Promise<void> {
  for (let n = 1; n <= finished; n++) await run.says(`"finished":${n},`);
}

describe('flyball evals, killed', () => {
  it('repeats no finished task under any of the four policies, and resume finishes the rest [R5-SIM-KILL] [R5-CLI-RESUME]', async () => {
    const { server, release } = await holdingServer(12);
    const desk = deskFor(server.env);
    const run = desk.begin(...RUN, ...MODELS, '--agent', ...POLICIES, '--concurrency', '8', '--json');
    await untilOnlyHeld(run, 8);
    run.child.kill('SIGKILL');
    expect((await run.ended).code).toBeNull();
    const before = new Map(POLICIES.map((policy) => [policy, finishedIn(desk.folder, `${policy}-bm25`)]));
    for (const finished of before.values()) expect([...finished.keys()]).toEqual(['energy_001', 'energy_005']);
    const asked = TASKS.map((task) => server.askedAbout(task));
    release();

    const resumed = await desk.flyball('evals', 'resume', 'runs', '--json');
    expect(resumed).toMatchObject({ code: EXIT.ok, error: '' });
    const told = jsonLines(resumed.out).filter(({ kind }) => kind === 'simulation');
    expect(told.map(({ task, reward }) => [task, reward])).toEqual(POLICIES.map(() => [HELD, 1]));
    for (const [policy, finished] of before) {
      const after = finishedIn(desk.folder, `${policy}-bm25`);
      expect([...after.keys()]).toEqual(TASKS);
      for (const [task, text] of finished) expect(after.get(task)).toBe(text);
    }
    const again = TASKS.map((task) => server.askedAbout(task));
    expect(again.slice(0, 2)).toEqual(asked.slice(0, 2));
    expect(again[2]).toBeGreaterThan(asked[2] ?? 0);
  });

  it('ends after one Ctrl-C with what is finished, and says how to go on [R5-CLI-RUN] [R5-CLI-RESUME]', async () => {
    const { server, release } = await holdingServer(6);
    const desk = deskFor(server.env);
    const run = desk.begin(...RUN, ...MODELS, '--agent', 'governed');
    await run.says('2/3');
    run.child.kill('SIGINT');
    const stopped = await run.ended;
    expect(stopped.code).toBe(EXIT.interrupted);
    expect(stopped.error).toContain('Stopping: finished simulations are saved');
    const [, command] = /Continue with: (flyball evals resume \S+)/.exec(stopped.out) ?? [];
    expect(command).toBeDefined();
    const before = finishedIn(desk.folder, 'governed-bm25');
    expect([...before.keys()]).toEqual(['energy_001', 'energy_005']);
    expect(JSON.parse(readFileSync(join(desk.folder, 'runs/governed-bm25/results.json'), 'utf8'))).toMatchObject({
      simulations: [{}, {}],
    });
    const asked = server.askedAbout('energy_001');
    release();
    const resumed = await desk.paste(command ?? '');
    expect(resumed).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('pass^1 1.000 [1.00, 1.00] over 3') });
    for (const [task, text] of before) expect(finishedIn(desk.folder, 'governed-bm25').get(task)).toBe(text);
    expect(server.askedAbout('energy_001')).toBe(asked);
    expect(existsSync(join(desk.folder, 'runs/running'))).toBe(false);
  });
});
