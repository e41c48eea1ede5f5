import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SkillDesk, skillDesk } from '../../../../../test/skills/skill-desk.js';
import { type SkillsChange, type WatchedSkills, type WatchOptions, watchSkills } from './watch-skills.js';

/** Real files, real events. */
interface Watch {
  readonly desk: SkillDesk;
  readonly skills: WatchedSkills;
  readonly changes: SkillsChange[];
  /** The next change that was not looked at yet. */
  next(): Promise<SkillsChange>;
}

async function watching(
  prepare: (desk: SkillDesk) => void,
  folder = (desk: SkillDesk) => desk.root,
  { debounceMs = 30 }: WatchOptions = {},
): Promise<Watch> {
  const desk = skillDesk();
  prepare(desk);
  const changes: SkillsChange[] = [];
  let seen = 0;
  let wake = (): void => undefined;
  const skills = await watchSkills(
    folder(desk),
    (change) => {
      changes.push(change);
      wake();
    },
    { debounceMs },
  );
  onTestFinished(() => skills.close());
  const next = async (): Promise<SkillsChange> => {
    while (changes.length <= seen) await new Promise<void>((resolve) => (wake = resolve));
    return changes[seen++] as SkillsChange;
  };
  return { desk, skills, changes, next };
}

describe('a watched folder', () => {
  it('takes over changed, new and removed skills while the program runs [R5-SKILL-RELOAD]', async () => {
    const { desk, skills, next } = await watching(
      (at) => void at.skill('forms', { body: 'One.', files: { 'references/a.md': 'A' } }),
    );
    const before = skills.library.get('forms')?.hash;
    desk.skill('forms', { body: 'Two.' });
    expect(await next()).toMatchObject({ changed: ['forms'], added: [], removed: [], problems: [] });
    expect(skills.library.activate('forms').text).toContain('Two.');
    desk.write('forms/references/a.md', 'B'); // any file of it
    expect(await next()).toMatchObject({ changed: ['forms'] });
    expect(skills.library.get('forms')?.hash).not.toBe(before);
    desk.skill('tides');
    expect(await next()).toMatchObject({ added: ['tides'] });
    desk.write('tides/references/deep/b.md', 'B'); // in a folder that was not there before
    expect(await next()).toMatchObject({ changed: ['tides'] });
    rmSync(desk.path('forms'), { recursive: true });
    expect(await next()).toMatchObject({ removed: ['forms'] });
    expect(skills.library.names()).toEqual(['tides']);
  });

  it('keeps the last good version of a skill that was broken, says so, and takes it over once it is mended [R5-SKILL-RELOAD]', async () => {
    const { desk, skills, next } = await watching((at) => void at.skill('forms', { body: 'One.' }));
    const { hash = '' } = skills.library.get('forms') ?? {};
    desk.write('forms/SKILL.md', '---\nname: forms\n---\nTwo.');
    const broken = await next();
    expect(broken).toMatchObject({ changed: [], kept: ['forms'] });
    expect(broken.problems).toMatchObject([
      { level: 'error', line: 2, message: expect.stringContaining('description is missing') },
    ]);
    expect(skills.problems()).toEqual(broken.problems);
    expect(skills.library.activate('forms')).toMatchObject({ skill: { hash }, text: expect.stringContaining('One.') });
    desk.skill('forms', { body: 'Three.' });
    expect(await next()).toMatchObject({ changed: ['forms'], kept: [], problems: [] });
    expect(skills.library.activate('forms').text).toContain('Three.');
  });

  it('waits until the folder is quiet, so that many writes are one change [R5-SKILL-RELOAD]', async () => {
    const { desk, skills, next, changes } = await watching(
      (at) => void at.skill('forms'),
      (at) => at.root,
      { debounceMs: 200 },
    );
    let stood = 0; // how often this machine stood still for so long that the folder counts as quiet
    for (let n = 0; n < 20; n++) {
      const before = performance.now();
      desk.skill('forms', { body: `Version ${n}.`, files: { [`references/${n}.md`]: `${n}` } });
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (performance.now() - before > 100) stood++;
    }
    await next();
    await expect.poll(() => skills.library.activate('forms').text).toContain('Version 19.');
    expect(changes.length).toBeLessThanOrEqual(1 + 2 * stood);
  });

  it('may come into being later, and be exchanged as a whole [R5-SKILL-RELOAD]', async () => {
    const { desk, skills, next } = await watching(
      () => undefined,
      (at) => at.path('skills'),
    );
    expect(skills.library.names()).toEqual([]);
    expect(skills.problems()).toMatchObject([{ message: expect.stringContaining('There is no such folder') }]);
    desk.skill('draft/forms');
    desk.write('draft/forms/SKILL.md', '---\nname: forms\ndescription: x\n---\nDo.');
    renameSync(desk.path('draft'), desk.path('skills'));
    expect(await next()).toMatchObject({ added: ['forms'], problems: [] });
    mkdirSync(desk.path('new/tides'), { recursive: true });
    desk.write('new/tides/SKILL.md', '---\nname: tides\ndescription: x\n---\nDo.');
    renameSync(desk.path('skills'), desk.path('old'));
    renameSync(desk.path('new'), desk.path('skills'));
    expect(await next()).toMatchObject({ added: ['tides'], removed: ['forms'] });
  });

  it('leaves out the second of two skills with one name, and says which [R5-SKILL-RELOAD]', async () => {
    const desk = skillDesk();
    desk.write('a/forms/SKILL.md', '---\nname: forms\ndescription: x\n---\nFirst.');
    desk.write('b/forms/SKILL.md', '---\nname: forms\ndescription: x\n---\nSecond.');
    const skills = await watchSkills([desk.path('a'), desk.path('b')], () => undefined);
    onTestFinished(() => skills.close());
    expect(skills.library.activate('forms').text).toContain('First.');
    expect(skills.problems()).toMatchObject([
      { file: desk.path('b/forms'), message: expect.stringContaining(desk.path('a/forms')) },
    ]);
  });

  it('tells nothing more once it is closed [R5-SKILL-RELOAD]', async () => {
    const { desk, skills, changes } = await watching((at) => void at.skill('forms'));
    desk.skill('forms', { body: 'Two.' });
    await skills.close();
    await skills.reload();
    desk.skill('forms', { body: 'Three.' });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(changes).toEqual([]);
    expect(skills.library.activate('forms').text).toContain('Do forms.');
  });
});
