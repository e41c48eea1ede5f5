import { describe, expect, it } from 'vitest';
import type { Entry, ForkPoint, RunEvent } from '../../packages/flyball/src/core/events.js';
import { purchase } from '../../packages/flyball/src/views/fixtures.test-data.js';
import { turnsOf } from '../../packages/studio/src/conversation/fold-conversation.js';
import { inheritedAt, originOf, runOfPrompt } from '../../packages/studio/src/run/inherited.js';
import { runInputs, runModel } from '../../packages/studio/src/run/run-model.js';

const at = (run: string, seq: number, generation = 0): ForkPoint => ({ run, generation, seq });

/** The rest of a journal as a fork of it would have written it. */
function forkOf(parent: readonly Entry[], point: ForkPoint): readonly Entry[] {
  const start = { ...(parent[0]?.event as RunEvent), fork: { ...point, live: false } } as RunEvent;
  const rest = parent.filter(({ seq, generation }) => generation === point.generation && seq > point.seq);
  const first = parent[0] as Entry;
  return [{ ...first, event: start }, ...rest.map((entry, index) => ({ ...entry, generation: 0, seq: index + 1 }))];
}

const reading = (runs: Readonly<Record<string, readonly Entry[]>>) => async (run: string) => runs[run] ?? [];
const seqs = (entries: readonly Entry[]) => entries.map(({ seq }) => seq);

describe('what a fork inherited', () => {
  const parent = purchase();

  it('is put before its own entries, and every view goes on where the parent stood [R6-STUDIO-FORK]', async () => {
    const point = at('parent', 12);
    const own = forkOf(parent, point);
    const inputs = runInputs();
    inputs.entries.value = own;
    const model = runModel('fork', inputs, { refresh: () => undefined, close: () => undefined });
    const before = model.summary.value;
    const callsAlone = turnsOf(model.story.value).length;
    inputs.inherited.value = await inheritedAt(point, 0, reading({ parent }));
    expect(turnsOf(model.story.value).map(({ session }) => session)).toEqual(
      turnsOf(parent).map(({ session }) => session),
    );
    expect(turnsOf(model.story.value).length).toBeGreaterThan(callsAlone);
    expect(model.summary.value).toBe(before); // what it spent and how it stands is its own
    expect(model.inheritedLines.value).toHaveLength(13);
    model.upTo.value = 1;
    expect(model.story.value).toHaveLength(14); // the slider takes only its own away
  });

  it('has numbers of its own, and knows where each entry stood', async () => {
    const inherited = await inheritedAt(at('parent', 3), 0, reading({ parent }));
    expect(seqs(inherited.entries)).toEqual([-4, -3, -2, -1]);
    expect(inherited.entries.map(({ event }) => event)).toEqual(parent.slice(0, 4).map(({ event }) => event));
    expect(originOf(inherited, -4)).toEqual({ run: 'parent', generation: 0, seq: 0 });
    expect(originOf(inherited, -1)).toEqual({ run: 'parent', generation: 0, seq: 3 });
    expect(originOf(inherited, 0)).toBeUndefined();
    expect(originOf(inherited, -5)).toBeUndefined();
  });

  it('reaches up through forks of forks, and asks the right run for a prompt', async () => {
    const middle = forkOf(parent, at('parent', 12));
    const inherited = await inheritedAt(at('middle', 4), 0, reading({ parent, middle }));
    expect(seqs(inherited.entries)).toEqual(Array.from({ length: 18 }, (_, index) => index - 18));
    expect(originOf(inherited, -5)).toEqual({ run: 'middle', generation: 0, seq: 0 });
    expect(originOf(inherited, -6)).toEqual({ run: 'parent', generation: 0, seq: 12 });
    const asked = parent.find(({ event }) => event.type === 'ask-start')?.event;
    const tip = asked?.type === 'ask-start' ? asked.tip : '';
    expect(runOfPrompt(inherited, 'fork', tip)).toBe('parent');
    expect(runOfPrompt(inherited, 'fork', 'a prompt of its own')).toBe('fork');
  });

  it('is one generation where the fork left a later one, counted to the fork', async () => {
    const later = parent.map((entry, index) => ({
      ...entry,
      generation: index < 5 ? 0 : 1,
      seq: index < 5 ? index : index - 5,
    }));
    const inherited = await inheritedAt(at('parent', 2, 1), 0, reading({ parent: later }));
    expect(inherited.entries.map(({ generation, seq }) => [generation, seq])).toEqual([
      [0, -3],
      [0, -2],
      [0, -1],
    ]);
    expect(originOf(inherited, -1)).toEqual({ run: 'parent', generation: 1, seq: 2 });
  });
});
