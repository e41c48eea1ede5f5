import type { Clock, Entry, EventOf } from 'flyball';
import {
  type AskKind,
  type ChildKind,
  failureOf,
  type PatternKind,
  passOver,
  type RollbackKind,
} from 'flyball/internal';
import type { Fleet } from './agents/fleet.js';
import type { Fields, Log } from './log.js';

/** The lives of runs as lines of the log: begun, taken over, gone on, ended and how, set aside and why. */
export interface RunLog {
  follow(fleet: Pick<Fleet, 'subscribe' | 'get'>): void;
  /** A run was set aside for a person. */
  readonly stalled: (runId: string, error: unknown) => void;
  /** Another process took a run over that was at work here. */
  readonly lost: (runId: string) => void;
  /** Who else is told of these. */
  onStalled: (runId: string, code: string) => void;
  onLost: (runId: string) => void;
  /** Resolves when everything heard so far is written. */
  close(): Promise<void>;
}

type Line = (about: Fields) => void;

export function openRunLog({ log, clock }: { readonly log: Log; readonly clock: Pick<Clock, 'now'> }): RunLog {
  let stop = (): void => undefined;
  let lookUp: (runId: string) => Promise<Fields> = async () => ({});
  let writing: Promise<void> = Promise.resolve();
  const write = (runId: string, line: Line): void => {
    writing = writing.then(async () => line({ run: runId, ...(await lookUp(runId)) }));
  };
  const runLog: RunLog = {
    onStalled: () => undefined,
    onLost: () => undefined,
    follow(fleet) {
      lookUp = async (runId) => {
        try {
          const { agent, tenant, createdAt } = await fleet.get(runId);
          return { agent, tenant, ageMs: clock.now() - createdAt };
        } catch {
          return {}; // storage does not answer, which other lines tell: this one says what it knows
        }
      };
      stop = fleet.subscribe((runId, entries) => {
        for (const entry of entries) {
          const line = lineOf(log, entry);
          if (line !== undefined) write(runId, line);
        }
      });
    },
    stalled: (runId, error) => {
      const { code, message } = failureOf(error);
      runLog.onStalled(runId, code);
      write(runId, (about) => log.warn('run stalled', { ...about, code, why: message }));
    },
    lost: (runId) => {
      runLog.onLost(runId);
      write(runId, (about) => log.warn('lease lost', about));
    },
    async close() {
      stop();
      await writing;
    },
  };
  return runLog;
}

function lineOf(log: Log, { event }: Entry): Line | undefined {
  switch (event.type) {
    case 'attempt-start':
      return began(log, event);
    case 'run-pause':
      return (about) => log.info('run paused', { ...about, by: event.by });
    case 'cancel':
      return (about) => log.info('run cancelled', { ...about, by: event.by });
    case 'run-end':
      return ended(log, event);
    case 'doubt':
      return (about) => log.warn('effect in doubt', { ...about, effect: event.id });
    case 'operator-alert':
      return (about) => log.warn('run needs attention', { ...about, alert: event.alert });
    case 'sleep-start':
    case 'wait-start':
      return (about) => log.debug('run waits', { ...about, effect: event.id });
    default: // the journal has it
      return passOver<
        | AskKind
        | ChildKind
        | RollbackKind
        | PatternKind
        | 'run-start'
        | 'generation-start'
        | 'generation-end'
        | 'run-resume'
        | 'intent'
        | 'call-start'
        | 'complete'
        | 'abort'
        | 'wait-end'
        | 'wait-close'
        | 'sleep-end'
        | 'trip'
        | 'redirect'
        | 'stuck'
        | 'note'
        | 'pin'
        | 'post'
      >(event);
  }
}

function began(log: Log, { why, attempt }: EventOf<'attempt-start'>): Line {
  if (why === 'takeover') return (about) => log.warn('run taken over', { ...about, attempt });
  if (attempt === 1) return (about) => log.info('run started', about);
  return (about) => log.info('run resumed', { ...about, attempt });
}

function ended(log: Log, { outcome }: EventOf<'run-end'>): Line {
  const { stop: status } = outcome;
  if (outcome.stop === 'failed')
    return (about) => log.warn('run ended', { ...about, status, code: outcome.failure.code });
  if (outcome.stop === 'bounded') return (about) => log.warn('run ended', { ...about, status, bound: outcome.bound });
  return (about) => log.info('run ended', { ...about, status });
}
