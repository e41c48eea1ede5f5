import { type Clock, done, FlyballError, type Outcome, type Run, systemClock } from 'flyball';
import { type ReplyFunction, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { defect, inputOf, ROOM, subject } from '../../../../../../test/loops/repair-bed.js';
import { Stage, still } from '../../../../../../test/runtime/stage.js';
import { type Project, project } from '../../../../../../test/security/project.js';
import type { ToolRef } from '../../../core/tool.js';
import type { Workpiece } from '../workpiece.js';
import { type FilesWorkpieceOptions, filesWorkpiece } from './files-workpiece.js';
import { repairSession } from './prompts.js';
import { repairer } from './repairer.js';

function workpieceOf(place: Project, name: string): Workpiece {
  const tool = (each: string): ToolRef => place.tool(each) as unknown as ToolRef;
  return filesWorkpiece({ paths: [name], read: tool('read_file'), write: tool('write_file'), edit: tool('edit_file') });
}

const LINES = Array.from({ length: 4300 }, (_none, n) => `line ${n + 1} of a long file, with some words in it`);
const WRONG = [500, 1500, 2500, 3500];
const RADIUS = 8;

/** Writes the lines that it is shown, with the wrong one mended. */
const mended: ReplyFunction = ({ messages }) => {
  const shown = messages.map(({ content }) => content).join('\n');
  return (/\n`{3}\n([\s\S]*?)\n`{3}(?:\n|$)/.exec(shown)?.[1] ?? '').replace('WRONG', 'right');
};

/** Collects a large file and makes so many small repairs in it; answers how many bytes the journal has then. */
async function journalAfter(repairs: number): Promise<{ readonly bytes: number; readonly place: Project }> {
  const place = project();
  const wrong = LINES.map((line, at) => (WRONG.includes(at + 1) ? `${line}, WRONG` : line));
  place.put('large.txt', `${wrong.join('\n')}\n`);
  const workpiece = workpieceOf(place, 'large.txt');
  const model = scriptedModel({ repairer: mended });
  const isRight = (line: number): boolean => !place.get('large.txt').split('\n')[line - 1]?.includes('WRONG');
  const repair = repairer({
    session: repairSession(model),
    workpiece,
    radius: RADIUS,
    verifyDefect: (run, _subject, { location }) => run.step('look', null, () => isRight(location?.line ?? 0), 'pure'),
    budget: ROOM,
  });
  const defects = WRONG.slice(0, repairs).map((line) =>
    defect({ id: `d${line}`, description: 'It is wrong.', location: { artefact: 'large.txt', line } }),
  );
  const stage = new Stage<Clock>(systemClock());
  const agent = async (run: Run) => {
    const input = { ...inputOf({ defects }), subject: subject(await workpiece.collect(run, '')) };
    const { entries, remaining } = await repair(run, input);
    return done({ attempts: entries.length, remaining: remaining.length });
  };
  expect(await stage.open(agent).start()).toMatchObject({ value: { attempts: repairs, remaining: 0 } });
  return { bytes: Buffer.byteLength(JSON.stringify(await stage.entries())), place };
}

describe('a file that was read already', () => {
  it('is not read again for every edit: the journal grows with the windows, not with the file [R4-REPAIR-WINDOW]', async () => {
    const fileBytes = LINES.join('\n').length;
    const windowBytes = (2 * RADIUS + 1) * (LINES[1000]?.length ?? 0);
    const none = await journalAfter(0);
    const four = await journalAfter(4);
    expect(fileBytes).toBeGreaterThan(200_000);
    const { place } = four;
    expect(place.get('large.txt')).toBe(
      `${LINES.map((line, at) => (WRONG.includes(at + 1) ? `${line}, right` : line)).join('\n')}\n`,
    );
    expect((four.bytes - none.bytes) / 4).toBeLessThan(3 * windowBytes + 2000);
  });
});

/** Collects, lets somebody else change the file, and writes another text. */
async function written(place: Project, foreign: string, text: string): Promise<Outcome<readonly string[]>> {
  return (await still()
    .open(async (run: Run) => {
      const workpiece = workpieceOf(place, 'x.txt');
      const [artefact] = await workpiece.collect(run, '');
      place.put('x.txt', foreign);
      const problem = await workpiece.write(run, { name: 'x.txt', text }, artefact?.text).then(
        () => [],
        (reason: unknown) => [reason instanceof FlyballError ? `${reason.code}: ${reason.message}` : String(reason)],
      );
      return done([...problem, ...run.calls().map(({ tool }) => tool)]);
    })
    .start()) as Outcome<readonly string[]>;
}

describe('a file that somebody else changed since', () => {
  it('is left alone where both changed the same, and the error says so', async () => {
    for (const [before, foreign] of [
      ['a\nb\nc\n', 'a\ntheirs\nc\n'],
      ['a\nb\nc\n', 'a\nb\nb\nc\n'],
      ['', 'theirs\n'],
    ] as const) {
      const place = project();
      place.put('x.txt', before);
      const outcome = await written(place, foreign, 'a\nB\nc');
      const [problem, ...calls] = (outcome as { readonly value: readonly string[] }).value;
      expect(problem).toMatch(/^EFFECT_FAILED: "x.txt" was changed by somebody else .* Run the task again/);
      expect(calls.at(-1)).toBe('read_file');
      expect(place.get('x.txt')).toBe(foreign);
    }
  });

  it('keeps what they changed elsewhere', async () => {
    const place = project();
    place.put('x.txt', 'a\nb\nc\n');
    expect(await written(place, 'theirs\nb\nc\n', 'a\nB\nc')).toMatchObject({ value: ['read_file', 'edit_file'] });
    expect(place.get('x.txt')).toBe('theirs\nB\nc\n');
  });

  it('only in its line breaks is edited as it is now', async () => {
    const place = project();
    place.put('x.txt', 'a\nb\nc\n');
    expect(await written(place, 'a\r\nb\r\nc', 'A\nB\nc')).toMatchObject({ stop: 'done' });
    expect(place.get('x.txt').replace(/\r/g, '')).toBe('A\nB\nc');
  });
});

describe('what is known of a file', () => {
  it('may end with a line break that the file does not show', async () => {
    const place = project();
    place.put('x.txt', 'a\nb');
    const outcome = await still()
      .open(async (run: Run) => {
        const workpiece = workpieceOf(place, 'x.txt');
        await workpiece.write(run, { name: 'x.txt', text: 'a\nB\n' }); // as a person writes it
        await workpiece.write(run, { name: 'x.txt', text: 'a\n' }, 'a\nB\n');
        return done(null);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(place.get('x.txt')).toBe('a');
  });

  it('does not hide why an edit was refused', async () => {
    const place = project();
    place.put('x.txt', Buffer.from('a\nb\u00e9\nc\n', 'latin1'));
    const outcome = await still()
      .open(async (run: Run) => {
        const workpiece = workpieceOf(place, 'x.txt');
        const [artefact] = await workpiece.collect(run, '');
        const write = workpiece.write(run, { name: 'x.txt', text: 'a\n\u4e16\nc' }, artefact?.text);
        const problem = await write.catch((reason: unknown) => String(reason));
        return done([problem, ...run.calls().map(({ tool }) => tool)]);
      })
      .start();
    expect(outcome).toMatchObject({
      value: [expect.stringMatching(/beyond Latin-1/), 'read_file', 'edit_file', 'read_file'],
    });
  });

  it('is not looked at again where an edit is not allowed', async () => {
    const place = project();
    place.put('x.txt', 'a\n');
    const execute = async (): Promise<never> => {
      throw new FlyballError('DENIED', 'not today');
    };
    const edit = { name: 'edit_file', description: '', effect: 'pure', execute } as ToolRef;
    const [read, write] = ['read_file', 'write_file'].map((name) => place.tool(name) as unknown as ToolRef);
    const workpiece = filesWorkpiece({ paths: ['x.txt'], read, write, edit } as FilesWorkpieceOptions);
    const outcome = await still()
      .open(async (run: Run) => {
        const problem = await workpiece.write(run, { name: 'x.txt', text: 'b' }, 'a').catch(String);
        return done([problem, ...run.calls().map(({ tool }) => tool)]);
      })
      .start();
    expect(outcome).toMatchObject({ value: [expect.stringMatching(/cannot be worked on: not today/), 'edit_file'] });
  });
});
