import { type CommandRules, checkCommand, readOnlyCommands } from 'flyball/tools';
import { describe, expect, it } from 'vitest';

const rules = (programs: CommandRules['programs']): CommandRules => readOnlyCommands({ programs });

describe('a program that can start others', () => {
  it.each([
    ['git', 'remote-ext', 'x', 'sh evil.sh'],
    ['git', 'merge-index', './evil', '-a'],
    ['git', 'merge-one-file', 'a'],
    ['git', 'remote-fd', 'x', '7'],
    ['git', 'for-each-repo', '--config=x', 'log'],
    ['git', 'upload-pack', '.'],
    ['git', 'receive-pack', '.'],
    ['git', 'fsmonitor--daemon', 'start'],
    ['git', 'credential-store', 'get'],
    ['git', 'maintenance', 'run'],
    ['git', 'anything-on-the-path'],
    ['git', 'bisect', 'run', 'sh', 'evil.sh'],
  ])('is held to a list of subcommands when its name is granted: %s %s [F-S8]', (...words) => {
    expect(checkCommand(rules({ git: {} }), words)).toMatchObject({ ok: false });
  });

  it.each([['status'], ['add', '.'], ['commit', '-m', 'x'], ['rebase', 'main'], ['fetch', 'origin']])(
    'still does its work: git %s [F-S8]',
    (...words) => {
      expect(checkCommand(rules({ git: {} }), ['git', ...words])).toEqual({ ok: true });
    },
  );

  it.each(['gh', 'hg', 'svn', 'systemctl', 'aws', 'dotnet', 'brew'])(
    'needs its subcommands named: %s [F-S8]',
    (name) => {
      expect(checkCommand(rules({ [name]: {} }), [name, 'status'])).toMatchObject({
        ok: false,
        why: expect.stringContaining('subcommands'),
      });
      expect(checkCommand(rules({ [name]: { subcommands: ['status'] } }), [name, 'status'])).toEqual({ ok: true });
      expect(checkCommand(rules({ [name]: { subcommands: ['status'] } }), [name, 'alias', 'x'])).toMatchObject({
        ok: false,
      });
      const configured = [name, 'status', '--config', 'alias.status=!sh'];
      expect(checkCommand(rules({ [name]: { subcommands: ['status'] } }), configured)).toMatchObject({ ok: false });
    },
  );

  it('may not be given what usually runs another one, where nobody wrote down its flags [F-S8]', () => {
    for (const flag of ['--exec', '--command=sh', '--pager', '--eval', '--rcfile=x'])
      expect(checkCommand(rules({ cloc: {} }), ['cloc', flag, 'x'])).toMatchObject({ ok: false });
    expect(checkCommand(rules({ cloc: {} }), ['cloc', '--by-file', 'src'])).toEqual({ ok: true });
    expect(checkCommand(rules({ cloc: { permit: ['--exec'] } }), ['cloc', '--exec', 'x'])).toEqual({ ok: true });
  });
});
