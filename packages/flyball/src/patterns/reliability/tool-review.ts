import type { ApprovalRequest, ApprovalRules } from '../../core/approval.js';
import { checkedRules } from '../../core/approval.js';
import { canonicalJson } from '../../core/canonical.js';
import { done } from '../../core/outcome.js';
import type { Agent, Run } from '../../core/run.js';
import type { Described } from '../../core/use.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { requestApproval } from '../../people/request-approval.js';
import type { RecordKey, Store } from '../../ports/store.js';
import { toldBy, unusedIn } from '../../tools/tool-record.js';
import type { ToolUse } from '../../tools/tool-use.js';

/** What `toolReview` is given. */
export interface ToolReviewParts {
  /** Whose tools these are: an agent, or a group of agents with the same tools. Decisions go by it. */
  readonly name: string;
  /** The notes of `toolUse`, one for each run, oldest first. */
  readonly record: () => Promise<readonly ToolUse[]>;
  /** Keeps what was decided. */
  readonly store: Store;
  /** Who has to agree. */
  readonly rules?: Partial<ApprovalRules>;
}

/** Options of `toolReview`. */
export interface ToolReviewOptions {
  /** Runs between two reviews, and for how many of them in a row a tool must have been loaded in vain. */
  readonly everyRuns?: number;
}

/** What a review came to. */
export interface ToolReviewed {
  /** False where too few runs have ended since the last review: nothing was looked at. */
  readonly isDue: boolean;
  /** Tools that a person was asked about. */
  readonly proposed: readonly string[];
  /** Tools that a person agreed to drop, in this review and before. */
  readonly dropped: readonly string[];
}

/** What is kept from one review to the next. */
interface Decisions {
  /** How many runs the record had at the last review. */
  readonly runs: number;
  readonly dropped: readonly string[];
  /** Tools that stay, each with how often it had been called when somebody said so. */
  readonly kept: Readonly<Record<string, number>>;
}

const NONE: Decisions = { runs: 0, dropped: [], kept: {} };

/**
 * Asks a person which unused tools to drop, again and again.
 *
 * Model calls: none. Start it on a schedule: a review is due when `everyRuns` runs have ended since the last one. It
 * proposes tools that were loaded and never called in that many runs in a row, and waits in the inbox; nothing is dropped
 * without a yes, and silence is none. A no is final until the tool has been called again. `keptTools` leaves out what was
 * dropped. Not for tools that must be there for rare cases: say no once.
 *
 * @pattern V13
 * @example
 * ```ts
 * const review = toolReview({ name: 'clerk', record, store }, { everyRuns: 50 });
 * ```
 */
export function toolReview(
  { name, record, store, rules = {} }: ToolReviewParts,
  { everyRuns = 20 }: ToolReviewOptions = {},
): Described<Agent<unknown, ToolReviewed>> {
  checkGiven('toolReview (V13)', { name, record, store });
  checkCounts('toolReview (V13)', { everyRuns });
  checkedRules(rules);
  const about = { id: 'V13', name: 'toolReview', params: { tools: name, everyRuns }, parts: {}, calls: 0 } as const;
  return pattern<unknown, ToolReviewed>(about, async (run) => {
    const before = await decisionsOf(run, store, name);
    const uses = await run.step('tool-record', { name }, record, 'pure');
    // a record that was cut shorter since has begun anew
    const isDue = uses.length < before.runs || uses.length - before.runs >= everyRuns;
    if (!isDue) return done({ isDue, proposed: [], dropped: before.dropped });
    const proposed = unusedIn(uses, everyRuns).filter(
      (tool) => !before.dropped.includes(tool) && before.kept[tool] !== toldBy(uses, tool).called,
    );
    const agreed = proposed.length === 0 ? [] : await agreedTo(run, { name, rules, proposed, uses });
    if (agreed === undefined) return done({ isDue, proposed, dropped: before.dropped }); // asked again the next time
    const dropped = [...before.dropped, ...agreed];
    const kept = proposed.filter((tool) => !agreed.includes(tool));
    await keep(run, store, name, {
      runs: uses.length,
      dropped,
      kept: { ...before.kept, ...Object.fromEntries(kept.map((tool) => [tool, toldBy(uses, tool).called])) },
    });
    run.learned({ proposed: proposed.length, dropped: agreed.length });
    return done({ isDue, proposed, dropped });
  });
}

/** The tools without those that a person agreed to drop. */
export async function keptTools<T extends { readonly name: string }>(
  run: Run,
  { name, store }: Pick<ToolReviewParts, 'name' | 'store'>,
  tools: readonly T[],
): Promise<readonly T[]> {
  const { dropped } = await decisionsOf(run, store, name);
  return tools.filter((tool) => !dropped.includes(tool.name));
}

interface Asked extends Pick<ToolReviewParts, 'name'> {
  readonly rules: Partial<ApprovalRules>;
  readonly proposed: readonly string[];
  readonly uses: readonly ToolUse[];
}

/** The tools that may go; undefined where nobody decided. A person may shorten the list, and is asked about that one again. */
async function agreedTo(run: Run, asked: Asked): Promise<readonly string[] | undefined> {
  let tools = asked.proposed;
  let history: ApprovalRequest['history'];
  for (;;) {
    const request = requestFor(asked, tools);
    const decided = await requestApproval(
      run,
      { ...request, ...(history === undefined ? {} : { history }) },
      asked.rules,
      `tool-review:${run.path}`,
    );
    switch (decided.verdict) {
      case 'approved':
        return tools;
      case 'rejected':
        return [];
      case 'timed-out':
        return undefined;
      case 'modified':
        tools = listed(decided.value, asked.proposed);
        if (tools.length === 0) return [];
        history = decided.history;
    }
  }
}

/** Of what a person wrote, what was proposed: nothing else is dropped by a review. */
function listed(value: unknown, proposed: readonly string[]): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return proposed.filter((tool) => names.includes(tool));
}

function requestFor({ name, uses }: Asked, tools: readonly string[]): ApprovalRequest {
  const lines = tools.map((tool) => ({ tool, ...toldBy(uses, tool) }));
  return {
    action: 'drop_tools',
    output: { tools: lines, runs: uses.length },
    why: `${tools.join(', ')}: loaded by ${name} and not called. Every tool that is shown makes the choice harder and takes room.`,
    expectedEffect: `Later runs of ${name} no longer load: ${tools.join(', ')}.`,
    undo: `Erase the record "${name}" of the collection ${COLLECTION}; all its tools are loaded again.`,
    alternatives: [
      'reject it: the tools stay, and are proposed again only after they have been called',
      'modify it: a list with the names of the tools to drop; the others stay',
    ],
    recommendation: 'approve',
  };
}

const COLLECTION = 'tool-reviews';

const placeOf = (run: Run, name: string): RecordKey => ({
  tenant: run.tenant,
  owner: COLLECTION, // of all who use these tools, whoever started the review
  collection: COLLECTION,
  key: name,
});

async function decisionsOf(run: Run, store: Store, name: string): Promise<Decisions> {
  return run.step(
    'tool-decisions',
    { name },
    async () => ((await store.get(placeOf(run, name)))?.value as Decisions | undefined) ?? NONE,
    'pure',
  );
}

/** Two reviews at the same time: the one that comes second fails with RECORD_CONFLICT and decides nothing. */
async function keep(run: Run, store: Store, name: string, decisions: Decisions): Promise<void> {
  const at = placeOf(run, name);
  await run.step(
    'keep-tool-decisions',
    { ...decisions, at: run.now() },
    async ({ at: now, ...value }, { key }) => {
      const before = await store.get(at);
      if (before !== undefined && canonicalJson(before.value) === canonicalJson(value)) return null; // a crash came after it
      await store.propose(at, { id: key, over: before?.version ?? 0, value, now });
      await store.commit(at, key, now);
      return null;
    },
    // no compensation: what a person decided stays when the run is cancelled, and the report says that it did
    { class: 'idempotent', records: true, simulate: () => null },
  );
}
