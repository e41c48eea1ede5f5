import fc from 'fast-check';
import { type Clock, done, type Run, systemClock } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { append } from '../../packages/flyball/src/core/prompt.js';
import { artefactsIn, askedAbout, finalOf } from '../../packages/studio/src/diff/artefacts.js';
import { rowsOf } from '../../packages/studio/src/diff/diff-rows.js';
import { forkOf, forkRows } from '../../packages/studio/src/diff/fold-fork.js';
import { diffLines } from '../../packages/studio/src/diff/line-diff.js';
import { commitsOf } from '../../packages/studio/src/gates/fold-attempts.js';
import { criticized, judging, runCommit } from '../commit/stage-commit.js';
import { processorMs } from '../patience.js';
import { Stage } from '../runtime/stage.js';

describe('the difference of two texts', () => {
  const told = (before: string, after: string) =>
    diffLines(before, after).lines.map(({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`);

  it('keeps what is the same and names what went and came [R6-STUDIO-GATES]', () => {
    expect(told('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
    expect(told('', 'a')).toEqual(['+a']);
    expect(told('a', '')).toEqual(['-a']);
    expect(told('same', 'same')).toEqual([' same']);
  });

  it('gives back both texts, whatever they are, and never says more than the shortest way [R6-STUDIO-GATES]', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { lines, gone, added } = diffLines(before, after);
        const [left, right] = [before === '' ? [] : before.split('\n'), after === '' ? [] : after.split('\n')];
        expect(lines.flatMap((line) => (line.kind === 'new' ? [] : [line.text]))).toEqual(left);
        expect(lines.flatMap((line) => (line.kind === 'gone' ? [] : [line.text]))).toEqual(right);
        expect(lines.flatMap((line) => ('before' in line ? [line.before] : []))).toEqual(left.map((_, i) => i + 1));
        expect(lines.flatMap((line) => ('after' in line ? [line.after] : []))).toEqual(right.map((_, i) => i + 1));
        expect(gone + added).toBe(left.length + right.length - 2 * longestCommon(left, right));
      }),
    );
  });

  it('is bounded: texts that share nothing are shown as replaced, at once [R6-STUDIO-GATES]', () => {
    const many = (mark: string) => Array.from({ length: 20_000 }, (_, n) => `${mark} ${n}`).join('\n');
    const started = processorMs();
    const diff = diffLines(`head\n${many('a')}\ntail`, `head\n${many('b')}\ntail`);
    expect(processorMs() - started).toBeLessThan(2_000);
    expect(diff).toMatchObject({ coarse: true, gone: 20_000, added: 20_000 });
    expect([diff.lines[0]?.kind, diff.lines.at(-1)?.kind]).toEqual(['same', 'same']);
  });

  it('folds long equal stretches and stands side by side what was changed in one place [R6-STUDIO-GATES]', () => {
    const numbers = Array.from({ length: 20 }, (_, n) => String(n));
    const changed = numbers.map((line) => (line === '10' ? 'ten' : line));
    const rows = rowsOf(diffLines(numbers.join('\n'), changed.join('\n')), { paired: true, folded: true });
    expect(rows).toHaveLength(9);
    expect(rows[0]).toEqual({ kind: 'folded', lines: 7, from: 1 });
    expect(rows[4]).toMatchObject({ kind: 'pair', before: { text: '10' }, after: { text: 'ten' } });
    expect(rows.at(-1)).toEqual({ kind: 'folded', lines: 6, from: 15 });
    expect(rowsOf(diffLines(numbers.join('\n'), changed.join('\n')), { paired: false, folded: false })).toHaveLength(
      21,
    );
    const twice = numbers.map((line) => (line === '5' || line === '13' ? 'x' : line));
    const kinds = rowsOf(diffLines(numbers.join('\n'), twice.join('\n')), { paired: true, folded: true }).map(
      ({ kind }) => kind,
    );
    expect(kinds.filter((kind) => kind === 'folded')).toHaveLength(2); // in the middle only one line would be saved: it stays
  });
});

/** Length of the longest common subsequence, by the plain table: what a shortest edit script must keep. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (const [i, x] of a.entries())
    for (const [j, y] of b.entries()) {
      const row = table[i + 1] ?? [];
      row[j + 1] = x === y ? (table[i]?.[j] ?? 0) + 1 : Math.max(table[i]?.[j + 1] ?? 0, row[j] ?? 0);
    }
  return table[a.length]?.[b.length] ?? 0;
}

describe('the versions of what a commit loop made', () => {
  const script = {
    worker: () => 'First line.\nBecause of the moon.\n\n1| not a number of ours',
    judge: judging((shown: string) => (shown.includes('the sun') ? {} : { correctness: 0.4 })),
    critic: () => criticized({ description: 'The sun is missing.', line: 2 }),
    repairer: () => 'First line.\nBecause of the moon and the sun.\n\n1| not a number of ours',
  };

  it('are read word for word from what the judge was shown, and from the result [R6-STUDIO-GATES]', async () => {
    const { stage, model } = await runCommit(script);
    const entries = await stage.entries();
    const contents = (n: number) => (model.requestsOf('judge')[n]?.messages ?? []).map(({ content }) => content);
    expect(artefactsIn(contents(0))).toEqual({
      artefacts: [{ name: 'answer', text: 'First line.\nBecause of the moon.\n\n1| not a number of ours' }],
      cut: false,
    });
    const final = finalOf(entries);
    expect(final?.artefacts[0]?.text).toContain('the sun');
    const last = model.requestsOf('judge').length - 1;
    expect(artefactsIn(contents(last))?.artefacts).toEqual(final?.artefacts);
    const attempts = commitsOf(entries)[0]?.attempts ?? [];
    expect(attempts.map(({ tips }) => tips.length > 0)).toEqual([true, true]);
  });

  it('say so where the judge was not shown all of it', () => {
    const shown = '<output name="a\\"b" mark="00ff">\n1| one\n[2 lines are left out]\n4| four\n</output mark="00ff">';
    expect(artefactsIn(['hello', shown])).toEqual({
      artefacts: [{ name: 'a"b', text: 'one\n[2 lines are left out]\nfour' }],
      cut: true,
    });
    expect(artefactsIn(['nothing of the kind'])).toBeUndefined();
  });

  it('are known from the question to a person too [R6-STUDIO-GATES]', async () => {
    const { stage } = await runCommit(
      {},
      { task: { id: 't', goal: 'Say why.', requirements: [], taskClass: 'x', requiresApproval: true } },
    );
    const [attempt] = commitsOf(await stage.entries())[0]?.attempts ?? [];
    expect(attempt === undefined ? undefined : askedAbout(attempt)).toEqual({
      artefacts: [{ name: 'answer', text: 'Because of the moon.' }],
      cut: false,
    });
  });
});

describe('a fork and its parent', () => {
  it('are compared entry by entry from the fork point, by effect and not by time [R6-STUDIO-GATES]', async () => {
    const model = scriptedModel({ worker: ['one', 'two', 'three', 'other'] });
    const stage = new Stage<Clock>(systemClock());
    let isFork = false;
    const life = stage.open(async (run: Run) => {
      const session = { name: 'worker', model, setup: 'Work.' };
      await run.ask(session, append(undefined, { role: 'user', content: 'first' }));
      const second = await run.ask(session, append(undefined, { role: 'user', content: 'second' }));
      run.note({ kind: isFork ? 'in-fork' : 'in-parent' });
      return done(second.text);
    });
    await life.start();
    const parent = await stage.entries();
    const at = parent.find(({ event }) => event.type === 'ask-end')?.seq ?? -1;
    isFork = true;
    await (await life.runtime.fork('run', { at, id: 'fork', live: false })).outcome();
    const fork = await stage.entries('fork');
    const point = forkOf(fork);
    expect(point).toMatchObject({ run: 'run', seq: at });
    expect(forkOf(parent)).toBeUndefined();
    if (point === undefined) return;
    const rows = forkRows(parent, fork, point);
    expect(rows.map(({ kind, parent: left, fork: right }) => [kind, (right ?? left)?.event.type])).toEqual([
      ['same', 'ask-start'],
      ['changed', 'ask-end'],
      ['new', 'note'],
      ['gone', 'note'],
      ['changed', 'run-end'],
    ]);
  });
});
