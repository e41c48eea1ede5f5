/** Where a reader stands in a journal: `<generation>.<seq>` on the wire. */
export interface Position {
  readonly generation: number;
  readonly seq: number;
}

/** The text of a position. */
export function positionText({ generation, seq }: Position): string {
  return `${generation}.${seq}`;
}

/** Undefined for what is no position. */
export function positionFrom(text: string): Position | undefined {
  const found = /^(\d{1,9})\.(\d{1,9})$/.exec(text);
  return found === null ? undefined : { generation: Number(found[1]), seq: Number(found[2]) };
}

/** Below 0 when `a` comes before `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.generation - b.generation || a.seq - b.seq;
}

/** Whether an entry follows directly on a position: in its generation, or at the beginning of the next. */
export function isNext(position: Position | undefined, { generation, seq }: Position): boolean {
  if (position === undefined) return generation === 0 && seq === 0;
  if (generation === position.generation) return seq === position.seq + 1;
  return generation === position.generation + 1 && seq === 0;
}
