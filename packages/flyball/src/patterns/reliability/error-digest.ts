import { useFrom } from '../../core/about.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { ActionGuard, ToolSeams } from '../../core/seams.js';
import { type Described, described } from '../../core/use.js';
import { checkCounts } from '../../kit/options.js';
import { errorKind, firstLine, withoutStack } from '../../tools/error-lines.js';
import { withApproval } from '../../tools/governance/approval.js';

/** Options of `errorDigest`. */
export interface ErrorDigestOptions {
  /** Failures of one class in a row, after which a person has to agree to another try. */
  readonly maxConsecutive?: number;
  /** Failures in all, after which nothing is called any more. */
  readonly maxTotal?: number;
}

/**
 * What `errorDigest` makes of the failed calls of a run. All of it is read off the journal, so nothing is lost in a crash.
 * `guarded(agent, errors)` puts its guards around an agent.
 */
export interface ErrorDigest {
  /** One counted line for each class of errors, the oldest first. Empty where nothing failed. */
  text(run: Run): string;
  /** What failed too often in this run or scope is not simply called again. */
  guard(run: Run): ToolSeams;
}

interface Class {
  readonly line: string;
  readonly times: number;
}

const LONGEST_LINE = 200;

/**
 * Shows repeated errors as one counted line.
 *
 * Model calls: none. Errors are of one class if they have the same code, tool, place in a file and message, apart from
 * numbers, paths and ids. The journal keeps every error whole. A success starts the count in a row anew, not the total. The
 * tool loop does the same for the results that its model reads. Not for a tool whose exact error text is the answer.
 *
 * @pattern V11
 * @example
 * ```ts
 * const errors = errorDigest({ maxConsecutive: 3, maxTotal: 20 });
 * const worker: Agent<string, string> = async (run, task) => {
 *   await run.call(compile, { file: 'a.ts' });
 *   return done((await run.ask(session, `${task}\n\nErrors so far:\n${errors.text(run)}`)).text);
 * };
 * const careful = guarded(worker, errors);
 * ```
 */
export function errorDigest({ maxConsecutive = 3, maxTotal = 20 }: ErrorDigestOptions = {}): Described<ErrorDigest> {
  checkCounts('errorDigest (V11)', { maxConsecutive, maxTotal });
  const params = { maxConsecutive, maxTotal };
  const use = useFrom({ id: 'V11', name: 'errorDigest', params, parts: {}, calls: 0, provides: ['V14'] });
  const guardOf =
    (run: Run): ActionGuard =>
    (next) =>
    async (value, ctx) => {
      const failures = run.calls().filter(hasFailed);
      if (failures.length >= maxTotal) {
        const why = `${failures.length} calls have failed. Nothing more is called: finish with what there is.`;
        ctx.decide({ guard: 'errorDigest', verdict: 'denied', why });
        return { allow: false, why };
      }
      const verdict = await next(value, ctx);
      const row = rowAtTheEnd(run.calls());
      if (!verdict.allow || row === undefined || row.times < maxConsecutive || row.tool !== value.tool.name)
        return verdict;
      const why = `${row.tool} failed ${row.times} times in a row in the same way: ${row.line}`;
      ctx.decide({ guard: 'errorDigest', verdict: 'asked', why });
      return withApproval(verdict, { asked: [why] });
    };
  return described(
    {
      text: (run: Run) => [...classesIn(run.calls()).values()].map(shownClass).join('\n'),
      guard: (run: Run) => ({ 'tool.pre': [guardOf(run)] }),
    },
    use,
  );
}

/** What guards refused and people did not approve was not tried, so it has not failed. */
const NOT_TRIED: ReadonlySet<string> = new Set(['DENIED', 'APPROVAL_REJECTED', 'NO_ANSWER', 'NOT_SIMULATED']);

function hasFailed({ ok, code }: MadeCall): boolean {
  return !ok && code !== undefined && !NOT_TRIED.has(code);
}

function kindOf({ tool, code = '', result }: MadeCall): string {
  return errorKind(tool, { code, message: result });
}

function lineOf({ tool, code = '', result }: MadeCall): string {
  return `${tool}: ${code}: ${firstLine(withoutStack(result)).slice(0, LONGEST_LINE)}`;
}

function classesIn(calls: readonly MadeCall[]): ReadonlyMap<string, Class> {
  const classes = new Map<string, Class>();
  for (const call of calls.filter(hasFailed)) {
    const known = classes.get(kindOf(call));
    classes.set(kindOf(call), { line: known?.line ?? lineOf(call), times: (known?.times ?? 0) + 1 });
  }
  return classes;
}

const shownClass = ({ line, times }: Class): string => (times === 1 ? line : `${line} (×${times})`);

/** The failures of one class after the last success, if the last calls were such. */
function rowAtTheEnd(calls: readonly MadeCall[]): (Class & { readonly tool: string }) | undefined {
  const tried = calls.filter((call) => call.ok || hasFailed(call));
  const last = tried.at(-1);
  if (last === undefined || last.ok) return undefined;
  const kind = kindOf(last);
  const other = tried.findLastIndex((call) => call.ok || kindOf(call) !== kind);
  return { line: lineOf(last), times: tried.length - 1 - other, tool: last.tool };
}
