import { readFileSync } from 'node:fs';
import { done, FlyballError, failed, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { still } from '../../../../../../test/runtime/stage.js';
import { type Project, project } from '../../../../../../test/security/project.js';
import type { ToolRef } from '../../../core/tool.js';
import type { Artefact } from '../../../core/work.js';
import { answerWorkpiece } from './answer-workpiece.js';
import { filesWorkpiece } from './files-workpiece.js';

function workpieceOf(place: Project, paths: readonly string[]) {
  const tool = (name: string): ToolRef => place.tool(name) as unknown as ToolRef;
  return filesWorkpiece({ paths, read: tool('read_file'), write: tool('write_file'), edit: tool('edit_file') });
}

async function inRun<T>(body: (run: Run) => Promise<T>): Promise<Outcome<T>> {
  return (await still()
    .open(async (run: Run) => done(await body(run)))
    .start()) as Outcome<T>;
}

/** Collects, changes one artefact, and writes it. */
async function rewritten(place: Project, name: string, change: (text: string) => string): Promise<Outcome<string>> {
  return inRun(async (run) => {
    const workpiece = workpieceOf(place, [name]);
    const [artefact] = await workpiece.collect(run, '');
    const text = change(artefact?.text ?? '');
    await workpiece.write(run, { name, text });
    return text;
  });
}

describe('files as a workpiece', () => {
  it.each([
    ['with a last line break', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['without one', 'a\nb\nc', 'a\nB\nc'],
    ['with two', 'a\nb\nc\n\n', 'a\nB\nc\n\n'],
    ['with \\r\\n', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n'],
    ['with both', 'a\r\nb\nc\r\n', 'a\r\nB\nc\r\n'],
  ])('keep every byte that is not changed: %s [R4-REPAIR-WINDOW]', async (_title, before, after) => {
    const place = project();
    place.put('x.txt', before);
    await rewritten(place, 'x.txt', (text) => text.replace('b', 'B'));
    expect(place.get('x.txt')).toBe(after);
  });

  it.each([
    ['a mark', Buffer.from('\ufeffa\nbé\nc\n'), Buffer.from('\ufeffa\nBé\nc\n')],
    ['UTF-16', Buffer.from('\ufeffa\nbé\nc\n', 'utf16le'), Buffer.from('\ufeffa\nBé\nc\n', 'utf16le')],
    ['an old encoding', Buffer.from('a\nbé\nc\n', 'latin1'), Buffer.from('a\nBé\nc\n', 'latin1')],
  ])('keep their encoding: %s [R4-REPAIR-WINDOW]', async (_title, before, after) => {
    const place = project();
    place.put('x.txt', before);
    await rewritten(place, 'x.txt', (text) => text.replace('b', 'B'));
    expect((await place.call<{ text: string }>('read_file', { path: 'x.txt' })).text).toBe('a\nBé\nc');
    expect(readFileSync(place.path('x.txt'))).toEqual(after);
  });

  it('may be longer than what is read at once', async () => {
    const place = project();
    const lines = Array.from({ length: 5000 }, (_none, n) => `line ${n}`);
    place.put('long.txt', lines.join('\n'));
    const outcome = await rewritten(place, 'long.txt', (text) => text.replace('line 4321', 'LINE'));
    expect(outcome).toMatchObject({ stop: 'done', value: lines.with(4321, 'LINE').join('\n') });
    expect(place.get('long.txt')).toBe(lines.with(4321, 'LINE').join('\n'));
  });

  it('that are empty are filled, and one that becomes empty is', async () => {
    const place = project();
    place.put('x.txt', '');
    await rewritten(place, 'x.txt', () => 'new\n');
    expect(place.get('x.txt')).toBe('new\n');
    await rewritten(place, 'x.txt', () => '');
    expect(place.get('x.txt')).toBe('\n'); // its last line break was never part of the artefact
  });

  it('are not touched by a change that changes nothing', async () => {
    const place = project();
    place.put('x.txt', 'a\n');
    const outcome = await inRun(async (run) => {
      await workpieceOf(place, ['x.txt']).write(run, { name: 'x.txt', text: 'a\n' });
      return run.calls().map(({ tool }) => tool);
    });
    expect(outcome).toMatchObject({ value: ['read_file'] });
  });

  it('are put back byte for byte when the run fails', async () => {
    const place = project();
    place.put('x.txt', '\ufeffa\r\nb');
    const outcome = await still()
      .open(async (run: Run): Promise<Outcome<unknown>> => {
        const workpiece = workpieceOf(place, ['x.txt']);
        await workpiece.write(run, { name: 'x.txt', text: 'first' });
        await workpiece.write(run, { name: 'x.txt', text: 'second\nand more' });
        return failed({ code: 'EFFECT_FAILED', message: 'it went wrong', retryable: false });
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(place.get('x.txt')).toBe('\ufeffa\r\nb');
  });

  it('that cannot be read or written fail with what the tool says', async () => {
    const place = project();
    place.put('long.txt', `${'x'.repeat(200_000)}\n`);
    const problem = async (body: (run: Run) => Promise<unknown>) =>
      inRun(async (run) => {
        const error = await body(run).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        return error instanceof FlyballError ? `${error.code}: ${error.message}` : 'no error';
      });
    const collect = (name: string) => (run: Run) => workpieceOf(place, [name]).collect(run, '');
    place.put('folder/x.txt', '');
    expect(await problem(collect('folder'))).toMatchObject({
      value: expect.stringMatching(/EFFECT_FAILED.*is a folder/),
    });
    expect(await problem(collect('../secret.txt'))).toMatchObject({ value: expect.stringMatching(/DENIED.*outside/) });
    expect(await problem(collect('long.txt'))).toMatchObject({ value: expect.stringMatching(/line 1 is longer/) });
    const wrong = filesWorkpiece({
      paths: ['x'],
      read: { name: 'other', description: '', effect: 'pure', execute: async () => 'text' } as ToolRef,
      write: place.tool('write_file') as never,
      edit: place.tool('edit_file') as never,
    });
    expect(await problem((run) => wrong.collect(run, ''))).toMatchObject({
      value: expect.stringMatching(/Use read_file/),
    });
  });

  it('can be listed by the run itself', async () => {
    const place = project();
    place.put('a.txt', 'A\n');
    const tool = (name: string): ToolRef => place.tool(name) as unknown as ToolRef;
    const workpiece = filesWorkpiece({
      paths: (run) => run.step('paths', null, () => ['a.txt'], 'pure'),
      read: tool('read_file'),
      write: tool('write_file'),
      edit: tool('edit_file'),
    });
    expect(await inRun<readonly Artefact[]>((run) => workpiece.collect(run, ''))).toMatchObject({
      value: [{ name: 'a.txt', text: 'A' }],
    });
  });

  it('are named, each once', () => {
    const place = project();
    expect(() => workpieceOf(place, [])).toThrow(/at least one path/);
    expect(() => workpieceOf(place, ['a', 'a'])).toThrow(/each path once/);
  });
});

describe('an answer as a workpiece', () => {
  it('is its only artefact, and lies nowhere else', async () => {
    const outcome = await inRun(async (run) => {
      const workpiece = answerWorkpiece();
      await workpiece.write(run, { name: 'answer', text: 'other' });
      return workpiece.collect(run, 'It is 3.');
    });
    expect(outcome).toMatchObject({ value: [{ name: 'answer', text: 'It is 3.' }] });
  });
});
