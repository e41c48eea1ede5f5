import { strict as assert } from 'node:assert';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from 'flyball';
import { type LedgerServer, ledgerServer } from 'flyball/testing';
import { type CostReport, summarise } from 'flyball/views';
import { breathe, check, flyball, heading, say } from './stage.js';

/**
 * `npm run demo`: an agent spends a budget, waits for a person, is killed with kill -9 in the middle of a payment and is
 * taken over by another process. Real processes, a real SQLite file; only the model is scripted. The last part checks
 * what was told, so that the story cannot be better than the program.
 */

const RUN = 'invoice-17';
const AGENT = fileURLToPath(new URL('./invoice-agent.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'flyball-demo-'));
const database = join(folder, 'flyball.db');
const at = { database };

/** Resolves when the bank has booked a payment. */
async function booked(bank: LedgerServer): Promise<void> {
  const giveUp = Date.now() + 120_000;
  while ((await bank.effects()).length === 0) {
    assert(Date.now() < giveUp, 'the bank did not book a payment within two minutes');
    await breathe(20);
  }
}

async function untilApproval(bank: LedgerServer): Promise<void> {
  heading('1. An agent gets an invoice and a budget');
  say(
    '   It can make 5 model calls and spend 5 cents. The model is scripted: no API key, no network, the same replies each time.',
  );
  await breathe();
  const input = JSON.stringify({ text: 'Tidal Works, 120 EUR, due today', folder, bank: bank.url });
  const budget = ['--budget', 'modelCalls=5', '--budget', 'costUsd=0.05'];
  const { ended } = flyball(['run', AGENT, '--id', RUN, ...budget, '--input', input], at);
  assert.equal((await ended).code, 3, 'the run waits for an approval');
  assert.deepEqual(await bank.effects(), [], 'nothing is paid before somebody agreed');
  await breathe();
}

async function killedWhilePaying(bank: LedgerServer): Promise<void> {
  heading('2. A payment is irreversible, so the run waits for a person, without a process');
  say('   The process has exited. The run is a few rows in a file and could stay there for a month. Now Ada approves.');
  await breathe();
  const { child, ended } = flyball(['approve', RUN, '--as', 'ada'], at);
  await booked(bank);
  await breathe(300);
  heading('3. kill -9, at the worst moment');
  child.kill('SIGKILL');
  assert.equal((await ended).signal, 'SIGKILL', 'the process was really killed');
  assert(isOpenIn(await entriesOf(RUN), 'pay'), 'the journal has the intent to pay and no end of it');
  say(`   The bank has booked the payment. Process ${child.pid} was killed before it could record that.`);
  await breathe();
}

async function entriesOf(run: string): Promise<readonly Entry[]> {
  const { out } = await flyball(['export', run, '--format', 'entries'], { ...at, quiet: true }).ended;
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}

function isOpenIn(entries: readonly Entry[], name: string): boolean {
  const intent = entries.filter(({ event }) => event.type === 'intent' && event.name === name).at(-1)?.event;
  if (intent?.type !== 'intent') return false;
  return !entries.some(({ event }) => (event.type === 'complete' || event.type === 'abort') && event.id === intent.id);
}

async function resumed(): Promise<void> {
  heading('4. Another process resumes the run');
  say(
    '   The journal contains "intent to pay" but no result. Paying again could pay twice, so it asks the bank first.',
  );
  await breathe();
  const { ended } = flyball(['resume', RUN], at);
  assert.equal((await ended).code, 0, 'the run is done');
}

async function holdsTrue(bank: LedgerServer): Promise<void> {
  heading('5. Check the result');
  const summary = summarise(await entriesOf(RUN));

  const payments = await bank.effects();
  assert.equal(payments.length, 1, `the bank has ${payments.length} payments`);
  check(
    `the bank's ledger, kept by process ${bank.pid}, has exactly one payment: ${JSON.stringify(payments[0]?.what)}`,
  );
  assert.equal(summary.takeovers, 1);
  check('the run was resumed once after a crash, and is done');
  assert.equal(summary.usage.modelCalls.spent, 4);
  check('four model calls were made and charged, none of them twice');
  assert.deepEqual(
    summary.warnings.map(({ axis }) => axis),
    ['modelCalls'],
  );
  check('there was one warning, at 80% of the budget');
  assert(existsSync(join(folder, 'report.md')));
  check(`the report was written: ${join(folder, 'report.md')}`);
}

async function toldAgain(): Promise<void> {
  heading('6. Read back everything the run did');
  await flyball(['show', RUN], at).ended;
  const exported = await flyball(['export', RUN, '--format', 'cost'], { ...at, quiet: true }).ended;
  const { byPhase } = JSON.parse(exported.out) as CostReport;
  say('\n   What it cost, by phase:');
  for (const [phase, { calls, tokensIn, tokensOut, costUsd }] of Object.entries(byPhase)) {
    say(
      `     ${phase.padEnd(8)} ${calls} ${calls === 1 ? 'call' : 'calls'}, ${tokensIn} tokens in, ${tokensOut} out, $${costUsd.toFixed(4)}`,
    );
  }
}

function tryNext(): void {
  const here = (path: string) => relative(process.cwd(), fileURLToPath(new URL(`../../${path}`, import.meta.url)));
  const cli = here('dist/cli/main.js');
  heading('Try next');
  say(`   export FLYBALL_DB=${database}`);
  say(`   node ${cli} show ${RUN} --at 9                 # the state as of entry 9`);
  say(`   node ${cli} fork ${RUN} --at 9                 # continue from there; payments are simulated`);
  say(`   node ${cli} export ${RUN} --out audit.jsonl    # then: node ${cli} verify audit.jsonl`);
  say(`   node ${cli} --help`);
  say(`\n   Your own agent: node ${cli} init my-agent; docs/guide.md explains the rest\n`);
}

const bank = await ledgerServer();
try {
  heading('Flyball: agents with hard limits, crash-safe execution and a verified record of what they did');
  say(`   (scripted model, no API key needed; processes, database and kill -9 are real; files are in ${folder})`);
  await untilApproval(bank);
  await killedWhilePaying(bank);
  await resumed();
  await holdsTrue(bank);
  await toldAgain();
  tryNext();
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await bank.close();
}
