import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { skillDesk } from '../../../../../test/skills/skill-desk.js';
import { problemText } from '../../skills/skill.js';
import { skillLibrary } from '../../skills/skill-library.js';
import { addSkills } from './add-skills.js';
import { readSkill } from './read-skill.js';
import { loadSkills, readSkills } from './read-skills.js';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const how = { key: 'k', signal: new AbortController().signal };

describe('a skill folder', () => {
  it('is read with its scripts, references and assets, and one hash over all of them [R5-SKILL-FORMAT] [R5-SKILL-PROVENANCE]', async () => {
    const desk = skillDesk();
    const folder = desk.skill('forms', {
      head: 'metadata:\n  version: "2.1"',
      files: {
        'scripts/fill.py': 'print(1)',
        'references/a.md': 'A',
        'assets/x/logo.txt': 'L',
        '__pycache__/x.pyc': '1',
      },
    });
    const { skill } = await readSkill(folder);
    expect(skill?.files.map(({ path }) => path)).toEqual([
      'SKILL.md',
      'assets/x/logo.txt',
      'references/a.md',
      'scripts/fill.py',
    ]);
    expect(skill).toMatchObject({ name: 'forms', version: '2.1', folder });
    const again = (await readSkill(folder)).skill?.hash;
    expect(again).toBe(skill?.hash);
    desk.write('forms/__pycache__/x.pyc', '2');
    expect((await readSkill(folder)).skill?.hash).toBe(skill?.hash); // left behind by a program
    desk.write('forms/scripts/fill.py', 'print(2)');
    expect((await readSkill(folder)).skill?.hash).not.toBe(skill?.hash);
    desk.write('forms/scripts/fill.py', 'print(1)');
    renameSync(desk.path('forms/references/a.md'), desk.path('forms/references/b.md'));
    expect((await readSkill(folder)).skill?.hash).not.toBe(skill?.hash); // the same contents under another name
  });

  it('stands alone, or in a folder of skills; a broken one is told and left out [R5-SKILL-FORMAT]', async () => {
    const desk = skillDesk();
    desk.skill('good');
    desk.skill('also-good');
    desk.write('bad/SKILL.md', '---\nname: worse\n---\nDo.');
    desk.write('no-skill/readme.md', 'x');
    desk.write('.hidden/SKILL.md', 'x');
    const all = await readSkills(desk.root);
    expect(all.skills.map(({ name }) => name)).toEqual(['also-good', 'good']);
    expect(all.problems.map(problemText)).toEqual([
      `${desk.path('bad/SKILL.md')}:2:1: description is missing. Say what the skill does and when to use it: description: …`,
      `${desk.path('bad/SKILL.md')}:2:7: name is "worse", but the folder is called "bad". Give both the same name.`,
    ]);
    expect((await readSkills(desk.path('good'))).skills).toHaveLength(1);
    await expect(loadSkills(desk.root)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: all.problems.map(problemText).join('\n'),
    });
    expect((await loadSkills(desk.path('good'), desk.path('also-good'))).names()).toEqual(['also-good', 'good']);
    await expect(loadSkills(desk.path('good'), desk.path('good'))).rejects.toThrow(/Two skills are called "good"/);
  });

  it('says what is missing: the folder, the file, its right name, UTF-8 [R5-SKILL-VALIDATE]', async () => {
    const desk = skillDesk();
    const told = async (path: string) => (await readSkill(desk.path(path))).problems.map(problemText);
    expect(await told('none')).toEqual([expect.stringContaining('The folder cannot be read')]);
    mkdirSync(desk.path('empty'));
    expect(await told('empty')).toEqual([
      `${desk.path('empty')}:1:1: There is no SKILL.md in the folder. Write one, with name and description between two lines "---".`,
    ]);
    desk.write('small/skill.md', 'x');
    expect(await told('small')).toEqual([expect.stringContaining('The file is called skill.md. Call it SKILL.md.')]);
    desk.write('latin/SKILL.md', Uint8Array.from([0x2d, 0x2d, 0x2d, 0xe9]));
    expect(await told('latin')).toEqual([expect.stringContaining('The file is not UTF-8')]);
    expect((await readSkills(desk.path('none'))).problems.map(problemText)).toEqual([
      expect.stringContaining('There is no such folder'),
    ]);
    expect((await readSkills(desk.write('a-file', 'x'))).problems.map(problemText)).toEqual([
      expect.stringContaining('It is a file. Name the folder'),
    ]);
  });

  it('may not hold links that lead out, and bounds how much it holds [R5-SKILL-SANDBOX]', async () => {
    const desk = skillDesk();
    const secret = desk.write('secret.txt', 'secret');
    const folder = desk.skill('linked', { files: { 'references/a.md': 'A' } });
    symlinkSync('a.md', join(folder, 'references/same.md'));
    const inside = (await readSkill(folder)).skill;
    expect(inside?.files.map(({ path }) => path)).toContain('references/same.md');
    expect(text((await inside?.open('references/same.md')) ?? new Uint8Array())).toBe('A');
    symlinkSync(secret, join(folder, 'references/out.md'));
    symlinkSync('..', join(folder, 'up'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    const { skill, problems } = await readSkill(folder);
    expect(skill).toBeUndefined();
    expect(problems.map(problemText)).toEqual([
      expect.stringMatching(/linked\/dangling:1:1: It cannot be read/),
      expect.stringMatching(/references\/out\.md:1:1: The link leads out of the skill/),
      expect.stringMatching(/linked\/up:1:1: The link leads out of the skill/),
    ]);
    const deep = desk.skill('deep', { files: { [`${'d/'.repeat(10)}x`]: 'x' } });
    expect((await readSkill(deep)).problems.map(problemText)).toEqual([
      expect.stringContaining('nested more than 8 deep'),
    ]);
  });
});

describe('a resource', () => {
  it('is read a page at a time through the tool, and only from inside the folder [R5-SKILL-DISCLOSURE] [R5-SKILL-SANDBOX]', async () => {
    const desk = skillDesk();
    const secret = desk.write('secret.txt', 'secret');
    desk.skill('other', { files: { 'x.md': 'theirs' } });
    const folder = desk.skill('forms', {
      files: {
        'references/a.md': `${'0123456789'.repeat(3)}🙂end`,
        'image.bin': 'x\u0000y',
        'big.txt': 'b'.repeat(500),
      },
    });
    const { skills } = await readSkills(desk.root);
    const tool = skillLibrary(skills).resourceTool({ pageChars: 31, maxBytes: 400 });
    const read = (path: string, more: object = {}) => tool.execute({ skill: 'forms', path, ...more }, how);
    const first = await read('references/a.md');
    expect(first).toMatchObject({ text: '0123456789'.repeat(3), offset: 0, total: 35, next: 30 }); // a sign is not cut in two
    const second = await read('./references//a.md', { offset: 30 });
    expect(second).toEqual({ skill: 'forms', path: 'references/a.md', text: '🙂end', offset: 30, total: 35 });
    expect(tool.present?.(first as never)).toMatch(
      /^\[references\/a\.md, characters 0 to 30 of 35\. Continue with offset 30\.\]\n0123/,
    );
    await expect(read('references/a.md', { offset: 36 })).rejects.toThrow(/past its end/);
    await expect(read('image.bin')).rejects.toThrow(/is not text/);
    await expect(read('big.txt')).rejects.toThrow(/500 bytes, and at most 400/);
    await expect(read('references/b.md')).rejects.toThrow(/has no file references\/b\.md/);
    await expect(read('a.md')).rejects.toThrow(/Did you mean references\/a\.md\?/);
    for (const path of [
      '../other/x.md',
      'references/../../secret.txt',
      secret,
      '..',
      'C:\\x',
      '~/x',
      'references\\a.md',
      'a\u0000b',
      '',
      '/',
      '.',
    ])
      await expect(read(path), path).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(tool.execute({ skill: 'none', path: 'x' }, how)).rejects.toThrow(/The skill none no longer exists/);
    expect(folder).toContain('forms');
  });

  it('is not passed on under the hash of the skill once it was changed [R5-SKILL-PROVENANCE]', async () => {
    const desk = skillDesk();
    const folder = desk.skill('forms', { files: { 'references/a.md': 'mine' } });
    const { skills } = await readSkills(desk.root);
    const tool = skillLibrary(skills).resourceTool();
    const read = () => tool.execute({ skill: 'forms', path: 'references/a.md' }, how);
    await expect(read()).resolves.toMatchObject({ text: 'mine' });
    writeFileSync(join(folder, 'references/a.md'), 'other');
    await expect(read()).rejects.toThrow(/was changed after the skill was read/);
    writeFileSync(join(folder, 'references/a.md'), 'mine');
    await expect(read()).resolves.toMatchObject({ text: 'mine' });
  });

  it('is checked where it really leads when it is opened, not when it was listed [R5-SKILL-SANDBOX]', async () => {
    const desk = skillDesk();
    const secret = desk.write('secret.txt', 'secret');
    desk.write('elsewhere/a.md', 'secret too');
    const folder = desk.skill('forms', { files: { 'references/a.md': 'mine', 'b.md': 'mine' } });
    const { skill } = await readSkill(folder);
    unlinkSync(join(folder, 'b.md'));
    symlinkSync(secret, join(folder, 'b.md'));
    await expect(skill?.open('b.md')).rejects.toThrow(/A link in it leads out of the folder/);
    rmSync(join(folder, 'references'), { recursive: true });
    symlinkSync(desk.path('elsewhere'), join(folder, 'references'));
    await expect(skill?.open('references/a.md')).rejects.toThrow(/leads out of the folder/);
    await expect(skill?.open('../secret.txt')).rejects.toThrow(/may lead out/);
    await expect(skill?.open('gone.md')).rejects.toThrow(/There is no such file/);
    await expect(skill?.open('.')).rejects.toThrow(/Name a file/);
    mkdirSync(join(folder, 'dir'));
    await expect(skill?.open('dir')).rejects.toThrow(/is not a file|EISDIR/);
    linkSync(join(folder, 'SKILL.md'), join(folder, 'hard.md')); // the same file, inside
    expect(text((await skill?.open('hard.md')) ?? new Uint8Array())).toContain('name: forms');
  });
});

describe('adding skills', () => {
  it('copies checked skills whole, overwrites nothing and leaves nothing half done [R5-SKILL-CLI]', async () => {
    const desk = skillDesk();
    desk.skill('forms', { files: { 'scripts/fill.sh': '#!/bin/sh\n', 'references/a.md': 'A' } });
    const target = desk.path('mine/skills');
    const [added] = await addSkills({ from: desk.path('forms'), to: target });
    const source = (await readSkill(desk.path('forms'))).skill;
    expect(added).toEqual({ name: 'forms', version: '', hash: source?.hash, folder: join(target, 'forms') });
    expect((await readSkill(join(target, 'forms'))).skill?.hash).toBe(source?.hash);
    appendFileSync(join(target, 'forms/references/a.md'), 'changed by hand');
    await expect(addSkills({ from: desk.path('forms'), to: target })).rejects.toThrow(/already holds forms/);
    expect(
      text((await (await readSkill(join(target, 'forms'))).skill?.open('references/a.md')) ?? new Uint8Array()),
    ).toBe('Achanged by hand');
    writeFileSync(desk.path('forms/SKILL.md'), 'broken');
    await expect(addSkills({ from: desk.path('forms'), to: desk.path('other') })).rejects.toThrow(
      /SKILL\.md:1:1: The front matter is missing/,
    );
    mkdirSync(desk.path('nothing'));
    await expect(addSkills({ from: desk.path('nothing'), to: target })).rejects.toThrow(/contains no skill/);
  });
});
