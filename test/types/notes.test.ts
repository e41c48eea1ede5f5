import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { budget, createRuntime, done, isNote, memoryEngine, type Note, type Run } from 'flyball';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { filesUnder, root } from '../../scripts/files.mjs';

declare module 'flyball' {
  interface NoteKinds {
    /** A kind of this test's own. */
    'invoice-read': { readonly pages: number };
  }
}

describe('notes', () => {
  it('are checked where they are told and typed where they are read, with kinds of your own [R9-KERNEL-NOTES]', async () => {
    const agent = async (run: Run) => {
      run.note({ kind: 'invoice-read', pages: 3 });
      run.note({ kind: 'something-else', pages: 'many' });
      return done(1);
    };
    const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
    onTestFinished(() => runtime.close());
    const { id, finished } = await runtime.start('agent', null, { budget: budget({ costUsd: 1 }) });
    await finished();
    const pages: number[] = [];
    for (const { event } of await runtime.entries(id)) {
      if (!isNote(event, 'invoice-read')) continue;
      expectTypeOf(event.event).toExtend<Note<'invoice-read'>>();
      pages.push(event.event.pages);
    }
    expect(pages).toEqual([3]);
  });

  it('that do not fit their kind do not compile; of kinds outside the map, all do [R9-KERNEL-NOTES]', () => {
    const never = (run: Run) => [
      // @ts-expect-error pages is a number
      () => run.note({ kind: 'invoice-read', pages: 'three' }),
      // @ts-expect-error it says how many
      () => run.note({ kind: 'invoice-read' }),
      // @ts-expect-error a phase has a name
      () => run.note({ kind: 'phase', name: 1 }),
      () => run.note({ kind: 'not-in-the-map', anything: ['goes'] }),
    ];
    expect(never).toBeInstanceOf(Function);
  });

  it('of commit loops, skills and checks are all of kinds in the map [R9-KERNEL-NOTES]', () => {
    const read = (path: string) => readFileSync(join(root, path), 'utf8');
    const files = filesUnder('packages/flyball/src', /\/(loops\/commit|skills|checks)\/.*(?<!\.test)\.ts$/);
    const told = files.flatMap((file) =>
      [...read(file).matchAll(/\b(?:note\(|evenIfItFails\(run, )\{\s*kind: '([a-z-]+)'/g)].map(
        (match) => match[1] ?? '',
      ),
    );
    const map = /interface NoteKinds \{(.*?)\n\}/s.exec(read('packages/flyball/src/core/notes.ts'))?.[1] ?? '';
    const known = new Set([...map.matchAll(/^ {2}'?([a-z-]+)'?: /gm)].map((match) => match[1]));
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter((kind) => !known.has(kind))).toEqual([]);
  });
});
