import fc from 'fast-check';
import { budget, type Engine, type ModelRequest, type RunHandle, type ToolRef } from 'flyball';
import { conversation, defineAgent, MESSAGE } from 'flyball/agents';
import { autoClock, crashingEngine, scriptedModel, testHost } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { openRuntime } from '../../packages/flyball/src/runtime/open-runtime.js';
import type { ReplyParts } from '../../packages/flyball/src/testing/script.js';
import type { Violation } from './world.js';

/** What an agent does in one turn: so many payments, and then an answer or a model that fails. */
export interface Turn {
  readonly payments: number;
  readonly fails: boolean;
}

export interface Talk {
  readonly turns: readonly Turn[];
  readonly crashes: readonly number[];
}

export const talks: fc.Arbitrary<Talk> = fc.record({
  turns: fc.array(fc.record({ payments: fc.integer({ min: 0, max: 2 }), fails: fc.boolean() }), {
    minLength: 2,
    maxLength: 4,
  }),
  crashes: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 2 }),
});

/** Plays a conversation through its crashes, and says what a later turn no longer knew of an earlier one. */
export async function examineTalk(given: Talk, engine: Engine): Promise<readonly Violation[]> {
  const clock = autoClock();
  const gone = new Set<string>();
  const found: Violation[] = [];
  const paid = new Map<string, number>();
  for (let life = 0; life <= given.crashes.length; life++) {
    const crashing = crashingEngine(engine, ({ n, when }) => n === given.crashes[life] && when === 'after');
    const host = testHost(`life-${life}`, gone);
    const runtime = openRuntime({
      engine: crashing.engine,
      clock,
      host,
      agents: { talk: clerk(given, { paid, found, isDead: crashing.isDead }) as never },
      options: { worker: false, suspendAfterMs: 20, maxResumes: 1e9 },
    });
    const talked = async (): Promise<'ended'> => {
      const known = await runtime.get('talk').catch(() => undefined);
      if (known?.status === 'done') return 'ended';
      let handle: RunHandle =
        known === undefined
          ? await runtime.start('talk', 'turn 1', { id: 'talk', budget: budget() })
          : await runtime.wake('talk');
      for (;;) {
        const outcome = await handle.outcome();
        if (outcome.stop !== 'suspended') {
          if (outcome.stop !== 'done') found.push({ rule: 'turn:end', detail: JSON.stringify(outcome) });
          return 'ended';
        }
        const said = (await runtime.entries('talk')).filter(
          ({ event }) => event.type === 'wait-end' && event.timedOut !== true,
        ).length;
        const next = said + 2;
        const message = next > given.turns.length ? { end: true } : { text: `turn ${next}` };
        const [wait] = outcome.waiting;
        await runtime.signal('talk', wait?.token ?? MESSAGE, message, { from: 'customer', id: `message ${next}` });
        handle = await runtime.wake('talk');
      }
    };
    const end = await Promise.race([
      talked().catch((error: Error) => {
        found.push({ rule: 'turn:broken', detail: error.stack ?? error.message });
        return 'ended' as const;
      }),
      crashing.crashed,
    ]);
    host.die();
    runtime.abandon();
    if (end === 'ended') break;
  }
  clock.stop();
  for (const [what, times] of paid)
    if (times > 1) found.push({ rule: 'turn:twice', detail: `${what} was paid ${times} times` });
  return found;
}

function clerk(
  given: Talk,
  world: { readonly paid: Map<string, number>; readonly found: Violation[]; readonly isDead: () => boolean },
): unknown {
  const pay = tool({
    name: 'pay',
    description: 'Pays a bill.',
    effect: 'idempotent',
    input: { type: 'object', properties: { what: { type: 'string' } } },
    execute: async (args: unknown) => {
      const { what } = args as { readonly what: string };
      if (world.isDead()) return new Promise<string>(() => {});
      world.paid.set(what, 1 + (world.paid.get(what) ?? 0));
      return `paid ${what}`;
    },
  }) as unknown as ToolRef;
  const model = scriptedModel({
    clerk: ({ messages }) => reply(given, messages, world),
  });
  return conversation(
    defineAgent({
      name: 'clerk',
      description: 'You pay bills.',
      model,
      tools: [pay],
      loop: { doubleConfirmation: false },
    }),
  );
}

/** Does what the turn says, and looks whether everything that earlier turns did is still in sight. */
function reply(
  given: Talk,
  messages: ModelRequest['messages'],
  { found }: { readonly found: Violation[] },
): string | ReplyParts {
  const all = JSON.stringify(messages);
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && /^turn \d$/.test(String(content)));
  const turn = Number(String(messages[at]?.content).replace(/\D/g, ''));
  for (let before = 1; before < turn; before++) {
    const { payments = 0 } = given.turns[before - 1] ?? {};
    for (let n = 0; n < payments; n++)
      if (!all.includes(`paid ${before}.${n}`))
        found.push({ rule: 'turn:forgotten', detail: `turn ${turn} does not know of payment ${before}.${n}` });
  }
  const { payments = 0, fails = false } = given.turns[turn - 1] ?? {};
  const made = messages.slice(at).filter(({ role }) => role === 'tool').length;
  if (made < payments) {
    const call = { id: `${turn}.${made}`, name: 'pay', arguments: JSON.stringify({ what: `${turn}.${made}` }) };
    return { text: '', toolCalls: [call] };
  }
  if (fails) throw Object.assign(new Error('provider down'), { retryable: false });
  return `answer ${turn}`;
}
