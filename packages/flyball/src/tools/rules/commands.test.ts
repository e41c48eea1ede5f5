import { describe, expect, it } from 'vitest';
import { type CommandRules, checkCommand, judgeCommand } from './commands.js';
import { readOnlyCommands } from './commands-read-only.js';

const rules: CommandRules = {
  programs: {
    git: {
      subcommands: ['status', 'push', 'config', 'rebase'],
      approve: ['push --force', 'push -f'],
      permit: ['config'],
    },
    npm: { permit: ['programs'], subcommands: ['test', 'run'] },
    find: { permit: ['-delete'] },
    rm: { approve: ['-r'], denyFlags: ['--one-file-system', '-v'] },
    ls: { readOnly: true },
    python3: {},
  },
};

describe('command rules', () => {
  it('want a person for the words they name, however they are spelt, and for nothing else', () => {
    expect(judgeCommand(rules, 'git push origin main')).not.toHaveProperty('approval');
    for (const line of ['git push --force', 'git push origin --forc', 'git push -f', 'git push -uf origin'])
      expect(judgeCommand(rules, line), line).toMatchObject({ ok: true, approval: expect.stringContaining(line) });
    expect(judgeCommand(rules, 'rm -fr build')).toMatchObject({ approval: expect.stringContaining('needs approval') });
    expect(judgeCommand(rules, 'rm build/x')).not.toHaveProperty('approval');
  });

  it('want a person for any stage of a pipeline', () => {
    expect(judgeCommand(rules, 'ls | rm -r x')).toMatchObject({
      ok: true,
      approval: expect.stringContaining('rm -r x'),
    });
  });

  it('refuse flags they deny, alone, in a cluster, cut short and with a value', () => {
    for (const line of ['rm -v x', 'rm -fv x', 'rm --one-file x', 'rm --one-file-system=1 x', 'rm -- -v'])
      expect(checkCommand(rules, line), line).toMatchObject({ ok: false });
    expect(checkCommand(rules, 'rm ./-v')).toEqual({ ok: true }); // a file of that name
  });

  it('open a way out only where they name it', () => {
    expect(checkCommand(rules, 'find . -name x -delete')).toEqual({ ok: true });
    expect(checkCommand(rules, 'find . -exec id +')).toMatchObject({ ok: false });
    expect(checkCommand(rules, 'git config --get user.name')).toEqual({ ok: true });
    expect(checkCommand(rules, 'npm test')).toEqual({ ok: true });
    expect(checkCommand(rules, 'npm publish')).toMatchObject({ ok: false, why: expect.stringContaining('npm test') });
  });

  it('leave the arguments of a script alone', () => {
    expect(checkCommand(rules, 'python3 -u tool.py -c config -e x')).toEqual({ ok: true });
  });

  it('know a command that changes nothing', () => {
    expect(judgeCommand(rules, 'ls -la')).toMatchObject({ readOnly: true });
    expect(judgeCommand(rules, 'ls | rm x')).toMatchObject({ readOnly: false });
    const writing = readOnlyCommands({ features: ['redirection'] });
    expect(judgeCommand(writing, 'ls > out')).toMatchObject({ readOnly: false });
    expect(judgeCommand(writing, 'ls 2> /dev/null')).toMatchObject({ readOnly: true });
  });

  it('give argument vectors for what needs no shell, and none for what does', () => {
    expect(judgeCommand(rules, `ls 'a b' | ls`)).toMatchObject({ stages: [['ls', 'a b'], ['ls']] });
    expect(judgeCommand({ ...rules, features: ['and-or'] }, 'ls && ls')).toMatchObject({ ok: true, stages: [] });
  });

  it('take a vector as it is: nothing in it is quoted, expanded or split', () => {
    const words = ['ls', '$(id)', '`id`', 'a; rm -rf x', '*', '> out', '~', "'"];
    expect(judgeCommand(rules, words)).toMatchObject({ ok: true, stages: [words] });
  });

  it('refuse an empty vector', () => {
    expect(checkCommand(rules, [])).toMatchObject({ ok: false, why: 'The name of the program is empty.' });
  });
});
