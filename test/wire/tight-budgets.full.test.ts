import type { Model } from 'flyball';
import type { ServerScript } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { CountedAxis } from '../../packages/flyball/src/core/budget.js';
import { type Bill, billsOf, expectDone } from './checks.js';
import { FORMATS, type SpokenFormat } from './formats.js';
import { TURNS, VOID } from './task.js';
import { MAX_OUTPUT, type Provider, provider, stage, type WireRun } from './wire-stage.js';

const AXES = ['modelCalls', 'tokensIn', 'tokensOut', 'costUsd'] as const;
/** Far less than one token costs. */
const STEP = { modelCalls: 1, tokensIn: 1, tokensOut: 1, costUsd: 1e-7 };

for (const [index, format] of FORMATS.entries()) {
  describe(`a tool loop over ${format.name} whose every call costs the most it can, twice`, () => {
    for (const axis of AXES) {
      it(`ends within its ${axis} to the last one, and starts nothing that could go beyond [R3-SHOW-WIRE]`, async () => {
        const streaming = (index + AXES.indexOf(axis)) % 2 === 0;
        const wide = await worstLoop(format, streaming, {});
        const limit = needOf(billsOf(wide.run), axis);
        expect(wide.run.outcome.usage?.[axis]).toBeLessThanOrEqual(limit);

        const enough = await worstLoop(format, streaming, { [axis]: limit });
        expectDone(enough.run, format.id);
        expect(enough.run.outcome.usage?.[axis]).toBeLessThanOrEqual(limit);

        const short = await worstLoop(format, streaming, { [axis]: limit - STEP[axis] });
        expect(short.run.outcome).toMatchObject({
          stop: 'bounded',
          bound: axis,
          partial: { termination: 'budget_exceeded' },
        });
        expect(short.run.outcome.usage?.[axis]).toBeLessThanOrEqual(limit - STEP[axis]);
        expect(short.at.server.requests).toHaveLength(2 * (TURNS.length - 1)); // the last call was never sent
      });
    }
  });
}

/** A stream is cut before every reply, and both bill as many tokens as the request and its limit allow. */
async function worstLoop(
  format: SpokenFormat,
  streaming: boolean,
  limits: Partial<Record<CountedAxis, number>>,
): Promise<{ readonly run: WireRun; readonly at: Provider }> {
  let counted = 0;
  const wrap = (model: Model): Model => ({
    ...model,
    countTokens(request) {
      counted = model.countTokens(request);
      return counted;
    },
  });
  const script: ServerScript = TURNS.flatMap((turn) => [
    { ...VOID, misbehave: 'cut' as const },
    () => ({ ...turn, usage: { input: counted, output: MAX_OUTPUT } }),
  ]);
  const at = await provider(format, script);
  const run = await (await stage([at], { streaming, wrap })).start(limits);
  for (const { reserved, spent } of billsOf(run)) {
    expect([spent.tokensIn, spent.tokensOut]).toEqual([reserved.tokensIn, reserved.tokensOut]);
  }
  return { run, at };
}

/** The least that the budget has to hold: what was spent before a call, and what that call reserves. */
function needOf(bills: readonly Bill[], axis: CountedAxis): number {
  let spent = 0;
  let need = 0;
  for (const bill of bills) {
    need = Math.max(need, spent + (bill.reserved[axis] ?? 0));
    spent += bill.spent[axis] ?? 0;
  }
  return need;
}
