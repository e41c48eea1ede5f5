import { describe, expect, it } from 'vitest';
import { checkSkill, MOST_LINES, MOST_TOKENS } from './check-skill.js';
import { problemText } from './skill.js';

const check = (text: string, files?: readonly string[], folder = 'pdf-forms') =>
  checkSkill({ text, file: 'SKILL.md', folder, ...(files === undefined ? {} : { files }) });
const told = (text: string, files?: readonly string[], folder?: string) =>
  check(text, files, folder).problems.map(problemText);

const GOOD = `---
name: pdf-forms
description: Fills in PDF forms. Use when a form in PDF has to be completed.
license: Apache-2.0
compatibility: Needs Python 3.12
metadata:
  author: records team
  version: "1.10"
  keywords: pdf, form acroform
  flyball-disallowed-tools: send_mail Bash(rm:*)
  flyball-autonomy: supervised
  flyball-approval: write_file
  flyball-approval-people: "2"
  flyball-approval-scopes: forms:approve forms:head
allowed-tools: Bash(git add:*) Bash(jq:*) Read
---
# Filling in forms

See [the fields](references/fields.md "Fields") and run scripts/fill.py.
`;
const FILES = ['SKILL.md', 'references/fields.md', 'scripts/fill.py'];

const with_ = (head: string, body = 'Do it.') =>
  `---\nname: pdf-forms\ndescription: Fills in forms.\n${head}\n---\n${body}\n`;

describe('a skill', () => {
  it('is read with all fields of the specification and its instructions [R5-SKILL-FORMAT]', () => {
    const { skill, problems } = check(GOOD, FILES);
    expect(problems).toEqual([]);
    expect(skill).toMatchObject({
      name: 'pdf-forms',
      description: 'Fills in PDF forms. Use when a form in PDF has to be completed.',
      license: 'Apache-2.0',
      compatibility: 'Needs Python 3.12',
      version: '1.10',
      keywords: ['pdf', 'form', 'acroform'],
      metadata: { author: 'records team', version: '1.10' },
    });
    expect(skill?.instructions.startsWith('# Filling in forms')).toBe(true);
    expect(skill?.allowedTools).toEqual([
      { text: 'Bash(git add:*)', tool: 'Bash', argument: 'git add:*' },
      { text: 'Bash(jq:*)', tool: 'Bash', argument: 'jq:*' },
      { text: 'Read', tool: 'Read' },
    ]);
    expect(skill?.disallowedTools.map(({ text }) => text)).toEqual(['send_mail', 'Bash(rm:*)']);
    expect(skill?.governance).toEqual({
      autonomy: 'supervised',
      approval: {
        tools: [{ text: 'write_file', tool: 'write_file' }],
        rules: { people: 2, scopes: ['forms:approve', 'forms:head'] },
      },
    });
  });

  it('may list its tools as a YAML list, and needs nothing but name and description [R5-SKILL-FORMAT]', () => {
    const listed = check(with_('allowed-tools:\n  - Bash(git:*)\n  - Read'));
    expect(listed.skill?.allowedTools?.map(({ text }) => text)).toEqual(['Bash(git:*)', 'Read']);
    const least = check(with_(''));
    expect(least.problems).toEqual([]);
    expect(least.skill).toMatchObject({ version: '', metadata: {}, disallowedTools: [], governance: {} });
    expect(least.skill).not.toHaveProperty('allowedTools');
    expect(check(with_('allowed-tools: ""')).skill?.allowedTools).toEqual([]); // none, which is not the same as all
  });
});

describe('validation', () => {
  it('tells every problem at once, each with file, line, column and what to write [R5-SKILL-VALIDATE]', () => {
    const text = `---
name: PDF--Forms-
description: ""
licence: MIT
version: "2"
metadata:
  version: 1.10
  flyball-autonomie: supervised
allowed-tools: Bash(git:*) (nothing) 7up
---
See [guide](references/none.md).
`;
    expect(told(text, ['SKILL.md'])).toEqual([
      'SKILL.md:2:7: name "PDF--Forms-" has capital letters. Write pdf-forms.',
      'SKILL.md:2:7: name "PDF--Forms-" begins or ends with a hyphen. Write pdf-forms.',
      'SKILL.md:2:7: name "PDF--Forms-" has two hyphens in a row. Write pdf-forms.',
      'SKILL.md:2:7: name is "PDF--Forms-", but the folder is called "pdf-forms". Give both the same name.',
      'SKILL.md:3:14: description is empty. Write a text.',
      'SKILL.md:4:1: "licence" is not a field of a skill. Did you mean license?',
      'SKILL.md:5:1: "version" is not a field of a skill. Write it under metadata: "version".',
      'SKILL.md:7:12: metadata.version must be text, and it is a number. Write it in quotes: version: "1.10".',
      'SKILL.md:8:3: metadata.flyball-autonomie is not known. Did you mean flyball-autonomy?',
      'SKILL.md:9:28: allowed-tools: "(nothing)" names no tool; write a name such as Read, or Bash(git:*) for some calls.',
      'SKILL.md:9:38: allowed-tools: "7up" names no tool; write a name such as Read, or Bash(git:*) for some calls.',
      'SKILL.md:11:13: "references/none.md" is named here, but there is no such file. Add the file, or correct the path; it begins at the folder of SKILL.md.',
    ]);
  });

  it.each([
    ['-pdf', 'begins or ends with a hyphen'],
    ['pdf-', 'begins or ends with a hyphen'],
    ['pdf--forms', 'two hyphens in a row'],
    ['PDF', 'capital letters'],
    ['pdf_forms', 'signs other than letters, digits and hyphens'],
    ['pdf forms', 'signs other than letters, digits and hyphens'],
    ['a'.repeat(65), 'has 65 characters, and at most 64'],
  ])('refuses the name %s [R5-SKILL-VALIDATE]', (name, why) => {
    const problems = told(`---\nname: ${JSON.stringify(name)}\ndescription: x\n---\nDo.`, undefined, name);
    expect(problems).toEqual([expect.stringContaining(why)]);
  });

  it.each(['a', 'pdf', 'pdf-2-forms', '3d', 'a'.repeat(64)])('takes the name %s [R5-SKILL-VALIDATE]', (name) => {
    expect(told(`---\nname: "${name}"\ndescription: x\n---\nDo.`, undefined, name)).toEqual([]);
  });

  it('takes lower-case letters of other alphabets with a warning, and compares names in one spelling [R5-SKILL-VALIDATE]', () => {
    const cafe = 'cafe\u0301';
    const { skill, problems } = check('---\nname: café\ndescription: x\n---\nDo.', undefined, cafe);
    expect(skill?.name).toBe('café');
    expect(problems.map(({ level }) => level)).toEqual(['warning']);
  });

  it('counts the characters of description and compatibility, not their bytes [R5-SKILL-VALIDATE]', () => {
    const with1024 = check(`---\nname: pdf-forms\ndescription: ${'🙂'.repeat(1024)}\n---\nDo.`);
    expect(with1024.problems).toEqual([]);
    expect(told(`---\nname: pdf-forms\ndescription: ${'x'.repeat(1025)}\n---\nDo.`)).toEqual([
      'SKILL.md:3:14: description has 1025 characters, and at most 1024 are allowed. Shorten it.',
    ]);
    expect(told(with_(`compatibility: ${'x'.repeat(501)}`))).toEqual([
      'SKILL.md:4:16: compatibility has 501 characters, and at most 500 are allowed. Shorten it.',
    ]);
    expect(check(with_(`compatibility: ${'x'.repeat(500)}`)).problems).toEqual([]);
  });

  it('wants name and description, and texts where texts belong [R5-SKILL-VALIDATE]', () => {
    expect(told('---\nlicense: MIT\n---\nDo.')).toEqual([
      expect.stringContaining('SKILL.md:2:1: name is missing. Write the name of the folder'),
      expect.stringContaining('SKILL.md:2:1: description is missing.'),
    ]);
    expect(told(with_('license: 2.0'))).toEqual([
      'SKILL.md:4:10: license must be text, and it is a number. Write it in quotes: license: "2.0".',
    ]);
    expect(told(with_('license: [MIT]'))).toEqual([
      'SKILL.md:4:10: license must be text, and it is a list. Write a text.',
    ]);
    expect(told(with_('metadata: [a]'))).toEqual([
      expect.stringContaining('SKILL.md:4:11: metadata must be a mapping'),
    ]);
    expect(told(with_('metadata:\n  deep:\n    er: x'))).toEqual([
      'SKILL.md:6:5: metadata.deep must be text, and it is a map. Write a text.',
    ]);
    expect(told(with_('metadata:\n  draft: true'))).toEqual([
      'SKILL.md:5:10: metadata.draft must be text, and it is true or false. Write it in quotes: draft: "true".',
    ]);
    expect(told(with_('allowed-tools: {Read: yes}'))).toEqual([
      'SKILL.md:4:16: allowed-tools must be text, and it is a map. Write a text.',
    ]);
    expect(told(with_('allowed-tools: [Read, 7]'))).toEqual([
      expect.stringContaining('SKILL.md:4:23: an entry of allowed-tools must be text'),
    ]);
  });

  it('finds keys that are written twice, at the top and below [R5-SKILL-VALIDATE]', () => {
    expect(told(with_('name: pdf-forms\nmetadata:\n  a: x\n  a: y'))).toEqual([
      'SKILL.md:4:1: "name" is written twice, first on line 2. Keep one of them.',
      'SKILL.md:7:3: "a" is written twice, first on line 6. Keep one of them.',
    ]);
  });

  it('tells a byte order mark, and still checks the rest [R5-SKILL-VALIDATE]', () => {
    expect(told(`\uFEFF${with_('stray: x')}`)).toEqual([
      'SKILL.md:1:1: The file begins with a byte order mark. Save it as UTF-8 without one.',
      expect.stringContaining('SKILL.md:4:1: "stray" is not a field'),
    ]);
  });

  it('reads CR LF, warns of it, and gives instructions with LF [R5-SKILL-VALIDATE]', () => {
    const { skill, problems } = check(with_('license: MIT', 'One.\nTwo.').replaceAll('\n', '\r\n'));
    expect(problems.map(problemText)).toEqual([
      expect.stringContaining('SKILL.md:1:4: warning: Lines end with CR LF.'),
    ]);
    expect(skill?.instructions).toBe('One.\nTwo.');
    expect(skill?.license).toBe('MIT');
    expect(told(with_('stray: x').replaceAll('\n', '\r\n'))).toContainEqual(
      expect.stringContaining('SKILL.md:4:1: "stray" is not a field'),
    );
  });

  it('wants the front matter at the very beginning, and its end [R5-SKILL-VALIDATE]', () => {
    expect(told('# Forms\n')).toEqual([expect.stringContaining('SKILL.md:1:1: The front matter is missing')]);
    expect(told('\n---\nname: pdf-forms\n---\n')).toEqual([
      expect.stringContaining('SKILL.md:1:1: The front matter is missing'),
    ]);
    expect(told('')).toEqual([expect.stringContaining('SKILL.md:1:1: The front matter is missing')]);
    expect(told('---\nname: pdf-forms\ndescription: x\nDo it.')).toEqual([
      expect.stringContaining('SKILL.md:4:1: The front matter does not end; write a line "---"'),
    ]);
    expect(told('---\n---\nDo.')).toEqual([expect.stringContaining('SKILL.md:2:1: The front matter has no fields')]);
    expect(told('---\njust words\n---\nDo.')).toEqual([
      expect.stringContaining('SKILL.md:2:1: The front matter has no fields'),
    ]);
  });

  it('takes a line of hyphens in the body for what it is [R5-SKILL-VALIDATE]', () => {
    expect(check(with_('', 'One.\n\n---\n\nTwo.')).skill?.instructions).toBe('One.\n\n---\n\nTwo.');
  });

  it('says what to do about the mistakes of YAML [R5-SKILL-VALIDATE]', () => {
    expect(told('---\nname: pdf-forms\ndescription: Use when: forms\n---\nDo.')).toEqual([
      expect.stringMatching(
        /^SKILL\.md:3:\d+: Nested mappings are not allowed.*Put a text that holds ": " in quotes\.$/,
      ),
    ]);
    expect(told('---\nname: pdf-forms\ndescription: "open\n---\nDo.')[0]).toMatch(/^SKILL\.md:\d+:\d+: .*quote/i);
    expect(told(with_('license: &l MIT\ncompatibility: *l'))).toEqual([
      'SKILL.md:5:16: An alias (*) is not read by all tools. Write the value itself.',
      expect.stringContaining('SKILL.md:5:16: compatibility must be text'),
    ]);
  });

  it('wants instructions, and warns where they are too long [R5-SKILL-VALIDATE]', () => {
    expect(told('---\nname: pdf-forms\ndescription: x\n---\n \n')).toEqual([
      expect.stringContaining('SKILL.md:5:1: There are no instructions'),
    ]);
    const lines = check(with_('', Array.from({ length: MOST_LINES + 1 }, (_, n) => `${n}`).join('\n')));
    expect(lines.problems.map(problemText)).toEqual([
      expect.stringContaining('warning: The instructions have 501 lines'),
    ]);
    expect(lines.skill).toBeDefined();
    const tokens = check(with_('', 'x'.repeat(MOST_TOKENS * 4 + 10)));
    expect(tokens.problems.map(problemText)).toEqual([
      expect.stringMatching(/warning: The instructions take about 500\d tokens/),
    ]);
    expect(check(with_('', Array.from({ length: MOST_LINES }, () => 'a').join('\n'))).problems).toEqual([]);
  });

  it('finds files that are named and not there, and paths that lead out [R5-SKILL-VALIDATE]', () => {
    const body = [
      'See [a](references/a.md#part), [b](./assets/b.png), ![c](missing.png), [d](<no such.md>), [folder](references/).',
      'Web: [e](https://example.com/x.md), [f](#here), [g](mailto:a@b.c). In code: `[h](nope.md)`.',
      'Run scripts/run.py --all, then scripts/none.py.',
      '[out](../other/x.md) and [root](/etc/passwd)',
      '```',
      '[i](also-nope.md) python scripts/gone.py',
      '```',
    ].join('\n');
    const files = ['SKILL.md', 'references/a.md', 'assets/b.png', 'scripts/run.py'];
    expect(told(with_('license: MIT', body), files).map((text) => text.slice(0, 60))).toEqual([
      'SKILL.md:6:58: "missing.png" is named here, but there is no ',
      'SKILL.md:6:77: "no such.md" is named here, but there is no s',
      'SKILL.md:8:32: warning: "scripts/none.py" is named here, but',
      'SKILL.md:9:7: "../other/x.md" leads out of the skill\'s folde',
      'SKILL.md:9:33: "/etc/passwd" leads out of the skill\'s folder',
      'SKILL.md:11:26: warning: "scripts/gone.py" is named here, bu',
    ]);
  });

  it('checks the governance block [R5-SKILL-VALIDATE] [R5-SKILL-GOVERNANCE]', () => {
    expect(
      told(with_('metadata:\n  flyball-autonomy: free\n  flyball-approval-people: "0"\n  flyball-approval-scopes: a')),
    ).toEqual([
      'SKILL.md:5:21: metadata.flyball-autonomy is "free". Write one of read-only, supervised, autonomous.',
      expect.stringContaining('SKILL.md:6:3: metadata.flyball-approval-people needs metadata.flyball-approval'),
      'SKILL.md:6:28: metadata.flyball-approval-people is "0". Write a number from "1" to "99".',
      expect.stringContaining('SKILL.md:7:3: metadata.flyball-approval-scopes needs metadata.flyball-approval'),
    ]);
    expect(told(with_('metadata:\n  flyball-approval: ""'))).toEqual([
      'SKILL.md:5:21: metadata.flyball-approval is empty. Name tools, or remove it.',
    ]);
  });
});
