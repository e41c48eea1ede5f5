import { sha256 } from '../core/canonical.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { done } from '../core/outcome.js';
import type { Run } from '../core/run.js';
import type { Input, Session } from '../core/session.js';
import { isFilled } from '../core/slot.js';
import type { Embedder } from '../ports/embedder.js';
import type { Consistency } from './contracts.js';
import { checkUnseeded, drawSamples } from './sampling.js';
import { closest, majority, plainText, type Vote } from './voting.js';

/** How many samples are compared, and how. */
export interface ConsistencyOptions {
  /** Further samples cost as much and add little. */
  readonly n: 3 | 5 | 7;
  /** 0.7 where it is absent; 0 would draw one sample several times. */
  readonly temperature?: number;
  /** Below it confidence is low: 0.70 where it is absent. */
  readonly minimum?: number;
  /** Equal answers are counted, or similar ones measured: free text is never twice the same. */
  readonly voting: 'majority' | 'similarity';
  readonly embedder?: Embedder;
  /** What two equal answers may differ in: white space where it is absent. */
  readonly normalize?: (text: string) => string;
}

/** One of several answers to the same task. */
export type Sample =
  | { readonly ok: true; readonly text: string }
  /** It abstains. */
  | { readonly ok: false; readonly why: string };

/** The answer that most samples agree with. */
export interface Consensus {
  readonly best: string;
  readonly consistency: Consistency;
  readonly samples: readonly Sample[];
}

/** What most samples of a session say to a prompt, how far they agree, and all of them: an answer is held against them. */
export function sampledAnswers(
  options: ConsistencyOptions,
): (run: Run, session: Session, prompt: Input) => Promise<Consensus> {
  const checked = checkedConsistency(options);
  return async (run, session, prompt) => {
    checkedConsistency(options, session);
    const samples = await draw(run, { session, prompt, ...checked });
    const vote = await voteOf(run, checked, samples);
    if (vote === undefined)
      throw new FlyballError('NO_ANSWER', `None of the ${checked.n} samples of "${session.name}" can be used.`, {
        detail: { samples },
      });
    const best = samples[vote.best];
    return { best: best?.ok === true ? best.text : '', consistency: consistencyOf(checked, vote, samples), samples };
  };
}

type Checked = ConsistencyOptions & {
  readonly temperature: number;
  readonly minimum: number;
  readonly normalize: (text: string) => string;
};

export function checkedConsistency(options: ConsistencyOptions, session?: Session): Checked {
  const { n, temperature = 0.7, minimum = 0.7, normalize = plainText, voting, embedder } = options;
  if (n !== 3 && n !== 5 && n !== 7) throw new ConfigError(`Self-consistency draws 3, 5 or 7 samples, got ${n}.`);
  if (!(temperature > 0))
    throw new ConfigError(`Samples at temperature ${temperature} are all the same. Use one above 0, such as 0.7.`);
  if (!(minimum >= 0 && minimum <= 1)) throw new ConfigError(`The minimum must be 0 to 1, got ${minimum}.`);
  if (voting === 'similarity' && embedder === undefined)
    throw new ConfigError('Voting by similarity needs an embedder, such as hashEmbedder() of flyball/memory.');
  if (session !== undefined) checkUnseeded(session.name, session.sampling?.seed);
  return { ...options, temperature, minimum, normalize };
}

async function draw(
  run: Run,
  { session, prompt, n, temperature }: Checked & { readonly session: Session; readonly prompt: Input },
): Promise<readonly Sample[]> {
  const one = async (branch: Run) => done((await branch.ask(session, prompt)).text);
  return (await drawSamples(run, one, { samples: n, temperature })).map((slot): Sample => {
    if (!isFilled(slot)) return { ok: false, why: slot.because ?? slot.stop };
    return slot.value.trim() === '' ? { ok: false, why: 'It is empty.' } : { ok: true, text: slot.value };
  });
}

async function voteOf(run: Run, options: Checked, samples: readonly Sample[]): Promise<Vote | undefined> {
  const ballots = samples.map((sample) => (sample.ok ? sample.text : undefined));
  if (options.voting === 'majority') return majority(ballots, options.normalize);
  const similar = await similarities(
    run,
    options,
    ballots.map((ballot) => ballot ?? ''),
  );
  return closest(ballots, (i, j) => similar[i]?.[j] ?? 0);
}

function consistencyOf({ n, minimum, voting }: Checked, vote: Vote, samples: readonly Sample[]): Consistency {
  const agree = vote.score >= minimum && !vote.tie;
  const best = samples[vote.best];
  return {
    score: vote.score,
    verdict: agree ? 'pass' : 'low-confidence',
    n,
    best: vote.best,
    voting,
    margin: vote.margin,
    tie: vote.tie,
    abstained: samples.filter(({ ok }) => !ok).length,
    samples: samples.flatMap((sample) => (sample.ok ? [sample.text.slice(0, LONGEST_SAMPLE)] : [])),
    // a part of an answer is no answer
    ...(agree && best?.ok === true && best.text.length <= LONGEST_SAMPLE ? { agreed: best.text } : {}),
  };
}

const LONGEST_SAMPLE = 4_000;

/**
 * The verdict on an answer that was made before: samples that agree with each other and not with it speak against it, so
 * that its score is at most its own agreement with them.
 */
export async function heldAgainst(
  run: Run,
  options: ConsistencyOptions,
  answer: string,
  { consistency, samples }: Consensus,
): Promise<Consistency> {
  const checked = checkedConsistency(options);
  const score = Math.min(consistency.score, await agreement(run, checked, answer, samples));
  const passes = score >= checked.minimum && consistency.verdict === 'pass';
  return { ...consistency, score, verdict: passes ? 'pass' : 'low-confidence' };
}

async function agreement(run: Run, options: Checked, answer: string, samples: readonly Sample[]): Promise<number> {
  const texts = samples.map((sample) => (sample.ok ? sample.text : ''));
  if (options.voting === 'majority') {
    const own = options.normalize(answer);
    return samples.filter((sample) => sample.ok && options.normalize(sample.text) === own).length / samples.length;
  }
  const [first = []] = await similarities(run, options, [answer, ...texts]);
  return first.slice(1).reduce((sum, value) => sum + value, 0) / samples.length;
}

/** Cosines, 0 to 1; an empty text is similar to nothing. */
function similarities(
  run: Run,
  { embedder }: Checked,
  texts: readonly string[],
): Promise<readonly (readonly number[])[]> {
  return run.step(
    'similarity',
    { embedder: embedder?.id ?? '', texts: texts.map(sha256) },
    async (_input, { signal }) => {
      const vectors = (await embedder?.embed(texts, { signal, as: 'document' })) ?? [];
      return texts.map((_text, i) => texts.map((_other, j) => cosine(vectors[i], vectors[j])));
    },
    'pure',
  );
}

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const sum = a.reduce((total, value, index) => total + value * (b[index] ?? 0), 0);
  return Math.min(1, Math.max(0, sum)); // what points away is no more than dissimilar
}
