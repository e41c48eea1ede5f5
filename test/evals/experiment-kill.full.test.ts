import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { modelServer, type ServedRequest } from 'flyball/testing';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { scriptedCustomers } from '../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { scriptedDesk } from '../../packages/evals/src/domains/energy-desk/scripted-desk.js';
import { readResultsFile } from '../../packages/evals/src/files/results-file.js';
import { root } from '../../scripts/files.mjs';
import type { ExperimentJob } from '../programs/experiment-process.js';
import { POLICIES } from './energy-desk-experiment.js';
import { desk } from './energy-desk-stage.js';

const PROGRAM = join(root, 'dist-programs/experiment-process.js');
const TASKS = ['energy_001', 'energy_005', 'energy_013'];
const CONCURRENCY = 3;

const started = new Set<ChildProcessWithoutNullStreams>();
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});

interface Told {
  readonly finished?: readonly [policy: string, task: string];
  readonly reward?: number | null;
  readonly ended?: string;
}

/** Starts a process on the job; `onTold` may kill it. Resolves when it is gone. */
async function lifeOf(job: ExperimentJob, onTold: (told: Told, kill: () => void) => void): Promise<void> {
  if (!existsSync(PROGRAM))
    throw new Error('The test programs are not built. Run `npm test`, or `node scripts/ensure.mjs` first.');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  started.add(child);
  child.stderr.setEncoding('utf8').on('data', (text: string) => process.stderr.write(text));
  child.stdin.on('error', () => undefined); // it was killed before it could read
  const exited = once(child, 'exit');
  createInterface({ input: child.stdout }).on('line', (line) => {
    onTold(JSON.parse(line) as Told, () => child.kill('SIGKILL'));
  });
  child.stdin.write(`${JSON.stringify(job)}\n`);
  await exited;
  started.delete(child);
}

/** One request, whoever makes it how often: model, and everything it is asked. */
function identityOf(request: ServedRequest): string {
  const about = JSON.stringify([request.model, request.messages]);
  return `${request.model} ${createHash('sha256').update(about).digest('hex').slice(0, 12)}`;
}

it('survives kills in the middle of an experiment, under all four policies, and repeats no finished task [R5-SIM-KILL] [R5-SIM-RESUME]', async () => {
  const domain = await desk();
  const [agent, customer] = [scriptedDesk(domain.tasks), scriptedCustomers(domain.tasks)];
  const place = mkdtempSync(join(tmpdir(), 'flyball-kill-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const asked = new Map<string, number>();
  const server = await modelServer({
    replies: (request) => {
      asked.set(identityOf(request), (asked.get(identityOf(request)) ?? 0) + 1);
      return (request.messages[0]?.content.includes('<scenario>') === true ? customer : agent)(request);
    },
  });
  onTestFinished(() => server.close());
  const job: ExperimentJob = {
    database: join(place, 'runs.db'),
    results: join(place, 'results'),
    data: join(root, 'packages/evals/data'),
    model: server.baseUrl('openai-chat'),
    tasks: TASKS,
    policies: POLICIES,
    concurrency: CONCURRENCY,
  };

  const finished: string[] = [];
  const note = (told: Told): number => (told.finished === undefined ? 0 : finished.push(told.finished.join(' ')));
  let kills = 0;
  // killed where 2, 5 and 8 of the 12 are finished: some are saved, some are under way, some have not begun
  for (const after of [2, 5, 8]) {
    await lifeOf(job, (told, kill) => {
      if (note(told) >= after) kill();
    });
    kills += 1;
  }
  let ended: string | undefined;
  await lifeOf(job, (told) => {
    note(told);
    ended ??= told.ended;
  });

  expect(ended).toBe('complete');
  for (const policy of POLICIES) {
    const results = await readResultsFile(join(job.results, `${policy}.json`));
    expect(
      results.simulations.map(({ taskId, reward, info }) => [taskId, reward?.reward ?? info]),
      policy,
    ).toEqual(TASKS.map((task) => [task, 1]));
  }
  // what was told as finished was saved before: no life tells it again
  expect(new Set(finished).size).toBe(finished.length);
  const again = [...asked.values()].filter((times) => times > 1);
  const repeated = again.reduce((sum, times) => sum + times - 1, 0);
  process.stdout.write(`${kills} kills, ${asked.size} model calls, ${repeated} of them made again\n`);
  // only a call that was under way when the process died may be made again
  expect(repeated).toBeLessThanOrEqual(kills * CONCURRENCY);
  expect(asked.size).toBeGreaterThan(100);
});
