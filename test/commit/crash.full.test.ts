import { type Entry, memoryEngine, memoryStore } from 'flyball';
import { memory } from 'flyball/memory';
import { documentsRetriever } from 'flyball/retrieval';
import { type CrashPoint, crashingEngine } from 'flyball/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CommitLives, type Course, liveCommit } from './crash.js';
import { criticized, judging, TASK } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

type Shown = { readonly messages: readonly { readonly content: string }[] };
const shows = ({ messages }: Shown, text: string): boolean => messages.some(({ content }) => content.includes(text));

const library = documentsRetriever({
  name: 'library',
  documents: [{ source: 'moon.md', text: 'The moon and tides.' }],
});

const COURSES: Readonly<Record<string, Course>> = {
  'the smooth course': { script: {} },
  'a course with critique and several repairs': {
    script: {
      worker: () => 'First draft.\nIt has two lines.',
      judge: judging((shown) => {
        if (shown.includes('Third draft')) return {};
        if (shown.includes('Second draft')) return { correctness: 0.8 };
        return { correctness: shown.includes('Half a draft') ? 0.7 : 0.6 };
      }),
      critic: (request) =>
        shows(request, 'Second draft')
          ? criticized({ description: 'still vague' })
          : criticized({ description: 'vague', line: 1 }, { description: 'short', line: 2, severity: 0.3 }),
      repairer: (request) => {
        if (shows(request, 'still vague')) return 'Third draft.';
        return shows(request, 'Half a draft') ? 'Second draft.' : 'Half a draft.'; // the first one does not help
      },
    },
    options: { retriever: library, memory: memory({ store: memoryStore() }), exit: { novelty: 1, pAuto: 0.7 } },
  },
  'a course that a person modifies': {
    task: { ...TASK, requiresApproval: true },
    script: {},
    answer: ({ history }) =>
      history === undefined ? { verdict: 'modify', value: 'Mention the sun.' } : { verdict: 'approve' },
  },
};

async function calmly(course: Course) {
  const process = crashingEngine(memoryEngine(), () => false);
  return { calm: await liveCommit(course, () => process), points: [...process.points] };
}

function crashedAt({ n, when }: CrashPoint, course: Course): Promise<CommitLives> {
  const engine = memoryEngine();
  return liveCommit(course, (life) => crashingEngine(engine, life === 0 ? { at: n, when } : () => false));
}

/** Keys of model calls whose reply the journal holds. */
function answeredIn(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ event }) => (event.type === 'ask-end' ? [`run:0:${event.id}`] : [])));
}

/** Everything of a result and of what it left behind that is not a time. */
async function comparable({ outcome, store, entries }: CommitLives): Promise<unknown> {
  if (outcome.stop !== 'done') return outcome;
  const { outputs, status, missing, provenance, audit } = outcome.value;
  const shelf = { tenant: 'default', owner: 'anonymous' };
  const commits = (await store.query({ ...shelf, collection: 'commits' })).records;
  const lessons = (await store.query({ ...shelf, collection: 'commit-lessons' })).records;
  return {
    result: { outputs, status, missing, transitions: audit.transitions, exit: audit.exit },
    repairs: provenance.repairs.map(({ ms: _ms, ...repair }) => repair),
    provenance: [provenance.taskHash, provenance.planHash, provenance.scores, provenance.approvers],
    stored: commits.map(({ key, value }) => [key, (value as { readonly seal: string }).seal === outcome.value.seal]),
    learned: lessons.map(({ key, value }) => {
      const { lessons: ids, ...rest } = value as { readonly lessons: readonly string[] };
      return [key, rest, ids.length];
    }),
    phases: new Set(
      entries.flatMap(({ event }) =>
        event.type === 'note' && event.event.kind === 'phase' ? [JSON.stringify(event.event)] : [],
      ),
    ),
  };
}

async function expectAlike(crashed: CommitLives, calm: CommitLives): Promise<void> {
  expect(await comparable(crashed)).toEqual(await comparable(calm));
  const answered = answeredIn(crashed.atDeath);
  for (const [key, times] of crashed.asked) {
    if (answered.has(key)) expect(times, `${key} was asked again after its reply was journaled`).toBe(1);
    else expect(times, `${key} was asked ${times} times`).toBeLessThanOrEqual(2);
  }
  expect([...crashed.asked.keys()].sort()).toEqual([...calm.asked.keys()].sort());
}

describe('a commit loop that dies before or after any of its journal writes', () => {
  it.each(Object.keys(COURSES))(
    'ends like the one that never did, and asks nothing again that was answered: %s [R4-SHOW-CRASH]',
    async (name) => {
      const course = COURSES[name] as Course;
      const { calm, points } = await calmly(course);
      expect(calm.outcome.stop).toBe('done');
      if (name.includes('repairs'))
        expect(calm.outcome).toMatchObject({
          value: { provenance: { repairs: [{ resolved: false }, { resolved: true }, { resolved: true }] } },
        });
      expect(points.length).toBeGreaterThan(16);
      for (const point of points) {
        const where = `crashed ${point.when} write ${point.n} (${point.entries?.join(', ') ?? point.op})`;
        try {
          const crashed = await crashedAt(point, course);
          expect(crashed.lives).toBe(2);
          await expectAlike(crashed, calm);
        } catch (cause) {
          throw new Error(where, { cause });
        }
      }
    },
  );
});
