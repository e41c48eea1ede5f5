import { type Clock, done, type Outcome, type Run, type Session, systemClock } from 'flyball';
import type { Subject } from 'flyball/checks';
import type { ScriptedModel } from 'flyball/testing';
import type { VerifyContext } from '../../packages/flyball/src/checks/contracts.js';
import type { Evidence } from '../../packages/flyball/src/core/work.js';
import { Stage } from '../runtime/stage.js';

/** Runs a function as an agent to its end and answers what it returned, as the journal holds it. */
export async function inRun<T>(work: (run: Run) => Promise<T>): Promise<T> {
  const outcome = await ended(work);
  if (outcome.stop !== 'done') throw new Error(`It ended ${JSON.stringify(outcome)}`);
  return outcome.value as T;
}

/** As `inRun`, whatever the end. */
export function ended<T>(work: (run: Run) => Promise<T>): Promise<Outcome<unknown>> {
  return new Stage<Clock>(systemClock()).open(async (run: Run) => done(await work(run))).start();
}

export function session(model: ScriptedModel, name: string): Session {
  return { name, model, setup: `You are the ${name}.` };
}

export function piece(id: string, text: string, more: Partial<Evidence> = {}): Evidence {
  return {
    id,
    text,
    source: 'city archive',
    place: 'page 3',
    query: 'bridge history',
    score: 0.9,
    authority: true,
    trust: 'outside',
    ...more,
  };
}

export const BRIDGE = 'The bridge opened in 1894.\nIt is 214 metres long.\nIt is painted green.';

/** A short text about a bridge, and what is known about it. */
export function bridge(more: Partial<Subject> = {}): Subject {
  return {
    task: {
      id: 'bridge',
      goal: 'Describe the bridge.',
      requirements: ['when it opened', 'how long it is'],
      taskClass: 'description',
    },
    outputs: { artefacts: [{ name: 'answer', text: BRIDGE }], reports: [] },
    evidence: { items: [piece('e1', 'Opened 1894.'), piece('e2', 'Length: 241 m.', { score: 0.8 })], gaps: [] },
    ...more,
  };
}

export const AT_COMMIT: VerifyContext = { iteration: 0, baseline: {}, trigger: 'commit' };

const DIMENSIONS = ['correctness', 'completeness', 'coherence', 'safety'] as const;
type Dimension = (typeof DIMENSIONS)[number];

/** A judge's reply: 0.9 everywhere, 1 for safety, unless told otherwise. */
export function scores(
  given: Partial<Record<Dimension, number>> = {},
  more: { readonly missing?: readonly number[]; readonly gaps?: readonly string[] } = {},
  names: readonly Dimension[] = DIMENSIONS,
): string {
  const dimensions = names.map((name) => {
    const score = given[name] ?? (name === 'safety' ? 1 : 0.9);
    return [name, { reasoning: `Looked at ${name}.`, score }];
  });
  return JSON.stringify({ dimensions: Object.fromEntries(dimensions), missing: [], gaps: [], ...more });
}

/** What a claim extractor finds. */
export function claimed(...texts: readonly string[]): string {
  return JSON.stringify({ claims: texts.map((text, index) => ({ text, artefact: 'answer', line: index + 1 })) });
}

/** What a judge of claims says, in order. */
export function judged(...verdicts: readonly (readonly [string, ...string[]])[]): string {
  return JSON.stringify({
    verdicts: verdicts.map(([verdict, ...evidence], index) => ({
      claim: index + 1,
      reasoning: 'Compared.',
      verdict,
      evidence,
    })),
  });
}

/** What a critic says about one thing; everything but its words has a default. */
export function complaint(description: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    description,
    dimension: 'correctness',
    severity: 0.6,
    artefact: null,
    line: null,
    endLine: null,
    section: null,
    scope: 'bounded',
    cause: null,
    needsExpert: false,
    hint: `Mend: ${description}`,
    ...more,
  };
}
