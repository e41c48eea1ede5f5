import { describe, expect, it } from 'vitest';
import { absolutePath, checkPath, pathRules } from './paths.js';

const rules = pathRules({
  roots: [
    { path: '/work/project/', write: true },
    { path: '/work/project/vendor', write: false },
    { path: '/usr/share/doc', write: false },
  ],
  deny: ['secrets/**', '**/*.pem', '**/straße.txt'],
  denyWrite: ['package-lock.json'],
});
const why = (path: string, how: 'read' | 'write' = 'read'): string => {
  const verdict = checkPath(rules, path, how);
  return verdict.ok ? 'allowed' : verdict.why;
};

describe('path rules', () => {
  it.each([
    'a.txt',
    '.',
    'src/../a.txt',
    '/work/project',
    '/work/project/src//deep/./x.ts',
    'node_modules/..foo/bar~',
    '.gitignore',
    '.github/workflows/ci.yml',
    'Überraschung/日本語 und Leerzeichen.md',
  ])('allow writing %j [R3-FILES-ALLOW]', (path) => expect(why(path, 'write')).toBe('allowed'));

  it.each(['.git/config', 'vendor/x.js', '/usr/share/doc/a', 'package-lock.json'])(
    'allow %j to be read and not written',
    (path) => {
      expect(why(path)).toBe('allowed');
      expect(why(path, 'write')).toMatch(/may be read and not written|denied by the rule/);
    },
  );

  it('take a name of dots that is no way up for the name that it is [F-S10]', () => {
    const rules = pathRules({ roots: [{ path: '/work/project', write: true }] });
    expect(checkPath(rules, '…/c.txt', 'write')).toEqual({ ok: true });
    expect(checkPath(rules, 'a/…', 'read')).toEqual({ ok: true });
  });

  it.each([
    ['../x', /outside the allowed folders; allowed: \/work\/project, \/work\/project\/vendor \(read only\)/],
    ['/work/projects/x', /outside/],
    ['/', /outside/],
    ['a/../../b', /outside/],
    ['secrets', /denied by the rule secrets\/\*\*/],
    ['secrets/key', /denied/],
    ['SECRETS/key', /denied/],
    ['ſecrets/key', /denied/],
    ['ｓｅｃｒｅｔｓ/key', /denied/],
    ['x/y.PEM', /denied/],
    ['STRASSE.txt', /denied/],
    ['.flyball/flyball.db', /denied/],
    ['sub/.Flyball/undo/x', /denied/],
    ['/proc/self/root/work/project/a', /interface to the system/],
    ['a\0b', /NUL/],
    ['a\nb', /control or invisible/],
    ['a\u200bb', /control or invisible/],
    ['a\u202eb', /control or invisible/],
    ['a\ud800b', /not valid Unicode/],
    ['..\\x', /separator/],
    ['．．/x', /look like dots/],
    ['‥/x', /look like dots/],
    ['..%2fx', /percent escapes/],
    ['~/x', /~/],
    ['file:///etc/passwd', /is an address/],
    ['secret.', /ends with a dot or a space/],
    ['.git /x', /ends with a dot or a space/],
    ['a::$DATA', /hidden stream/],
    ['', /empty/],
    ['x'.repeat(256), /name longer than 255/],
    ['x/'.repeat(2100), /longer than 4095/],
  ])('refuse %j with a reason [R3-FILES-ALLOW]', (path, reason) => expect(why(path)).toMatch(reason));

  it('hold for everything below the root of the file system, where somebody allows that', () => {
    const wide = pathRules({ roots: [{ path: '/', write: true }] });
    expect(checkPath(wide, '/etc/hostname', 'write')).toEqual({ ok: true });
    expect(checkPath(wide, '/dev/sda', 'write')).toMatchObject({ ok: false });
    expect(checkPath(wide, '/root/x/.git/hooks/pre-commit', 'write')).toMatchObject({ ok: false });
  });

  it('resolve relative paths from the first root', () => {
    expect(absolutePath(rules, 'src/../a')).toBe('/work/project/a');
    expect(absolutePath(rules, '/x/')).toBe('/x');
  });

  it('that mean nothing are refused when they are made', () => {
    expect(() => pathRules({ roots: [] })).toThrow(/at least one root/);
    expect(() => pathRules({ roots: [{ path: 'relative', write: true }] })).toThrow(/not absolute/);
    expect(() => pathRules({ roots: [{ path: '/a\0b', write: true }] })).toThrow(/NUL/);
    expect(() => pathRules({ roots: [{ path: '/a', write: true }], deny: [''] })).toThrow(/not a valid glob/);
  });
});
