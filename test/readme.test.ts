import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/files.mjs';
import { DOCUMENTS } from '../scripts/packages.mjs';
import { documentationProblems, linkProblems, quickStartProblems } from '../scripts/readme-check.mjs';
import { cut, recut } from '../scripts/snippets.mjs';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the documentation', () => {
  it('has the two commands, live links and snippets cut from compiled files [R2-REPO-README] [R2-REPO-SNIPPETS]', () => {
    expect(documentationProblems()).toEqual([]);
  });

  it('leads from the README to every page, directly or through one of its links [R2-REPO-DOCS]', () => {
    const linked = (text: string) => [...text.matchAll(/\]\((?:docs\/)?([\w-]+\.md)/g)].map(([, page = '']) => page);
    const fromReadme = linked(read('README.md'));
    for (const page of ['patterns.md', 'catalogue.md', 'laboratory.md', 'many-machines.md'])
      expect(fromReadme).toContain(page);
    const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
    const near = new Set(
      fromReadme.flatMap((page) => [page, ...(pages.includes(page) ? linked(read(`docs/${page}`)) : [])]),
    );
    expect(pages.filter((page) => !near.has(page))).toEqual([]);
  });

  it('says how to install every package from a clone, with the name that npm gives the file, and so does every page with an install command [R19-INSTALL-FROM-CLONE]', () => {
    const { name, version } = JSON.parse(read('packages/flyball/package.json')) as Record<string, string>;
    const workspaces = Object.keys(DOCUMENTS).map((folder) => `-w packages/${folder}`);
    const [command = ''] = /^npm install && npm pack .*$/m.exec(read('README.md')) ?? [];
    for (const workspace of workspaces) expect(command).toContain(workspace);
    expect(read('README.md')).toContain(`${name}-${version}.tgz`);
    const pages = readdirSync(join(root, 'docs')).filter((page) => page.endsWith('.md'));
    const installs = pages.filter((page) => /npm install[^\n`]* @?flyball\b/.test(read(`docs/${page}`)));
    expect(installs).toEqual(expect.arrayContaining(['postgres.md', 'restate.md', 'server.md']));
    const silent = installs.filter((page) => !read(`docs/${page}`).includes('(../README.md#an-agent)'));
    expect(silent).toEqual([]);
  });

  it('has a licence, a changelog, guides with a picture of the rooms, and dated decisions [R2-REPO-DOCS]', () => {
    expect(read('LICENSE')).toContain('MIT License');
    expect(read('CHANGELOG.md')).toContain('## [Unreleased]');
    expect(existsSync(join(root, 'CONTRIBUTING.md'))).toBe(true);
    expect(read('ARCHITECTURE.md')).toContain('```mermaid');
    const records = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
    expect(records.length).toBeGreaterThan(0);
    for (const name of records) expect(read(`docs/decisions/${name}`), name).toMatch(/^Date: \d{4}-\d\d-\d\d$/m);
  });

  it('promises the command that continuous integration runs first, the other checks after it, and Node 24 [R2-REPO-CI] [R2-REPO-NODE]', () => {
    const stages = read('.ci/run')
      .split('\n')
      .filter((line) => line.startsWith('stage '));
    const commands = stages.map((line) => line.replace(/^stage ('[^']*'|"[^"]*") /, ''));
    // packages of the system come before it, so that no test has a reason to be skipped
    expect(commands.slice(0, 3)).toEqual(['system_packages', 'as_a_stranger', 'all_tests']);
    const [, stranger] = /as_a_stranger\(\) \{\n(.*?)\n\}/s.exec(read('.ci/run')) ?? [];
    expect(stranger).toMatch(/git clone[\s\S]*npm start -- --check[\s\S]*npm test/);
    expect(commands).toEqual(
      expect.arrayContaining([
        'npm start -- --check',
        'npm run lint',
        'npm run typecheck',
        'npm run build',
        'npm run docs',
      ]),
    );
    expect(stages).toContainEqual(expect.stringContaining('Node 24'));
  });
});

const quickStart = (...lines: string[]) => ['# x', '```sh', ...lines, '```', ''].join('\n');
const scripts = { start: 'x', test: 'x' };

describe('the README check', () => {
  it('accepts exactly the two commands, with comments', () => {
    expect(quickStartProblems(quickStart('npm start   # look at it', 'npm test'), scripts)).toEqual([]);
  });

  it('refuses a third command, a missing one and a missing script', () => {
    expect(quickStartProblems(quickStart('npm install', 'npm start', 'npm test'), scripts)).toHaveLength(1);
    expect(quickStartProblems(quickStart('npm test'), scripts)).toHaveLength(1);
    expect(quickStartProblems(quickStart('npm start', 'npm test'), { start: 'x' })).toHaveLength(1);
  });

  it('finds links to files and headings that are not there, and leaves code and addresses alone', () => {
    const files: Record<string, string> = { 'docs/b.md': '# A heading: here\n' };
    const text = [
      '[ok](b.md#a-heading-here) [ok](https://example.com/x.md) [self](#own)',
      '[gone](c.md) [nowhere](b.md#other)',
      '`[code](d.md)`',
      '## Own',
    ].join('\n');
    expect(linkProblems({ path: 'docs/a.md', text }, (path) => files[path])).toEqual([
      'docs/a.md links to c.md, which is not there.',
      'docs/a.md links to b.md#other, but docs/b.md has no such heading.',
    ]);
  });
});

const SOURCE = ['// #region agent', '  const a = 1;', '    const b = 2;', '// #endregion', 'const c = 3;'].join('\n');
const document = (above: string, code: string) => ({
  path: 'README.md',
  text: `${above}\n\`\`\`ts\n${code}\n\`\`\`\n`,
});

describe('snippets', () => {
  it('are cut without their markers and common indentation', () => {
    expect(cut(SOURCE, 'agent')).toBe('const a = 1;\n  const b = 2;');
    expect(cut(SOURCE, 'missing')).toBeUndefined();
  });

  it('are cut from YAML too, whole or by markers that are comments there, and are refused without a source', () => {
    const yaml = ['# #region rules', '  - deny', '# #endregion', 'version: 1'].join('\n');
    expect(cut(yaml, 'rules')).toBe('- deny');
    expect(cut(yaml, undefined)).toBe('  - deny\nversion: 1');
    const shown = { path: 'README.md', text: '```yaml\nversion: 0\n```\n' };
    expect(recut(shown, () => yaml).problems).toEqual([expect.stringContaining('without a source')]);
    const stale = { ...shown, text: `<!-- from examples/x.yaml -->\n${shown.text}` };
    expect(recut(stale, () => yaml).text).toContain('version: 1\n```');
  });

  it('show a run that has ended where they read what it did', () => {
    const example = [
      "const first = await runtime.start('editor');",
      'await first.outcome();',
      'await other.outcome();',
      '// #region read',
      'console.log(first.id);',
      '// #endregion',
    ].join('\n');
    const { text } = recut(document('<!-- from examples/x.ts#read -->', ''), () => example);
    expect(text).toContain("const first = await runtime.start('editor');\nawait first.outcome();\n```");
  });

  it('are refused without a source, or with one that is not there', () => {
    expect(recut(document('', 'const a = 1;'), () => SOURCE).problems).toEqual([
      expect.stringContaining('without a source'),
    ]);
    expect(recut(document('<!-- from examples/x.ts#gone -->', 'x'), () => SOURCE).problems).toEqual([
      expect.stringContaining('not there'),
    ]);
  });

  it('are refused when they differ, and written anew from the source', () => {
    const stale = document('<!-- from examples/x.ts#agent -->', 'const a = 0;');
    const { text, problems } = recut(stale, () => SOURCE);
    expect(problems).toEqual([expect.stringContaining('differs from examples/x.ts#agent')]);
    expect(recut({ ...stale, text }, () => SOURCE)).toEqual({ text, problems: [] });
    expect(text).toContain('const a = 1;\n  const b = 2;\n```');
  });
});
