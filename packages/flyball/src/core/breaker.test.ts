import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.js';

const POLICY = { failures: 3, openMs: 1_000 };

function opened(): Breaker {
  const breaker = new Breaker(POLICY);
  for (let n = 0; n < 3; n++) breaker.failed(0);
  return breaker;
}

describe('a circuit breaker', () => {
  it('opens after so many failures in a row, and not before [R3-ROUTER-BREAKER]', () => {
    const breaker = new Breaker(POLICY);
    breaker.failed(0);
    breaker.failed(0);
    expect(breaker.state(0)).toBe('closed');
    expect(breaker.refuses(0)).toBeUndefined();
    breaker.failed(0);
    expect(breaker.state(0)).toBe('open');
    expect(breaker.refuses(0)).toBe(1_000);
    expect(breaker.refuses(400)).toBe(600);
  });

  it('forgets earlier failures with a success', () => {
    const breaker = new Breaker(POLICY);
    breaker.failed(0);
    breaker.failed(0);
    breaker.succeeded();
    breaker.failed(0);
    breaker.failed(0);
    expect(breaker.state(0)).toBe('closed');
  });

  it('does not count a call that says nothing about the other side', () => {
    const breaker = new Breaker(POLICY);
    for (let n = 0; n < 10; n++) breaker.undecided();
    expect(breaker.state(0)).toBe('closed');
  });

  it('lets one trial in when its time is over, and nobody else meanwhile [R3-ROUTER-BREAKER]', () => {
    const breaker = opened();
    expect(breaker.state(1_000)).toBe('half-open');
    expect(breaker.refuses(1_000)).toBeUndefined();
    expect(breaker.refuses(1_000)).toBe(1_000);
    expect(breaker.refuses(9_000)).toBe(1_000);
  });

  it('closes when the trial succeeds', () => {
    const breaker = opened();
    breaker.refuses(1_000);
    breaker.succeeded();
    expect(breaker.state(1_000)).toBe('closed');
    breaker.failed(1_000);
    expect(breaker.state(1_000)).toBe('closed'); // it counts from zero again
  });

  it('opens again when the trial fails, at its first failure', () => {
    const breaker = opened();
    breaker.refuses(1_000);
    breaker.failed(1_500);
    expect(breaker.state(2_499)).toBe('open');
    expect(breaker.state(2_500)).toBe('half-open');
  });

  it('lets the next one try when a trial ends undecided', () => {
    const breaker = opened();
    breaker.refuses(1_000);
    breaker.undecided();
    expect(breaker.refuses(1_000)).toBeUndefined();
  });
});

describe('calls that overlap', () => {
  it('do not keep an open circuit open longer by failing late', () => {
    const breaker = opened();
    breaker.failed(900);
    expect(breaker.state(1_000)).toBe('half-open');
  });

  it('do not close an open circuit by an answer to an earlier call: the trial decides', () => {
    const breaker = opened();
    breaker.succeeded();
    expect(breaker.state(500)).toBe('open');
  });

  it('do not touch a trial when they began before it', () => {
    const breaker = new Breaker(POLICY);
    breaker.refuses(0);
    const early = breaker.era;
    for (let n = 0; n < 3; n++) breaker.failed(0, early);

    expect(breaker.refuses(1_000)).toBeUndefined();
    const trial = breaker.era;
    breaker.undecided(early);
    expect(breaker.refuses(1_000)).toBe(1_000); // no second trial beside the first
    breaker.succeeded(early);
    breaker.failed(1_100, early);
    expect(breaker.state(1_100)).toBe('half-open');

    breaker.succeeded(trial);
    expect(breaker.state(1_100)).toBe('closed');
  });

  it('do not count against a circuit that has closed since', () => {
    const breaker = new Breaker({ failures: 1, openMs: 1_000 });
    breaker.refuses(0);
    const early = breaker.era;
    breaker.failed(0, early);
    breaker.refuses(1_000);
    breaker.succeeded(breaker.era);
    breaker.failed(1_000, early);
    expect(breaker.state(1_000)).toBe('closed');
  });
});
