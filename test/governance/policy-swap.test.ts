import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { done, type Outcome, type Run } from 'flyball';
import { expect, it, onTestFinished } from 'vitest';
import { watchPolicy } from '../../packages/flyball/src/adapters/definitions/policy-file.js';
import { governance } from '../../packages/flyball/src/tools/governance/index.js';
import { moving, RUN } from '../runtime/stage.js';
import { toolOf } from './context.js';

const send = toolOf({ name: 'send_email', effect: 'idempotent', legs: ['outbound'] });
const scan = toolOf({ name: 'pii_scan', legs: [] });

const strict = `
version: "1"
reviewedBy: Ada
rules:
  - { id: no-restricted, effect: deny, tools: send_email, when: { args: [{ path: classification, equals: restricted }] }, because: Restricted mail stays inside. }
  - { id: scan-first, effect: oblige, tools: send_email, obligation: { firstCall: pii_scan }, because: Mail is scanned first. }
  - { id: mail, effect: allow, tools: send_email, because: Mail is allowed otherwise. }
`;
const loose = strict.replace('version: "1"', 'version: "2"').replace(/ {2}- \{ id: no-restricted.*\n/, '');

/** Sends, scans, sends again: and once more after each signal. */
const insisting = async (run: Run): Promise<Outcome<unknown>> => {
  const results: string[] = [];
  const mail = async (classification: string): Promise<void> => {
    const { ok, content } = await run.call(send, { classification });
    results.push(ok ? 'sent' : content);
  };
  await mail('restricted');
  await mail('public');
  await run.call(scan, {});
  await mail('public');
  await mail('restricted');
  for (const name of ['changed', 'broken']) {
    await run.wait({ name });
    await mail('restricted');
  }
  return done(results);
};

it('a changed policy file decides the next call, and the journal says which version decided [R3-GOV-POLICY-SWAP] [R3-GOV-POLICY] [V7.7] [V7.acceptance]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flyball-policy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'policy.yaml');
  await writeFile(file, strict);
  const stage = moving();
  const policy = await watchPolicy(file, { clock: stage.clock });
  const first = (await policy.current()).policy.label;
  const life = stage.open(insisting, { seams: governance({ clock: stage.clock, autonomy: 'autonomous', policy }) });
  await life.start();
  await writeFile(file, loose);
  await life.runtime.signal(RUN, 'changed');
  await life.resume();
  const second = (await policy.current()).policy.label;
  await writeFile(file, loose.replace('effect: allow', 'effect: permit'));
  await life.runtime.signal(RUN, 'broken');

  const refused = expect.stringContaining('not permitted');
  expect(await life.resume()).toMatchObject({
    stop: 'done',
    value: [refused, expect.stringContaining('Call pii_scan first'), 'sent', refused, 'sent', 'sent'],
  });
  expect((await stage.events('guard-decision')).map(({ verdict, rule, policy: by }) => [verdict, rule, by])).toEqual([
    ['denied', 'no-restricted', first],
    ['obliged', 'scan-first', first],
    ['allowed', 'default', first],
    ['allowed', 'mail', first],
    ['denied', 'no-restricted', first],
    ['allowed', 'mail', second],
    ['warned', undefined, second], // the third file is wrong, and the operator can see that here
    ['allowed', 'mail', second],
  ]);
  const asked = new Map(
    (await stage.entries()).flatMap(({ event }) =>
      'input' in event && 'id' in event ? [[event.id, event.input]] : [],
    ),
  );
  expect((await stage.events('guard-decision')).map(({ id }) => asked.get(id))).toEqual(
    ['restricted', 'public', undefined, 'public', 'restricted', 'restricted', 'restricted', 'restricted'].map(
      (classification) => (classification === undefined ? {} : { classification }),
    ),
  );
  expect(first).toMatch(/^1@[0-9a-f]{12}$/);
  expect(second).toMatch(/^2@[0-9a-f]{12}$/);
});
