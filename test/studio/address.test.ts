import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { titleFor } from '../../packages/studio/src/app/page-title.js';
import { keepInAddress } from '../../packages/studio/src/run/address.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function stage(first: string) {
  const query = signal(new URLSearchParams(first));
  const written: string[] = [];
  const model = { upTo: signal<number | 'live'>('live'), selected: signal<string | undefined>(undefined) };
  const go = (text: string) => {
    query.value = new URLSearchParams(text);
  };
  const stop = keepInAddress(model, {
    query: () => query.value,
    set: (changes) => {
      const next = new URLSearchParams(query.value);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) next.delete(name);
        else next.set(name, value);
      }
      written.push(decodeURIComponent(next.toString()));
      query.value = next;
    },
  });
  return { model, written, go, stop, query };
}

describe('the address of a run', () => {
  it('says where a link begins: at an entry, with something selected [F-D4]', () => {
    const { model, written } = stage('tab=plan&at=12&selected=0:%233');
    expect([model.upTo.value, model.selected.value]).toEqual([12, '0:#3']);
    vi.runAllTimers();
    expect(written).toEqual([]);
  });

  it('follows the slider and the selection, not more often than a browser allows, and leaves the tab [F-D4]', () => {
    const { model, written } = stage('tab=events');
    for (let at = 1; at <= 40; at++) model.upTo.value = at;
    model.selected.value = '@7';
    vi.runAllTimers();
    expect(written).toEqual(['tab=events&at=40&selected=@7']);
    model.upTo.value = 'live';
    model.selected.value = undefined;
    vi.runAllTimers();
    expect(written.at(-1)).toBe('tab=events');
  });

  it('goes back where somebody goes back, and is not thrown back by another tab of the page [F-D4]', () => {
    const { model, go, query } = stage('at=5');
    model.upTo.value = 9;
    go('at=5&tab=plan'); // picked before the address has followed the slider
    expect(model.upTo.value).toBe(9);
    vi.runAllTimers();
    expect(query.value.toString()).toBe('at=9&tab=plan');
    go('at=5');
    expect(model.upTo.value).toBe(5);
    go('');
    expect(model.upTo.value).toBe('live');
    go('at=nonsense');
    expect(model.upTo.value).toBe('live');
  });

  it('is left alone once the page is gone [F-D4]', () => {
    const { model, written, stop } = stage('');
    model.upTo.value = 3;
    stop();
    vi.runAllTimers();
    expect(written).toEqual([]);
  });
});

describe('the title of a tab', () => {
  it('tells one run from another [F-D4]', () => {
    expect(titleFor('Run', 'Waiting: cashier – order one')).toBe('Waiting: cashier – order one · Flyball');
    expect(titleFor('Inbox', undefined)).toBe('Inbox · Flyball');
    expect(titleFor('Run', 'x'.repeat(500)).length).toBeLessThan(110);
  });
});
