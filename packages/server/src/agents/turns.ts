import { type Entry, isNote, type MessagePart, type Note } from 'flyball';
import { MESSAGE } from 'flyball/agents';
import {
  type ActKind,
  ActsFold,
  type AskKind,
  type BareAct,
  bareActs,
  type ChildKind,
  type ControlKind,
  isParts,
  type PatternKind,
  passOver,
  type RollbackKind,
  textOf,
  WaitIndex,
} from 'flyball/internal';

/** One exchange of a conversation, as the journal holds it. */
export interface Turn {
  readonly turn: number;
  readonly said: string;
  readonly by?: string;
  /** Absent while the agent is at work. */
  readonly answer?: string;
  readonly because?: string;
  /** How it ended, once it has. */
  readonly stop?: string;
  /** What it changed or tried to change so far, from the journal: the answer is only words. */
  readonly acts: readonly BareAct[];
  /** Further ones that are not listed. */
  readonly actsLeftOut?: number;
}

type Words = Omit<Turn, 'acts' | 'actsLeftOut'>;

/** The turns of a conversation, oldest first, and whether it waits for the next message. */
export function turnsIn(entries: readonly Entry[]): { readonly turns: readonly Turn[]; readonly listens: boolean } {
  const turns: Words[] = [];
  const folds: ActsFold[] = []; // one for each turn
  const waits = new WaitIndex();
  for (const entry of entries) {
    const { event } = entry;
    folds.at(-1)?.apply(entry);
    waits.apply(entry);
    switch (event.type) {
      case 'run-start':
      case 'generation-start':
        if (isSaid(event.input)) turns.push({ turn: turns.length + 1, said: wordsIn(event.input) });
        break;
      case 'wait-end': {
        if (waits.get(entry.generation, event.id)?.start.name !== MESSAGE) break;
        const { text, parts } = (event.payload ?? {}) as { readonly text?: unknown; readonly parts?: unknown };
        const by = event.from === undefined ? {} : { by: event.from };
        const said = text ?? parts;
        if (isSaid(said)) turns.push({ turn: turns.length + 1, said: wordsIn(said), ...by });
        break;
      }
      case 'note':
        if (isNote(event, 'turn-end')) endTurn(turns, event.event);
        break;
      default: // what else happens within a turn is told by the events of the run
        passOver<
          | AskKind
          | ActKind
          | ChildKind
          | ControlKind
          | RollbackKind
          | PatternKind
          | 'generation-end'
          | 'attempt-start'
          | 'run-resume'
          | 'run-pause'
          | 'run-end'
          | 'wait-start'
          | 'wait-close'
          | 'sleep-start'
          | 'sleep-end'
          | 'pin'
          | 'post'
        >(event);
    }
    while (folds.length < turns.length) folds.push(new ActsFold());
  }
  return {
    turns: turns.map((turn, index) => ({ ...turn, ...actsIn(folds[index]) })),
    listens: waits.open().some(({ start }) => start.name === MESSAGE),
  };
}

type Said = string | readonly MessagePart[];

function isSaid(said: unknown): said is Said {
  return (typeof said === 'string' && said !== '') || isParts(said);
}

/** In words: what is not text is named. */
function wordsIn(said: Said): string {
  return typeof said === 'string' ? said : textOf(said);
}

function actsIn(fold: ActsFold | undefined): Pick<Turn, 'acts' | 'actsLeftOut'> {
  const { acts = [], actsLeftOut } = fold?.all() ?? {};
  return { acts: bareActs(acts), ...(actsLeftOut === undefined ? {} : { actsLeftOut }) };
}

/** What became of one message. `refused` holds why the run did not take it. */
export type Heard = 'unknown' | 'at-work' | 'answered' | { readonly refused: string };

/** By the id it was sent under: others may have said something meanwhile. */
export function heardIn(entries: readonly Entry[], message: string): Heard {
  let heard: Heard = 'unknown';
  for (const { event } of entries) {
    if (event.type === 'signal-refused' && event.signal === message) return { refused: event.why };
    if (event.type === 'wait-end' && event.signal === message) heard = 'at-work';
    if (heard === 'at-work' && endsTurn(event)) return 'answered';
  }
  return heard;
}

/** An agent that holds its conversation itself may not say when a turn ends, but then it listens again. */
function endsTurn(event: Entry['event']): boolean {
  return (
    isNote(event, 'turn-end') || event.type === 'run-end' || (event.type === 'wait-start' && event.name === MESSAGE)
  );
}

function endTurn(turns: Words[], note: Note<'turn-end'>): void {
  const last = turns.at(-1);
  if (last === undefined) return;
  const { answer, because, stop } = note;
  turns[turns.length - 1] = {
    ...last,
    ...(answer === undefined ? {} : { answer }),
    ...(because === undefined ? {} : { because }),
    stop,
  };
}
