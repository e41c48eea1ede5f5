import { askUntil, type Read } from '../core/ask-until.js';
import { sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import type { Framing } from '../core/framing.js';
import { degraded, done } from '../core/outcome.js';
import { findJson } from '../core/read-json.js';
import type { Agent, Entered } from '../core/run.js';
import type { Session } from '../core/session.js';
import { textSimilarity } from '../core/text-similarity.js';
import { type Described, partOf } from '../core/use.js';
import { checkCounts, checkGiven } from '../kit/options.js';
import { pattern, sessionsIn } from '../kit/pattern.js';
import { askOnce, runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';

/** Who takes part in `selfRefine`. All sit on one model: another model's critic is a judge (`untilApproved`). */
export interface SelfRefineParts<O> {
  /** Finds faults, or replies DONE. */
  readonly critic: Session;
  /** Writes the next version. */
  readonly reviser: Session<O>;
  /** What a good result is. The agent and the critic read the same text. */
  readonly criteria?: string;
}

/** Options of `selfRefine`. */
export interface SelfRefineOptions {
  readonly maxRounds?: number;
}

const FINDING =
  'You look for faults in what you are shown, and you are not satisfied easily. Name every fault that you can point at. Reply with JSON only: {"issues":[{"text":"…","severity":"high"}]}, where severity is high, medium or low. If there is no fault left to mend, reply with the one word DONE.';
const REVISING =
  'You revise a result by a critique of it. Mend every fault that the critique names, and keep what is right. Reply with the complete new version and nothing else.';

interface Issue {
  readonly text: string;
  readonly severity: string;
}

/**
 * Finds faults in its own result and repairs them.
 *
 * Model calls: `agent + critiques + revisions`: two where the first critique is DONE, at most `1 + 2 × maxRounds` where each
 * critique can be read at once. Ends `bounded` with the last version as its partial value when the critic never was
 * content. Not where a test exists (`reflexion`), and not where the critic accepts what people reject
 * (`untilApproved`): a model is a mild judge of itself.
 *
 * @pattern R8
 * @example
 * ```ts
 * const polished = selfRefine(writer, { critic, reviser, criteria: 'At most 50 words.' }, { maxRounds: 3 });
 * ```
 */
export function selfRefine<I, O>(
  agent: Agent<I, O>,
  { critic, reviser, criteria = '' }: SelfRefineParts<O>,
  { maxRounds = 3 }: SelfRefineOptions = {},
): Described<Agent<I, O>> {
  checkGiven('selfRefine (R8)', { agent, critic, reviser });
  checkCounts('selfRefine (R8)', { maxRounds });
  checkOneModel(agent, critic, reviser);
  const about = {
    id: 'R8',
    name: 'selfRefine',
    params: { maxRounds },
    parts: { agent, critic, reviser },
    apart: [
      ['critic', 'agent'],
      ['critic', 'reviser'],
    ],
    calls: {
      sum: [
        { part: 'agent' },
        { times: [{ fact: 'critiques', least: 0, most: 2 * maxRounds }, { part: 'critic' }] },
        { times: [{ fact: 'revisions', least: 0, most: { param: 'maxRounds' } }, { part: 'reviser' }] },
      ],
    },
  } as const;
  const seats = {
    critic: { ...critic, setup: joined(critic.setup, FINDING, ...(criteria === '' ? [] : [criteriaText(criteria)])) },
    reviser: { ...reviser, setup: joined(reviser.setup, REVISING) },
  };
  const criteriaFraming = criteria === '' ? undefined : toldTo(criteria);
  return pattern(about, async (run, input: I) => {
    const told = criteriaFraming === undefined ? run : run.dressed(criteriaFraming);
    const made = await runPart(told, agent, input);
    run.learned({ critiques: 0, revisions: 0 });
    if (made.stop !== 'done') return made;
    let { value } = made;
    let critiques = 0;
    const similarity: number[] = [];
    for (let round = 1; round <= maxRounds; round++) {
      run.best(value);
      const found = await faultsIn(run, seats.critic, input, value);
      critiques += found.tries;
      run.learned({ critiques, ...(round === 1 ? { contentAtOnce: found.issues?.length === 0 } : {}) });
      if (found.issues === undefined) return degraded(value, `no critique could be read: ${found.problem}`);
      if (found.issues.length === 0) return done(value);
      const revised = await askOnce(run, seats.reviser, revisionText(input, value, found.issues));
      run.learned({ revisions: round });
      if (revised.stop !== 'done') return revised;
      similarity.push(textSimilarity(shown(value), shown(revised.value)));
      run.learned({ similarity });
      value = revised.value;
    }
    return { stop: 'bounded', bound: 'maxRounds', limit: maxRounds, partial: value };
  });
}

/** Two models are a writer and a judge: another pattern, with other promises. */
function checkOneModel(agent: object, critic: Session, reviser: Session<unknown>): void {
  const models = new Set([
    critic.model.id,
    reviser.model.id,
    ...sessionsIn(partOf(agent).part).map(({ model }) => model),
  ]);
  if (models.size === 1) return;
  throw new ConfigError(
    `selfRefine (R8) needs one model for all its sessions, and has ${[...models].join(', ')}. To have another model judge, use untilApproved (O5).`,
  );
}

const joined = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');
const criteriaText = (criteria: string): string => `What a good result is:\n${criteria}`;

/** The agent works by the words that the critic holds its result against. */
function toldTo(criteria: string): Framing {
  const text = criteriaText(criteria);
  return {
    id: `criteria:${sha256(text).slice(0, 16)}`,
    session: (session) => ({ ...session, setup: joined(session.setup, text) }),
  };
}

async function faultsIn(
  run: Entered,
  critic: Session,
  task: unknown,
  value: unknown,
): Promise<{ readonly issues?: readonly Issue[]; readonly problem?: string; readonly tries: number }> {
  const asked = await askUntil(
    run,
    critic,
    `The task:\n<task>\n${shown(task)}\n</task>\n\nThe result:\n<result>\n${shown(value)}\n</result>\n\nWhat is wrong with it?`,
    ({ text }) => issuesIn(text),
    1,
  );
  const { tries } = asked;
  return asked.ok ? { issues: asked.value, tries } : { problem: asked.problem, tries };
}

/** DONE is the whole reply, or it is not said: a critique may well talk about being done. */
function issuesIn(text: string): Read<readonly Issue[]> {
  if (/^"?DONE"?\.?$/.test(text.trim())) return { ok: true, value: [] };
  const found = findJson(text, hasIssues, 'critique');
  if (!found.ok) return { ok: false, problem: `${found.problem}. Reply with the issues as JSON, or with DONE.` };
  if (!hasIssues(found.value)) return { ok: false, problem: 'Reply with {"issues":[…]}, or with DONE.' };
  const { issues } = found.value;
  if (issues.length === 0) return { ok: false, problem: 'The list is empty. If there is no fault, reply with DONE.' };
  return { ok: true, value: issues };
}

function hasIssues(value: unknown): value is { readonly issues: readonly Issue[] } {
  if (typeof value !== 'object' || value === null || !('issues' in value) || !Array.isArray(value.issues)) return false;
  return value.issues.every(
    (issue: unknown) =>
      typeof issue === 'object' && issue !== null && 'text' in issue && typeof issue.text === 'string',
  );
}

function revisionText(task: unknown, value: unknown, issues: readonly Issue[]): string {
  const lines = issues.map(({ text, severity }) => `- ${severity === undefined ? '' : `(${severity}) `}${text}`);
  return `The task:\n<task>\n${shown(task)}\n</task>\n\nThe result so far:\n<result>\n${shown(value)}\n</result>\n\nThe critique:\n${lines.join('\n')}\n\nWrite the complete new version.`;
}
