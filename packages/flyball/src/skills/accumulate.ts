import { useFrom } from '../core/about.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import { described } from '../core/use.js';
import { type Distilled, distil } from './distil.js';
import { governed, LEARNED_POLICY, type LearnedPolicy, logged } from './learned-govern.js';
import type { LearnedSkill } from './learned-skill.js';
import type { LearnedSkills } from './learned-skills.js';
import { coverage, scoreSkills } from './lexical-score.js';
import type { Filter } from './match-filters.js';
import type { SuccessVerdict, Trace } from './trace.js';

/** What `accumulateSkills` needs. */
export interface AccumulateParts {
  readonly shelf: LearnedSkills;
  /** Who distils. It never executes a skill, and who executes one never writes. */
  readonly session: Filter;
  readonly policy?: Partial<LearnedPolicy>;
  /** Parameters that a skill may have: 2 to 5 where it is absent. */
  readonly parameters?: { readonly least: number; readonly most: number };
  readonly maxBodyChars?: number;
}

/** A learned skill with the confidence that it fits. */
export interface RetrievedSkill {
  readonly skill: LearnedSkill;
  /** From 0 to 1: how much of the task the skill is about. */
  readonly confidence: number;
}

/** Procedures learned from successes. Every read and write is a step of the run that makes it. */
export interface SkillAccumulator {
  /** Stores what a verified success teaches; an unknown or failed verdict stores nothing. */
  distil(run: Run, trace: Trace, verdict: SuccessVerdict): Promise<Distilled>;
  /** Active skills that are about the task, best first. */
  retrieve(run: Run, task: string): Promise<readonly RetrievedSkill[]>;
  /** Counts a use; one failure too many quarantines the skill. Answers the status after it. */
  log(
    run: Run,
    name: string,
    used: { readonly ok: boolean; readonly because?: string },
  ): Promise<LearnedSkill['status']>;
  /** Quarantines what fails, retires what is stale or beyond the size. Answers the names of those that changed. */
  govern(run: Run): Promise<readonly string[]>;
  /** Takes everything out of use that came from a run whose success turned out to be none. */
  recall(run: Run, from: string, why: string): Promise<readonly string[]>;
}

const TRIES = 5;

/**
 * Turns verified successes into reusable procedures.
 *
 * Model calls: three to store a skill, two more where it is revised once; retrieving makes none. Not for tasks that hardly
 * ever come back: below one in ten it does not pay.
 *
 * @pattern H4
 */
export function accumulateSkills(parts: AccumulateParts): SkillAccumulator {
  const { shelf, session, parameters = { least: 2, most: 5 }, maxBodyChars = 20_000 } = parts;
  if (shelf === undefined || session === undefined)
    throw new ConfigError('accumulateSkills (H4) needs a shelf and a session.');
  const policy: LearnedPolicy = { ...LEARNED_POLICY, ...parts.policy };
  if (!(parameters.least >= 0 && parameters.most >= Math.max(1, parameters.least)))
    throw new ConfigError(`A skill has least to most parameters, got ${parameters.least} to ${parameters.most}.`);
  requireSound(policy);

  const putAll = async (changed: readonly LearnedSkill[], how: { readonly key: string }, now: number) => {
    for (const skill of changed) await shelf.put(skill, { id: `${how.key}:${skill.name}`, now });
    return changed.map(({ name }) => name);
  };
  const accumulator: SkillAccumulator = {
    distil: async (run, trace, verdict) => {
      const made = await distil(run, { session, parameters, maxBodyChars }, trace, verdict);
      if (made.stored) return keep(run, shelf, made.skill);
      run.note({ kind: 'skill-distilled', stored: false, because: made.because });
      return made;
    },
    retrieve: async (run, task) => {
      const found = await run.step(
        'retrieve-skills',
        { task: task.slice(0, LONGEST_TASK) },
        async (given) =>
          ranked(
            given.task,
            (await shelf.list()).filter(({ status }) => status === 'active'),
          ),
        'pure',
      );
      run.note({
        kind: 'skills-retrieved',
        found: found.map(({ skill, confidence }) => ({ name: skill.name, confidence })),
      });
      return found;
    },
    log: (run, name, used) =>
      run.step(
        'log-skill-use',
        { name, run: run.id, at: run.now(), ...used },
        ({ name: of, ...use }, { key }) => logs(shelf, of, { id: key, ...use }, policy),
        RECORDS,
      ),
    govern: (run) =>
      run.step(
        'govern-skills',
        { now: run.now() },
        async ({ now }, how) => putAll(governed(await shelf.list(), now, policy), how, now),
        RECORDS,
      ),
    recall: (run, from, why) =>
      run.step(
        'recall-skills',
        { from, why, now: run.now() },
        async (given, how) => putAll(quarantined(await shelf.list(), given), how, given.now),
        RECORDS,
      ),
  };
  const params = { policy, parameters, maxBodyChars };
  const calls = { fact: 'asked', least: 0, most: 5 };
  return described(
    accumulator,
    useFrom({
      id: 'H4',
      name: 'accumulateSkills',
      params,
      parts: { extractor: { ...session, setup: session.setup ?? '' } },
      calls,
    }),
  );
}

async function keep(run: Run, shelf: LearnedSkills, skill: LearnedSkill): Promise<Distilled> {
  const stored = await run.step(
    'store-skill',
    { skill, now: run.now() },
    (given, { key }) => stores(shelf, given.skill, { id: key, now: given.now }),
    RECORDS,
  );
  run.note({ kind: 'skill-distilled', stored: stored.stored, name: skill.name, ...becauseOf(stored) });
  return stored;
}

/** What came from a run whose success turned out to be none. */
function quarantined(
  skills: readonly LearnedSkill[],
  { from, why }: { readonly from: string; readonly why: string },
): readonly LearnedSkill[] {
  return skills
    .filter(({ provenance, status }) => provenance.run === from && status === 'active')
    .map((skill) => ({ ...skill, status: 'quarantined', why, revision: skill.revision + 1 }));
}

/** The shelf is Flyball's own: keeping it is no action of the agent. */
const RECORDS = { class: 'idempotent', records: true } as const;

const LONGEST_TASK = 4000;

function ranked(task: string, skills: readonly LearnedSkill[]): readonly RetrievedSkill[] {
  return scoreSkills(task, skills).map(({ skill }) => ({ skill, confidence: coverage(task, skill) }));
}

/** A skill of that name that is in use stays; one that was taken out of use makes room. */
async function stores(
  shelf: LearnedSkills,
  skill: LearnedSkill,
  how: { readonly id: string; readonly now: number },
): Promise<Distilled> {
  const held = await shelf.get(skill.name);
  if (held?.provenance.trace === skill.provenance.trace && held.status === 'active')
    return { stored: true, skill: held };
  if (held?.status === 'active') return { stored: false, because: `there is an active skill ${skill.name} already` };
  const next = { ...skill, revision: (held?.revision ?? 0) + 1 };
  await shelf.put(next, how);
  return { stored: true, skill: next };
}

async function logs(
  shelf: LearnedSkills,
  name: string,
  used: {
    readonly id: string;
    readonly run: string;
    readonly at: number;
    readonly ok: boolean;
    readonly because?: string;
  },
  policy: LearnedPolicy,
): Promise<LearnedSkill['status']> {
  for (let tries = 1; ; tries++) {
    const skill = await shelf.get(name);
    if (skill === undefined) throw new FlyballError('INPUT_INVALID', `There is no learned skill ${name}.`);
    const next = logged(skill, used, policy);
    if (next === skill) return skill.status;
    try {
      await shelf.put(next, { id: `${used.id}:${next.revision}`, now: used.at });
      return next.status;
    } catch (error) {
      // somebody else logged a use meanwhile: theirs stays, ours goes on top
      if (!(error instanceof FlyballError) || error.code !== 'RECORD_CONFLICT' || tries >= TRIES) throw error;
    }
  }
}

function becauseOf(stored: Distilled): { readonly because?: string } {
  return stored.stored ? {} : { because: stored.because };
}

function requireSound(policy: LearnedPolicy): void {
  for (const [name, value] of Object.entries(policy) as [keyof LearnedPolicy, number][])
    if (!(value > 0)) throw new ConfigError(`${name} of learned skills must be above 0, got ${value}.`);
  if (policy.maxFailureRate > 1) throw new ConfigError(`maxFailureRate is at most 1, got ${policy.maxFailureRate}.`);
}
