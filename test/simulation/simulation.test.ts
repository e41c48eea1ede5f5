import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { holds, type Program } from '../crash/program.js';
import { repetitions } from '../repetitions.js';
import corpus from './corpus.json' with { type: 'json' };
import { type Plan, planOf } from './plan.js';
import { plantedFaults } from './planted-faults.js';
import { shrink } from './shrink.js';
import { simulate } from './simulation.js';

/** Whole plans: a seed means another world as soon as the generator changes. */
const kept = corpus as unknown as readonly { readonly rule: string; readonly plan: Plan }[];

describe('a simulated cluster', () => {
  it('keeps every promise through crashes, stops, partitions, lost answers, wrong clocks and deployments [R10-SIM-SAMPLE]', async () => {
    const count = repetitions({ sample: 40, full: 400 });
    for (let seed = 1; seed <= count; seed++) {
      const { violations } = await simulate(planOf(seed));
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  });

  it('plays a seed the same way each time, to the last message [R10-SIM-SEED]', async () => {
    for (const seed of [3, 11, 24]) {
      const [first, second] = [
        await simulate(planOf(seed), { isTraced: true }),
        await simulate(planOf(seed), { isTraced: true }),
      ];
      expect(second.trace).toEqual(first.trace);
      expect(second.moments).toBe(first.moments);
      expect(first.trace.length).toBeGreaterThan(3);
    }
  });

  it('sets a run aside alone whose stored bytes were damaged, replays nothing of it, and ends the others [R10-SIM-DAMAGE]', async () => {
    const ends: string[] = [];
    for (let seed = 1; ends.length < 6; seed++) {
      const plan = planOf(seed);
      if (!plan.faults.some(({ kind }) => kind === 'damage')) continue;
      const { violations, stops } = await simulate(plan);
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      expect(stops.length).toBeGreaterThan(1);
      if (!stops.includes('stalled (damaged)')) continue; // it ended before anybody read it again
      ends.push(...stops.filter((stop) => stop !== 'stalled (damaged)'));
    }
    expect(ends).not.toContain('stalled');
  });

  it('starts each other run once, however often what starts it is cut off [R10-SIM-STARTED]', async () => {
    let started = 0;
    let lives = 0;
    for (let seed = 91; started < 15; seed++) {
      const plan = planOf(seed);
      const isOther = ({ kind }: Program): boolean => kind === 'other';
      if (!plan.cases.some(({ generations }) => generations.some((one) => holds(one, isOther)))) continue;
      const played = await simulate(plan);
      expect({ seed, violations: played.violations }).toEqual({ seed, violations: [] });
      started += played.started;
      lives += played.lives;
    }
    expect(lives).toBeGreaterThan(15);
  });

  it.each(kept)('no longer breaks $rule under the plan of seed $plan.seed [R10-SIM-CORPUS]', async ({ plan }) => {
    expect((await simulate(plan)).violations).toEqual([]);
  });

  it('leaves a plan that breaks nothing as it is', async () => {
    const told: string[] = [];
    const plan = planOf(1);
    expect(await shrink(plan, (line) => told.push(line))).toBe(plan);
    expect(told).toEqual(['Seed 1 breaks no rule: there is nothing to shrink.']);
  });

  it('is played anew for each smaller plan, each with the time that one seed has', async () => {
    const given = planOf(111233);
    const faults: number[] = [];
    const smallest = await shrink(
      given,
      () => undefined,
      async (plan) => {
        faults.push(plan.faults.length);
        return { violations: plan.cases.length > 1 ? [{ rule: 'planted', detail: '' }] : [] };
      },
    );
    expect(faults[0]).toBe(given.faults.length);
    expect(faults.length).toBeGreaterThan(5);
    expect(smallest).toMatchObject({ seed: 111233, faults: [] });
    expect(smallest.cases).toHaveLength(2);
  });
});

describe('a planted fault', () => {
  it.each(plantedFaults)('$name fits the sources: $what [R10-SIM-PLANTED]', (fault) => {
    for (const { file, find } of [fault, ...(fault.and === undefined ? [] : [fault.and])]) {
      const text = readFileSync(join(root, 'packages/flyball/src', file), 'utf8');
      expect(text.split(find)).toHaveLength(2);
    }
  });
});
