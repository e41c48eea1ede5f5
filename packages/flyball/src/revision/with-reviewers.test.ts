import { FlyballError, type Run } from 'flyball';
import { useOf, withReviewers, zeroShot } from 'flyball/patterns';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { ended, session } from '../../../../test/patterns/bed.js';

const TASK = 'Write the query for a user.';
const DRAFT =
  '+  db.query("SELECT * FROM users WHERE id = " + id); for (const a of all) for (const b of all) check(a, b);';
const issues = (...texts: readonly string[]) => JSON.stringify({ issues: texts.map((text) => ({ text })) });
const NONE = issues();
const edited = (verdict: 'PASS' | 'FAIL', more: object = {}) =>
  JSON.stringify({ verdict, ranked: [], contradictions: [], dismissed: [], brief: 'Change it.', ...more });
const LENSES = ['security', 'performance', 'style'] as const;
const precedence = ['security', 'performance', 'style'] as const;

function bed(script: Partial<Record<(typeof LENSES)[number] | 'editor' | 'reviser', Script[string]>>) {
  const model = scriptedModel({
    writer: DRAFT,
    security: () => NONE,
    performance: () => NONE,
    style: () => NONE,
    editor: edited('PASS'),
    reviser: [],
    ...script,
  });
  const seat = (name: string) => session(model, name, { setup: `RUBRIC-${name}` });
  const reviewers = { security: seat('security'), performance: seat('performance'), style: seat('style') };
  const agent = zeroShot(seat('writer'));
  return { model, agent, parts: { reviewers, editor: seat('editor'), reviser: seat('reviser') } };
}
const FIRST = {
  security: [issues('SQL injection: use a parameter, even if slower.'), NONE],
  performance: [issues('Quadratic loop.', 'Build the text at once, without parameters.'), NONE],
  style: [issues('Name a.', 'Name b.', 'Long line.'), NONE],
  reviser: ['a better draft'],
} as const;
const BRIEF = {
  ranked: ['style-1', 'style-2', 'style-3', 'performance-1', 'security-1'],
  contradictions: [['performance-2', 'security-1']],
  brief: 'Use a parameter.',
};

describe('withReviewers', () => {
  it('fails a draft with a planted injection and passes the next, in ten calls [O9.acceptance]', async () => {
    const { model, agent, parts } = bed({ ...FIRST, editor: [edited('FAIL', BRIEF), edited('PASS')] });
    const { outcome, uses, entries } = await ended(withReviewers(agent, parts, { precedence }), TASK);
    expect(outcome).toMatchObject({ stop: 'done', value: 'a better draft' });
    expect(model.requests).toHaveLength(10);
    expect(uses[0]).toMatchObject({ modelCalls: 10, learned: { reviewed: 2, edits: 2, revisions: 1 } });
    const [review] = entries.flatMap(({ event }) =>
      event.type === 'note' && event.event.kind === 'review' ? [event.event] : [],
    );
    expect(review).toMatchObject({
      ranked: ['security-1', 'performance-1', 'style-1', 'style-2', 'style-3'],
      contradictions: [{ kept: 'security-1', dropped: 'performance-2' }],
    });
    expect(model.promptAt('reviser')).toContain('security-1 goes before it');
  });

  it('shows a reviewer the output and its own rubric alone [O9.1]', async () => {
    const { model, agent, parts } = bed({ ...FIRST, editor: [edited('FAIL', BRIEF), edited('PASS')] });
    await ended(withReviewers(agent, parts, { precedence }), TASK);
    for (const lens of LENSES) {
      const prompt = model.promptAt(lens);
      expect(prompt).toContain(`RUBRIC-${lens}`);
      expect(prompt).toContain(DRAFT);
      expect(prompt).not.toContain(TASK);
      for (const other of ['writer', ...LENSES]) if (other !== lens) expect(prompt).not.toContain(`RUBRIC-${other}`);
      expect(model.promptAt(lens, 2)).not.toContain('Quadratic loop');
    }
  });

  it('asks all reviewers before the first has answered [O9.2]', async () => {
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const reply = () => {
      asked++;
      if (asked === 3) open();
      return { text: NONE, gate: all };
    };
    const { agent, parts } = bed({ security: reply, performance: reply, style: reply });
    const { outcome } = await ended(withReviewers(agent, parts, { precedence }), TASK);
    expect(outcome.stop).toBe('done');
  });

  it('brings every review to the editor, empty and failed ones too, and passes nothing a mandatory one missed [O9.3]', async () => {
    const { model, agent, parts } = bed({
      security: 'no JSON at all',
      performance: new Error('overloaded'),
      editor: [edited('PASS'), edited('PASS')],
    });
    const options = { precedence, mandatory: ['security'], maxRounds: 1 } as const;
    const { outcome } = await ended(withReviewers(agent, parts, options), TASK);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxRounds', partial: DRAFT });
    const prompt = model.promptAt('editor');
    expect(prompt).toMatch(/concern="security">\n\(missing: /);
    expect(prompt).toMatch(/concern="performance">\n\(missing: .*overloaded/);
    expect(prompt).toMatch(/concern="style">\n\(nothing found\)/);
    const lenient = bed({ performance: new Error('overloaded') });
    expect((await ended(withReviewers(lenient.agent, lenient.parts, { precedence }), TASK)).outcome.stop).toBe('done');
  });

  it('loses no issue: the editor is asked again, and the issues are ranked as they are where that fails [O9.4]', async () => {
    const lost = edited('FAIL', { ranked: ['security-1'] });
    const { model, agent, parts } = bed({ ...FIRST, editor: [lost, lost.replace('Change', 'Mend'), edited('PASS')] });
    const { uses } = await ended(withReviewers(agent, parts, { precedence }), TASK);
    expect(model.promptAt('editor', 2)).toContain('neither ranked, nor contradicted, nor dismissed');
    for (const text of ['SQL injection', 'Quadratic loop', 'Long line'])
      expect(model.promptAt('reviser')).toContain(text);
    expect(uses[0]?.learned).toMatchObject({ edits: 3 });
    const bare = edited('PASS', { dismissed: [{ id: 'style-1', because: ' ' }] });
    const good = edited('PASS', { dismissed: [{ id: 'style-1', because: 'house style allows it' }] });
    const at = bed({ style: issues('Tabs.'), editor: [bare, good] });
    const { outcome, uses: dismissed } = await ended(withReviewers(at.agent, at.parts, { precedence }), TASK);
    expect(outcome.stop).toBe('done');
    expect(dismissed[0]?.learned).toMatchObject({
      edits: 2,
      lastRound: { dismissed: [{ id: 'style-1', because: 'house style allows it' }] },
    });
  });

  it('flags what a reviewer says of another concern [O9.5]', async () => {
    const off = JSON.stringify({ issues: [{ text: 'Slow.', lens: 'performance' }] });
    const { model, agent, parts } = bed({ style: off, editor: edited('PASS', { ranked: ['style-1'] }) });
    const { uses } = await ended(withReviewers(agent, parts, { precedence }), TASK);
    expect(model.promptAt('editor')).toContain('style-1 (not its concern): Slow.');
    expect(uses[0]?.learned).toMatchObject({ lastRound: { offLens: ['style-1'] } });
  });

  it('gives a revision the task, the draft and the brief [O9.6]', async () => {
    const { model, agent, parts } = bed({ ...FIRST, editor: [edited('FAIL', BRIEF), edited('PASS')] });
    await ended(withReviewers(agent, parts, { precedence }), TASK);
    for (const part of [TASK, DRAFT, 'Use a parameter.', 'SQL injection'])
      expect(model.promptAt('reviser')).toContain(part);
  });

  it('gives a later revision the draft as it is by then, and the brief on that one [O9.6]', async () => {
    const { model, agent, parts } = bed({
      style: [issues('FAULT-0'), issues('FAULT-1'), NONE],
      editor: [
        edited('FAIL', { ranked: ['style-1'], brief: 'BRIEF-0' }),
        edited('FAIL', { ranked: ['style-1'], brief: 'BRIEF-1' }),
        edited('PASS'),
      ],
      reviser: ['REVISED-0', 'REVISED-1'],
    });
    await ended(withReviewers(agent, parts, { precedence, maxRounds: 3 }), TASK);
    const [first, second] = [model.promptAt('reviser', 1), model.promptAt('reviser', 2)];
    for (const part of [TASK, DRAFT, 'BRIEF-0', 'FAULT-0']) expect(first).toContain(part);
    for (const part of [TASK, 'REVISED-0', 'BRIEF-1', 'FAULT-1']) expect(second).toContain(part);
    for (const part of [DRAFT, 'BRIEF-0', 'FAULT-0']) expect(second).not.toContain(part);
  });

  it('logs every round, and returns the draft with the fewest faults when none passed [O9.7]', async () => {
    const { agent, parts } = bed({
      style: [issues('one'), issues('one', 'two')],
      editor: [edited('FAIL', { ranked: ['style-1'] }), edited('FAIL', { ranked: ['style-1', 'style-2'] })],
      reviser: ['worse'],
    });
    const { outcome, entries } = await ended(withReviewers(agent, parts, { precedence }), TASK);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxRounds', limit: 2, partial: DRAFT });
    const rounds = entries.filter(({ event }) => event.type === 'note' && event.event.kind === 'review');
    expect(rounds).toHaveLength(2);
  });

  it('refuses bad wiring [O9.acceptance]', () => {
    const { model, agent, parts } = bed({});
    const { security, performance, style } = parts.reviewers;
    expect(() => withReviewers(agent, { ...parts, reviewers: { security } }, { precedence: ['security'] })).toThrow(
      'use untilApproved (O5)',
    );
    expect(() => withReviewers(agent, parts, { precedence: ['security', 'style'] })).toThrow('needs precedence');
    const same = { security, performance, style: { ...security, name: 'style' } };
    expect(() => withReviewers(agent, { ...parts, reviewers: same }, { precedence })).toThrow(
      'the model and setup of "style" are those of another',
    );
    const namesakes = { security, performance, style: { ...style, name: 'security' } };
    expect(() => withReviewers(agent, { ...parts, reviewers: namesakes }, { precedence })).not.toThrow();
    const own = { security, performance, style: session(model, 'style', { setup: 'RUBRIC-writer' }) };
    expect(() => withReviewers(agent, { ...parts, reviewers: own }, { precedence })).toThrow(
      'needs a reviewers that is not the session of its agent',
    );
    expect(useOf(withReviewers(agent, parts, { precedence }))).toMatchObject({
      id: 'O9',
      predicted: { min: 1, max: 12 },
    });
  });

  it('reviews once without a reviser: an editor in code makes the brief, and a mandatory review must be there', async () => {
    const { model, agent, parts } = bed({ security: () => 'nothing', style: () => 'a long line' });
    const looking = (lens: 'security' | 'style') => ({
      session: parts.reviewers[lens],
      look: async (run: Run, draft: string) => {
        const { text } = await run.ask(parts.reviewers[lens], draft);
        if (lens === 'security') throw new FlyballError('REPLY_INVALID', 'It cannot be read.');
        return [{ id: `${lens}-1`, lens, text, isOffLens: false }];
      },
    });
    const review = withReviewers(
      agent,
      {
        reviewers: { security: looking('security'), style: looking('style') },
        editor: (reviews) => ({
          passes: true,
          ranked: [],
          contradictions: [],
          dismissed: [],
          words: '',
          issues: reviews.flatMap(({ issues: found }) => found),
        }),
      },
      { precedence: ['security', 'style'], mandatory: ['security'] },
    );
    expect(useOf(review)).toMatchObject({ id: 'O9', predicted: { min: 1, max: 3 } });
    const { outcome, uses } = await ended(review, TASK);
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        draft: DRAFT,
        brief: { passes: false, issues: [{ text: 'a long line' }] },
        reviews: [{ lens: 'security', missing: expect.stringContaining('REPLY_INVALID') as string }, { lens: 'style' }],
      },
    });
    expect(uses[0]).toMatchObject({ learned: { reviewed: 1, edits: 0, revisions: 0 } });
    expect(model.requests).toHaveLength(3);
  });
});
