import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { type Desk, lastJson, newDesk } from './flyball.js';

const PEOPLE = join(root, 'dist-programs/people-agents.js');

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
});
afterEach(() => desk.clear());

const start = (agent: string, id: string) =>
  desk.flyball('run', PEOPLE, '--agent', agent, '--id', id, '--input', JSON.stringify({ folder: desk.folder }));

describe('flyball inbox', () => {
  it('lists what runs ask of people, over all runs, with risk, reason, origin and how to look closer [F-P2] [R4-PEOPLE-CLI] [R4-PEOPLE-INBOX]', async () => {
    expect((await desk.flyball('inbox')).out).toContain('No open requests');
    expect((await start('mail', 'r1')).code).toBe(3);
    expect((await start('tidy', 'r2')).code).toBe(3);
    const { out, code } = await desk.flyball('inbox');
    expect(code).toBe(0);
    expect(out).toMatch(
      /r1 #\S+!gate {2}approve send_email {2}risk high\n {4}an e-mail cannot be called back\n {4}Proposed by clerk \(scripted\/model\) in #3\.\n(?: {4}.*\n)* {4}flyball show r1/,
    );
    expect(out).toMatch(/r2 \S+!ask {2}answer confirm {2}risk medium\n {4}Delete the drafts\?/);
    const { requests } = lastJson((await desk.flyball('inbox', '--json')).out) as { requests: readonly object[] };
    expect(requests).toMatchObject([
      { run: 'r1', kind: 'approval', request: { undo: 'It cannot be taken back.' }, overdue: false },
      { run: 'r2', kind: 'question', answer: { type: 'boolean' } },
    ]);
    await desk.flyball('reject', 'r1', '--reason', 'no', '--as', 'ada');
    expect((await desk.flyball('inbox')).out).not.toContain('r1');
    expect((await desk.flyball('inbox', '--all')).out).toMatch(/r1 .*send_email.*reject by ada: no/);
  });
});

describe('flyball show', () => {
  it('says where an output comes from that the agent asks about itself, and what is recommended instead [R8-PLANS-REQUESTS] [F-P2]', async () => {
    await start('letter', 'r1');
    const grounds = [
      'Proposed by writer (scripted/writer) in #0.',
      '$.text: not found word for word in any source.',
      'Other sources: 1, listed in the entries of the run.',
      'Recommended instead: {"text":"Dear Ada, the boat leaves at one."}',
    ];
    const [shown, listed] = [await desk.flyball('show', 'r1'), await desk.flyball('inbox')];
    for (const line of grounds) {
      expect(shown.out).toContain(`\n           ${line}\n`);
      expect(listed.out).toContain(`\n    ${line}\n`);
    }
    expect(shown.out).toContain('flyball approve r1 --recommended');
    const { next } = lastJson((await desk.flyball('show', 'r1', '--json')).out) as { next: readonly object[] };
    expect(next).toMatchObject([{ grounds }]);
  });
});

describe('a verdict from the command line', () => {
  it('needs a reason to reject or to escalate, and without one nothing happens [R4-PEOPLE-CLI] [R4-PEOPLE-VERDICTS]', async () => {
    await start('mail', 'r1');
    for (const verdict of ['reject', 'escalate']) {
      const { code, error } = await desk.flyball(verdict, 'r1');
      expect(code).toBe(2);
      expect(error).toContain(`A reason is required to ${verdict}`);
      expect(error).toContain("--reason '…'");
    }
    expect((await desk.flyball('show', 'r1')).out).toContain('waits for approval of send_email');
  });

  it('is handed on to the next one by an escalation, who sees why [R4-PEOPLE-CLI] [R4-PEOPLE-ESCALATE]', async () => {
    await start('mail', 'r1');
    expect((await desk.flyball('escalate', 'r1', '--reason', 'above me', '--as', 'ada')).code).toBe(3);
    const shown = await desk.flyball('show', 'r1');
    expect(shown.out).toContain('waits for approval of send_email by the head');
    expect(shown.out).toContain('send_email escalated by ada: above me');
    expect((await desk.flyball('approve', 'r1', '--as', 'grace')).code).toBe(0);
    expect(desk.ledger()).toHaveLength(2);
  });

  it('takes what is recommended, where something is [R8-TRIAL-F5]', async () => {
    await start('refund', 'r1');
    expect((await desk.flyball('inbox')).out).toContain('Recommended instead: {"euros":100}');
    const taken = await desk.flyball('approve', 'r1', '--recommended', '--as', 'ada');
    expect(taken.code, taken.error).toBe(0);
    expect(desk.ledger()).toEqual([{ paid: { euros: 100 } }]);
    const input = JSON.stringify({ folder: desk.folder, euros: 90 });
    await desk.flyball('run', PEOPLE, '--agent', 'refund', '--id', 'r2', '--input', input);
    const none = await desk.flyball('approve', 'r2', '--recommended', '--as', 'ada');
    expect(none).toMatchObject({ code: 2, error: expect.stringContaining('there is no recommendation') as string });
    expect(desk.ledger()).toHaveLength(1);
  });

  it('that comes twice, or is about nothing, gets a clear answer [R4-PEOPLE-TWICE] [R4-SHOW-BAD-INPUT]', async () => {
    await start('both', 'r1');
    const none = await desk.flyball('approve', 'r1');
    expect(none).toMatchObject({ code: 2, error: expect.stringContaining('is not waiting for an approval') as string });
    const unnamed = await desk.flyball('answer', 'r1', 'true');
    expect(unnamed.code).toBe(2);
    const [first = ''] = /\/\S+!ask/.exec(unnamed.error) ?? [];
    expect(unnamed.error).toMatch(/waits for 2 answers\. Add the name of one of them/);
    expect((await desk.flyball('answer', 'r1', 'true', first, '--as', 'ada', '--no-wake')).code).toBe(0);
    await desk.flyball('resume', 'r1');
    const again = await desk.flyball('answer', 'r1', 'false', first);
    expect(again.code).toBe(2);
    expect(again.error).toMatch(/confirm is closed: ada answered it at 20.*Nothing was changed/);
    const shown = await desk.flyball('show', 'r1');
    expect(shown.out).toContain('flyball answer r1 true');
    const end = await desk.flyball('answer', 'r1', 'false', '--json');
    expect(lastJson(end.out)).toMatchObject({ status: 'done', outcome: { value: [true, false] } });
  });

  it('is refused when it is no JSON, and when it does not fit [R4-PEOPLE-ANSWER-CHECKED]', async () => {
    await start('tidy', 'r1');
    const words = await desk.flyball('answer', 'r1', 'yes please');
    expect(words).toMatchObject({ code: 2, error: expect.stringContaining('is not JSON') as string });
    const wrong = await desk.flyball('answer', 'r1', '"yes"');
    expect(wrong.code).toBe(2);
    expect(wrong.error).toContain('does not match');
    expect((await desk.flyball('inbox')).out).toContain('r1');
  });
});

describe('a verdict that comes after the end', () => {
  it('ends with the code that resume ends with, and show still says what was refused [R8-WAYS-AFTER-END] [R8-WAYS-SHOW-ACTS]', async () => {
    await start('mail', 'r1');
    const both = await desk.flyball('approve', 'r1', '--as', 'ada', '--from', 'bob');
    expect(both).toMatchObject({ code: 2, error: expect.stringContaining("unknown option '--from'") as string });
    const rejected = await desk.flyball('reject', 'r1', '--reason', 'not today', '--as', 'ada');
    expect(rejected.out).toMatch(/Actions:\n {4}draft_reply took place.*\n {4}send_email was refused/);
    const late = [await desk.flyball('approve', 'r1'), await desk.flyball('modify', 'r1', '{}')];
    const { code, error } = await desk.flyball('resume', 'r1');
    expect(code).toBe(8);
    for (const each of late) expect(each).toMatchObject({ code, error });
    expect((await desk.flyball('show', 'r1')).out).toMatch(
      /^ {2}actions {2}draft_reply took place.*\n {11}send_email was refused/m,
    );
  });
});

describe('flyball redirect', () => {
  it('tells a run what to do differently, and the journal who wanted it [R4-PEOPLE-REDIRECT] [R4-PEOPLE-CLI]', async () => {
    await start('listener', 'r1');
    expect((await desk.flyball('redirect', 'r1', 'only the first chapter', '--as', 'ada')).code).toBe(3);
    expect((await desk.flyball('show', 'r1')).out).toContain('redirected by ada: only the first chapter');
    const end = await desk.flyball('signal', 'r1', 'go', '--json');
    expect(lastJson(end.out)).toMatchObject({ outcome: { value: [{ by: 'ada', text: 'only the first chapter' }] } });
  });
});

describe('flyball chat', () => {
  it('asks in the words of each widget, says what is wrong, and asks again [R4-PEOPLE-CLI] [R4-PEOPLE-WIDGETS]', async () => {
    writeFileSync(join(desk.folder, 'parts.csv'), 'bolt,4\n');
    writeFileSync(join(desk.folder, 'large.csv'), 'x'.repeat(200));
    const lines = [
      'go', // the message
      'perhaps',
      'y',
      '',
      'Ada',
      'many',
      '10',
      '2.5',
      '3',
      '2026-02-30',
      '2025-12-31',
      '2026-02-28',
      '7',
      '2',
      '9',
      '1, 3',
      'nowhere.csv',
      'large.csv',
      'parts.csv',
      'Ada',
      'old',
      '36',
      'y',
      '',
      '{"part":"bolt","count":0}',
      '{"part":"bolt","count":5}',
      '/bye',
    ];
    const { code, out, error } = await desk.piped(`${lines.join('\n')}\n`, 'chat', PEOPLE, '--agent', 'survey');
    expect(code, error).toBe(0);
    for (const asked of [
      '? Really?',
      'A number from 1 up to 9',
      'A date as YYYY-MM-DD from 2026-01-01',
      '    2. green',
      'Their numbers, or none',
      'The path of a text file',
      'age: ',
      'optional',
      'Press Enter to accept them',
    ])
      expect(out).toContain(asked);
    for (const wrong of [
      'Enter y or n.',
      'Enter some text.',
      'That is not a number.',
      'at most 9',
      'a whole number',
      'not a valid date',
      '2026-01-01 or later',
      'from 1 to 3',
      'cannot be read',
      'the limit is 100',
      'age must be a whole number',
      'does not match',
    ])
      expect(error).toContain(wrong);
    expect(out).toContain('■ What was said'); // a display tool shows, and does not ask
    const id = /chat_[0-9a-f]+/.exec(out)?.[0] ?? '';
    const entries = (await desk.flyball('export', id, '--format', 'entries')).out;
    for (const answer of [
      '"payload":3',
      '"2026-02-28"',
      '["red","blue"]',
      'bolt,4',
      '"age":36,"member":true',
      '"count":5',
    ])
      expect(entries).toContain(answer);
  });

  it('takes a form as one line of JSON', async () => {
    const lines = [
      'go',
      'y',
      'Ada',
      '3',
      '2026-02-28',
      'green',
      'red',
      'parts.csv',
      '{"name":"Ada","age":1,"member":false}',
      '',
      '/bye',
    ];
    writeFileSync(join(desk.folder, 'parts.csv'), 'bolt,4\n');
    const { code, out, error } = await desk.piped(`${lines.join('\n')}\n`, 'chat', PEOPLE, '--agent', 'survey');
    expect(code, error).toBe(0);
    expect(out).toContain('What was said');
  });
});
