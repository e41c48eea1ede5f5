import type { Artefact, Location } from '../core/work.js';

/** Of one line, where there is no room for all of it: a quarter of the artefact's room, and this at least. */
const SHORTEST_LINE = 120;
const LINE_SHARE = 1 / 4;
/** Places that are shown for certain; of more than these the rest may be left out. */
const MOST_PLACES = 20;
const MARKER_BYTES = 50;

/** An artefact as a checker sees it: each line after its number, and a remark where lines are left out. */
export interface ArtefactView {
  readonly text: string;
  readonly lines: number;
  /** Lines that are not shown, or not in full. */
  readonly leftOut: number;
}

export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Bytes follow tokens more closely than characters do: in most scripts a character that takes more takes more tokens. */
export function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

/** All of it where it fits; else what stands around the places of `focus`, its beginning and its end. */
export function artefactView({ name, text }: Artefact, room: number, focus: readonly Location[] = []): ArtefactView {
  const numbered = linesOf(text).map((line, index) => `${index + 1}| ${line}`);
  const whole = numbered.join('\n');
  if (sizeOf(whole) <= room) return { text: whole, lines: numbered.length, leftOut: 0 };
  const longest = Math.max(SHORTEST_LINE, Math.floor(room * LINE_SHARE));
  const lines = numbered.map((line) => shortLine(line, longest));
  const places = placesIn(
    text,
    focus.filter(({ artefact }) => artefact === name),
  );
  const shown = linesThatFit(lines, room - MARKER_BYTES * (places.length + 1), places);
  const inFull = shown.filter((index) => lines[index] === numbered[index]);
  return { text: withGaps(lines, shown), lines: lines.length, leftOut: lines.length - inFull.length };
}

/** Indexes of lines; a section stands for the line that names it. */
function placesIn(text: string, focus: readonly Location[]): readonly number[] {
  const lines = linesOf(text);
  const found = focus.map(({ line, section }) =>
    line === undefined ? (section === undefined ? -1 : lines.findIndex((one) => one.includes(section))) : line - 1,
  );
  return [...new Set(found.filter((index) => index >= 0 && index < lines.length))].slice(0, MOST_PLACES);
}

/** Grows from every place by a line in turn, so that none takes the room of another. */
function linesThatFit(lines: readonly string[], room: number, places: readonly number[]): readonly number[] {
  const taken = new Set<number>();
  let left = room;
  let growing = [...places, 0, lines.length - 1].map((from) => outwards(from, lines.length));
  while (growing.length > 0) {
    const stillGrowing: typeof growing = [];
    for (const place of growing) {
      let next = place.next();
      while (next.done !== true && taken.has(next.value)) next = place.next();
      if (next.done === true) continue;
      const size = sizeOf(lines[next.value] ?? '') + 1;
      if (size > left) continue;
      left -= size;
      taken.add(next.value);
      stillGrowing.push(place);
    }
    growing = stillGrowing;
  }
  return [...taken].sort((a, b) => a - b);
}

function* outwards(from: number, count: number): Generator<number, undefined> {
  yield from;
  for (let distance = 1; distance < count; distance++) {
    if (from - distance >= 0) yield from - distance;
    if (from + distance < count) yield from + distance;
  }
  return undefined;
}

/** No line of the artefact begins like the remark: each has its number before it. */
function withGaps(lines: readonly string[], shown: readonly number[]): string {
  const parts: string[] = [];
  let next = 0;
  for (const index of [...shown, lines.length]) {
    if (index > next) parts.push(`[lines ${next + 1} to ${index} are left out]`);
    if (index < lines.length) parts.push(lines[index] ?? '');
    next = index + 1;
  }
  return parts.join('\n');
}

function shortLine(line: string, longest: number): string {
  const size = sizeOf(line);
  if (size <= longest) return line;
  const half = Math.floor((line.length * longest) / size / 2);
  const [head, tail] = [wholeCharacter(line, half), wholeCharacter(line, line.length - half)];
  return `${line.slice(0, head)} [${tail - head} characters are left out] ${line.slice(tail)}`;
}

/** Two halves of one character are not torn apart. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
