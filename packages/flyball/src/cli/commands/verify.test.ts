import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, memoryStore } from 'flyball';
import type { CommitResult } from 'flyball/loops';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommit } from '../../../../../test/commit/stage-commit.js';
import { RUN } from '../../../../../test/runtime/stage.js';
import { auditLines } from '../../views/audit.js';
import { placeOf } from '../place.js';
import { screenOn } from '../screen.js';
import { verifyCommand } from './verify.js';

interface Said {
  readonly code: unknown;
  readonly out: string;
  readonly error: string;
}

/** Checks an audit file with these entries, as somebody does who has nothing else. */
async function verified(
  { run = RUN, entries }: { readonly run?: string; readonly entries: readonly Entry[] },
  ...words: readonly string[]
): Promise<Said> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-verify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'run.audit.jsonl');
  writeFileSync(file, `${auditLines(run, entries).join('\n')}\n`);
  let [code, out, error]: [unknown, string, string] = [undefined, '', ''];
  const streams = {
    out: { write: (text: string) => (out += text) },
    error: { write: (text: string) => (error += text) },
    env: {},
  };
  const command = verifyCommand(async (options, _about, work) => {
    const screen = screenOn(streams, options.json === true);
    code = await work({ screen, place: placeOf(options.db, {}), env: {} });
  });
  await command.parseAsync([file, ...words], { from: 'user' });
  return { code, out, error };
}

async function journal(): Promise<readonly Entry[]> {
  const { outcome, stage } = await runCommit();
  expect(outcome.stop).toBe('done');
  return stage.entries();
}

/** A journal written anew around another result: a whole chain, and a lie. */
function ending(entries: readonly Entry[], alter: (result: CommitResult) => unknown): readonly Entry[] {
  return entries.map((entry) => {
    const { event } = entry;
    if (event.type !== 'run-end' || event.outcome.stop !== 'done') return entry;
    const outcome = { ...event.outcome, value: alter(event.outcome.value as CommitResult) };
    return { ...entry, event: { ...event, outcome } };
  });
}

describe('flyball verify', () => {
  it('checks the result of a run that ended with a commit, too [R4-SHOW-PROVENANCE]', async () => {
    const { code, out, error } = await verified({ entries: await journal() });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('The result of task tide-1 is what was committed.');
    const { out: json } = await verified({ entries: await journal() }, '--json');
    expect(JSON.parse(json)).toMatchObject({ ok: true, commit: { ok: true, task: 'tide-1' } });
  });

  it('finds a result that was altered, though the chain around it is whole [R4-SHOW-PROVENANCE]', async () => {
    const altered = ending(await journal(), (result) => ({
      ...result,
      outputs: { ...result.outputs, artefacts: [{ name: 'answer', text: 'Because of the sun.' }] },
    }));
    const { code, error } = await verified({ entries: altered });
    expect(code).toBe(1);
    expect(error).toContain('it was changed after it was sealed');
  });

  it('finds a sealed result that is not told of in the journal around it [R4-SHOW-PROVENANCE]', async () => {
    const entries = await journal();
    const without = entries.filter(({ event }) => !(event.type === 'note' && event.event['event'] === 'decomposed'));
    const { code, error } = await verified({ entries: without });
    expect(code).toBe(1);
    expect(error).toContain('its transitions are not those that the journal tells');
  });

  it('compares a result that was given out again with its seal only, and says so', async () => {
    const store = memoryStore();
    await runCommit({}, { store });
    const { outcome, stage } = await runCommit({}, { store });
    expect(outcome).toMatchObject({ value: { resubmitted: true } });
    const { code, out } = await verified({ run: 'later', entries: await stage.entries() });
    expect(code).toBe(0);
    expect(out).toContain(`Not compared with this journal: it was made by run ${RUN}.`);
  });

  it('says nothing about results where the run ended otherwise', async () => {
    const entries = ending(await journal(), () => 'plain');
    const { code, out } = await verified({ entries });
    expect(code).toBe(0);
    expect(out).not.toContain('result of task');
  });
});
