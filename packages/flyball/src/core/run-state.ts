import { type Amounts, NOTHING } from './budget.js';
import type { Delegate } from './delegates.js';
import type { Usage } from './outcome.js';
import type { PrivateMark } from './private-marks.js';
import type { StartedRun } from './started-runs.js';

/** An instruction that a person gave a run. */
export interface Instruction {
  readonly by: string;
  readonly text: string;
}

/** A person's no to an act. It stands for the rest of the run, unless they said that they may be asked again. */
export interface Rejection {
  readonly by: string;
  readonly at: number;
  readonly reason: string;
}

/** A person's no that is final, if what they said is one. */
export function rejectionIn(said: {
  readonly payload?: unknown;
  readonly from?: string;
  readonly at: number;
}): Rejection | undefined {
  const { verdict, reason, reask } = (said.payload ?? {}) as { verdict?: unknown; reason?: unknown; reask?: unknown };
  if (verdict !== 'reject' || reask === true) return undefined;
  return { by: said.from ?? 'a person', at: said.at, reason: String(reason) };
}

/**
 * What is true of a run as a whole, beside the effects of its present generation. A new generation and a fork begin with
 * one complete snapshot of it, so nothing has to be looked up in a journal that they do not have. No field grows with
 * the number of generations: only with what people said, and with runs that were started and not joined.
 */
export interface RunState {
  /** On whose behalf the code works: `run.subject`. Who acts now may be somebody else, who made the fork. */
  readonly subject: string;
  /** What earlier generations spent. */
  readonly spent: Usage;
  /** What limits of autonomy count beside: a fork's ancestors spent it before their forks. No part of its bill. */
  readonly autonomySpent: Amounts;
  /** How many acts of earlier generations a rollback has to look at; the end of each generation names its own. */
  readonly toUndo: number;
  /** Tools whose calls took place, and how often. */
  readonly calledTools: Readonly<Record<string, number>>;
  /** Tools that were tried, whatever came of it: the message of a failure may be anybody's words. */
  readonly triedTools: readonly string[];
  /** What people told the run. */
  readonly instructions: readonly Instruction[];
  /** Whether somebody agreed that this fork may act on the world. */
  readonly liveFork: 'undecided' | 'approved' | 'rejected';
  /** What people said no to, by the identity of the act (`actIdentity`). */
  readonly rejections: Readonly<Record<string, Rejection>>;
  /** Who asked for what it does: whoever started it or a run it comes from, and senders of messages, signals, redirections. */
  readonly askers: readonly string[];
  /** What was fixed for the whole run, by scope and name. */
  readonly pins: Readonly<Record<string, unknown>>;
  readonly privateMarks: readonly PrivateMark[];
  /** Scopes of the loops so far: what a loop repeats is as private as anything in it. */
  readonly loops: readonly string[];
  /** Children under way that do the work of a tool, by effect. */
  readonly delegates: Readonly<Record<string, Delegate>>;
  /** Runs that it started and whose ends it does not know, by id: their slices count as possibly spent. */
  readonly startedRuns: Readonly<Record<string, StartedRun>>;
  /** The best that the run had so far (`run.best`): the partial value of an end without one. */
  readonly best: { readonly value: unknown } | null;
}

/**
 * What happens to a piece of state. inherit: a fork has what its parent had at that point. latest: it has what its parent
 * and the runs that one comes from have when the fork is made, wherever the point lies. carry: it goes on. reset: it begins anew, as in a new run.
 */
export type StateRule = 'inherit' | 'latest' | 'carry' | 'reset';

export interface StateRules {
  /** A fork that simulates. */
  readonly fork: 'inherit' | 'latest' | 'reset';
  readonly liveFork: 'inherit' | 'latest' | 'reset';
  /** `continueWith`. */
  readonly generation: 'carry' | 'reset';
  /** Going on under another budget. */
  readonly era: 'carry' | 'reset';
}

/** A field without a rule does not compile. Why each rule is what it is: docs/decisions/0034-state-of-a-run.md. */
export const STATE_RULES: { readonly [Field in keyof RunState]: StateRules } = {
  subject: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  spent: { fork: 'reset', liveFork: 'reset', generation: 'carry', era: 'carry' },
  autonomySpent: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  toUndo: { fork: 'reset', liveFork: 'reset', generation: 'carry', era: 'carry' },
  calledTools: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  triedTools: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  instructions: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  liveFork: { fork: 'reset', liveFork: 'reset', generation: 'carry', era: 'carry' },
  rejections: { fork: 'latest', liveFork: 'latest', generation: 'carry', era: 'carry' },
  askers: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  pins: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  privateMarks: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
  loops: { fork: 'inherit', liveFork: 'inherit', generation: 'reset', era: 'carry' },
  delegates: { fork: 'inherit', liveFork: 'inherit', generation: 'reset', era: 'carry' },
  startedRuns: { fork: 'reset', liveFork: 'reset', generation: 'carry', era: 'carry' },
  best: { fork: 'inherit', liveFork: 'inherit', generation: 'carry', era: 'carry' },
};

/** The state of a run that has done nothing yet. */
export function newRunState(subject: string): RunState {
  return {
    subject,
    spent: NOTHING,
    autonomySpent: NOTHING,
    toUndo: 0,
    calledTools: {},
    triedTools: [],
    instructions: [],
    liveFork: 'undecided',
    rejections: {},
    askers: [],
    pins: {},
    privateMarks: [],
    loops: [],
    delegates: {},
    startedRuns: {},
    best: null,
  };
}

/** The snapshot with which a fork or a generation begins. `before`: at the point of the fork. `latest`: by now. */
export function snapshotFor(turn: keyof StateRules, before: RunState, latest: RunState = before): RunState {
  const from = { inherit: before, carry: before, latest, reset: newRunState(before.subject) };
  const fields = Object.keys(STATE_RULES) as (keyof RunState)[];
  const kept = fields.map((field) => [field, from[STATE_RULES[field][turn]][field]]);
  return Object.fromEntries(kept) as unknown as RunState; // the rules name every field, and no other
}
