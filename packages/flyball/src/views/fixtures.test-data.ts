import { type Amounts, budget } from '../core/budget.js';
import type { Entry, EventOf, Owner, RunEvent } from '../core/events.js';

/** Journals written by hand: what a run would have written, entry by entry. */
export class JournalBuilder {
  readonly entries: Entry[] = [];
  private at = 1_700_000_000_000;
  private activeMs = 0;
  private generation = 0;
  private seq = 0;

  /** Lets active time pass. */
  after(ms: number): this {
    this.at += ms;
    this.activeMs += ms;
    return this;
  }

  /** Lets time pass while nobody works on the run. */
  idle(ms: number): this {
    this.at += ms;
    return this;
  }

  add(...events: readonly RunEvent[]): this {
    for (const event of events) {
      const { generation, at, activeMs } = this;
      this.entries.push({ generation, seq: this.seq++, at, activeMs, event });
    }
    return this;
  }

  nextGeneration(): this {
    this.generation++;
    this.seq = 0;
    return this;
  }
}

export const OWNER: Owner = { id: 'worker-1', host: 'h', bootId: 'b', pid: 7, startTime: '1' };

export function runStart(over: Partial<EventOf<'run-start'>> = {}): RunEvent {
  const base = {
    v: 1,
    agent: 'buyer',
    version: '3',
    input: { item: 'tea' },
    subject: 'ann@example.com',
    tenant: 'acme',
  };
  return { type: 'run-start', ...base, budget: budget({ costUsd: 1, tokensIn: 10_000 }), ...over };
}

export function attemptStart(attempt: number, why: EventOf<'attempt-start'>['why'] = 'start'): RunEvent {
  return { type: 'attempt-start', attempt, why, owner: { ...OWNER, id: `worker-${attempt}` } };
}

export function askStart(id: string, over: Partial<EventOf<'ask-start'>> = {}): RunEvent {
  const reserved = { modelCalls: 1, tokensIn: 500, tokensOut: 200, costUsd: 0.01 };
  const base = { fp: `fp${id}`, session: 'drafter', model: 'anthropic/claude-sonnet-4-5', tip: `tip${id}` };
  return { type: 'ask-start', id, ...base, maxOutputTokens: 200, reserved, attempt: 1, ...over };
}

export function askEnd(
  id: string,
  over: { readonly text?: string; readonly spent?: Partial<Amounts>; readonly cacheRead?: number } = {},
): RunEvent {
  const {
    text = 'buy green tea',
    cacheRead,
    spent = { modelCalls: 1, tokensIn: 120, tokensOut: 40, costUsd: 0.0012 },
  } = over;
  const usage = {
    input: spent.tokensIn ?? 0,
    output: spent.tokensOut ?? 0,
    ...(cacheRead === undefined ? {} : { cacheRead }),
  };
  const reply = {
    text,
    finish: 'stop',
    usage,
    costUsd: spent.costUsd ?? 0,
    calls: spent.modelCalls ?? 0,
    ms: 900,
  } as const;
  return { type: 'ask-end', id, reply, spent };
}

export function intent(id: string, name: string, over: Partial<EventOf<'intent'>> = {}): RunEvent {
  const base = {
    fp: `fp${id}`,
    of: 'call',
    name,
    class: 'irreversible',
    key: `r1:0:${id}`,
    input: { amount: 5 },
  } as const;
  return {
    type: 'intent',
    id,
    ...base,
    deadline: 1_700_000_060_000,
    reserved: { toolCalls: 1 },
    attempt: 1,
    ...over,
  };
}

export function complete(id: string, result: unknown, over: Partial<EventOf<'complete'>> = {}): RunEvent {
  return { type: 'complete', id, result, ...over };
}

/** A pure effect writes only its end. */
export function pure(id: string, name: string, result: unknown, of: 'call' | 'step' = 'step'): RunEvent {
  return {
    type: 'complete',
    id,
    fp: `fp${id}`,
    of,
    name,
    result,
    ...(of === 'call' ? { spent: { toolCalls: 1 } } : {}),
  };
}

export function abort(
  id: string,
  code: EventOf<'abort'>['failure']['code'],
  over: Partial<EventOf<'abort'>> = {},
): RunEvent {
  return { type: 'abort', id, failure: { code, message: `it went wrong: ${code}`, retryable: false }, ...over };
}

export function gate(id: string, action: string, token = 'secret-token'): RunEvent {
  const request = { action, input: { amount: 5 }, effect: 'irreversible' };
  return {
    type: 'wait-start',
    id: `${id}!gate`,
    fp: `fp${id}g`,
    kind: 'approval',
    name: `approve:${id}`,
    token,
    request,
  };
}

export function verdict(id: string, answer: 'approve' | 'reject', from: string, signal = 's1'): RunEvent {
  return { type: 'wait-end', id: `${id}!gate`, signal, from, payload: { verdict: answer } };
}

export function spawnStart(id: string, name: string, path: string, input: unknown = { about: 'tea' }): RunEvent {
  return {
    type: 'spawn-start',
    id,
    fp: `fp${id}`,
    name,
    path,
    input,
    slice: {},
    limits: budget(),
    carved: ['costUsd'],
  };
}

export function phase(name: string, path = ''): RunEvent {
  return { type: 'note', path, event: { kind: 'phase', phase: name } };
}

export function runEnd(outcome: EventOf<'run-end'>['outcome']): RunEvent {
  return { type: 'run-end', outcome };
}

/**
 * A run with everything in it: phases, a model call, a pure step, a child with effects of its own, an approval and a
 * payment. With `crash` it dies in the model call and in the payment, and is taken over each time.
 */
export function purchase(options: { readonly crash?: boolean; readonly upTo?: 'payment' } = {}): readonly Entry[] {
  const { crash = false } = options;
  const journal = new JournalBuilder();
  journal.add(runStart(), attemptStart(1), phase('PLAN'), askStart('#0'));
  if (crash) journal.idle(30_000).add(attemptStart(2, 'takeover'), askStart('#0', { attempt: 2 }));
  journal.after(1000).add(askEnd('#0', { cacheRead: 20 }));
  journal.after(50).add(pure('#1', 'choose', { shop: 'leaf & co' }));
  journal.add({ type: 'note', path: '', event: { kind: 'plan', steps: ['research', 'pay'] } });
  journal.after(5).add(phase('ACT'), spawnStart('#2', 'researcher', '/researcher.0'));
  journal.after(5).add(askStart('/researcher.0#0', { session: 'reader', model: 'openai/gpt-5-mini' }));
  journal.after(500).add(
    askEnd('/researcher.0#0', {
      text: 'it is good',
      spent: { modelCalls: 2, tokensIn: 300, tokensOut: 60, costUsd: 0.0005 },
    }),
  );
  journal.after(80).add(pure('/researcher.0#1', 'search', { text: 'found' }, 'call'));
  journal.after(1).add({ type: 'spawn-end', id: '#2', outcome: { stop: 'done', value: 'good' } });
  journal.add(gate('#3', 'charge', crash ? 'token-b' : 'token-a'));
  journal
    .idle(86_400_000)
    .add(attemptStart(crash ? 3 : 2, 'wake'), verdict('#3', 'approve', 'bob', crash ? 's2' : 's1'));
  journal.after(2).add(intent('#3', 'charge'));
  if (options.upTo === 'payment') return journal.entries;
  if (crash) {
    journal.idle(60_000).add(attemptStart(4, 'takeover'));
    journal.after(10).add(complete('#3', { receipt: 'r-1' }, { how: 'verified', spent: { toolCalls: 1 } }));
  } else journal.after(300).add(complete('#3', { receipt: 'r-1' }, { spent: { toolCalls: 1 } }));
  journal.add({ type: 'budget-warning', node: '', axis: 'costUsd', spent: 0.8, limit: 1 });
  journal.after(1).add(runEnd({ stop: 'done', value: { receipt: 'r-1' } }));
  return journal.entries;
}
