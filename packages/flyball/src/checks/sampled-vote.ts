import { FlyballError, failureOf } from '../core/errors.js';
import { degraded, done, failed, type Outcome } from '../core/outcome.js';
import type { Agent, Entered, Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { isFilled, type Slot } from '../core/slot.js';
import type { Described } from '../core/use.js';
import { pattern } from '../kit/pattern.js';
import { drawSamples, type SamplingOptions } from './sampling.js';
import { type Ballot, keyOf, type Vote } from './voting.js';

/** How samples are drawn, and which share of them has to agree. */
export interface SampledVoteOptions extends SamplingOptions {
  readonly minAgreement: number;
}

/** Who answers several times, and how the answers are counted. */
export interface SampledVoteParts<I, O, T> {
  /** As the description shows them: who is asked, and who groups the answers. */
  readonly agent: object;
  readonly same?: Session | undefined;
  one(branch: Run, input: I): Promise<Outcome<O>>;
  /** `literal`: what each sample says as it stands; undefined where it abstains. */
  count(run: Entered, slots: readonly Slot<O>[], literal: readonly Ballot[]): Promise<Vote | undefined>;
  /** What is made of the winner. */
  answer(winner: O, vote: Vote, slots: readonly Slot<O>[]): T;
}

/**
 * R17, whoever uses it: several answers are drawn side by side, in a scope that says so, and the one that wins the vote is
 * answered. Only a sample that is `done` votes; any other abstains.
 */
export function sampledVote<I, O, T>(
  { agent, same, one, count, answer }: SampledVoteParts<I, O, T>,
  options: SampledVoteOptions,
): Described<Agent<I, T>> {
  const { samples, minAgreement, temperature, topP } = options;
  const about = {
    id: 'R17',
    name: 'selfConsistency',
    params: { samples, minAgreement, temperature, ...(topP === undefined ? {} : { topP }) },
    parts: { agent, same },
    apart: [['same', 'agent']],
    calls: {
      sum: [
        { times: [{ param: 'samples' }, { part: 'agent' }] },
        { times: [{ fact: 'grouped', least: 0, most: same === undefined ? 0 : 2 }, { part: 'same' }] },
      ],
    },
  } as const;
  return pattern(about, async (run, input: I) => {
    run.learned({ grouped: 0 });
    const slots = await drawSamples(run, (branch) => one(branch, input), options);
    const literal = slots.map((slot) => (isFilled(slot) && slot.stop === 'done' ? keyOf(slot.value) : undefined));
    const votes = literal.filter((key) => key !== undefined);
    if (votes.length > 2 && new Set(votes).size === 1) run.learned({ diversityCollapse: true });
    const vote = await count(run, slots, literal);
    return voted(run, slots, vote, { minAgreement, answer });
  });
}

function voted<I, O, T>(
  run: Entered,
  slots: readonly Slot<O>[],
  vote: Vote | undefined,
  { minAgreement, answer }: Pick<SampledVoteOptions, 'minAgreement'> & Pick<SampledVoteParts<I, O, T>, 'answer'>,
): Outcome<T> {
  const abstained = slots.filter(({ stop }) => stop !== 'done').length;
  const winner = vote === undefined ? undefined : slots[vote.best];
  if (vote === undefined || winner === undefined || !isFilled(winner)) {
    const [first] = slots;
    const why = `None of the ${slots.length} samples of selfConsistency (R17) gave an answer. The first one: ${first?.because ?? 'no reason'}.`;
    return failed(failureOf(new FlyballError('NO_ANSWER', why)));
  }
  const { score: agreement, margin, tie, runnerUp } = vote;
  const next = runnerUp === undefined ? {} : { runnerUp: slots[runnerUp]?.value };
  run.learned({ agreement, margin, tie, abstained, ...next });
  const reason = { code: 'uncertain', data: { agreement, needed: minAgreement } } as const;
  const value = answer(winner.value, vote, slots);
  if (tie) return degraded(value, 'another answer has as many votes', reason);
  if (agreement >= minAgreement) return done(value);
  return degraded(value, `${Math.round(agreement * 100)}% of the samples agree`, reason);
}
