import type { Amounts, EventOf, ModelDelta, ToolCall } from 'flyball';
import type { ServedRequest } from 'flyball/testing';
import { expect } from 'vitest';
import type { CountedAxis } from '../../packages/flyball/src/core/budget.js';
import { eventsOf } from '../runtime/stage.js';
import { type SpokenFormat, spoken } from './formats.js';
import { ANSWER, conversationAt, EXPECTED_FILE, TURNS } from './task.js';
import type { Piece, WireRun } from './wire-stage.js';

/** The loop did its work once, whatever happened on the way. */
export function expectDone({ outcome, library, entries }: WireRun, answeredBy: string): void {
  expect(outcome).toMatchObject({
    stop: 'done',
    value: {
      output: ANSWER,
      termination: 'completed',
      model: answeredBy,
      iterations: TURNS.length,
      toolCalls: 3,
      toolsUsed: ['read_file', 'add', 'write_file'],
    },
  });
  expect(library.written('answer.txt')).toBe(EXPECTED_FILE);
  expect(library.written('void.txt')).toBeUndefined();
  expect(JSON.stringify(entries)).not.toMatch(/void/i);
}

/** Every request carried the conversation of its turn: roles, ids and names in order, and no word of a failed try. */
export function expectConversations(
  requests: readonly ServedRequest[],
  turns: readonly number[],
  format: SpokenFormat,
): void {
  expect(requests.map(({ messages }) => spoken(messages, format))).toEqual(
    turns.map((turn) => spoken(conversationAt(turn), format)),
  );
}

const AXES: readonly CountedAxis[] = ['modelCalls', 'tokensIn', 'tokensOut', 'costUsd'];

export interface Bill {
  readonly reserved: Partial<Amounts>;
  readonly spent: Partial<Amounts>;
  readonly reply: EventOf<'ask-end'>['reply'];
}

/** What each model call reserved and spent. No call spends more than it reserved. */
export function billsOf({ entries }: Pick<WireRun, 'entries'>): readonly Bill[] {
  const starts = new Map(eventsOf(entries, 'ask-start').map((event) => [event.id, event]));
  return eventsOf(entries, 'ask-end').map(({ id, spent, reply }) => {
    const reserved = starts.get(id)?.reserved ?? {};
    for (const axis of AXES)
      expect(spent[axis] ?? 0, `${axis} of ${id}`).toBeLessThanOrEqual((reserved[axis] ?? 0) + 1e-12);
    return { reserved, spent, reply };
  });
}

/** What somebody who looks on has in front of them when a reply is complete is that reply. */
export function expectShown({ pieces, entries }: WireRun): void {
  for (const { id, reply } of eventsOf(entries, 'ask-end')) {
    if (reply === undefined) continue;
    const shown = shownBy(pieces.filter(({ effect }) => effect === id));
    expect(shown.text).toBe(reply.text);
    expect(shown.calls).toEqual(
      (reply.toolCalls ?? []).map(({ id: call, name, arguments: given }) => ({ id: call, name, arguments: given })),
    );
  }
}

interface Shown {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** Pieces put together as an onlooker does: a restart voids what came before it. */
export function shownBy(pieces: readonly Piece[]): Shown {
  const deltas = pieces.map(({ delta }) => delta);
  const from = deltas.findLastIndex(({ type }) => type === 'restart') + 1;
  const calls = new Map<string, { id: string; name: string; arguments: string }>();
  let text = '';
  for (const delta of deltas.slice(from)) text += take(delta, calls);
  return { text, calls: [...calls.values()] };
}

function take(delta: ModelDelta, calls: Map<string, { id: string; name: string; arguments: string }>): string {
  if (delta.type === 'text') return delta.text;
  if (delta.type !== 'tool-call') return '';
  const known = calls.get(delta.id) ?? { id: delta.id, name: delta.name ?? '', arguments: '' };
  calls.set(delta.id, { ...known, arguments: known.arguments + delta.arguments });
  return '';
}
