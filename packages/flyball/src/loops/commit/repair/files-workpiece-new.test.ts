import { existsSync } from 'node:fs';
import { done, FlyballError, failed, type Outcome, type Run } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { defect, inputOf, ROOM, subject } from '../../../../../../test/loops/repair-bed.js';
import { still } from '../../../../../../test/runtime/stage.js';
import { type Project, project } from '../../../../../../test/security/project.js';
import type { ToolRef } from '../../../core/tool.js';
import type { Workpiece } from '../workpiece.js';
import { type FilesWorkpieceOptions, filesWorkpiece } from './files-workpiece.js';
import { repairSession } from './prompts.js';
import { repairer } from './repairer.js';

function workpieceOf(place: Project, options: Pick<FilesWorkpieceOptions, 'paths' | 'newIn'>): Workpiece {
  const tool = (name: string): ToolRef => place.tool(name) as unknown as ToolRef;
  return filesWorkpiece({ ...options, read: tool('read_file'), write: tool('write_file'), edit: tool('edit_file') });
}

async function inRun<T>(body: (run: Run) => Promise<T>): Promise<Outcome<T>> {
  return (await still()
    .open(async (run: Run) => done(await body(run)))
    .start()) as Outcome<T>;
}

/** What went wrong, for people. */
function problem(body: (run: Run) => Promise<unknown>): Promise<Outcome<string>> {
  return inRun((run) =>
    body(run).then(
      () => 'no error',
      (reason: unknown) => (reason instanceof FlyballError ? `${reason.code}: ${reason.message}` : String(reason)),
    ),
  );
}

describe('a file that is not there', () => {
  it('is an artefact without text', async () => {
    const place = project();
    place.put('a.txt', 'A\n');
    const workpiece = workpieceOf(place, { paths: ['a.txt', 'src/deep/none.ts'] });
    expect(await inRun((run) => workpiece.collect(run, ''))).toMatchObject({
      value: [
        { name: 'a.txt', text: 'A' },
        { name: 'src/deep/none.ts', text: '' },
      ],
    });
  });

  it('is seen by the code of the system where another tool reads', async () => {
    const place = project();
    const execute = async (): Promise<never> => {
      throw Object.assign(new Error('no such thing'), { code: 'ENOENT' });
    };
    const read = { name: 'other', description: '', effect: 'pure', execute } as ToolRef;
    const workpiece = filesWorkpiece({ paths: ['x'], read, write: place.tool('write_file'), edit: read } as never);
    expect(await inRun((run) => workpiece.collect(run, ''))).toMatchObject({ value: [{ name: 'x', text: '' }] });
  });

  it('is made when something is written to it, with and without knowing that it was not there', async () => {
    for (const known of [undefined, '']) {
      const place = project();
      const workpiece = workpieceOf(place, { paths: ['src/deep/x.ts'] });
      const outcome = await inRun(async (run) => {
        await workpiece.write(run, { name: 'src/deep/x.ts', text: 'one\n' }, known);
        await workpiece.write(run, { name: 'src/deep/x.ts', text: 'two\n' }, 'one\n');
        return run.calls().map(({ tool }) => tool);
      });
      expect(outcome).toMatchObject({ value: ['read_file', 'write_file', 'edit_file'] });
      expect(place.get('src/deep/x.ts')).toBe('two\n');
    }
  });

  it('is not made by writing back what was collected', async () => {
    const place = project();
    const workpiece = workpieceOf(place, { paths: ['x.txt'] });
    await inRun(async (run) => {
      for (const artefact of await workpiece.collect(run, '')) await workpiece.write(run, artefact, artefact.text);
    });
    expect(existsSync(place.path('x.txt'))).toBe(false);
  });

  it('is gone again, with its folders, when the run fails', async () => {
    const place = project();
    let wasThere = false;
    const outcome = await still()
      .open(async (run: Run): Promise<Outcome<unknown>> => {
        const workpiece = workpieceOf(place, { paths: ['src/deep/x.ts'] });
        await workpiece.write(run, { name: 'src/deep/x.ts', text: 'one' });
        wasThere = existsSync(place.path('src/deep/x.ts'));
        return failed({ code: 'EFFECT_FAILED', message: 'it went wrong', retryable: false });
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(wasThere).toBe(true);
    expect(existsSync(place.path('src'))).toBe(false);
  });

  it.each(['line', 'file'] as const)(
    'is made by a repair of a defect in it: %s [R4-REPAIR-STRATEGY]',
    async (where) => {
      const place = project();
      place.put('a.mjs', 'export const a = 1;\n');
      const workpiece = workpieceOf(place, { paths: ['a.mjs', 'b.mjs'] });
      const model = scriptedModel({ repairer: '```js\nexport const b = 2;\n```' });
      const repair = repairer({
        session: repairSession(model),
        workpiece,
        verifyDefect: (run) => run.step('look', null, () => existsSync(place.path('b.mjs')), 'pure'),
        budget: ROOM,
      });
      const missing = defect({
        description: 'b.mjs is missing.',
        location: { artefact: 'b.mjs', ...(where === 'line' ? { line: 1 } : {}) },
      });
      const outcome = await inRun(async (run) =>
        repair(run, { ...inputOf({ defects: [missing] }), subject: subject(await workpiece.collect(run, '')) }),
      );
      expect(outcome).toMatchObject({ value: { kind: 'repaired', changed: true, remaining: [] } });
      expect(model.promptAt('repairer', 1)).toContain('Write b.mjs anew, from its beginning to its end.');
      expect(place.get('b.mjs')).toBe('export const b = 2;');
      expect(place.get('a.mjs')).toBe('export const a = 1;\n');
    },
  );
});

describe('a file that somebody names', () => {
  it('may be new where the workpiece says so', async () => {
    const place = project();
    const workpiece = workpieceOf(place, { paths: ['a.txt'], newIn: ['src', 'docs/'] });
    const names = ['a.txt', 'src/new.ts', 'docs/deep/new.md'];
    await inRun(async (run) => {
      for (const name of names) await workpiece.write(run, { name, text: name });
    });
    expect(names.map((name) => place.get(name))).toEqual(names);
    const anywhere = workpieceOf(place, { paths: ['a.txt'], newIn: ['.'] });
    await inRun((run) => anywhere.write(run, { name: 'lib/b.ts', text: 'b' }));
    expect(place.get('lib/b.ts')).toBe('b');
  });

  it.each([
    ['other.txt', 'src'],
    ['srcs/x.ts', 'src'],
    ['./a.txt', 'src'],
    ['src/../other.txt', 'src'],
    ['src//x.ts', 'src'],
    ['../secret.txt', '.'],
    ['/etc/passwd', '.'],
  ])('is refused where it is not covered, and nothing is called: %s with %s', async (name, folder) => {
    const place = project();
    place.put('a.txt', 'A');
    const workpiece = workpieceOf(place, { paths: ['a.txt'], newIn: [folder] });
    const outcome = await problem(async (run) => {
      await workpiece.write(run, { name, text: 'x' }, 'y').finally(() => expect(run.calls()).toEqual([]));
    });
    expect(outcome).toMatchObject({
      value: `DENIED: "${name}" is not part of the workpiece: a.txt, and new files in ${folder}. Use one of these names exactly, or add it to paths or newIn of the workpiece.`,
    });
    expect(place.get('a.txt')).toBe('A');
  });

  it('is looked for in a listing of the run, but only where it was not collected', async () => {
    const place = project();
    place.put('a.txt', 'A');
    let listings = 0;
    const paths = (run: Run) => run.step('paths', null, () => [`${++listings > 0 ? 'a' : ''}.txt`], 'pure');
    const workpiece = workpieceOf(place, { paths });
    await inRun((run) => workpiece.write(run, { name: 'a.txt', text: 'B' }, 'A'));
    expect(listings).toBe(0);
    await inRun((run) => workpiece.write(run, { name: 'a.txt', text: 'C' }));
    expect(listings).toBe(1);
    expect(await problem((run) => workpiece.write(run, { name: 'b.txt', text: 'C' }))).toMatchObject({
      value: expect.stringMatching(/^DENIED: "b.txt" is not part of the workpiece: a.txt\. /),
    });
    expect(place.get('a.txt')).toBe('C');
  });
});
