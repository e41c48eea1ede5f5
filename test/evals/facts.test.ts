import { describe, expect, it } from 'vitest';
import { type Answer, missingFacts } from './facts.js';

const said = (content: string, error = false): Answer => ({ content, error });
const recorded = said(
  "Payment of $1,250.00 from 'chk_1a2b' to K1 on 11/14/2025 (2.5% back).\nStatus: PENDING\nContact: a.b@c.de",
);

describe('the comparison with recorded answers', () => {
  it('accepts the same facts in other words', () => {
    const ours = said('- Status: PENDING\n- $1,250.00 went from chk_1a2b to K1, 11/14/2025; 2.5% for a.b@c.de.');
    expect(missingFacts(recorded, ours)).toEqual([]);
  });

  it.each([
    ['an amount', '$1,250.00', '$1,250.01'],
    ['an id', 'chk_1a2b', 'chk_1a2'],
    ['a short id', 'K1', 'K12'],
    ['a date', '11/14/2025', '11/15/2025'],
    ['a state', 'PENDING', 'pending'],
    ['a state inside another word', 'PENDING', 'IMPENDING'],
    ['a rate', '2.5%', '12.5%'],
    ['an address', 'a.b@c.de', 'a@c.de'],
  ])('notices %s that is missing or changed', (_what, fact, other) => {
    expect(missingFacts(recorded, said(recorded.content.replaceAll(fact, other)))).not.toEqual([]);
  });

  it('notices a refusal that is none, and the other way round', () => {
    expect(missingFacts(said("Error: no 'x'"), said('x'))).toEqual(['Error']);
    expect(missingFacts(said('Failed'), said('Error'))).toEqual(['Error', 'Failed']);
    expect(missingFacts(said('Error: x', true), said('Error: x'))).toEqual(['error true, ours false']);
  });

  it('takes listings, JSON, exceptions and what Python says byte for byte', () => {
    const list = "Found 1 record(s) in 'users':\n\n1. Record ID: u1\n   name: Ann\n";
    expect(missingFacts(said(list), said(list))).toEqual([]);
    expect(missingFacts(said(list), said(list.replace('name', 'Name')))).not.toEqual([]);
    expect(missingFacts(said(`Here:\n${list}`), said(`There:\n${list.replace('Ann', 'Anna')}`))).not.toEqual([]);
    const json = 'Arguments: {\n  "a": 1.0\n}';
    expect(missingFacts(said(json), said('{\n  "a": 1.0\n}'))).toEqual([]);
    expect(missingFacts(said(json), said('{\n  "a": 1\n}'))).not.toEqual([]);
    expect(missingFacts(said('Error: no, thanks', true), said('Error: no thanks', true))).not.toEqual([]);
    const misfit = said("Error: Invalid arguments: f() missing 1 required positional argument: 'x'");
    expect(missingFacts(misfit, said("Error: f() missing 1 required positional argument: 'x'"))).toEqual([]);
    expect(missingFacts(misfit, said("Error: f() missing 1 argument: 'x'"))).not.toEqual([]);
  });

  it('counts values of the call as facts where the recorded answer repeats them', () => {
    expect(missingFacts(said('Merchant: Best Buy'), said('booked'), ['Best Buy'])).toEqual(['Best Buy']);
    expect(missingFacts(said('Merchant'), said('booked'), ['Best Buy'])).toEqual([]);
  });
});
