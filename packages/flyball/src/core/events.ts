import type { ApprovalRules, Needs } from './approval-rules.js';
import type { Amounts, Axis, Budget, BudgetSlice, CountedAxis } from './budget.js';
import type { EffectKind } from './effect-kind.js';
import type { Failure } from './errors.js';
import type { Mark } from './mark.js';
import type { FinishReason, TokenLogProb, TokenUsage, ToolCall } from './model.js';
import type { Outcome, RollbackReport, Stop } from './outcome.js';
import type { RunState } from './run-state.js';
import type { JsonSchema } from './schema.js';
import type { OfRun } from './started-runs.js';

/**
 * What happened to a run, in order. Stored for ever: add variants and optional fields, never change the meaning of one.
 * Version history: 1 (first release).
 */
export const EVENT_VERSION = 1;

/** Effect identity: scope path plus a counter in that scope, `/plan/2#3`. Sub-identities end in `!gate`, `!doubt` with the number of the INTENT; an undo names the run and the generation of what it undoes, `run:0:/plan/2#3!undo`. */
export type EffectId = string;

/** Anything that is recorded in a journal. */
export type RunEvent = LifeEvent | EffectEvent | ControlEvent | InfoEvent;

/** The process that owns a run, with what is needed to prove on the same host that it is gone. */
export interface Owner {
  readonly id: string;
  readonly host: string;
  readonly bootId: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot: a recycled pid has another one. */
  readonly startTime: string;
  /** Where the pid counts: containers on one machine give the same numbers to different processes. */
  readonly pidNamespace?: string;
  /** It only writes down what somebody decided and gives the run back at once: nobody takes the run from it meanwhile. */
  readonly passing?: true;
}

/** The entry that a run was forked from. */
export interface ForkPoint {
  readonly run: string;
  readonly generation: number;
  /** The last inherited entry. */
  readonly seq: number;
}

export type LifeEvent =
  | {
      readonly type: 'run-start';
      readonly v: number;
      readonly agent: string;
      readonly version: string;
      readonly input: unknown;
      readonly budget: Budget;
      readonly subject: string;
      readonly tenant: string;
      /** What the run that started this one knew: who asked for it, and what people said no to. */
      readonly starter?: Pick<RunState, 'askers' | 'rejections'> & {
        /** Of the effect that started it. */
        readonly key?: string;
        /** The run at the top of those that started one another. */
        readonly root?: string;
      };
      /** `state`: what the run knows about itself when its own part begins. `by`: who made the fork. */
      readonly fork?: ForkPoint & { readonly live: boolean; readonly by: string; readonly state: RunState };
    }
  | {
      readonly type: 'generation-start';
      readonly v: number;
      readonly input: unknown;
      readonly budget: Budget;
      /** What the run knows about itself, from the generations before. */
      readonly state: RunState;
    }
  /** `undo`: acts of this generation that a rollback has to look at, oldest first. No generation repeats others'. */
  | { readonly type: 'generation-end'; readonly undo: readonly SagaEntry[] }
  /** A process begins to work on the run. Every INTENT up to the next one is its. */
  | {
      readonly type: 'attempt-start';
      readonly attempt: number;
      readonly why: 'start' | 'wake' | 'takeover' | 'resume';
      readonly owner: Owner;
      /** Children whose `bounded` outcome stays under the new budget, because code beside them went by it. */
      readonly keeps?: readonly EffectId[];
    }
  /** Someone let the run go on: after a pause, or after a bound under a larger budget. */
  | { readonly type: 'run-resume'; readonly by: string; readonly budget?: Budget }
  | { readonly type: 'run-pause'; readonly by: string }
  | { readonly type: 'run-end'; readonly outcome: Outcome<unknown> };

/** A finished effect that a rollback has to undo: where to find it in the journal. */
export interface SagaEntry {
  readonly effect: EffectId;
  readonly generation: number;
  /** Nobody knows whether it took place. */
  readonly unknown?: true;
}

/**
 * What closed a wait around it: a branch that lost or a child that ended, a bound, a cancellation, the end of the run.
 */
export type WaitCloser = 'branch' | 'bound' | 'cancel' | 'end';

export type EffectEvent =
  | {
      readonly type: 'ask-start';
      readonly id: EffectId;
      readonly fp: string;
      readonly session: string;
      readonly model: string;
      /** Id of the last link of the prompt chain, setup included. */
      readonly tip: string;
      readonly reserved: Partial<Amounts>;
      readonly attempt: number;
      /** How long a reply the model was asked for at most, where the budget had less left than the session allows. */
      readonly maxOutputTokens?: number;
      /** Ids of the framings that made the session what it was, outermost first. */
      readonly framings?: readonly string[];
    }
  | {
      readonly type: 'ask-end';
      readonly id: EffectId;
      /** Of a call that was refused before it was made, and so has no `ask-start`: what was asked, and by whom. */
      readonly fp?: string;
      readonly session?: string;
      readonly reply?: RecordedReply;
      readonly failure?: Failure;
      readonly spent: Partial<Amounts>;
      /** What a call that was cut off may have cost beside. */
      readonly possibly?: Partial<Amounts>;
      /** It was stopped with the branch, child or run that it was part of, and is charged what had been streamed by then. */
      readonly cutOff?: true;
    }
  | {
      readonly type: 'intent';
      readonly id: EffectId;
      readonly fp: string;
      readonly of: 'call' | 'step' | 'undo';
      readonly name: string;
      readonly class: EffectKind;
      /** It declares a compensation. */
      readonly undo?: true;
      /** It changes only what Flyball keeps for the run: no action. */
      readonly records?: true;
      readonly key: string;
      readonly input: unknown;
      /** Before this time nobody may examine whether it happened: the owner may still be about to act. */
      readonly deadline: number;
      readonly reserved: Partial<Amounts>;
      readonly attempt: number;
    }
  /**
   * A pure call is under way. Written only where something else is written meanwhile: should the call be cut off, nothing
   * else would say that it was made. Its end says what was spent.
   */
  | {
      readonly type: 'call-start';
      readonly id: EffectId;
      readonly fp: string;
      readonly name: string;
      readonly reserved: Partial<Amounts>;
    }
  /** COMPLETE. Pure effects have no INTENT, so their fingerprint is here. */
  | {
      readonly type: 'complete';
      readonly id: EffectId;
      readonly fp?: string;
      readonly of?: 'call' | 'step';
      readonly name?: string;
      /** Of a call, as it was made: with an INTENT it is there. */
      readonly input?: unknown;
      /** Without an INTENT: absent where it is `pure`. */
      readonly class?: EffectKind;
      /** Without an INTENT, as there. */
      readonly records?: true;
      readonly result: unknown;
      /** It took place, or may have, but there is no result that could be kept: the code sees this failure. */
      readonly failure?: Failure;
      readonly spent?: Partial<Amounts>;
      /** What another run may spend of its slice, when it was started; less than nothing where its end is known. */
      readonly possibly?: Partial<Amounts>;
      /** The other run that the amounts are of. */
      readonly ofRun?: OfRun;
      /** Of a look at another run: who had asked for that run by then. */
      readonly askers?: readonly string[];
      /**
       * How a doubt was resolved, where there was one. `unknown`: it was not. The effect may have taken place, so a
       * rollback has to look at it; `failure` says what is known.
       */
      readonly how?: 'verified' | 'repeated' | 'person' | 'simulated' | 'unknown';
      /** It asked a person, who said no. */
      readonly declined?: true;
    }
  /** ABORT: the effect did not take place. */
  | {
      readonly type: 'abort';
      readonly id: EffectId;
      readonly fp?: string;
      readonly of?: 'call' | 'step';
      readonly name?: string;
      /** Of a call, as it was proposed: with an INTENT it is there. */
      readonly input?: unknown;
      /** Without an INTENT: absent where it is `pure`. */
      readonly class?: EffectKind;
      /** Without an INTENT, as there. */
      readonly records?: true;
      readonly failure: Failure;
      /** It was tried: the failure is what its body said, and may hold anybody's words. */
      readonly ran?: true;
      /** Nobody waited for it any more: it was stopped with the branch, child or run that it was part of. */
      readonly cutOff?: true;
      readonly spent?: Partial<Amounts>;
    }
  /** INTENT number `attempt` without an end, and nothing proves what happened: a person has to say. */
  | {
      readonly type: 'doubt';
      readonly id: EffectId;
      readonly attempt: number;
      readonly name: string;
      readonly why: string;
    }
  | {
      readonly type: 'spawn-start';
      readonly id: EffectId;
      readonly fp: string;
      readonly name: string;
      readonly path: string;
      readonly input: unknown;
      /** What its parent asked for it, and what that came to. */
      readonly slice: BudgetSlice;
      readonly limits: Budget;
      readonly carved: readonly CountedAxis[];
      /** Boards of its parent that it was lent. */
      readonly boards?: readonly string[];
      /** Nothing that it does goes out. */
      readonly world?: 'simulated';
      /** The tool whose work it does: it is as private as a call of that tool. */
      readonly tool?: string;
      /** It is no child but code with a part of the budget (`run.within`), which is run again on every replay. */
      readonly within?: true;
      /** It was asked for before the process of that time ended, and began when the next one was done with the past. */
      readonly late?: true;
    }
  /** The budget changed while the child was open: its part of the new one. */
  | { readonly type: 'slice-change'; readonly id: EffectId; readonly path: string; readonly limits: Budget }
  | {
      readonly type: 'spawn-end';
      readonly id: EffectId;
      readonly outcome: Outcome<unknown>;
      /** The models that answered the child; absent where none did. */
      readonly models?: readonly string[];
    }
  | {
      readonly type: 'wait-start';
      readonly id: EffectId;
      readonly fp: string;
      readonly kind: 'signal' | 'approval' | 'question' | 'doubt';
      readonly name: string;
      readonly token: string;
      readonly due?: number;
      readonly schema?: JsonSchema;
      readonly request?: unknown;
      /** What guards let pass on the condition that a person agrees: a later life does not ask them again. */
      readonly admitted?: {
        readonly args: unknown;
        readonly approval?: string;
        readonly rules?: Partial<ApprovalRules>;
        /** What is recommended in place of the arguments. */
        readonly recommended?: unknown;
      };
      /** Who may answer. Such a wait is answered by its token only. */
      readonly needs?: Needs;
      /** What a no stands against: what was proposed and what somebody had made of it, by identity (`actIdentity`). */
      readonly acts?: readonly string[];
    }
  | {
      readonly type: 'wait-end';
      readonly id: EffectId;
      readonly signal?: string;
      readonly from?: string;
      /** Of a signal that another run sent: who had asked for that run by then. */
      readonly askers?: readonly string[];
      readonly payload?: unknown;
      readonly timedOut?: boolean;
      /** It was accepted while the wait was open, which was closed before the code heard it. It never does. */
      readonly unheard?: true;
    }
  /**
   * Nobody hears an answer any more: what asked was closed around it. A wait that ends (`wait-end`) has no such entry,
   * except before an end that is `unheard`.
   */
  | { readonly type: 'wait-close'; readonly id: EffectId; readonly why: WaitCloser }
  | { readonly type: 'sleep-start'; readonly id: EffectId; readonly fp: string; readonly due: number }
  | { readonly type: 'sleep-end'; readonly id: EffectId }
  /** Something was put on a board. Start and end in one: nothing happens outside the run. */
  | {
      readonly type: 'post';
      readonly id: EffectId;
      readonly fp: string;
      /** Path of the child whose board it is; empty where it is the run's. */
      readonly owner: string;
      readonly board: string;
      readonly entry: unknown;
      /** Path of the simulated child in whose world it stays. Absent where it was posted for real. */
      readonly world?: string;
    };

export interface RecordedReply {
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: TokenUsage;
  readonly reasoning?: string;
  readonly opaqueReasoning?: unknown;
  readonly logProbs?: readonly TokenLogProb[];
  /** The model that answered, where it is not the one that was asked. */
  readonly model?: string;
  /** Tools that the request carried, where a seam left others than the session has. */
  readonly offered?: readonly string[];
  /** What failed attempts before the reply may have cost; part of `costUsd`. */
  readonly wasted?: TokenUsage;
  readonly costUsd: number;
  /** The checked value, where it is not simply the text parsed as JSON. */
  readonly value?: unknown;
  /** What is wrong with it, where the session has a schema that it does not fit. */
  readonly problem?: string;
  readonly ms: number;
}

export type StartEvent = Extract<
  EffectEvent,
  { readonly type: 'ask-start' | 'intent' | 'spawn-start' | 'wait-start' | 'sleep-start' }
>;
export type EndEvent = Extract<
  EffectEvent,
  { readonly type: 'ask-end' | 'complete' | 'abort' | 'spawn-end' | 'wait-end' | 'sleep-end' | 'post' }
>;

/** Delivered to the code in journal order, like completions. */
export type ControlEvent =
  | {
      readonly type: 'trip';
      readonly node: string;
      readonly bound: Axis;
      readonly limit: number;
      readonly spent: number;
      readonly wanted: number;
      readonly left: number;
    }
  | { readonly type: 'cancel'; readonly by: string; readonly why: string }
  /** A person wants something done differently from here on; the code sees it in `run.instructions()`. */
  | { readonly type: 'redirect'; readonly by: string; readonly text: string }
  /**
   * The code cannot go on. It awaits something that did not go through `run`, and the run fails with FOREIGN_AWAIT; or it
   * left an error that nobody caught, which is the failure.
   */
  | { readonly type: 'stuck'; readonly failure?: Failure };

export interface GuardDecision {
  /** Which guard: `rate-limit`, `autonomy`, `policy`, `trifecta`, … */
  readonly guard: string;
  readonly verdict: 'allowed' | 'denied' | 'asked' | 'obliged' | 'blocked' | 'warned' | 'escalated';
  readonly why: string;
  /** Id of the rule that decided. */
  readonly rule?: string;
  /** Version and hash of the policy that holds the rule. */
  readonly policy?: string;
}

/** Told, never replayed. */
export type InfoEvent =
  | {
      readonly type: 'note';
      readonly path: string;
      readonly event: { readonly kind: string; readonly [key: string]: unknown };
    }
  /** A pattern begins, in a scope of its own: `run.enter`. */
  | ({ readonly type: 'scope-start'; readonly path: string } & Mark)
  /** It has ended: with an outcome, with any other value, or with an error that it threw. */
  | {
      readonly type: 'scope-end';
      readonly path: string;
      readonly how: Stop | 'returned' | 'threw';
      readonly learned?: Readonly<Record<string, unknown>>;
    }
  /**
   * The best that there is so far: `run.best`. `level`: the path of the child whose partial value it becomes, '' for the
   * run's own. Absent where a pattern around the scope has told its own.
   */
  | { readonly type: 'best'; readonly path: string; readonly value: unknown; readonly level?: string }
  /** `run.changed` was true. Where the scope that asked is not recorded, nobody looks whether the code asks again. */
  | { readonly type: 'changed'; readonly id: string; readonly path?: string }
  /** Fixed for the whole run, later generations and forks included: `run.pin`. */
  | { readonly type: 'pin'; readonly name: string; readonly value: unknown }
  | {
      readonly type: 'budget-warning';
      readonly node: string;
      readonly axis: CountedAxis;
      readonly spent: number;
      readonly limit: number;
    }
  | { readonly type: 'scope-overlap'; readonly path: string }
  | { readonly type: 'guard-refused'; readonly id: EffectId; readonly seam: string; readonly why: string }
  /** What a guard decided beside letting pass: a warning, an escalation, every decision of a policy file. */
  | ({ readonly type: 'guard-decision'; readonly id: EffectId } & GuardDecision)
  /** A try of an effect failed in a way that may pass: the next one follows after the delay, under the same key. */
  | {
      readonly type: 'retry';
      readonly id: EffectId;
      readonly name: string;
      readonly retry: number;
      readonly delayMs: number;
      readonly failure: Failure;
    }
  | {
      readonly type: 'signal-refused';
      readonly signal: string;
      readonly name: string;
      /** Of the wait that it was for. */
      readonly token: string;
      readonly why: string;
    }
  | {
      readonly type: 'operator-alert';
      readonly alert: string;
      readonly effect?: EffectId;
      /** Of the effect, where it may be an earlier one. */
      readonly generation?: number;
      readonly why: string;
    }
  | {
      readonly type: 'rollback-start';
      readonly scope: string;
      readonly why: string;
      readonly entries: readonly SagaEntry[];
    }
  | { readonly type: 'rollback-end'; readonly scope: string; readonly report: RollbackReport };

/** An entry of a journal. `activeMs` is how long the run had been active by then. */
export interface Entry<E extends RunEvent = RunEvent> {
  readonly generation: number;
  readonly seq: number;
  readonly at: number;
  readonly activeMs: number;
  readonly event: E;
}

/** The type of an event in a journal. */
export type EventType = RunEvent['type'];
/** The event of one type. */
export type EventOf<T extends EventType> = Extract<RunEvent, { readonly type: T }>;
