import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { skillDesk } from '../../../../../test/skills/skill-desk.js';
import { EXIT } from '../exit-codes.js';
import { runProgram } from '../program.js';

/** The command line inside this process: real folders, real output. */
async function flyball(...words: readonly string[]) {
  let out = '';
  let error = '';
  const streams = {
    out: { columns: 100, write: (text: string) => (out += text) },
    error: { write: (text: string) => (error += text) },
    env: {},
  };
  const code = await runProgram(words, streams);
  return { code, out, error, json: () => JSON.parse(out) as Record<string, unknown> };
}

const FORMS = {
  description: 'Fills in PDF forms. Use when a form in PDF has to be completed.',
  head: 'license: MIT\nmetadata:\n  version: "1.2"\n  flyball-autonomy: supervised\nallowed-tools: Bash(git:*) Read',
  body: 'Read the form first.',
  files: { 'references/fields.md': 'Fields.' },
};

describe('flyball skills', () => {
  it('teaches in its help, and counts as bad usage without a word more [R5-SKILL-CLI]', async () => {
    const help = await flyball('skills', '--help');
    expect(help).toMatchObject({ code: EXIT.ok });
    for (const word of [
      'list',
      'validate',
      'add',
      'show',
      'name: pdf-forms',
      'skills: [./skills]',
      'flyball skills validate',
    ])
      expect(help.out).toContain(word);
    const sub = await flyball('skills', 'validate', '--help');
    expect(sub.out).toContain('flyball skills validate skills --strict');
    expect((await flyball('skills')).code).toBe(EXIT.usage);
    expect(await flyball('skills', 'polish')).toMatchObject({
      code: EXIT.usage,
      error: expect.stringContaining("unknown command 'polish'"),
    });
    expect(await flyball('skills', 'show')).toMatchObject({
      code: EXIT.usage,
      error: expect.stringContaining('Run flyball skills show --help'),
    });
  });

  it('list shows what is there, and what is broken [R5-SKILL-CLI]', async () => {
    const desk = skillDesk();
    desk.skill('pdf-forms', FORMS);
    const fine = await flyball('skills', 'list', desk.root);
    expect(fine.code).toBe(EXIT.ok);
    expect(fine.out).toMatch(/^pdf-forms {2}1\.2 {7}[0-9a-f]{12} {2}Fills in PDF forms\./);
    const json = (await flyball('skills', 'list', desk.root, '--json')).json();
    expect(json).toMatchObject({
      kind: 'skills',
      skills: [{ name: 'pdf-forms', version: '1.2', license: 'MIT', allowedTools: ['Bash(git:*)', 'Read'] }],
      problems: [],
    });
    desk.write('bad/SKILL.md', 'x');
    const broken = await flyball('skills', 'list', desk.root);
    expect(broken).toMatchObject({ code: EXIT.failed, out: expect.stringContaining('pdf-forms') });
    expect(broken.error).toContain(`${desk.path('bad/SKILL.md')}:1:1: The front matter is missing`);
  });

  it('list and show look in ./skills and ./.agents/skills where nobody says where [R5-SKILL-CLI]', async () => {
    const desk = skillDesk();
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(desk.root);
    try {
      expect(await flyball('skills', 'list')).toMatchObject({
        code: EXIT.ok,
        out: expect.stringContaining('No skills found. Write one in skills/<name>/SKILL.md'),
      });
      desk.write('skills/a/SKILL.md', '---\nname: a\ndescription: x\n---\nDo a.');
      desk.write('.agents/skills/b/SKILL.md', '---\nname: b\ndescription: y\n---\nDo b.');
      expect((await flyball('skills', 'list')).out.split('\n').map((line) => line.slice(0, 1))).toEqual(['a', 'b', '']);
      expect((await flyball('skills', 'show', 'b')).out).toContain('Do b.');
    } finally {
      cwd.mockRestore();
    }
  });

  it('validate tells every mistake with its place, and --strict lets warnings count [R5-SKILL-CLI] [R5-SKILL-VALIDATE]', async () => {
    const desk = skillDesk();
    desk.skill('pdf-forms', FORMS);
    desk.skill('warned', { body: 'Run scripts/none.py.' });
    const fine = await flyball('skills', 'validate', desk.path('pdf-forms'), desk.path('pdf-forms/SKILL.md'));
    expect(fine).toMatchObject({ code: EXIT.ok, out: `✓ ${desk.path('pdf-forms')}\n`.repeat(2), error: '' });
    const warned = await flyball('skills', 'validate', desk.root);
    expect(warned).toMatchObject({
      code: EXIT.ok,
      error: expect.stringContaining('SKILL.md:5:5: warning: "scripts/none.py"'),
    });
    expect((await flyball('skills', 'validate', desk.root, '--strict')).code).toBe(EXIT.failed);
    desk.write('bad/SKILL.md', '---\nname: Bad\nversion: 1\n---\n');
    const broken = await flyball('skills', 'validate', desk.path('bad'));
    expect(broken.code).toBe(EXIT.failed);
    expect(broken.error.trimEnd().split('\n')).toEqual([
      expect.stringContaining('bad/SKILL.md:2:1: description is missing'),
      expect.stringContaining('bad/SKILL.md:2:7: name "Bad" has capital letters. Write bad.'),
      expect.stringContaining('bad/SKILL.md:2:7: name is "Bad", but the folder is called "bad"'),
      expect.stringContaining('bad/SKILL.md:3:1: "version" is not a field of a skill. Write it under metadata'),
      expect.stringContaining('bad/SKILL.md:5:1: There are no instructions'),
      '5 errors and 0 warnings in 1 skill. Fix the problems above and run the command again.',
    ]);
    const json = (await flyball('skills', 'validate', desk.path('bad'), '--json')).json();
    expect(json).toMatchObject({
      kind: 'skills-validation',
      ok: false,
      valid: [],
      problems: [{ line: 2, column: 1, level: 'error' }, {}, {}, {}, {}],
    });
    const none = await flyball('skills', 'validate', desk.path('nowhere'));
    expect(none).toMatchObject({ code: EXIT.failed, error: expect.stringContaining('There is no such folder') });
  });

  it('add copies a checked skill and says what to do next; nothing is overwritten [R5-SKILL-CLI]', async () => {
    const desk = skillDesk();
    desk.skill('pdf-forms', FORMS);
    const to = desk.path('mine');
    const added = await flyball('skills', 'add', desk.path('pdf-forms'), '--to', to);
    expect(added).toMatchObject({ code: EXIT.ok, out: expect.stringMatching(/^\+ pdf-forms 1\.2/) });
    expect(added.out).toContain(`flyball skills show pdf-forms --in ${to}\n`);
    expect(added.out).toContain('skills: [');
    expect(existsSync(desk.path('mine/pdf-forms/references/fields.md'))).toBe(true);
    const again = await flyball('skills', 'add', desk.path('pdf-forms/SKILL.md'), '--to', to);
    expect(again).toMatchObject({
      code: EXIT.usage,
      error: expect.stringContaining('already holds pdf-forms. Remove it first'),
    });
    expect(await flyball('skills', 'add', 'https://example.com/x.git', '--to', to)).toMatchObject({
      code: EXIT.usage,
      error: expect.stringContaining('Download it first, for example with git clone'),
    });
    desk.write('bad/SKILL.md', 'x');
    const bad = await flyball('skills', 'add', desk.path('bad'), '--to', to, '--json');
    expect(bad.code).toBe(EXIT.usage);
    expect(bad.json()).toMatchObject({
      kind: 'error',
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('SKILL.md:1:1'),
    });
    expect(existsSync(desk.path('mine/bad'))).toBe(false);
  });

  it('show tells what an agent gets to read, by name or path [R5-SKILL-CLI]', async () => {
    const desk = skillDesk();
    desk.skill('pdf-forms', FORMS);
    const shown = await flyball('skills', 'show', 'pdf-forms', '--in', desk.root);
    expect(shown.code).toBe(EXIT.ok);
    for (const text of [
      'pdf-forms 1.2',
      'allowed tools   Bash(git:*) Read',
      'autonomy        supervised',
      'references/fields.md (7 bytes)',
      'Read the form first.',
    ])
      expect(shown.out).toContain(text);
    const json = (await flyball('skills', 'show', desk.path('pdf-forms'), '--json')).json();
    expect(json).toMatchObject({
      kind: 'skill',
      name: 'pdf-forms',
      instructions: 'Read the form first.',
      governance: { autonomy: 'supervised' },
    });
    const none = await flyball('skills', 'show', 'pdf-form', '--in', desk.root);
    expect(none).toMatchObject({ code: EXIT.notFound, error: expect.stringContaining('Did you mean pdf-forms?') });
  });
});
