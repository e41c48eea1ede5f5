import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualClock } from 'flyball/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadPolicy, watchPolicy } from './policy-file.js';

const good = (version: string) => `
version: "${version}"
reviewedBy: Ada
rules:
  - id: no-mail
    effect: deny
    tools: [send_mail, "mail_*"]
    when: { tenant: acme, args: [{ path: "$.to[*]", matches: "*@evil.com" }] }
    because: Mail to them is not sent.
`;

let file = '';
const clock = virtualClock();
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flyball-policy-'));
  file = join(folder, 'policy.yaml');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('a policy file', () => {
  it('is read from YAML and from JSON, with the same hash for the same rules [R3-GOV-POLICY]', async () => {
    await writeFile(file, 'version: 3\nreviewedBy: Ada\nrules: []\n');
    const yaml = await loadPolicy(file, { clock });
    await writeFile(file, '{ "rules": [], "reviewedBy": "Ada", "version": 3 }');
    expect((await loadPolicy(file, { clock })).hash).toBe(yaml.hash);
    await writeFile(file, good('1'));
    expect(await loadPolicy(file, { clock })).toMatchObject({
      rules: [{ id: 'no-mail', tools: ['send_mail', 'mail_*'] }],
    });
  });

  it.each([
    ['is not there', undefined, /policy\.yaml: the policy cannot be read/],
    ['is no YAML', 'version: [', /policy\.yaml:1: /],
    ['says a thing twice', 'version: 1\nversion: 2\nreviewedBy: Ada\nrules: []', /policy\.yaml:\d+: /],
    ['is empty', '', /policy\.yaml: Policy must be a mapping/],
    ['is wrong', 'version: 1\nreviewedBy: Ada\nrules: []\nwaiver: []', /policy\.yaml: Policy: unknown field "waiver"/],
    [
      'holds an expired waiver',
      `${good('1')}waivers:\n  - { deny: no-mail, scope: { subject: ada }, authority: Bob, expires: 1969-01-01 }\n`,
      /has passed/,
    ],
  ])('that %s is refused with its name [R3-GOV-POLICY]', async (_, text, problem) => {
    if (text !== undefined) await writeFile(file, text);
    await expect(loadPolicy(file, { clock })).rejects.toThrow(problem);
    await expect(loadPolicy(file, { clock })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(watchPolicy(file, { clock })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('a watched policy file', () => {
  it('is taken over when it has changed, also by one letter in the same moment [R3-GOV-POLICY-SWAP]', async () => {
    await writeFile(file, good('1'));
    const policy = await watchPolicy(file, { clock });
    const versions: string[] = [];
    for (const version of ['1', '2', '3', '4', '5']) {
      await writeFile(file, good(version));
      versions.push((await policy.current()).policy.version);
    }
    expect(versions).toEqual(['1', '2', '3', '4', '5']);
    const same = await Promise.all([policy.current(), policy.current()]);
    expect(same[0]?.policy).toBe(same[1]?.policy); // read again, and not parsed again
  });

  it.each([
    ['becomes wrong', () => writeFile(file, good('2').replace('deny', 'forbid')), 'effect must be one of'],
    ['is torn', () => writeFile(file, 'version: ['), 'policy.yaml:1'],
    ['goes away', () => rm(file), 'cannot be read'],
  ])(
    'that %s leaves the last good one in force and says so, until it is mended [R3-GOV-POLICY-SWAP]',
    async (_, damage, problem) => {
      await writeFile(file, good('1'));
      const told: string[] = [];
      const source = await watchPolicy(file, { clock, onProblem: (each) => told.push(each) });
      const { label } = (await source.current()).policy;
      await damage();
      for (let time = 0; time < 2; time++)
        expect(await source.current()).toMatchObject({
          policy: { version: '1' },
          problem: expect.stringMatching(new RegExp(`${problem}.*Policy ${label} stays in force\\.$`, 's')),
        });
      expect(told).toHaveLength(1);
      await writeFile(file, good('3'));
      expect(await source.current()).toEqual({ policy: expect.objectContaining({ version: '3' }) });
    },
  );
});
