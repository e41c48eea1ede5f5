import { MESSAGE } from '../../agents/conversation.js';
import { FlyballError } from '../../core/errors.js';
import type { Entry, EventOf } from '../../core/events.js';
import type { ModelDelta } from '../../core/model.js';
import { isNote } from '../../core/notes.js';
import type { RunHandle, Runtime } from '../../index.js';
import { Discretion } from '../discretion.js';
import type { Screen } from '../screen.js';
import type { Wait } from './chat-question.js';
import { ChatView } from './chat-view.js';
import { OpenWaits } from './open-waits.js';

interface Parts {
  readonly runtime: Runtime;
  readonly runId: string;
  readonly screen: Screen;
  readonly write: (text: string) => void;
}

/** How often it is looked whether another process went on with the run: entries that are made there are not announced here. */
const LOOK_MS = 300;

/** What comes from the run: shown to a person or written for a program, each entry once and in order. */
export class Feed {
  readonly waits = new OpenWaits();
  private readonly parts: Parts;
  private readonly view: ChatView;
  private readonly discretion = new Discretion();
  private readonly told = new Set<string>();
  /** Waits that were answered here: what is said elsewhere is shown, what is said here was typed here. */
  private readonly own = new Set<string>();
  private readonly stops: (() => void)[] = [];
  /** What happened while somebody was typing: it is told when they are done, not into their line. */
  private held: (() => void)[] | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
    this.view = new ChatView(parts.screen, parts.write);
  }

  /** Listens from before the run is launched, so that nothing is missed, and recalls what was said before. */
  async open(launch: () => Promise<RunHandle>): Promise<RunHandle> {
    const { runtime, runId } = this.parts;
    const before = await entriesOf(runtime, runId);
    for (const entry of before) this.known(entry);
    this.recall(before);
    this.stops.push(
      runtime.subscribe((id, entries) => id === runId && this.happened(entries)),
      runtime.subscribeDeltas((id, effect, _attempt, delta) => id === runId && this.delta(effect, delta)),
    );
    const handle = await launch();
    this.happened(await runtime.entries(runId));
    this.lookElsewhere();
    return handle;
  }

  private lookElsewhere(): void {
    let seen = '';
    const look = async (): Promise<void> => {
      const { runtime, runId } = this.parts;
      const { owner, updatedAt, status } = await runtime.get(runId);
      if (owner?.pid === process.pid) return;
      const now = `${status} ${updatedAt}`;
      // read once more after a change: two entries may carry the same time
      if (now === seen) return;
      this.happened(await runtime.entries(runId));
      if (Date.now() - updatedAt > LOOK_MS) seen = now;
    };
    let timer: ReturnType<typeof setTimeout>;
    const again = (): void => {
      timer = setTimeout(() => void look().then(again, again), LOOK_MS); // a locked database is asked again
    };
    again();
    this.stops.push(() => clearTimeout(timer));
  }

  /** Whatever is being written ends with its line. */
  rest(): void {
    if (!this.parts.screen.json) this.view.rest();
  }

  /** A prompt is shown from now on. */
  hold(): void {
    this.held ??= [];
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const tell of held) tell();
  }

  answeredHere({ token }: Wait): void {
    this.own.add(token);
  }

  close(): void {
    for (const stop of this.stops) stop();
    this.release();
    this.rest();
  }

  private known(entry: Entry): void {
    this.told.add(positionOf(entry));
    this.discretion.shown(entry);
    this.waits.apply(entry);
  }

  private happened(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (this.told.has(positionOf(entry))) continue;
      this.told.add(positionOf(entry));
      const shown = this.discretion.shown(entry);
      const { generation, seq, at, event } = shown;
      this.parts.screen.data({ kind: 'entry', run: this.parts.runId, generation, seq, at, event });
      if (!this.parts.screen.json) this.show(shown);
      this.waits.apply(entry);
    }
  }

  private show(entry: Entry): void {
    const said = entry.event.type === 'wait-end' ? this.saidElsewhere(entry.event) : undefined;
    this.tell(() => {
      if (said !== undefined) this.view.overheard(said.text, said.from);
      this.view.entry(entry);
    });
  }

  private tell(telling: () => void): void {
    if (this.held === undefined) telling();
    else this.held.push(telling);
  }

  private saidElsewhere({ id, payload, from }: EventOf<'wait-end'>): { text: string; from: string } | undefined {
    const wait = this.waits.get(id);
    const text = (payload as { readonly text?: unknown } | undefined)?.text;
    if (wait?.name !== MESSAGE || this.own.has(wait.token) || typeof text !== 'string') return undefined;
    return { text, from: from ?? 'somebody' };
  }

  private delta(effect: string, delta: ModelDelta): void {
    if (this.discretion.hides(effect)) return;
    const { screen, runId } = this.parts;
    if (screen.json) screen.data({ kind: 'delta', run: runId, effect, delta });
    else this.tell(() => this.view.delta(delta));
  }

  private recall(entries: readonly Entry[]): void {
    const said = entries.findLast(({ event }) => event.type === 'wait-end' && textIn(event.payload) !== undefined);
    const end = entries.findLast(({ event }) => isNote(event, 'turn-end'))?.event;
    const message = said?.event.type === 'wait-end' ? textIn(said.event.payload) : undefined;
    this.view.recall(message, end !== undefined && isNote(end, 'turn-end') ? end.event.answer : undefined);
  }
}

function textIn(payload: unknown): string | undefined {
  const text = (payload as { readonly text?: unknown } | null | undefined)?.text;
  return typeof text === 'string' ? text : undefined;
}

function positionOf({ generation, seq }: Entry): string {
  return `${generation}:${seq}`;
}

async function entriesOf(runtime: Runtime, runId: string): Promise<readonly Entry[]> {
  try {
    return await runtime.entries(runId);
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'RUN_NOT_FOUND') return []; // it is about to be started
    throw error;
  }
}
