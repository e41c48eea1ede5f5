import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { triggersFromFile } from '../../packages/server/src/triggers/triggers-file.js';
import { root } from '../../scripts/files.mjs';

function yamlFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-triggers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'triggers.yaml');
  writeFileSync(file, text);
  return file;
}

describe('triggers in a YAML file', () => {
  it('are read as they would be written in code [R6-WORKFLOW-CRON] [R6-WORKFLOW-WEBHOOK]', async () => {
    const file = yamlFile(`
triggers:
  - name: nightly
    agent: report
    schedule: 30 2 * * *
    timezone: Europe/Berlin
    input: { kind: nightly }
    missed: once
    budget: { costUsd: 0.5 }
    tenant: acme
  - name: issue
    agent: triage
    secret: [HOOK_SECRET, NEXT_SECRET]
    style: github
    map: { title: /issue/title }
`);
    expect(await triggersFromFile(file)).toEqual([
      {
        kind: 'cron',
        name: 'nightly',
        agent: 'report',
        schedule: '30 2 * * *',
        timezone: 'Europe/Berlin',
        input: { kind: 'nightly' },
        missed: 'once',
        budget: { costUsd: 0.5 },
        tenant: 'acme',
      },
      {
        kind: 'webhook',
        name: 'issue',
        agent: 'triage',
        secrets: ['HOOK_SECRET', 'NEXT_SECRET'],
        style: 'github',
        map: { title: '/issue/title' },
        toleranceMs: 300_000,
      },
    ]);
    expect(
      (await triggersFromFile(join(root, 'examples/triggers.yaml'))).map(({ name, kind }) => [name, kind]),
    ).toEqual([
      ['nightly', 'cron'],
      ['letters', 'webhook'],
      ['issues', 'webhook'],
    ]);
    expect(await triggersFromFile(yamlFile('- { name: a, agent: b, schedule: "@daily" }'))).toHaveLength(1);
  });

  it('get every mistake told with its line [R6-WORKFLOW-CRON] [R6-WORKFLOW-WEBHOOK]', async () => {
    const file = yamlFile(
      [
        'triggers:',
        '  - name: nightly',
        '    agent: report',
        '    schedul: "@daily"',
        '  - name: two words',
        '    agent: report',
        '    schedule: "@daily"',
        '    missed: all',
        '    budget: { costUSD: 1 }',
        '  - name: hook',
        '    secret: HOOK_SECRET',
        '    map: title',
      ].join('\n'),
    );
    const told = await triggersFromFile(file).catch((error: Error) => error.message.replaceAll(file, 'triggers.yaml'));
    expect(String(told).split('\n')).toEqual([
      'triggers.yaml:4: triggers[0].schedul is not known. Did you mean schedule?',
      'triggers.yaml:2: triggers[0].schedule is missing, and so is secret: a trigger needs one of them.',
      'triggers.yaml:9: triggers[1].budget.costUSD is not known. Did you mean costUsd?',
      'triggers.yaml:8: triggers[1].missed must be one of skip, once, got "all".',
      expect.stringMatching(/^triggers\.yaml:5: triggers\[1\] is wrong: A trigger's name .*"two words"/),
      'triggers.yaml:10: triggers[2].agent is missing.',
    ]);
  });
});
