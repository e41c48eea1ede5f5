import { describe, expect, it } from 'vitest';
import type { ToolRef, Touch } from '../core/tool.js';
import { proposedCall } from '../tools/governance/proposed-call.js';
import type { ActiveSkill } from './active-skills.js';
import { callAllowed, narrowTools } from './narrow-tools.js';
import { splitPatterns, toolPattern } from './tool-pattern.js';

function toolOf(name: string, touch?: Touch): ToolRef {
  return {
    name,
    description: name,
    effect: 'pure',
    execute: async () => null,
    ...(touch === undefined ? {} : { touches: () => touch }),
  };
}

function skill(name: string, allowed?: readonly string[], disallowed: readonly string[] = []): ActiveSkill {
  return { name, version: '1', hash: name, disallowed, ...(allowed === undefined ? {} : { allowed }) };
}

const may = (active: readonly ActiveSkill[], tool: ToolRef): boolean => callAllowed(active, proposedCall(tool, {})).ok;
const shell = (...commands: readonly (string | readonly string[])[]) => toolOf('shell', { commands });

describe('active skills', () => {
  it('leave the intersection of what they allow, minus what they disallow [R5-SKILL-NARROW]', () => {
    const tools = ['read', 'write', 'send', 'list'].map((name) => toolOf(name));
    const names = (...active: readonly ActiveSkill[]) => narrowTools(tools, active).map(({ name }) => name);
    expect(names()).toEqual(['read', 'write', 'send', 'list']);
    expect(names(skill('free'))).toEqual(['read', 'write', 'send', 'list']); // names none, so it allows all
    expect(names(skill('a', ['read', 'write', 'send']), skill('free'), skill('b', ['list', 'write', 'read']))).toEqual([
      'read',
      'write',
    ]);
    expect(names(skill('a', ['read', 'write']), skill('b', undefined, ['write']))).toEqual(['read']);
    expect(names(skill('a', ['read']), skill('b', ['write']))).toEqual([]);
    expect(names(skill('nothing', []))).toEqual([]);
  });

  it('are held to call by call, and say which skill stands against it [R5-SKILL-NARROW]', () => {
    const active = [skill('a', ['read', 'write']), skill('b', undefined, ['write'])];
    expect(callAllowed(active, proposedCall(toolOf('read'), {}))).toEqual({ ok: true });
    expect(callAllowed(active, proposedCall(toolOf('write'), {}))).toEqual({
      ok: false,
      skill: 'b',
      why: 'The skill b does not allow write.',
    });
    expect(callAllowed(active, proposedCall(toolOf('send'), {}))).toEqual({
      ok: false,
      skill: 'a',
      why: 'The skill a allows only read, write.',
    });
  });

  it('know an alias in whatever case it is written, and no alias that nobody gave [R5-SKILL-NARROW]', () => {
    expect(may([skill('a', undefined, ['bash'])], toolOf('shell'))).toBe(false);
    expect(may([skill('a', ['READ'])], toolOf('read_file'))).toBe(true);
    expect(may([skill('a', ['constructor'])], toolOf('shell'))).toBe(false);
    expect(may([skill('a', undefined, ['toString'])], toolOf('shell'))).toBe(true);
  });

  it('never take away the work with skills itself, unless they say so [R5-SKILL-NARROW]', () => {
    expect(may([skill('a', [])], toolOf('activate_skill'))).toBe(true);
    expect(may([skill('a', [])], toolOf('read_skill_resource'))).toBe(true);
    expect(may([skill('a', undefined, ['activate_skill'])], toolOf('activate_skill'))).toBe(false);
  });

  it.each([
    [['git', 'status'], true],
    [['git'], true],
    [['github', 'x'], false],
    [['rm', '-rf', '.'], false],
    ['git log --oneline', true],
    ['git log | git diff', true],
    ['git log | sh', false],
    ['git log; rm x', false],
    ['git log > x', false],
    ['git $(rm x)', false],
  ])('allow %j by Bash(git:*): %s [R5-SKILL-NARROW]', (command, expected) => {
    expect(may([skill('a', ['Bash(git:*)'])], shell(command as string))).toBe(expected);
  });

  it('compare commands word by word, and take them together from several patterns [R5-SKILL-NARROW]', () => {
    const active = [skill('a', ['Bash(git add:*)', 'Bash(npm test)', 'Bash(jq *)'])];
    expect(may(active, shell(['git', 'add', '.']))).toBe(true);
    expect(may(active, shell(['git', 'push']))).toBe(false);
    expect(may(active, shell('npm test'))).toBe(true);
    expect(may(active, shell('npm test --watch'))).toBe(false);
    expect(may(active, shell(['git', 'add', '.'], ['jq', '.a']))).toBe(true);
    expect(may(active, shell(['git', 'add', '.'], ['cat', '.a']))).toBe(false);
  });

  it('forbid a command wherever it stands, and what cannot be read as well [R5-SKILL-NARROW]', () => {
    const active = [skill('a', undefined, ['Bash(rm:*)'])];
    expect(may(active, shell('ls -l'))).toBe(true);
    expect(may(active, shell('ls | rm x'))).toBe(false);
    expect(may(active, shell('ls $(rm x)'))).toBe(false);
    expect(may(active, toolOf('shell'))).toBe(false); // it does not say what it runs
  });

  it('know paths by glob and addresses by domain; a call that says nothing is allowed only as a whole [R5-SKILL-NARROW]', () => {
    const read = (path: string) => toolOf('read_file', { reads: [path] });
    const web = (url: string) => toolOf('web_fetch', { urls: [url] });
    const active = [skill('a', ['Read(docs/**)', 'WebFetch(domain:example.com)', 'WebFetch(domain:*.example.org)'])];
    expect(may(active, read('/work/docs/a/b.md'))).toBe(true);
    expect(may(active, read('/work/src/b.md'))).toBe(false);
    expect(may(active, read('/work/docs/../src/b.md'))).toBe(false);
    expect(may(active, web('https://example.com/x'))).toBe(true);
    expect(may(active, web('https://www.example.org/x'))).toBe(true);
    expect(may(active, web('https://example.com.evil.net/x'))).toBe(false);
    expect(may(active, toolOf('read_file'))).toBe(false);
    expect(may([skill('a', ['Read'])], toolOf('read_file'))).toBe(true);
    expect(may([skill('a', ['Read(*)'])], toolOf('read_file'))).toBe(true);
  });

  it('name tools by other names where they are told so [R5-SKILL-NARROW]', () => {
    const active = [skill('a', ['Bash(git:*)', 'mcp__mail__*'])];
    const run = toolOf('run_command', { commands: ['git status'] });
    expect(may(active, run)).toBe(false);
    expect(callAllowed(active, proposedCall(run, {}), { aliases: { Bash: ['run_command'] } }).ok).toBe(true);
    expect(may(active, toolOf('mcp__mail__send'))).toBe(true);
    expect(callAllowed(active, proposedCall(toolOf('recall_result'), {}), { always: ['recall_result'] }).ok).toBe(true);
  });
});

describe('a list of tools', () => {
  it('is split at spaces outside parentheses [R5-SKILL-FORMAT]', () => {
    expect(splitPatterns('  Bash(git add:*)\tRead\n Web')).toEqual([
      { text: 'Bash(git add:*)', at: 2 },
      { text: 'Read', at: 18 },
      { text: 'Web', at: 24 },
    ]);
    expect(splitPatterns('Bash(git Read').map(({ text }) => text)).toEqual(['Bash(git Read']);
  });

  it.each(['', '(x)', 'Bash(', 'Bash()', 'Bash(git) x', '7up', 'a b', `a${'b'.repeat(400)}`])(
    'refuses %j [R5-SKILL-VALIDATE]',
    (text) => {
      expect(toolPattern(text).ok).toBe(false);
    },
  );
});
