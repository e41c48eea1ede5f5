import { strict as assert } from 'node:assert';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, memoryEngine, type Seams, systemClock } from 'flyball';
import { toolsFromFolder, watchPolicy } from 'flyball/adapters/definitions';
import { autonomyBudget, governance, joinSeams, pathRules, tool } from 'flyball/tools';
import { guardDecisionsOf } from 'flyball/views';
import { z } from 'zod';

/** Rules in code and in a file, how far an agent may go by itself, and what the journal says about it. */

const desk = new URL('../../../examples/desk/', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'flyball-governance-'));
const policyFile = join(folder, 'policy.yaml');
copyFileSync(join(desk, 'policy.yaml'), policyFile);

const sent: string[] = [];
const lookUpOrder = (await toolsFromFolder(join(desk, 'tools'))).find(({ tool: { name } }) => name === 'look_up_order');
assert(lookUpOrder !== undefined);
const sendMail = tool({
  name: 'send_mail',
  description: 'Sends a mail. Not for notes.',
  input: z.object({ to: z.string().describe('an address'), attachments: z.array(z.string()).optional() }),
  effect: 'idempotent',
  legs: ['outbound'],
  execute: async ({ to }) => {
    sent.push(to);
    return `sent to ${to}`;
  },
});
const refund = tool({
  name: 'refund',
  description: 'Pays an order back. Not for vouchers.',
  input: z.object({ order: z.string().describe('its number') }),
  effect: 'irreversible',
  why: 'money leaves the account',
  execute: async ({ order }) => `paid back: ${order}`,
});

// #region governance
const clock = systemClock();
const tools = [lookUpOrder.tool, sendMail, refund];
const seams = joinSeams(
  governance({
    clock,
    tools, // the trifecta monitor reads their legs
    autonomy: 'autonomous', // or read-only, or supervised (the default)
    rateLimit: { perMinute: 60, burst: 20 }, // per subject; a burst is one second
    scopesOf: ({ subject }) => (subject === 'ada' ? ['tools:execute'] : []),
    paths: pathRules({ roots: [{ path: folder, write: true }] }),
    policy: await watchPolicy(policyFile, { clock }), // changes apply from the next call on
  }),
  autonomyBudget({ limits: { toolCalls: 6 }, modes: { 'tool-calls': 'block' } }).seam(),
);
// #endregion

const clerk: Agent<null, readonly string[]> = async (run) => {
  const said: string[] = [];
  const attempt = async (what: (typeof tools)[number], args: object) => {
    said.push((await run.call(what, args)).content);
  };
  await attempt(refund, { order: 'A1' });
  await attempt(lookUpOrder.tool, { number: 'A1' });
  await attempt(sendMail, { to: 'eve@elsewhere.example' });
  await attempt(sendMail, { to: 'bob@shop.example' });
  await attempt(refund, { order: 'A1' });
  await attempt(lookUpOrder.tool, { number: 'A1' });
  await attempt(lookUpOrder.tool, { number: 'A1' });
  return done(said);
};

// #region run
const runtime = createRuntime({ engine: memoryEngine(), agents: { clerk }, seams });
const handle = await runtime.start('clerk', null, { budget: budget(), subject: 'ada' });
const waiting = await handle.outcome();
assert(waiting.stop === 'suspended'); // the rules allow the refund; a person has to, too
const [approval] = waiting.waiting;
await runtime.signal(handle.id, approval?.token ?? '', { verdict: 'approve' }, { from: 'grace' });
const outcome = await handle.finished();
// #endregion
assert(outcome.stop === 'done');
const said = outcome.value;
assert.match(said[0] ?? '', /Call look_up_order first, then refund again\./); // our sentence, not the policy's
assert.match(said[2] ?? '', /send_mail with these arguments is not permitted here/);
assert.equal(said[4], 'paid back: A1');
assert.match(said[6] ?? '', /Refused by the autonomy budget \(tool-calls/);
assert.deepEqual(sent, ['bob@shop.example']);

// #region journal
const decisions = guardDecisionsOf(await runtime.entries(handle.id)).map(
  ({ guard, verdict, rule }) => `${guard} ${verdict} ${rule}`,
);
assert.deepEqual(decisions, [
  'policy obliged look-before-refund',
  'policy allowed default',
  'policy denied default',
  'policy allowed mail-to-colleagues',
  'policy allowed refunds',
  'autonomy-budget warned tool-calls', // the fifth of six
  'policy allowed default',
  'policy allowed default',
  'autonomy-budget blocked tool-calls',
]);
// #endregion

// #region swap
writeFileSync(policyFile, readFileSync(policyFile, 'utf8').replace('version: 4', 'version: 5'));
const again = await (await runtime.start('clerk', null, { budget: budget(), subject: 'ada', id: 'again' })).outcome();
assert.equal(again.stop, 'suspended');
const policies = guardDecisionsOf(await runtime.entries('again')).map(({ policy }) => policy?.slice(0, 2));
assert.equal(policies[0], '5@'); // <version>@<start of its hash>: the journal says which one decided
// #endregion

/** Makes one call under other rules. Returns its result, or that it waits. */
async function under(rules: Seams, what: (typeof tools)[number], args: object): Promise<string> {
  const once: Agent<null, string> = async (run) => done((await run.call(what, args)).content);
  const own = createRuntime({ engine: memoryEngine(), agents: { once }, seams: rules });
  const end = await (await own.start('once', null, { budget: budget() })).outcome();
  await own.close();
  return end.stop === 'done' ? String(end.value) : end.stop;
}

// #region levels
const readOnly = governance({ clock, tools, autonomy: 'read-only' });
assert.match(await under(readOnly, sendMail, { to: 'bob@shop.example' }), /This agent may only read/);
const autonomous = governance({ clock, tools, autonomy: 'autonomous' });
assert.equal(await under(autonomous, sendMail, { to: 'bob@shop.example' }), 'sent to bob@shop.example');
assert.equal(await under(autonomous, refund, { order: 'A1' }), 'suspended'); // irreversible: always a person
// #endregion

await runtime.close();
rmSync(folder, { recursive: true });
console.log(`governance: ${decisions.length} decisions in the journal, one mail sent, one refund approved`);
