import type { ServerScript } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { billsOf, expectConversations, expectDone, expectShown } from './checks.js';
import { FORMATS, type SpokenFormat } from './formats.js';
import { ODDITIES, TROUBLES, type Trouble } from './misbehaviors.js';
import { THOUGHT, TURNS } from './task.js';
import { MAX_OUTPUT, provider, stage, TIMEOUT_MS, type WireRun } from './wire-stage.js';

const WAYS = [
  { way: 'in one piece', streaming: false },
  { way: 'streamed', streaming: true },
] as const;

for (const format of FORMATS) {
  for (const { way, streaming } of WAYS) {
    describe(`a tool loop over ${format.name}, ${way}`, () => {
      for (const trouble of TROUBLES) {
        it(`does its work although every call first meets: ${trouble.name} [R3-SHOW-WIRE]`, () =>
          afterTrouble(format, trouble, streaming));
      }
      for (const misbehave of ODDITIES) {
        it(`does not mind a provider that is odd: ${misbehave} [R3-SHOW-WIRE]`, async () => {
          const at = await provider(
            format,
            TURNS.map((turn) => ({ ...turn, misbehave })),
          );
          const run = await (await stage([at], { streaming })).start();
          expectDone(run, format.id);
          expectConversations(at.server.requests, [0, 1, 2, 3], format);
          expectObserved(run, { at, streaming });
        });
      }
    });
  }
}

/** Each of the four calls fails once and is made again. */
async function afterTrouble(format: SpokenFormat, trouble: Trouble, streaming: boolean): Promise<void> {
  let hung = (): void => undefined;
  const script: ServerScript = TURNS.flatMap((turn) => [
    () => {
      if (trouble.hangs === true) hung();
      return trouble.spoilt();
    },
    turn,
  ]);
  const at = await provider(format, script);
  const on = await stage([at], { streaming });
  hung = () => on.pass(TIMEOUT_MS);
  const run = await on.start();

  expectDone(run, format.id);
  expectConversations(at.server.requests, [0, 0, 1, 1, 2, 2, 3, 3], format);
  for (const n of [1, 3, 5, 7]) expect(at.server.requestAt(n + 1).body).toEqual(at.server.requestAt(n).body);
  expectObserved(run, { at, streaming });
  expectWaits(run, trouble, TURNS.length);
  const bills = billsOf(run);
  const wasted = bills.map(({ reply }) => reply?.wasted?.output);
  expect(wasted).toEqual(Array(TURNS.length).fill(trouble.mayHaveCost ? MAX_OUTPUT : undefined));
  if (trouble.hangs === true) await Promise.all([1, 3, 5, 7].map((n) => at.server.abandoned(n)));
  if (streaming) expectRestarts(run, trouble);
  at.server.assertFinished();
}

function expectWaits({ events }: WireRun, { waitMs }: Trouble, times: number): void {
  const waits = events.flatMap((event) => (event.type === 'retry-wait' ? [event.waitMs] : []));
  expect(waits).toHaveLength(times);
  for (const wait of waits) {
    expect(wait).toBeGreaterThanOrEqual(waitMs.least);
    expect(wait).toBeLessThanOrEqual(waitMs.most);
  }
}

/** A failed try that was seen is taken back, once a call; one that said nothing leaves nothing to take back. */
function expectRestarts({ pieces }: WireRun, { tellsSome = false }: Trouble): void {
  const restarts = pieces.filter(({ delta }) => delta.type === 'restart');
  expect(restarts).toHaveLength(tellsSome ? TURNS.length : 0);
  const voided = pieces.some(({ delta }) => delta.type === 'text' && delta.text.includes('Void'));
  expect(voided).toBe(tellsSome);
}

/** Streaming is the same loop observed: the wire streams exactly when somebody looks on. */
function expectObserved(
  run: WireRun,
  { at, streaming }: { readonly at: Awaited<ReturnType<typeof provider>>; readonly streaming: boolean },
): void {
  expect(new Set(at.server.requests.map(({ stream }) => stream))).toEqual(new Set([streaming]));
  const turn = at.server.requests.at(-1)?.messages.find(({ role }) => role === 'assistant');
  expect(turn).toMatchObject({ reasoning: { text: THOUGHT } });
  if (streaming) expectShown(run);
  else expect(run.pieces).toEqual([]);
}
