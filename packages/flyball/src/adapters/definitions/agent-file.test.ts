import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentFromFile } from './agent-file.js';

function yamlFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-agent-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'agent.yaml');
  writeFileSync(file, text);
  return file;
}

async function problemIn(text: string): Promise<readonly string[]> {
  const file = yamlFile(text);
  const error: unknown = await agentFromFile(file).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  return (error as Error).message.replaceAll(file, 'agent.yaml').split('\n');
}

describe('an agent in a YAML file', () => {
  it('is read as data [R3-AGENT-YAML]', async () => {
    const file = yamlFile('name: clerk\ndescription: You file letters.\noutputs:\n  shelf:\n  mood: string\n');
    expect(await agentFromFile(file)).toEqual({
      name: 'clerk',
      description: 'You file letters.',
      outputs: { shelf: {}, mood: { type: 'string' } },
    });
  });

  it('may hold an autonomy profile with stop conditions, checked to the last field [F-E5]', async () => {
    const head = 'name: clerk\ndescription: You file letters.\nautonomyProfile:\n';
    const sound = [
      '  limits: { toolCalls: 3, minutes: 5 }',
      '  warnAt: 0.5',
      '  modes: { tool-calls: escalate, EF-02: warn }',
      '  stopWhen:',
      '    - { kind: toolCalled, tool: file_letter, times: 2 }',
      '    - { kind: costAtLeast, usd: 0.5 }',
    ];
    expect((await agentFromFile(yamlFile(head + sound.join('\n')))).autonomyProfile).toEqual({
      limits: { toolCalls: 3, minutes: 5 },
      warnAt: 0.5,
      modes: { 'tool-calls': 'escalate', 'EF-02': 'warn' },
      stopWhen: [
        { kind: 'toolCalled', tool: 'file_letter', times: 2 },
        { kind: 'costAtLeast', usd: 0.5 },
      ],
    });
    const shown = await agentFromFile('examples/desk/bounded-agent.yaml'); // as the documentation has it
    expect(shown.autonomyProfile?.stopWhen).toHaveLength(2);
    const wrong = [
      '  limits: { toolCals: 3, minutes: -1 }',
      '  warnAt: 2',
      '  modes: { tool-calls: stop }',
      '  stopWhen:',
      '    - { kind: toolCaled, tool: x }',
      '    - { kind: toolCalled }',
    ];
    expect(await problemIn(head + wrong.join('\n'))).toEqual([
      'agent.yaml:4: autonomyProfile.limits.toolCals is not known. Did you mean toolCalls?',
      'agent.yaml:4: autonomyProfile.limits.minutes must be a number of at least 0, got -1.',
      'agent.yaml:5: autonomyProfile.warnAt must be a number above 0 and at most 1.',
      'agent.yaml:6: autonomyProfile.modes.tool-calls must be one of block, warn, escalate, got "stop".',
      expect.stringContaining('agent.yaml:8: autonomyProfile.stopWhen[0].kind must be one of toolCalled,'),
      'agent.yaml:9: autonomyProfile.stopWhen[1].tool is missing.',
    ]);
  });

  it('gets every mistake told with its line [R3-AGENT-YAML]', async () => {
    const text = [
      'name: the clerk',
      'description: x',
      'autonomy: full',
      'inputs:',
      '  letter:',
      '    type: text',
      '  year: { type: integer, default: soon }',
      'budget:',
      '  toolCalls: 10',
      '  filesChangd: 3',
      'tools: [a, a]',
      'lop: {}',
    ].join('\n');
    expect(await problemIn(text)).toEqual([
      'agent.yaml:12: lop is not known. Did you mean loop?',
      'agent.yaml:1: name can only contain letters, digits, "_", "-" and ".", got "the clerk".',
      'agent.yaml:3: autonomy must be one of read-only, supervised, autonomous, got "full".',
      'agent.yaml:6: inputs.letter.type must be one of string, number, integer, boolean, object, array, got "text".',
      'agent.yaml:7: inputs.year.default is not a valid integer.',
      'agent.yaml:10: budget.filesChangd is not known. Did you mean filesChanged?',
      'agent.yaml:11: tools[1] names "a" a second time.',
    ]);
  });

  it('that is no YAML, empty, or no mapping is said to be so [R3-AGENT-YAML]', async () => {
    expect((await problemIn('name: [a'))[0]).toMatch(/^agent\.yaml:1: /);
    expect((await problemIn('name: a\nname: b\ndescription: x'))[0]).toMatch(/^agent\.yaml:2: .*unique/);
    expect((await problemIn(''))[0]).toMatch(/^agent\.yaml: the definition must be a mapping/);
    expect((await problemIn('- a\n- b'))[0]).toMatch(/^agent\.yaml:1: the definition must be a mapping/);
    expect((await problemIn('description: x'))[0]).toMatch(/^agent\.yaml:1: name is missing\.$/);
  });

  it('that is not there is said to be so [R3-AGENT-YAML]', async () => {
    await expect(agentFromFile('/nowhere/agent.yaml')).rejects.toThrow(/\/nowhere\/agent\.yaml cannot be read/);
  });

  it('may not blow up by its aliases [R3-AGENT-YAML]', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `  l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`,
    );
    const text = `name: a\ndescription: b\nsampling:\n  vendor:\n    x: &l0 [y]\n${levels.map((line) => `  ${line}`).join('\n')}`;
    expect((await problemIn(text))[0]).toMatch(/alias/i);
  });
});
