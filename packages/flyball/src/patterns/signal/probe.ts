import { canonicalJson } from '../../core/canonical.js';
import { ConfigError } from '../../core/errors.js';
import type { Sampling } from '../../core/model.js';
import { done, withoutValue } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import type { Described } from '../use.js';
import { patternsOf } from './patterns-of.js';
import { zeroShot } from './zero-shot.js';

/** Whether a reply has the shape that is needed, or what it lacks: its structure, or its style. */
export type Fit = true | 'structure' | 'style';

/** What `probe` measures. */
export interface ProbeParts {
  /** Without a setup: what is measured is the bare instruction. */
  readonly answerer: Session;
  readonly instruction: string;
  readonly cases: readonly string[];
  readonly fits: (reply: string, input: string) => Fit;
}

/** What a bare instruction achieves, and with what it was measured. */
export interface Baseline {
  readonly model: string;
  readonly decoding: Sampling;
  readonly samples: number;
  /** Share of replies that fit, 0 to 1. */
  readonly consistency: number;
  /** `keep` from 95%, `weigh` the cost of a failure from 90%, and below that the pattern to try next. */
  readonly verdict: 'keep' | 'weigh' | 'escalate:S2' | 'escalate:S6';
}

/**
 * Measures what a bare instruction achieves, so that other patterns have something to beat.
 *
 * Model calls: `samples`. Refuses a prompt that holds another pattern: what it measures would be no baseline. Not for
 * comparing two finished agents: `runSuite` measures those.
 *
 * @pattern S1
 * @example
 * ```ts
 * const floor = probe({ answerer, instruction: 'Label this message spam or ham.', cases, fits });
 * ```
 */
export function probe(
  { answerer, instruction, cases, fits }: ProbeParts,
  { samples = 20 }: { readonly samples?: number } = {},
): Described<Agent<unknown, Baseline>> {
  checkGiven('probe (S1)', { answerer, instruction, cases, fits });
  checkCounts('probe (S1)', { samples });
  if (cases.length < samples)
    throw new ConfigError(`probe (S1) needs ${samples} cases, and has ${cases.length}. Add cases, or lower samples.`);
  if (answerer.setup !== '')
    throw new ConfigError(`probe (S1) measures a bare instruction: give the session "${answerer.name}" no setup.`);
  const others = patternsOf(instruction).filter((id) => id !== 'S1');
  if (others.length > 0)
    throw new ConfigError(`probe (S1) measures a bare instruction, and this one holds ${others.join(', ')}.`);
  const once = zeroShot(answerer);
  const about = {
    id: 'S1',
    name: 'probe',
    params: { samples },
    parts: { answerer: once },
    calls: { times: [{ param: 'samples' }, { part: 'answerer' }] },
  } as const;
  return pattern(about, async (run) => {
    const misfits: Exclude<Fit, true>[] = [];
    for (const input of cases.slice(0, samples)) {
      const replied = await once(run, `${instruction}\n\n${input}`);
      if (replied.stop !== 'done' && replied.stop !== 'degraded') return withoutValue(replied);
      const fit = fits(replied.value, input);
      if (fit !== true) misfits.push(fit);
    }
    const consistency = (samples - misfits.length) / samples;
    const { sampling: decoding = {}, model } = answerer;
    return done({ model: model.id, decoding, samples, consistency, verdict: verdictOf(consistency, misfits) });
  });
}

function verdictOf(consistency: number, misfits: readonly Exclude<Fit, true>[]): Baseline['verdict'] {
  if (consistency >= 0.95) return 'keep';
  if (consistency >= 0.9) return 'weigh';
  const ofStructure = misfits.filter((misfit) => misfit === 'structure').length;
  return ofStructure * 2 >= misfits.length ? 'escalate:S6' : 'escalate:S2';
}

/** What examples gained over a bare instruction, in points, and whether that is worth their tokens. */
export function gainOver(
  before: Baseline,
  after: Pick<Baseline, 'model' | 'decoding' | 'consistency'>,
): { readonly points: number; readonly verdict: 'keep' | 'weigh' | 'take:S2' } {
  for (const field of ['model', 'decoding'] as const)
    if (canonicalJson(before[field]) !== canonicalJson(after[field]))
      throw new ConfigError(
        `These were measured with another ${field}, so they cannot be compared: ${JSON.stringify(before[field])} and ${JSON.stringify(after[field])}. Measure the baseline again.`,
      );
  const points = Math.round((after.consistency - before.consistency) * 1000) / 10;
  if (points > 10) return { points, verdict: 'take:S2' };
  return { points, verdict: points < 5 ? 'keep' : 'weigh' };
}
