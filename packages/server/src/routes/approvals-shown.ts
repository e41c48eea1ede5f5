import type { ApprovalRequest, Decision, Entry, JsonSchema } from 'flyball';
import { BLANK, baseOf, isRunDamage, type PersonDecision } from 'flyball/internal';
import type { InboxItem } from 'flyball/people';
import { type PersonRequest, requestsIn } from 'flyball/people';
import { timelineOf } from 'flyball/views';
import { servedName } from '../agents/served-agent.js';
import type { RunCard } from '../contract/resources.js';
import type { Parts } from '../parts.js';

/** Runs whose requests are kept ready: a list is read again with every change of any run. */
const MOST_KEPT = 200;
/** Of the story of a run that stands beside a request. */
const LAST_LINES = 12;

export interface StoryLine {
  readonly symbol: string;
  readonly text: string;
  readonly detail?: string;
  readonly offsetMs: number;
}

export interface ShownRequest extends InboxItem {
  readonly history: readonly (PersonDecision | Decision)[];
  readonly card: RunCard;
  readonly timeline: readonly StoryLine[];
  /** JSON Schema of the arguments of the action, where its tool is known here. */
  readonly arguments?: JsonSchema;
}

interface Kept {
  readonly updatedAt: number;
  readonly requests: ReadonlyMap<string, PersonRequest>;
}

/**
 * Requests as they may be shown. The records of the inbox are folded from the whole journal; here the journal is folded as
 * it may leave the house, without what is private or looks like a secret.
 */
export class ShownRequests {
  private readonly parts: Parts;
  private readonly kept = new Map<string, Kept>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  async one(item: InboxItem): Promise<InboxItem> {
    const visible = (await this.readable(item.run)).get(item.id);
    const { agent } = servedName(item.agent);
    // a record whose journal no longer tells of it says nothing but that it was there
    if (visible === undefined) return { ...withoutContent(item), agent };
    return { ...visible, agent, status: item.status, overdue: item.overdue };
  }

  /** Of a run whose journal is damaged nothing can be shown; the others on the page can. */
  private async readable(runId: string): Promise<Kept['requests']> {
    return this.requestsOf(runId).catch((error: unknown) => {
      if (isRunDamage(error)) return new Map();
      throw error;
    });
  }

  async page(items: readonly InboxItem[]): Promise<readonly InboxItem[]> {
    const shown: InboxItem[] = [];
    for (const item of items) shown.push(await this.one(item));
    return shown;
  }

  async whole(item: InboxItem): Promise<ShownRequest> {
    const { fleet, feed } = this.parts;
    const record = await fleet.get(item.run);
    const shown = await this.one(item);
    const lines = timelineOf(await this.entriesOf(item.run));
    const args = this.argumentsOf(item);
    return {
      ...shown,
      history: historyOf(shown, [...(await this.requestsOf(item.run)).values()]),
      card: await feed.card(record),
      timeline: lines.slice(-LAST_LINES).map(({ symbol, text, detail, offsetMs }) => ({
        symbol,
        text,
        ...(detail === undefined ? {} : { detail }),
        offsetMs,
      })),
      ...(args === undefined ? {} : { arguments: args }),
    };
  }

  private entriesOf(runId: string): Promise<readonly Entry[]> {
    return this.parts.feed.journal(runId);
  }

  private async requestsOf(runId: string): Promise<ReadonlyMap<string, PersonRequest>> {
    const { status, updatedAt } = await this.parts.fleet.get(runId);
    const known = this.kept.get(runId);
    if (known !== undefined && known.updatedAt === updatedAt) return known.requests;
    const found = requestsIn(runId, await this.entriesOf(runId));
    const requests = new Map(found.map((request) => [request.id, request]));
    if (status !== 'running') this.keep(runId, { updatedAt, requests }); // the time of one at work stands still
    return requests;
  }

  private keep(runId: string, kept: Kept): void {
    this.kept.delete(runId);
    this.kept.set(runId, kept);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
  }

  private argumentsOf({ kind, agent, about }: InboxItem): JsonSchema | undefined {
    if (kind !== 'approval') return undefined;
    return this.parts.directory.get(servedName(agent).agent)?.group.tools?.get(about)?.inputJsonSchema;
  }
}

function withoutContent(item: InboxItem): InboxItem {
  const { why: _why, decision, ...rest } = item;
  const said = decision === undefined ? {} : { decision: { by: decision.by, at: decision.at } };
  return { ...rest, request: BLANK, ...said };
}

/** Who said what about the same thing: told with the request where an agent asks, by the gates of one action otherwise. */
function historyOf(item: PersonRequest, all: readonly PersonRequest[]): readonly (PersonDecision | Decision)[] {
  const { request, effect, kind, decision } = item;
  const earlier = typeof request === 'object' && request !== null ? (request as Partial<ApprovalRequest>).history : [];
  if (!effect.includes('!')) return [...(earlier ?? []), ...(decision === undefined ? [] : [decision])];
  const same = all.filter((one) => one.kind === kind && baseOf(one.effect) === baseOf(effect));
  return same.flatMap((one) => one.decision ?? []);
}
