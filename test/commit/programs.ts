import { createHash } from 'node:crypto';
import { FlyballError, type ModelCallContext, type ModelRequest, type StandardSchema } from 'flyball';
import { documentsRetriever } from 'flyball/retrieval';
import { type ReplyFunction, seededRandom } from 'flyball/testing';
import { ROOT_CAUSES } from '../../packages/flyball/src/core/work.js';
import type { Course } from './crash.js';
import { criticized, judging, PLAN, TASK } from './stage-commit.js';

/** A number in [0, 1) that depends on nothing but these words: a call that a crash repeats gets the same answer. */
function draw(...words: readonly unknown[]): number {
  const hash = createHash('sha256').update(JSON.stringify(words)).digest();
  return hash.readUInt32BE(0) / 2 ** 32;
}

function pick<T>(from: readonly T[], ...words: readonly unknown[]): T {
  return from[Math.floor(draw(...words) * from.length)] as T;
}

const SCORES = [0, 0.5, 0.79, 0.84, 0.9, 0.97, 1, 1, 1];
const TEXTS = [
  'Because of the moon.',
  'Tides.\n\nThe sun.\nThe moon.',
  '{"cause":"the moon"}',
  '',
  'no',
  '```\nfenced\n```',
];

/** One reply in so many is a failure, and one is nonsense. */
function shaky(seed: number, role: string, say: (request: ModelRequest, key: string) => string): ReplyFunction {
  return (request: ModelRequest, _n: number, { key }: ModelCallContext) => {
    const luck = draw(seed, role, key, 'luck');
    if (luck < 0.06) return new FlyballError('MODEL_UNAVAILABLE', 'Busy.', { retryable: true });
    if (luck < 0.08) return new FlyballError('MODEL_REJECTED', 'No.', { retryable: false });
    if (luck < 0.14) return 'I would rather talk about the weather.';
    return say(request, key);
  };
}

const CAUSED: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (typeof value === 'object' ? { value } : { issues: [{ message: 'it needs a cause' }] }),
  },
};

/** A loop with arbitrary parts, limits, verdicts, errors and people. */
export function programOf(seed: number): Course {
  const random = seededRandom(seed);
  const chance = (share: number): boolean => random() < share;
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const [hasStronger, hasSchema] = [chance(0.4), chance(0.25)];
  const text = (role: string) => shaky(seed, role, (_request, key) => pick(TEXTS, seed, role, key));
  return {
    task: { ...TASK, requiresApproval: chance(0.3) },
    limits: chance(0.25) ? { iterations: 3 + upTo(10), modelCalls: 2 + upTo(20) } : {},
    script: {
      planner: shaky(seed, 'planner', () => PLAN),
      worker: text('worker'),
      repairer: text('repairer'),
      stronger: text('stronger'),
      judge: judge(seed),
      critic: shaky(seed, 'critic', (_request, key) => critique(seed, key)),
    },
    options: {
      expectedError: pick([0, 0, 0.1, 0.3], seed, 'expected'),
      controller: { noise: pick([0, 0.02, 0.02, 0.5], seed, 'noise') },
      exit: { novelty: pick([1, 0.7], seed, 'novelty') },
      ...(chance(0.4) ? { retriever: documentsRetriever({ name: 'library', documents: DOCUMENTS }) } : {}),
      limits: {
        maxIterations: 5 + upTo(30),
        maxRepairs: 1 + upTo(4),
        maxRetries: upTo(3),
        maxRetrievals: upTo(2),
        maxDecompositions: upTo(2),
        maxUpgrades: upTo(1),
        maxModifications: upTo(3),
      },
      parts: (session) => ({
        repair: {
          session: session('repairer'),
          ...(hasStronger ? { stronger: session('stronger') } : {}),
          budget: { attempts: 1 + (seed % 7) },
        },
        verification: { judge: { session: session('judge') }, ...(hasSchema ? { schema: CAUSED } : {}) },
      }),
    },
    answer: (request) => said(seed, request),
  };
}

const DOCUMENTS = [{ source: 'moon.md', text: 'The moon pulls the sea. Tides turn twice a day.' }];

function judge(seed: number): ReplyFunction {
  return (request, n, how) => {
    const score = (name: string): number => pick(SCORES, seed, how.key, name);
    const gaps = draw(seed, how.key, 'gap') < 0.15 ? ['spring tides'] : [];
    const scores = { correctness: score('c'), completeness: score('m'), coherence: score('h'), safety: score('s') };
    const fair = judging(
      () => scores,
      () => gaps,
    );
    return shaky(seed, 'judge', () => String(fair(request, n, how)))(request, n, how);
  };
}

function critique(seed: number, key: string): string {
  const count = Math.floor(draw(seed, key, 'count') * 3);
  return criticized(
    ...Array.from({ length: count }, (_none, nth) => ({
      description: `defect ${nth} of ${key.length}`,
      severity: draw(seed, key, nth, 'severity'),
      cause: pick(ROOT_CAUSES, seed, key, nth),
      needsExpert: draw(seed, key, nth, 'expert') < 0.1,
      ...(draw(seed, key, nth, 'line') < 0.5 ? { line: 1 } : {}),
    })),
  );
}

function said(seed: number, request: Readonly<Record<string, unknown>>): unknown {
  const asked = JSON.stringify([request['history'], request['why']]);
  const kind = pick(['approve', 'reject', 'modify', 'replace', 'escalate'], seed, asked);
  if (kind === 'modify') return { verdict: 'modify', value: 'Say it otherwise.' };
  if (kind === 'replace') return { verdict: 'modify', value: { artefacts: { answer: 'A person wrote this.' } } };
  return { verdict: kind, reason: 'because' }; // a gate that is closed is opened only with a reason
}
