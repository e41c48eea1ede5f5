import { sampledVote } from '../../checks/sampled-vote.js';
import { checkUnseeded } from '../../checks/sampling.js';
import { type Ballot, keysBy, majority } from '../../checks/voting.js';
import { askUntil, type Read } from '../../core/ask-until.js';
import { ConfigError } from '../../core/errors.js';
import { findJson } from '../../core/read-json.js';
import type { Agent, Entered } from '../../core/run.js';
import { checkSampling } from '../../core/sampling.js';
import type { Session } from '../../core/session.js';
import type { Slot } from '../../core/slot.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { sessionsIn } from '../../kit/pattern.js';
import { runPart } from '../../kit/seat.js';
import { shown } from '../../kit/shown.js';
import { type Described, partOf } from '../use.js';

/** Who takes part in `selfConsistency`. */
export interface SelfConsistencyParts<O> {
  /**
   * When two answers are one answer: code, or a session that groups free text by meaning. Without it they have to be
   * equal, texts but for white space.
   */
  readonly same?: Session | ((a: O, b: O) => boolean);
}

/** Options of `selfConsistency`. */
export interface SelfConsistencyOptions {
  readonly samples?: number;
  /** Below this share of all samples the answer is `degraded`, with reason `uncertain`. */
  readonly minAgreement?: number;
  readonly temperature?: number;
  readonly topP?: number;
}

/**
 * Draws several answers and returns the one most agree on.
 *
 * Model calls: `samples × agent`, and one or two more where a session groups the answers. A sample that fails abstains: it
 * votes for nothing and counts among those that were asked. Agreement is no probability of being right: samples share
 * their model's mistakes, so a test (`reflexion`) is better where there is one. Not for free text without `same`.
 * All samples are drawn at once: more than the `width` of the budget (16 by default) end it `bounded` before the first call.
 *
 * @pattern R17
 * @example
 * ```ts
 * const surer = selfConsistency(solver, {}, { samples: 5, minAgreement: 0.6 });
 * ```
 */
export function selfConsistency<I, O>(
  agent: Agent<I, O>,
  { same }: SelfConsistencyParts<O> = {},
  { samples = 10, minAgreement = 0, temperature = 0.8, topP = 0.95 }: SelfConsistencyOptions = {},
): Described<Agent<I, O>> {
  checkGiven('selfConsistency (R17)', { agent });
  checkOptions(agent, { samples, minAgreement, temperature, topP });
  return sampledVote<I, O, O>(
    {
      agent,
      same: typeof same === 'object' ? same : undefined,
      one: (branch, input) => runPart(branch, agent, input),
      count: async (run, slots, literal) => majority(await ballotsOf(run, slots, literal, same), (key) => key),
      answer: (winner) => winner,
    },
    { samples, minAgreement, temperature, topP },
  );
}

function checkOptions(
  agent: object,
  { samples, minAgreement, temperature, topP }: Required<SelfConsistencyOptions>,
): void {
  checkCounts('selfConsistency (R17)', { samples }, 2);
  if (!(temperature > 0))
    throw new ConfigError(
      `selfConsistency (R17) needs a temperature above 0, such as 0.8: at ${temperature} all samples are the same.`,
    );
  checkSampling('selfConsistency (R17)', { temperature, topP });
  if (!(minAgreement >= 0 && minAgreement <= 1))
    throw new ConfigError(`selfConsistency (R17) needs minAgreement from 0 to 1: got ${minAgreement}.`);
  const one = sessionsIn(partOf(agent).part).find(({ seed }) => seed !== undefined);
  if (one !== undefined) checkUnseeded(one.session, one.seed);
}

async function ballotsOf<O>(
  run: Entered,
  slots: readonly Slot<O>[],
  literal: readonly Ballot[],
  same: SelfConsistencyParts<O>['same'],
): Promise<readonly Ballot[]> {
  const votes = literal.filter((key) => key !== undefined);
  if (same === undefined || new Set(votes).size <= 1) return literal;
  if (typeof same === 'function')
    return keysBy(
      slots.map(({ value }) => value),
      (index) => literal[index] !== undefined,
      same,
    );
  return groupedBy(run, slots, literal, same);
}

const GROUPING =
  'Several answers to one question follow. Put those that mean the same into one group, however they are worded. Do not judge which is right. Reply with JSON only: a list of lists of their numbers, in which every number stands once, such as [[1,3],[2]].';

/** The session says which answers belong together, by their numbers: no word of it becomes an answer. */
async function groupedBy<O>(
  run: Entered,
  slots: readonly Slot<O>[],
  literal: readonly Ballot[],
  grouper: Session,
): Promise<readonly Ballot[]> {
  const voting = literal.flatMap((key, index) => (key === undefined ? [] : [index]));
  const listed = voting.map((index, n) => `<answer n="${n + 1}">\n${shown(slots[index]?.value)}\n</answer>`);
  const read = ({ text }: { readonly text: string }) => groupsIn(text, voting.length);
  const asked = await askUntil(run, grouper, `${GROUPING}\n\n${listed.join('\n')}`, read, 1);
  run.learned({ grouped: asked.tries });
  if (!asked.ok) {
    run.learned({ ungrouped: asked.problem }); // counted as they are worded
    return literal;
  }
  const groupOf = new Map(asked.value.flatMap((group, n) => group.map((number) => [voting[number - 1], n] as const)));
  return literal.map((key, index) => (key === undefined ? undefined : String(groupOf.get(index))));
}

function groupsIn(text: string, count: number): Read<readonly (readonly number[])[]> {
  const found = findJson(text, Array.isArray, 'list');
  if (!found.ok) return found;
  const groups = found.value as readonly unknown[];
  const isShaped = groups.every((group) => Array.isArray(group) && group.every((n) => Number.isInteger(n)));
  const numbers = isShaped ? [...(groups as readonly (readonly number[])[]).flat()].sort((a, b) => a - b) : [];
  const all = Array.from({ length: count }, (_none, index) => index + 1);
  if (numbers.join() !== all.join())
    return { ok: false, problem: `Every number from 1 to ${count} has to stand once.` };
  return { ok: true, value: groups as readonly (readonly number[])[] };
}
