/** A worker as a process of its own: acts, and writes every act into a ledger outside that knows nothing of journals. */
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresEngine } from '@flyball/postgres';
import { createRuntime, done, systemClock } from 'flyball';

/** @type {import('./stage.js').WorkerOrders} */
const orders = JSON.parse(process.env['FAULTS'] ?? '{}');
const { urls, schema, ledger, leaseMs, offsetMs, version, steps, sleeps, restate, name } = orders;

const engine = await postgresEngine({
  url: urls,
  schema,
  pollMs: 100,
  statementMs: 4_000,
  patienceMs: 120_000, // longer than any fault, also where the machine is very busy
  onNotice: () => undefined,
});
const clock = systemClock();
const dispatcher =
  restate === undefined
    ? undefined
    : (await import('@flyball/restate')).restateDispatcher({ ...restate, onProblem: () => undefined });

const LONGEST_MS = 40;

/** @param {string} kind @param {string} runId @param {number} n */
const act =
  (kind, runId, n) =>
  async (/** @type {unknown} */ _input, /** @type {{ key: string }} */ { key }) => {
    await pause(Math.random() * LONGEST_MS);
    appendFileSync(ledger, `${runId} ${n} ${kind} ${key} ${name}\n`);
    await pause(Math.random() * LONGEST_MS);
  };
/** @param {string} runId @param {number} n @returns {() => Promise<import('flyball').Verification<void>>} */
const verify = (runId, n) => async () =>
  `\n${readFileSync(ledger, 'utf8')}`.includes(`\n${runId} ${n} `)
    ? { happened: 'yes', result: undefined }
    : { happened: 'no' };
const rules = { class: /** @type {const} */ ('undoable'), compensate: async () => undefined, timeoutMs: 1_000 };

const runtime = createRuntime({
  engine,
  clock: { ...clock, now: () => clock.now() + offsetMs },
  agents: {
    acts: {
      version,
      agent: async (run) => {
        for (let n = 0; n < steps; n += 3) {
          await run.step('same-key', n, act('idempotent', run.id, n), 'idempotent');
          const looks = { ...rules, verify: verify(run.id, n + 1) };
          await run.step('verified', n + 1, act('verified', run.id, n + 1), looks);
          await run.step('asked', n + 2, act('asked', run.id, n + 2), rules);
          if (sleeps) await run.sleep(15);
        }
        return done(version);
      },
    },
  },
  onProblem: () => undefined, // faults are what this is about; what counts is in the ledger
  options: { leaseMs, pollMs: 150, maxResumes: 1_000, suspendAfterMs: 200 },
  ...(dispatcher === undefined ? {} : { dispatcher }),
});
await dispatcher?.ready();
process.once('SIGTERM', async () => {
  await runtime.close({ drainMs: 10_000 });
  await dispatcher?.close();
  await engine.close();
  process.exit(0);
});
// what was under way when somebody asked has been done by the time of the answer
process.on('SIGUSR2', () => setTimeout(() => process.stdout.write('settled\n'), 2 * LONGEST_MS));
process.stdout.write('ready\n');
