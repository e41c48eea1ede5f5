import { REPLY_REFUSED } from '../core/ask-until.js';
import { HANDOFF, resultStepOf } from '../core/delegates.js';
import type { EffectId, Entry, EventOf } from '../core/events.js';
import { isTaggedPrivate, loopIn, markIn, PRIVATE, type PrivateMark } from '../core/private-marks.js';
import type { RunState } from '../core/run-state.js';
import { namedBy, type Verb } from './effects.js';
import { baseOf, generationOf, isInside, pathOf, pathsAround, scopeOf } from './paths.js';
import { repeatsConversation, repeatsResults } from './repeated.js';

/** Stands where something private stood. That it happened, when, and what it cost is still told. */
export const BLANK = '[private]';

/**
 * What a journal says is private. Four things are:
 * 1. a note whose `tags` hold `private`;
 * 2. everything made in a scope, and in the scopes inside it, that noted `{ kind: 'private' }` or whose loop has the tag,
 *    with what was handed to and by a child agent that runs there;
 * 3. model calls of the sessions and calls of the tools that such a note names (`sessions`, `tools`), in that scope, with
 *    all that a delegate does for such a tool;
 * 4. what a loop repeats (cleared results that it gives back, summaries of its summarizer) where a mark of 2 or 3 hides
 *    anything in, inside or around that loop: it may be anybody's words.
 *
 * A fork and a generation begin with the marks from before, in their snapshots. A mark holds for what came before it too: it is read after the fact, so an early effect must not slip through. It does
 * not follow contents: what an agent takes from a private result and hands on elsewhere is that effect's content.
 */
export class Privacy {
  private readonly marks: Mark[] = [];
  private readonly known = new Set<string>();
  private readonly named = new Map<string, { readonly verb: Verb; readonly name: string }>();
  private readonly children = new Map<string, string>();
  private readonly loops = new Set<string>();
  /** Tools by the scopes of their delegates. */
  private readonly delegates = new Map<string, string>();
  private tagged = false;

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.mark(entry);
    if (this.marks.length === 0) return; // names decide nothing where nothing is marked
    for (const entry of entries) this.name(entry);
  }

  /** Takes what the next entry marks. */
  mark({ event }: Entry): void {
    if (event.type === 'note') this.read(event);
    else if (event.type === 'generation-start') this.take(event.state);
    else if (event.type === 'run-start' && event.fork !== undefined) this.take(event.fork.state);
  }

  /** Takes what the next entry calls its effect: needed of every entry once something is marked. */
  name({ generation, event }: Entry): void {
    const effect = namedBy(event);
    if (effect === undefined) return;
    const key = `${generation} ${effect.id}`;
    if (!this.named.has(key)) this.named.set(key, effect);
    if (event.type !== 'spawn-start') return;
    this.children.set(key, pathOf(event.path));
    if (event.tool !== undefined) this.delegates.set(pathOf(event.path), event.tool);
  }

  /** Nothing is private: most journals. */
  get isEmpty(): boolean {
    return this.marks.length === 0 && !this.tagged;
  }

  hidesScope(path: string): boolean {
    const scope = pathOf(path);
    if (this.marks.some((mark) => isWhole(mark) && isInside(scope, mark.path))) return true;
    return this.hiddenDelegates().some(({ at }) => isInside(scope, at));
  }

  hidesAnyScope(): boolean {
    return this.marks.some(isWhole) || this.hiddenDelegates().length > 0;
  }

  /** Gates, doubts and undos of a private effect are as private as the effect. */
  hidesEffect(generation: number, id: EffectId): boolean {
    const scope = scopeOf(id);
    const key = `${generationOf(id) ?? generation} ${baseOf(id)}`;
    const child = this.children.get(key);
    if (this.hidesScope(scope) || (child !== undefined && this.hidesScope(child))) return true;
    const named = this.named.get(key);
    // only announced, by a guard or a gate, or begun in the run this one came from: it may be any of those that are marked
    if (named === undefined) return this.marks.some(({ path }) => isInside(scope, path));
    if (named.verb === 'spawn' && child === undefined) return this.marks.some(({ path }) => isInside(path, scope));
    return named.verb === 'ask' ? this.hidesSession(scope, named.name) : this.hidesTool(scope, named.name);
  }

  hidesTool(scope: string, name: string): boolean {
    if (repeatsResults(name) && this.hidesRepeated(scope)) return true;
    if (this.hiddenDelegates().some(({ at, tool }) => isStepFor(tool, name) && isInside(at, scope))) return true;
    return this.marks.some(({ path, tools }) => tools?.has(name) === true && isInside(scope, path));
  }

  hidesNote({ path, event }: EventOf<'note'>): boolean {
    if (isTaggedPrivate(event)) return event.kind !== LOOP; // the tag is the loop's: its note holds names only
    // what is wrong with a reply quotes it
    if (event.kind === REPLY_REFUSED && this.hidesSession(path, String(event['session']))) return true;
    return !STRUCTURE.has(event.kind) && this.hidesScope(path);
  }

  private hidesSession(scope: string, name: string): boolean {
    if (repeatsConversation(name) && this.hidesRepeated(scope)) return true;
    return this.marks.some(({ path, sessions }) => sessions?.has(name) === true && isInside(scope, path));
  }

  /** Calls side by side have scopes of their own, so it is the innermost loop around them that counts. */
  private hidesRepeated(scope: string): boolean {
    const loop = pathsAround(scope).find((path) => this.loops.has(path)) ?? scope;
    return this.marks.some((mark) => hidesAny(mark) && (isInside(loop, mark.path) || isInside(mark.path, loop)));
  }

  /** Delegates of tools that are marked where they are called. */
  private hiddenDelegates(): readonly { readonly at: string; readonly tool: string }[] {
    return [...this.delegates].flatMap(([at, tool]) =>
      this.marks.some(({ path, tools }) => tools?.has(tool) === true && isInside(at, path)) ? [{ at, tool }] : [],
    );
  }

  private read(note: EventOf<'note'>): void {
    if (isTaggedPrivate(note.event)) this.tagged = true;
    const [loop, mark] = [loopIn(note), markIn(note)];
    if (loop !== undefined) this.loops.add(pathOf(loop));
    if (mark !== undefined) this.add(mark);
  }

  private take({ loops, delegates, privateMarks }: Pick<RunState, 'loops' | 'delegates' | 'privateMarks'>): void {
    for (const loop of loops) this.loops.add(pathOf(loop));
    for (const { path, tool } of Object.values(delegates)) this.delegates.set(pathOf(path), tool);
    for (const mark of privateMarks) this.add(mark);
  }

  /** Snapshots repeat what was marked before: once is enough. */
  private add(mark: PrivateMark): void {
    const { path, sessions, tools } = mark;
    const key = JSON.stringify([pathOf(path), sessions, tools]);
    if (this.known.has(key)) return;
    this.known.add(key);
    const names = { ...(sessions && { sessions: new Set(sessions) }), ...(tools && { tools: new Set(tools) }) };
    this.marks.push({ path: pathOf(path), ...names });
  }
}

/** Notes that hold names and counts only, which other views fold. */
const LOOP = 'loop-start';
const STRUCTURE: ReadonlySet<string> = new Set([PRIVATE, 'phase', LOOP, 'iteration', 'loop-end']);

interface Mark {
  readonly path: string;
  readonly sessions?: ReadonlySet<string>;
  readonly tools?: ReadonlySet<string>;
}

function isWhole({ sessions, tools }: Mark): boolean {
  return sessions === undefined && tools === undefined;
}

/** Steps around a delegate, in the scope that called the tool, hold what it is given and what it gives. */
function isStepFor(tool: string, name: string): boolean {
  return name === HANDOFF || name === resultStepOf(tool);
}

/** One that names nobody hides nothing. */
function hidesAny(mark: Mark): boolean {
  return isWhole(mark) || (mark.sessions?.size ?? 0) + (mark.tools?.size ?? 0) > 0;
}
