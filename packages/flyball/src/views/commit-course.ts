import type { Entry, EventOf } from '../core/events.js';
import { isInside, pathOf } from './paths.js';

/** One move of a commit loop, as the journal tells it. */
export interface CourseTransition {
  readonly from: string;
  readonly event: string;
  readonly to: string;
  readonly iteration: number;
  readonly at: number;
  readonly why?: string;
  /** The limit of the loop that turned the move into FAIL. */
  readonly limit?: string;
}

/** HALT's artefact: where a loop rests, and who stopped it. Nothing is undone, and it goes on from here. */
export interface CommitHalt {
  /** Where the caller knows it: a journal does not name its run. */
  readonly run?: string;
  readonly phase: string;
  readonly iteration: number;
  readonly by: string;
  readonly at: number;
}

/** FAIL's artefact, as the loop noted it. */
export interface CommitFailure {
  readonly reason: string;
  readonly phase: string;
  readonly diagnosis: readonly Readonly<Record<string, unknown>>[];
  readonly repairs: readonly Readonly<Record<string, unknown>>[];
  readonly partial?: unknown;
  readonly exit?: unknown;
  readonly checkpoint: { readonly run: string; readonly phase: string; readonly iteration: number };
}

/** Where a commit loop is, and how it came there. */
export interface CommitCourse {
  /** Scope of the loop; the root is empty. */
  readonly loop: string;
  readonly generation: number;
  /** Position of its first entry. */
  readonly seq: number;
  readonly phase: string;
  /** Moves so far. */
  readonly iteration: number;
  readonly transitions: readonly CourseTransition[];
  readonly startedAt: number;
  /** The result is durable. */
  readonly committed: boolean;
  /** While the run is paused. */
  readonly halt?: CommitHalt;
  readonly failure?: CommitFailure;
}

type Growing = { -readonly [K in keyof CommitCourse]: CommitCourse[K] } & { readonly transitions: CourseTransition[] };

/**
 * The commit loops of a run, in the order in which they began: one inside another, or two in a row, are courses of their
 * own. Folded from the notes that a loop writes before each phase, and from the pauses of the run around it.
 */
export function commitCoursesOf(entries: readonly Entry[], runId?: string): readonly CommitCourse[] {
  const courses: Growing[] = [];
  for (const entry of entries) {
    const { event } = entry;
    if (event.type === 'note') told(courses, entry as Entry<EventOf<'note'>>);
    if (event.type === 'run-pause') for (const course of courses) halt(course, entry.at, event.by, runId);
    // a later life goes on: nobody rests any more
    if (event.type === 'run-resume' || event.type === 'attempt-start') for (const course of courses) delete course.halt;
  }
  return courses;
}

/** The last commit loop that began in this scope or below it, or undefined where there is none. */
export function commitCourseOf(
  entries: readonly Entry[],
  where: { readonly runId?: string; readonly loop?: string } = {},
): CommitCourse | undefined {
  const courses = commitCoursesOf(entries, where.runId);
  const outermost = courses.findLast(({ loop }) => loop === pathOf(where.loop ?? ''));
  return outermost ?? courses.findLast(({ loop }) => isInside(loop, where.loop ?? ''));
}

const ENDS: readonly string[] = ['FAIL', 'HALT'];

function isOver({ phase, committed }: CommitCourse): boolean {
  return committed || ENDS.includes(phase);
}

function halt(course: Growing, at: number, by: string, run: string | undefined): void {
  if (isOver(course)) return;
  const { phase, iteration } = course;
  course.halt = { ...(run === undefined ? {} : { run }), phase, iteration, by, at };
}

/** A loop's own notes: others may tell phases too, but count no moves. */
function told(courses: Growing[], { event: note, at, generation, seq }: Entry<EventOf<'note'>>): void {
  const { kind, phase, from, event, iteration, why, limit } = note.event as Readonly<Record<string, unknown>>;
  const loop = pathOf(note.path);
  const course = courses.findLast((each) => each.loop === loop && each.generation === generation);
  if (kind === 'failure-report' && course !== undefined) {
    const { kind: _kind, ...report } = note.event;
    course.failure = report as unknown as CommitFailure;
  }
  if (kind !== 'phase' || typeof phase !== 'string' || typeof iteration !== 'number') return;
  if (typeof from !== 'string' || typeof event !== 'string') {
    courses.push({ loop, generation, seq, phase, iteration, transitions: [], startedAt: at, committed: false });
    return;
  }
  if (course === undefined) return; // a move of a loop whose beginning is not among these entries
  course.transitions.push({
    ...{ from, event, to: phase, iteration, at },
    ...(typeof why === 'string' ? { why } : {}),
    ...(typeof limit === 'string' ? { limit } : {}),
  });
  course.phase = phase;
  course.iteration = iteration;
  course.committed = event === 'committed';
}
