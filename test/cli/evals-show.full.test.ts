import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { runProgram } from '../../packages/flyball/src/cli/program.js';
import { evals, type Place, place, simulationsIn } from './evals-stage.js';

const THREE = ['--tasks', 'energy_001,energy_002,energy_005', '--retrieval', 'bm25'];

/** A right agent and one that says nothing. */
async function measured(): Promise<Place> {
  const here = place();
  const ran = await evals(['run', '--agent', 'baseline', 'silent', ...THREE, '--out', here.at('x')]);
  expect(ran.code).toBe(EXIT.ok);
  expect(ran.out).toContain(`Conversations: flyball evals show ${here.at('x')}`);
  return here;
}

async function flyball(words: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = '';
  const streams = {
    out: { isTTY: false, columns: 100, write: (text: string) => (out += text) },
    error: { write: (text: string) => (out += text) },
    env: {},
  };
  return { code: await runProgram([...words], streams), out };
}

describe('flyball evals show', () => {
  it('leads from a cell to its simulations, and what each adds to it [R8-EVAL-CONVERSATION] [R8-EVAL-CELLS]', async () => {
    const here = await measured();
    const [report] = (await evals(['report', here.at('x'), '--json'])).json() as unknown as [Report];
    const cells = report.tables
      .flatMap(({ rows }) => rows.flat())
      .filter(({ behind }) => behind?.figure === 'gold-writes');
    expect(cells.map(({ value, n }) => [value, n])).toEqual([
      [1, 6],
      [0, 6],
    ]);
    for (const { value, n, behind } of cells) {
      const words = ['--condition', behind?.condition ?? '', '--figure', behind?.figure ?? ''];
      const shown = await evals(['show', here.at('x'), ...words, '--json']);
      expect(shown).toMatchObject({ code: EXIT.ok, error: '' });
      const lines = shown.json();
      expect(lines.at(-1)).toMatchObject({ kind: 'figure', condition: behind?.condition, value, n });
      expect(lines.slice(0, -1)).toHaveLength(3);
    }
    const text = await evals(['show', here.at('x'), '--condition', 'baseline', '--figure', 'gold-writes']);
    expect(text.out).toMatch(/✓ \S+ {2}energy_001 {2}user_stop, \d+ messages {2}2 \/ 2\n/);
    expect(text.out).toContain('gold writes made: 6 / 6 = 100.0 %');
  });

  it('prints the conversation of one, by its id, a part of it, or its task, and names its journal [R8-EVAL-CONVERSATION]', async () => {
    const here = await measured();
    const file = JSON.parse(here.read('x/baseline-bm25/results.json')) as { simulations: { id: string }[] };
    const id = file.simulations[0]?.id ?? '';
    const byTask = ['--condition', 'baseline', '--task', 'energy_001'];
    const shown = await evals(['show', here.at('x'), ...byTask]);
    expect(shown).toMatchObject({ code: EXIT.ok, error: '' });
    for (const words of [[id], [id.slice(0, 8)]])
      expect((await evals(['show', here.at('x'), ...words])).out).toBe(shown.out);
    expect(shown.out).toContain('✓ energy_001, trial 0, under scripted/desk / baseline / bm25');
    expect(shown.out).toMatch(/✓ database\n.*✓ gold call /);
    expect(shown.out).toMatch(/ 1 user {2}\S/);
    expect(shown.out).toMatch(/ agent {2}calls \w+ \{/);
    const command = /Every model call and its prompt: flyball (.*)\n/.exec(shown.out)?.[1] ?? '';
    const words = command.split(' ');
    expect(existsSync(words.at(-1) ?? '')).toBe(true);
    expect(await flyball(words)).toMatchObject({ code: EXIT.ok, out: expect.stringMatching(/outcome +done/) });
    const [json] = (await evals(['show', here.at('x'), id, '--json'])).json();
    const [simulation] = simulationsIn(here.read('x/baseline-bm25/results.json'));
    expect(json?.['messages']).toHaveLength(simulation?.messages.length ?? 0);
  });

  it('paints for a terminal what it says itself, and nothing that a conversation says [R8-EVAL-CONVERSATION]', async () => {
    const here = await measured();
    const words = ['show', here.at('x'), '--condition', 'silent', '--task', 'energy_001'];
    const shown = await evals(words, { terminal: true });
    expect(shown.out).toContain('\u001b[31m✗\u001b[39m energy_001');
    expect(shown.out).not.toContain('␛');
  });

  it('refuses what is not there, and says what is [R8-EVAL-CONVERSATION]', async () => {
    const here = await measured();
    const refusals = [
      [['--condition', 'nobody'], /No condition has "nobody" in its name\. Available: scripted\/desk \/ baseline/],
      [['--figure', 'luck'], /There is no figure "luck"\. Available: pass\^1, db-match/],
      [['--task', 'energy_099'], /No scored simulation matches/],
      [['--trial', 'x'], /--trial must be a whole number of at least 0, got "x"/],
      [['zzz'], /There is no simulation "zzz"/],
    ] as const;
    for (const [words, message] of refusals) {
      const shown = await evals(['show', here.at('x'), ...words]);
      expect(shown.code).toBe(EXIT.usage);
      expect(shown.error).toMatch(message);
    }
  });
});

interface Report {
  readonly tables: readonly {
    readonly rows: readonly (readonly {
      readonly value: number;
      readonly n?: number;
      readonly behind?: { readonly condition: string; readonly figure: string };
    }[])[];
  }[];
}
