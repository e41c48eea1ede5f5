import { describe, expect, it } from 'vitest';
import { DocumentLinks } from './expansion.js';

const DOCUMENTS = [
  { id: 'closing', title: 'Closing a card', text: 'First call list_orders_4411, then close_card_1234.' },
  { id: 'orders', title: 'Pending orders', text: 'list_orders_4411 lists orders that are on their way.' },
  { id: 'guide', title: 'Guide', text: 'See [the fees](fees.md#top) and [nothing](missing.md).' },
  { id: 'fees', title: 'Fees', text: 'All fees.' },
  { id: 'gold-1', title: 'Gold Rewards Card: Overview', text: 'The card.' },
  { id: 'gold-2', title: 'Gold Rewards Card: Fees', text: 'Its fees.' },
  { id: 'gold-acc-1', title: 'Gold Account at a glance', text: 'The account.' },
  { id: 'gold-acc-2', title: 'Gold Account — interest', text: 'Interest.' },
  { id: 'plus-1', title: 'Gold Account Plus: Overview', text: 'More.' },
  { id: 'plus-2', title: 'Gold Account Plus: Fees', text: 'More fees.' },
  { id: 'other', title: 'Weather', text: 'It rains.' },
];
const links = new DocumentLinks(DOCUMENTS);
const found = (...ids: readonly string[]) => ids.map((id, nth) => ({ id, score: 1 - nth / 10 }));

describe('an expansion', () => {
  it('brings the document that explains a tool which was only named [R5-RET-EXPAND]', () => {
    const expanded = links.expand('close it', found('closing', 'other', 'fees', 'guide', 'gold-1'), { limit: 5 });
    expect(expanded.map(({ id }) => id)).toEqual(['closing', 'other', 'fees', 'guide', 'orders']);
    expect(expanded.at(-1)?.via).toEqual({ kind: 'tool', by: 'list_orders_4411' });
  });

  it('follows links between documents [R5-RET-EXPAND]', () => {
    const expanded = links.expand('help', found('guide', 'other'), { limit: 5 });
    expect(expanded.find(({ id }) => id === 'fees')?.via).toEqual({ kind: 'link', by: 'guide' });
    expect(expanded).toHaveLength(3);
  });

  it('brings the first document of what the query calls by its name, the longest name first [R5-RET-EXPAND]', () => {
    const expanded = links.expand('I have a gold rewards card', found('other', 'fees', 'guide', 'orders'), {
      limit: 5,
    });
    expect(expanded.at(-1)).toMatchObject({ id: 'gold-1', via: { kind: 'name', by: 'gold rewards card' } });
    expect(expanded.map(({ id }) => id)).not.toContain('gold-acc-1');
  });

  it('does not take a longer name for the shorter one that it begins with', () => {
    const expanded = links.expand('my Gold Account Plus', found('other'), { limit: 10 });
    expect(expanded.map(({ id }) => id)).toEqual(['other', 'plus-1']);
  });

  it('does not say of what was found anyway that a tool led to it', () => {
    const expanded = links.expand('x', found('other', 'fees', 'gold-1', 'closing', 'orders'), { limit: 5 });
    expect(expanded.every(({ via }) => via === undefined)).toBe(true);
  });

  it('keeps within the limit and gives what it does not need to what was found', () => {
    expect(links.expand('rain', found('other', 'fees', 'gold-1', 'gold-2'), { limit: 3 }).map(({ id }) => id)).toEqual([
      'other',
      'fees',
      'gold-1',
    ]);
    expect(links.expand('x', [], { limit: 3 })).toEqual([]);
    expect(links.expand('gold account', found('other'), { limit: 0 })).toEqual([]);
  });

  it('finds nothing twice', () => {
    const expanded = links.expand('gold account', found('closing', 'orders', 'gold-acc-1', 'other'), { limit: 10 });
    expect(new Set(expanded.map(({ id }) => id)).size).toBe(expanded.length);
  });

  it('does not follow a tool that stands everywhere', () => {
    const common = Array.from({ length: 12 }, (_none, nth) => ({
      id: `d${nth}`,
      title: 'T',
      text: 'use log_in_now_1',
    }));
    const expanded = new DocumentLinks(common).expand('x', found('d0'), { limit: 5 });
    expect(expanded.map(({ id }) => id)).toEqual(['d0']);
  });

  it('refuses shares of more than everything', () => {
    expect(() => links.expand('x', [], { limit: 3, linked: 0.8, named: 0.5 })).toThrow(/at most 1/);
  });
});
