import { describe, expect, it } from 'vitest';
import { type ByKind, byKind, nothingFor, passOver, rowsFor } from './by-kind.js';
import type { RunEvent } from './events.js';

const rest = nothingFor(
  ...(['run-start', 'generation-start', 'generation-end', 'attempt-start', 'run-resume', 'run-pause'] as const),
  ...(['run-end', 'ask-start', 'ask-end', 'intent', 'call-start', 'complete', 'abort', 'doubt'] as const),
  ...(['spawn-start', 'slice-change', 'spawn-end', 'wait-start', 'wait-end', 'wait-close', 'sleep-start'] as const),
  ...(['sleep-end', 'post', 'trip', 'stuck', 'note', 'changed', 'pin', 'budget-warning', 'scope-overlap'] as const),
  ...(['guard-refused', 'guard-decision', 'retry', 'signal-refused', 'operator-alert'] as const),
  ...(['rollback-start', 'rollback-end', 'scope-start', 'scope-end', 'best'] as const),
);

describe('a fold as a table', () => {
  const who: ByKind<[greeting: string], string | undefined> = {
    ...rest,
    ...rowsFor(['cancel', 'redirect'], ({ by }, greeting: string) => `${greeting} ${by}`),
  };

  it('answers with the row of the kind of the event [R9-KERNEL-KINDS]', () => {
    expect(byKind(who, { type: 'cancel', by: 'ann', why: 'enough' }, 'hello')).toBe('hello ann');
    expect(byKind(who, { type: 'redirect', by: 'bob', text: 'left' }, 'hello')).toBe('hello bob');
    expect(byKind(who, { type: 'run-pause', by: 'cy' }, 'hello')).toBeUndefined();
  });

  it('does not compile without an answer for every kind [R9-KERNEL-KINDS]', () => {
    // @ts-expect-error: `redirect` has no row
    const forgetful: ByKind<[], string | undefined> = { ...rest, cancel: ({ by }) => by };
    const inSwitch = (event: RunEvent): string | undefined =>
      // @ts-expect-error: kinds other than `note` are not passed over
      event.type === 'cancel' ? event.by : passOver<'note'>(event);
    expect(() => byKind(forgetful, { type: 'redirect', by: 'bob', text: 'left' })).toThrow('"redirect"');
    expect(inSwitch({ type: 'redirect', by: 'bob', text: 'left' })).toBeUndefined();
  });

  it('says that an entry of a kind it does not know needs a newer version, and passes nothing over in silence', () => {
    const unknown = { type: 'of-tomorrow' } as unknown as RunEvent;
    expect(() => byKind(who, unknown, 'hello')).toThrow(expect.objectContaining({ code: 'JOURNAL_NEWER' }));
  });
});
