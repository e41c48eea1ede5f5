import { budget, createRuntime, done, isNote, memoryEngine, type Note, type Run } from 'flyball';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';

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
});
