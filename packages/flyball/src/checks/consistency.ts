import { sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import { blocked, type Outcome } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Input, Session } from '../core/session.js';
import type { Slot } from '../core/slot.js';
import type { Described } from '../core/use.js';
import { replied } from '../kit/seat.js';
import type { Embedder } from '../ports/embedder.js';
import type { Consistency } from './contracts.js';
import { sampledVote } from './sampled-vote.js';
import { checkUnseeded } from './sampling.js';
import { type Ballot, closest, majority, plainText, type Vote } from './voting.js';

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

/** The answer that most samples agree with. */
export interface Consensus {
  readonly best: string;
  readonly consistency: Consistency;
  /** In the order in which they were drawn. */
  readonly samples: readonly Slot<string>[];
}

/**
 * What most samples of a session say to a prompt, how far they agree, and all of them: an answer is held against them. It
 * is a use of R17, `degraded` where they do not agree and `failed` where none has an answer.
 */
export function sampledAnswers(session: Session, options: ConsistencyOptions): Described<Agent<Input, Consensus>> {
  const checked = checkedConsistency(options, session);
  const { n, temperature, minimum } = checked;
  return sampledVote(
    {
      agent: session,
      one: (branch, prompt: Input) => sampleOf(branch, session, prompt),
      count: (run, slots) => voteOf(run, checked, slots.map(textOf)),
      answer: (best, vote, samples) => ({
        best,
        consistency: consistencyOf(checked, vote, samples.map(textOf)),
        samples,
      }),
    },
    { samples: n, temperature, minAgreement: minimum },
  );
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

/** What is cut off, refused or empty is no answer. */
async function sampleOf(branch: Run, session: Session, prompt: Input): Promise<Outcome<string>> {
  const { finish, text } = await branch.ask(session, prompt);
  const answer = replied(session, finish, text);
  return answer.stop === 'done' && text.trim() === '' ? blocked('it is empty') : answer;
}

function textOf({ stop, value }: Slot<string>): Ballot {
  return stop === 'done' ? value : undefined;
}

async function voteOf(run: Run, options: Checked, samples: readonly Ballot[]): Promise<Vote | undefined> {
  if (options.voting === 'majority') return majority(samples, options.normalize);
  const similar = await similarities(
    run,
    options,
    samples.map((sample) => sample ?? ''),
  );
  return closest(samples, (i, j) => similar[i]?.[j] ?? 0);
}

function consistencyOf({ n, minimum, voting }: Checked, vote: Vote, samples: readonly Ballot[]): Consistency {
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
    abstained: samples.filter((sample) => sample === undefined).length,
    samples: samples.flatMap((sample) => (sample === undefined ? [] : [sample.slice(0, LONGEST_SAMPLE)])),
    // a part of an answer is no answer
    ...(agree && best !== undefined && best.length <= LONGEST_SAMPLE ? { agreed: best } : {}),
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
  const score = Math.min(consistency.score, await agreement(run, checked, answer, samples.map(textOf)));
  const passes = score >= checked.minimum && consistency.verdict === 'pass';
  return { ...consistency, score, verdict: passes ? 'pass' : 'low-confidence' };
}

async function agreement(run: Run, options: Checked, answer: string, samples: readonly Ballot[]): Promise<number> {
  if (options.voting === 'majority') {
    const own = options.normalize(answer);
    return (
      samples.filter((sample) => sample !== undefined && options.normalize(sample) === own).length / samples.length
    );
  }
  const texts = samples.map((sample) => sample ?? '');
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
