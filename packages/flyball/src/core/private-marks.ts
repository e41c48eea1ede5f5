/** The tag of a note that is private, and the kind of a note that marks others. */
export const PRIVATE = 'private';
const LOOP = 'loop-start';

/** What is made in a scope and inside it is private: all of it, or what these sessions and tools do there. */
export interface PrivateMark {
  readonly path: string;
  readonly sessions?: readonly string[];
  readonly tools?: readonly string[];
}

interface Note {
  readonly path: string;
  readonly event: { readonly kind: string; readonly [key: string]: unknown };
}

/** What a note marks as private. A loop whose note has the tag marks its own scope. */
export function markIn(note: Note): PrivateMark | undefined {
  const { path, event } = note;
  if (event.kind === LOOP && isTaggedPrivate(event)) return { path: loopOf(note) };
  if (event.kind !== PRIVATE) return undefined;
  const [sessions, tools] = [namesIn(event['sessions']), namesIn(event['tools'])];
  return { path, ...(sessions && { sessions }), ...(tools && { tools }) };
}

/** The scope of the loop that a note begins, where it begins one. */
export function loopIn(note: Note): string | undefined {
  return note.event.kind === LOOP ? loopOf(note) : undefined;
}

/** The scope of a loop: the one its note names, else the one it was noted in. */
export function loopOf({ path, event }: Note): string {
  const loop = event['loop'];
  return typeof loop === 'string' ? loop : path;
}

export function isTaggedPrivate(event: Note['event']): boolean {
  const tags = event['tags'];
  return Array.isArray(tags) && tags.includes(PRIVATE);
}

function namesIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
}
