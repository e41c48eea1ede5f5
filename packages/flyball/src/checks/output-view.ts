import type { Session } from '../core/session.js';
import type { Artefact, ExecutionOutputs, Location } from '../core/work.js';
import { artefactView, sizeOf } from './artefact-view.js';

/** Of a checker's window, for what was made; task, evidence, rubric and the reply need the rest. */
const SHARE = 0.4;
const BYTES_PER_TOKEN = 3;
/** Less shows nothing that could be judged. */
const LEAST_ROOM = 4000;
const LEAST_PER_ARTEFACT = 400;
const MOST_NAMES = 20;

/** How much of what was made is shown, and what should be among it. */
export interface Shown {
  /** Bytes. */
  readonly room: number;
  /** Where defects are known to be. */
  readonly focus?: readonly Location[];
}

export function shownTo(session: Session, focus: readonly Location[] = []): Shown {
  const { window } = session.model.capabilities;
  return { room: Math.max(LEAST_ROOM, Math.floor(window * SHARE * BYTES_PER_TOKEN)), focus };
}

export interface OutputView {
  readonly artefacts: readonly Artefact[];
  /** In words, what is not shown; undefined where everything is. */
  readonly leftOut?: string;
}

/** What was made, as far as there is room: short artefacts whole, of the others an equal part. */
export function outputView(
  { artefacts }: Pick<ExecutionOutputs, 'artefacts'>,
  { room, focus = [] }: Shown,
): OutputView {
  const isMeant = ({ name }: Artefact): boolean => focus.some(({ artefact }) => artefact === name);
  const most = Math.max(1, Math.floor(room / LEAST_PER_ARTEFACT));
  const named = [...artefacts.filter(isMeant), ...artefacts.filter((one) => !isMeant(one))].slice(0, most);
  const rooms = sharesOf(named, room);
  const views = artefacts
    .filter((one) => named.includes(one))
    .map((one) => ({ name: one.name, ...artefactView(one, rooms.get(one) ?? 0, focus) }));
  const remarks = [
    ...views.flatMap(({ name, lines, leftOut }) =>
      leftOut === 0 ? [] : [`${leftOut} of ${lines} lines of ${name} are not shown in full`],
    ),
    ...unnamed(artefacts.filter((one) => !named.includes(one))),
  ];
  return {
    artefacts: views.map(({ name, text }) => ({ name, text })),
    ...(remarks.length === 0 ? {} : { leftOut: listed(remarks) }),
  };
}

/** What the short ones do not need is left for the long ones. */
function sharesOf(artefacts: readonly Artefact[], room: number): ReadonlyMap<Artefact, number> {
  const needs = artefacts.map((one) => ({ one, size: sizeOf(artefactView(one, Number.POSITIVE_INFINITY).text) }));
  const rooms = new Map<Artefact, number>();
  let left = room;
  for (const [index, { one, size }] of needs.toSorted((a, b) => a.size - b.size).entries()) {
    const given = Math.min(size, Math.floor(left / (needs.length - index)));
    rooms.set(one, given);
    left -= given;
  }
  return rooms;
}

function unnamed(artefacts: readonly Artefact[]): readonly string[] {
  if (artefacts.length === 0) return [];
  return [
    `${artefacts.length} further artefacts are not shown: ${listed(
      artefacts.map(({ name }) => name),
      ', ',
    )}`,
  ];
}

function listed(all: readonly string[], between = '; '): string {
  const rest = all.length - MOST_NAMES;
  return [...all.slice(0, MOST_NAMES), ...(rest > 0 ? [`and ${rest} more`] : [])].join(between);
}
