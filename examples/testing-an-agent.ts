import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, type Model, memoryEngine, type Tool } from 'flyball';
import {
  assertSame,
  type CrashPlan,
  type CrashPoint,
  callFormula,
  conformance,
  crashingEngine,
  eachEffectOnce,
  exercise,
  type Ledger,
  ledger,
  neverReached,
  scriptedModel,
  testHost,
} from 'flyball/testing';

/** How to test an agent: scripted replies, real effects in a ledger, and a crash around every write. */

const folder = mkdtempSync(join(tmpdir(), 'flyball-testing-'));
const gone = new Set<string>();
let lives = 0;
const prices = { 'scripted/model': { input: 0, output: 0 } };

function support(model: Model, book: Ledger): Agent<{ question: string; card: string }, string> {
  return async (run, { question, card }) => {
    const answer = await run.ask({ name: 'support', model, setup: 'You answer briefly.' }, question);
    // idempotent: a key that is in the book already is not written again
    await run.step(
      'note-card',
      card,
      (of, { key }) => void (book.has(key) || book.record(key, of.slice(-4))),
      'idempotent',
    );
    return done(answer.text);
  };
}

// #region scripted
const model = scriptedModel({ support: 'It arrives on Monday.' });
const book = ledger(join(folder, 'ledger.jsonl'));
const runtime = createRuntime({ engine: memoryEngine(), agents: { support: support(model, book) }, prices });
const input = { question: 'When does it arrive?', card: '4929 1111 2222 3333' };
const outcome = await (await runtime.start('support', input, { budget: budget() })).outcome();

assert(outcome.stop === 'done');
callFormula(model.requests, { support: 1 }); // one call, and no other session was asked
neverReached(model.requests, '4929'); // the card number was never sent to the model
model.assertFinished(); // no reply was left over
// #endregion
await runtime.close();

// #region crash
/** One process crashes at the given point, and another continues. Returns the crash points that were reached. */
async function crashAndResume(plan: CrashPlan): Promise<readonly CrashPoint[]> {
  const engine = memoryEngine();
  const effects = ledger(join(folder, `ledger-${lives++}.jsonl`));
  const agents = { support: support(scriptedModel({ support: () => 'It arrives on Monday.' }), effects) };

  const dying = crashingEngine(engine, plan);
  const host = testHost(`first-${lives}`, gone);
  const first = createRuntime({ engine: dying.engine, agents, host, prices });
  const outcome = first.start('support', input, { budget: budget(), id: 'r1' }).then((handle) => handle.outcome());
  await Promise.race([outcome, dying.crashed]);
  first.abandon();
  host.die(); // proven gone: another process may take over its runs

  const second = createRuntime({ engine, agents, host: testHost(`second-${lives}`, gone), prices });
  if ((await second.list()).runs.length > 0) {
    const ended = await second.handle('r1').finished();
    assert.equal(ended.stop, 'done');
    eachEffectOnce(effects.lines(), ['r1:0:#1']); // nothing lost, nothing repeated
  }
  await second.close();
  return dying.points;
}

const points = await crashAndResume(() => false); // a play without a crash returns all points to try
for (const { n, when } of points) await crashAndResume({ at: n, when });
// #endregion

// #region conformance
const checked = support(scriptedModel({ support: () => 'It arrives on Monday.' }), book);
const kept = await conformance(checked, input, { engine: memoryEngine });
assert(kept.ok, kept.ok ? '' : kept.because);
// #endregion

// #region exercise
const report = await exercise(
  {
    name: 'wire money after an approval',
    input: { amount: 10 },
    // called for every process: effects that outlive the process go through `outside`
    open: (life, outside) => {
      const wire: Tool<{ readonly amount: number }> = {
        name: 'wire',
        description: 'Sends money.',
        effect: {
          class: 'irreversible',
          verify: async (_args, { key }) =>
            outside.has(key) ? { happened: 'yes', result: 'sent' } : { happened: 'no' },
          simulate: () => 'sent',
        },
        execute: async (_args, how) => {
          await outside.act('wire', how);
          return 'sent';
        },
      };
      const pay: Agent<{ readonly amount: number }, string> = async (run, payment) =>
        done((await run.call(wire, payment)).content);
      return createRuntime({ ...life, agents: { agent: pay } });
    },
    people: ({ kind }) => (kind === 'approval' ? { payload: { verdict: 'approve' } } : undefined),
  },
  { engine: memoryEngine },
);
assertSame(report); // throws with a list of all differences
// #endregion

assert(points.length > 4);
assert(report.stop === 'done' && report.plays > 50);
rmSync(folder, { recursive: true });
console.log(
  `testing-an-agent: the card stayed out of the prompt, and ${points.length} crashes and ${report.plays} plays changed nothing`,
);
