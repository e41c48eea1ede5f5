import type { RunCard } from '../contract/resources.js';
import type { Parts } from '../parts.js';

/** A run as it stands, for an answer that only says that it was heard. */
export async function acceptedRun(
  { fleet, feed }: Pick<Parts, 'fleet' | 'feed'>,
  runId: string,
): Promise<{ readonly status: number; readonly body: RunCard; readonly headers: Record<string, string> }> {
  const card = await feed.card(await fleet.get(runId));
  return { status: 202, body: card, headers: { location: `/v1/runs/${encodeURIComponent(runId)}` } };
}
