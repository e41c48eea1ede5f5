import type { Owner } from '../../packages/flyball/src/core/events.js';
import type { RunStatus } from '../../packages/flyball/src/ports/engine.js';
import { Sleep } from './asleep.js';
import { Messages } from './messages.js';
import { Worked } from './worked.js';

/** A run as whoever stands outside knows it: from the writes that the storage accepted. */
export interface Known {
  readonly runId: string;
  /** Of the code that went on with it last. */
  version: string;
  /** The run that started it, where it was one. */
  readonly starter: string | undefined;
  fence: number;
  owner: Owner | undefined;
  leaseUntil: number;
  status: RunStatus;
  code: string | undefined;
  /** Where the next entry of each generation has to stand. */
  readonly next: Map<number, number>;
  /** How it ended, by its journal. */
  end: string | undefined;
  /** Waits by id: whether each is open. */
  readonly waits: Map<string, boolean>;
  /** Budgets that held, and how many tools had been called or announced when each began to. */
  readonly eras: { readonly toolCalls: number; readonly before: number; readonly called: number }[];
  /** Keys of calls that were announced: they were let in by the budget of that time. */
  readonly announced: Set<string>;
  writes: number;
  /** Of acts that were announced. */
  intents: number;
  /** Different code has worked on it. */
  isOther: boolean;
  /** Messages that ended a wait. */
  readonly heard: Set<string>;
  readonly messages: Messages;
  readonly worked: Worked;
  readonly sleep: Sleep;
  /** It has got on under the number that holds. */
  hasProgressed: boolean;
  /** When somebody put it in line. */
  lineAt: number | undefined;
  /** What is stored of it is not what was written: whoever claims it under a later number must not go on with it. */
  damage?: { readonly where: 'entry' | 'record'; readonly fence: number; readonly generation: number };
}

export function newlyKnown({ runId, version, starter }: Pick<Known, 'runId' | 'version' | 'starter'>): Known {
  return {
    runId,
    version,
    starter,
    fence: 0,
    owner: undefined,
    leaseUntil: 0,
    status: 'pending',
    code: undefined,
    next: new Map(),
    end: undefined,
    waits: new Map(),
    eras: [],
    announced: new Set(),
    writes: 0,
    intents: 0,
    isOther: false,
    heard: new Set(),
    messages: new Messages(),
    worked: new Worked(),
    sleep: new Sleep(),
    hasProgressed: false,
    lineAt: undefined,
  };
}

/** A call that was announced and not made is still to be made: it counts as what the budget before let in. */
export function soFar(
  { announced }: Known,
  called: ReadonlySet<string>,
): { readonly before: number; readonly called: number } {
  return { before: new Set([...called, ...announced]).size, called: called.size };
}

/** What is looked at of an entry. */
export interface Told {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly of?: string;
  readonly key?: string;
  /** The message that ended a wait, or was refused. */
  readonly signal?: string;
  readonly due?: number;
  /** The effect of another run that started this one. */
  readonly starter?: { readonly key?: string };
  readonly budget?: { readonly toolCalls?: number };
  readonly outcome?: { readonly stop: string };
}
