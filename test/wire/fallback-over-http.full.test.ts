import { type ServedRequest, type ServerScript, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { billsOf, expectConversations, expectDone, expectShown } from './checks.js';
import { FORMATS, type SpokenFormat } from './formats.js';
import { TROUBLES, type Trouble } from './misbehaviors.js';
import { ANSWER, TURNS } from './task.js';
import { provider, stage, TIMEOUT_MS, type WireRun, type WireStage } from './wire-stage.js';

/** Nobody listens at the address any more. */
const REFUSED: Trouble = {
  name: 'connection refused',
  spoilt: () => ({}),
  mayHaveCost: false,
  waitMs: { least: 100, most: 100 },
  isOutage: true,
};

const PATIENCE = { retry: { retries: 1, baseDelayMs: 100, jitterMs: 0 }, breaker: { failures: 3, openMs: 3_600_000 } };

describe('a tool loop whose provider is down', () => {
  for (const [index, format] of FORMATS.entries()) {
    const other = FORMATS[(index + 1) % FORMATS.length] ?? format;
    for (const [nth, trouble] of [...TROUBLES, REFUSED].entries()) {
      const streaming = nth % 2 === index % 2;
      it(`goes on with ${other.name} in place of ${format.name}: ${trouble.name}, ${streaming ? 'streamed' : 'in one piece'} [R3-SHOW-WIRE]`, () =>
        withStandIn({ format, other, trouble, streaming }));
    }

    it(`asks ${format.name} again when it has been left alone for long enough [R3-SHOW-WIRE]`, async () => {
      const { failures, openMs } = PATIENCE.breaker;
      const down = await provider(format, [...Array(failures).fill({ misbehave: '500' }), ...TURNS]);
      const up = await provider(other, TURNS);
      const on = await stage([down, up], { streaming: true, policy: PATIENCE });
      expectDone(await on.start(), other.id);
      on.pass(openMs);
      await turns(20);
      const second = await on.start({}, 'second');
      expect(second.outcome).toMatchObject({ stop: 'done', value: { output: ANSWER, model: format.id } });
      const states = on.events.flatMap((event) => (event.type === 'breaker-change' ? [event.to] : []));
      expect(states).toEqual(['open', 'half-open', 'closed']);
      for (const { server } of [down, up]) server.assertFinished();
    });
  }
});

interface Case {
  readonly format: SpokenFormat;
  readonly other: SpokenFormat;
  readonly trouble: Trouble;
  readonly streaming: boolean;
}

/** The first provider never answers; the second one, in another format, answers all four calls. */
async function withStandIn({ format, other, trouble, streaming }: Case): Promise<void> {
  let on: WireStage | undefined;
  const script: ServerScript = () => {
    if (trouble.hangs === true) on?.pass(TIMEOUT_MS);
    return trouble.spoilt();
  };
  const [down, up] = [await provider(format, script), await provider(other, TURNS)];
  if (trouble === REFUSED) await down.server.close();
  on = await stage([down, up], { streaming, policy: PATIENCE });
  const run = await on.start();

  expectDone(run, other.id);
  expectConversations(up.server.requests, [0, 1, 2, 3], other);
  if (streaming) expectShown(run);
  const bills = billsOf(run);
  // once the circuit is open nothing is sent, so nothing can have been paid for
  const wasted = bills.filter(({ reply }) => reply?.wasted !== undefined).length;
  expect(wasted).toBe(trouble.mayHaveCost ? PATIENCE.breaker.failures : 0);
  expect(bills.map(({ reply }) => reply?.model)).toEqual(TURNS.map(() => other.id));
  expectLeftAlone(run, { format, trouble });
  if (trouble !== REFUSED) expectAsked(down.server.requests, trouble);
}

/** After three failures in a row the provider is left alone. A rate limit is no outage: it is asked every time. */
function expectLeftAlone({ events }: WireRun, { format, trouble }: Pick<Case, 'format' | 'trouble'>): void {
  const opened = events.filter((event) => event.type === 'breaker-change' && event.to === 'open');
  const [provider] = format.id.split('/');
  expect(opened).toEqual(trouble.isOutage ? [{ type: 'breaker-change', provider, from: 'closed', to: 'open' }] : []);
  const tries = events.filter((event) => event.type === 'attempt-start' && event.model === format.id).length;
  expect(tries).toBe(trouble.isOutage ? PATIENCE.breaker.failures : 2 * TURNS.length);
  expect(events.filter(({ type }) => type === 'fallback-use')).toHaveLength(TURNS.length);
}

/** How many messages each of the four calls sends. */
const [FIRST, SECOND, THIRD, FOURTH] = [2, 5, 7, 9];

/** What may have been paid for is tried once and then left to the stand-in; a refusal costs nothing and is tried twice. */
function expectAsked(requests: readonly ServedRequest[], trouble: Trouble): void {
  const sizes = requests.map(({ messages }) => messages.length);
  if (!trouble.isOutage) expect(sizes).toEqual([FIRST, FIRST, SECOND, SECOND, THIRD, THIRD, FOURTH, FOURTH]);
  else expect(sizes).toEqual(trouble.mayHaveCost ? [FIRST, SECOND, THIRD] : [FIRST, FIRST, SECOND]);
}
