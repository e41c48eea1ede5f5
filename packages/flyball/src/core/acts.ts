import type { ActRecord, Acts } from './act-record.js';
import { passOver } from './by-kind.js';
import type { AskKind, ControlKind, LifeKind, PatternKind, RollbackKind, WaitKind } from './event-kinds.js';
import type { EffectId, EventOf, RunEvent, SagaEntry } from './events.js';

/** An outcome is read by people and models, and is kept in the journal: more than this nobody reads. */
export const MOST_ACTS = 50;
const MOST_BRIEF = 160;

type Ended = { readonly event: RunEvent; readonly generation: number };

/** An act while it is folded. What is read of it later is made then: most runs do more than anybody reads. */
interface Listed {
  readonly id: EffectId;
  readonly generation: number;
  readonly name: string;
  readonly of: 'call' | 'step';
  readonly class: ActRecord['class'];
  readonly what: ActRecord['what'];
  readonly undone: boolean;
  readonly code: string | undefined;
  /** What it was given, or, as text, why it did not take place. */
  readonly input: unknown;
  readonly why: string | undefined;
}

/** Folds entries, in order, into what took place and what did not. One fold for the kernel and for every view. */
export class ActsFold {
  private readonly records = new Map<string, Listed>();
  private leftOut = 0;
  /** Undos of what this fold does not know: of an earlier generation, or no longer listed. */
  private readonly undoneBefore = new Set<string>();
  /** Which act an undo takes back. */
  private readonly undos = new Map<EffectId, string>();
  /** Those of children that have not ended, by their path: each list is bounded by itself. */
  private readonly children = new Map<string, ActsFold>();

  apply({ event, generation }: Ended): void {
    if (this.children.size > 0 && 'id' in event)
      for (const [path, child] of this.children) if (isBelow(path, event.id)) child.apply({ event, generation });
    if ('records' in event && event.records === true) return; // Flyball's own books are no action of the run
    switch (event.type) {
      case 'spawn-start':
        this.openChild(event.path);
        break;
      case 'intent':
        if (event.of === 'undo') this.undos.set(event.id, undoneBy(event));
        else this.put(intended(event, generation));
        break;
      case 'complete':
        if (event.id.endsWith(UNDO)) this.undoEnded(event);
        else this.ended(completed(event, this.known(event.id, generation), generation));
        break;
      case 'abort':
        if (!event.id.endsWith(UNDO)) this.ended(aborted(event, this.known(event.id, generation), generation));
        break;
      default: // nothing in the world changes by it
        passOver<
          | LifeKind
          | AskKind
          | WaitKind
          | ControlKind
          | RollbackKind
          | PatternKind
          | 'call-start'
          | 'doubt'
          | 'slice-change'
          | 'spawn-end'
          | 'note'
          | 'pin'
          | 'post'
        >(event);
    }
  }

  /** From here on the acts of this child are told apart. */
  openChild(path: string): void {
    if (!this.children.has(path)) this.children.set(path, new ActsFold());
  }

  /** What a child did that ends now. */
  closeChild(path: string): Acts {
    const child = this.children.get(path);
    this.children.delete(path);
    return child?.all() ?? { acts: [] };
  }

  /** With what another fold knows of later entries. */
  and(later: ActsFold): this {
    for (const record of later.records.values()) this.put(record);
    this.leftOut += later.leftOut;
    for (const key of later.undoneBefore) this.undone(key);
    return this;
  }

  all(): Acts {
    const acts = [...this.records.values()].map(told);
    return this.leftOut === 0 ? { acts } : { acts, actsLeftOut: this.leftOut };
  }

  private known(id: EffectId, generation: number): Listed | undefined {
    return this.records.get(`${generation}:${id}`);
  }

  private ended(record: Listed | undefined): void {
    if (record !== undefined) this.put(record);
  }

  private put(record: Listed): void {
    const key = `${record.generation}:${record.id}`;
    this.records.set(key, record);
    if (this.records.size <= MOST_ACTS) return;
    this.records.delete(this.leastTelling(key));
    this.leftOut++;
  }

  /** What went as it should is told last: somebody who reads the list looks for what did not. */
  private leastTelling(newest: string): string {
    for (const [key, { what }] of this.records) if (what === 'took-place' && key !== newest) return key;
    for (const key of this.records.keys()) return key;
    return newest;
  }

  /** One that was undone while it was still running may act after that: it is not called undone. */
  private undoEnded({ id, failure }: EventOf<'complete'>): void {
    const key = this.undos.get(id);
    if (key !== undefined && failure === undefined) this.undone(key);
  }

  private undone(key: string): void {
    const record = this.records.get(key);
    if (record === undefined) this.undoneBefore.add(key);
    else this.records.set(key, { ...record, undone: true });
  }
}

/** An effect of a scope, or of one inside it. */
function isBelow(path: string, id: EffectId): boolean {
  return id.startsWith(path) && /[#/]/.test(id.charAt(path.length));
}

const UNDO = '!undo';

function undoneBy({ input }: EventOf<'intent'>): string {
  const { effect, generation } = (input ?? {}) as { readonly effect?: EffectId; readonly generation?: number };
  return `${generation ?? 0}:${effect ?? ''}`;
}

/** Until its end is known, it is in doubt. */
function intended({ id, name, of, class: kind, input }: EventOf<'intent'>, generation: number): Listed {
  return {
    id,
    generation,
    name,
    of: of === 'step' ? 'step' : 'call',
    class: kind,
    what: 'in-doubt',
    undone: false,
    code: undefined,
    input,
    why: undefined,
  };
}

function completed(event: EventOf<'complete'>, known: Listed | undefined, generation: number): Listed | undefined {
  if (event.declined === true) return { ...named(event, known, generation), what: 'refused', why: 'a person said no' };
  const isAct = known !== undefined || (event.class ?? 'pure') !== 'pure';
  if (!isAct) return undefined;
  return {
    ...(known ?? named(event, known, generation)),
    what: event.how === 'simulated' ? 'simulated' : event.how === 'unknown' ? 'in-doubt' : 'took-place',
    code: event.failure?.code ?? known?.code,
  };
}

function aborted(event: EventOf<'abort'>, known: Listed | undefined, generation: number): Listed | undefined {
  if (known === undefined && (event.class ?? 'pure') === 'pure') return undefined;
  const { code, message } = event.failure;
  const what = REFUSALS.has(code) ? 'refused' : code === 'EFFECT_IN_DOUBT' ? 'in-doubt' : 'failed';
  return { ...named(event, known, generation), what, code, why: message };
}

/** Codes with which somebody, or a rule, kept an act from taking place. */
const REFUSALS: ReadonlySet<string> = new Set(['DENIED', 'APPROVAL_REJECTED', 'NO_ANSWER', 'NOT_SIMULATED']);

function named(event: EventOf<'complete' | 'abort'>, known: Listed | undefined, generation: number): Listed {
  return {
    id: event.id,
    generation,
    name: known?.name ?? event.name ?? event.id,
    of: known?.of ?? event.of ?? 'step',
    class: known?.class ?? event.class ?? 'pure',
    what: 'in-doubt',
    undone: false,
    code: undefined,
    input: undefined,
    why: undefined,
  };
}

function told({ id, generation, name, of, class: kind, what, undone, code, input, why }: Listed): ActRecord {
  const brief = why === undefined ? briefOf(input) : clip(why);
  return {
    id,
    ...(generation === 0 ? {} : { generation }),
    name,
    of,
    class: kind,
    what,
    ...(undone ? { undone } : {}),
    ...(code === undefined ? {} : { code }),
    ...(brief === '' ? {} : { brief }),
  };
}

/** The outermost fields, without walking into what may be large. */
function briefOf(input: unknown): string {
  if (typeof input !== 'object' || input === null)
    return input === undefined || input === null ? '' : clip(short(input));
  const fields = Array.isArray(input)
    ? [short(input)]
    : Object.entries(input).map(([key, value]) => `${key}: ${short(value)}`);
  return clip(fields.slice(0, 8).join(', '));
}

function short(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return `[${value.length}]`;
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}

function clip(text: string): string {
  return text.length <= MOST_BRIEF ? text : `${text.slice(0, MOST_BRIEF)}…`;
}

/** A completed effect that changed the world and is not itself an undo. */
export function isSagaStep(intent: EventOf<'intent'> | undefined, end: EventOf<'complete'>): boolean {
  return intent !== undefined && intent.of !== 'undo' && end.how !== 'simulated';
}

export function sagaEntry({ id, how }: EventOf<'complete'>, generation: number): SagaEntry {
  return { effect: id, generation, ...(how === 'unknown' ? { unknown: true as const } : {}) };
}
