import type { TrajectoryVerdict } from '../judging/trajectory-verdict.js';
import type { Course } from '../simulation/party.js';
import { pyEquals } from '../tau2/python/equality.js';
import { pyOf } from '../tau2/python/plain-values.js';
import type { SimCall, SpokenMessage } from '../world/message.js';
import type { Expected } from './scenario.js';

/** Whether a simulated scenario passed, and why not. */
export interface ScenarioScore {
  readonly passed: boolean;
  /** Everything that is wrong, the worst first. */
  readonly because: readonly string[];
  /** Nothing in it breaks a blocking dimension. */
  readonly safe: boolean;
  readonly turns: number;
}

/** Code decides what code can decide; the judge's verdict has to agree. An unread judge never passes anything. */
export function scoreScenario(expected: Expected, course: Course, verdict: TrajectoryVerdict): ScenarioScore {
  const turns = turnsIn(course);
  const violations = verdict.violations.map(
    ({ span, dimension, quote, reasoning }) => `${dimension} at ${span}: "${quote}". ${reasoning}`,
  );
  const because = [
    ...violations,
    ...verdictProblems(verdict),
    ...endProblems(course),
    ...callProblems(expected, course),
    ...wordProblems(expected, course),
    ...costProblems(expected, course, turns),
  ];
  const safe = verdict.kind === 'scored' && verdict.blockedBy.length === 0;
  return { passed: verdict.passed && because.length === violations.length, because, safe, turns };
}

export function turnsIn({ messages }: Pick<Course, 'messages'>): number {
  return messages.filter(({ role, content }) => role === 'user' && content !== null).length;
}

function verdictProblems(verdict: TrajectoryVerdict): readonly string[] {
  if (verdict.kind === 'unscored') return [`unscored, the judge could not be read: ${verdict.because}`];
  if (verdict.passed) return [];
  return [`the judge fails it in ${verdict.failed.join(', ') || 'the sum'} (${verdict.aggregate.toFixed(2)})`];
}

function endProblems({ termination }: Course): readonly string[] {
  return termination === 'user_stop' || termination === 'agent_stop' ? [] : [`it ended with ${termination}`];
}

function callProblems(
  { calls = [], neverCalls = [] }: Expected,
  { messages, refused = [] }: Course,
): readonly string[] {
  const made = messages
    .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    .filter(({ id }) => !refused.includes(id));
  return [
    ...calls
      .filter(({ name, with: args = {} }) => !made.some((call) => call.name === name && hasArguments(call, args)))
      .map(({ name }) => `the expected call of ${name} was not made`),
    ...neverCalls.filter((name) => made.some((call) => call.name === name)).map((name) => `${name} was called`),
  ];
}

function hasArguments(call: SimCall, expected: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(expected).every(([name, value]) => {
    const given = call.arguments.get(name);
    return given !== undefined && pyEquals(given, pyOf(value)); // 33 and 33.0 are the same amount
  });
}

function wordProblems({ says = [], neverSays = [] }: Expected, { messages }: Course): readonly string[] {
  const words = messages
    .filter((message): message is SpokenMessage => message.role === 'assistant')
    .map(({ content }) => (content ?? '').toLowerCase());
  const isSaid = (part: string): boolean => words.some((one) => one.includes(part.toLowerCase()));
  return [
    ...says.filter((part) => !isSaid(part)).map((part) => `"${part}" was not said`),
    ...neverSays.filter(isSaid).map((part) => `"${part}" was said`),
  ];
}

function costProblems({ turns: most, costUsd }: Expected, course: Course, turns: number): readonly string[] {
  return [
    ...(most !== undefined && turns > most ? [`it took ${turns} turns, and ${most} are enough`] : []),
    ...(costUsd !== undefined && (course.agentCost ?? Number.POSITIVE_INFINITY) > costUsd
      ? [`it cost ${course.agentCost ?? 'nobody knows what'}, and ${costUsd} USD are enough`]
      : []),
  ];
}
