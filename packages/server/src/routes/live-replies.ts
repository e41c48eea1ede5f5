import type { ToolLoopSettings } from 'flyball/loops';
import type { ServedAgent } from '../agents/served-agent.js';
import type { FeedItem } from '../feed/run-feed.js';

/**
 * Picks out of what a run tells what its model writes to the user, for a caller who may not read the whole run. Nothing
 * of an agent whose words may still change: what was shown cannot be taken back.
 */
export class LiveReplies {
  private readonly session: string | undefined;
  /** The reply that is being written. */
  private ask: string | undefined;

  constructor(agent: ServedAgent, loop: ToolLoopSettings = {}) {
    this.session = mayShow(agent, loop) ? agent.defined?.name : undefined;
  }

  /** Whether it is text of such a reply, or its end. Called with every item, in order. */
  isTo(item: FeedItem): boolean {
    if (item.kind === 'delta')
      return item.effect === this.ask && (item.delta.type === 'text' || item.delta.type === 'restart');
    if (item.kind !== 'entry') return false;
    const { event } = item.entry;
    // another session of the run does not talk to the user: it summarizes, judges or chooses
    if (event.type === 'ask-start') this.ask = event.session === this.session ? event.id : undefined;
    return event.type === 'ask-end' && event.id === this.ask;
  }
}

/**
 * Not where something else may become of a reply: a guard that looks at answers or replies, a claim that has to be
 * proven first, another reply that confirms it, a call that is written as text, or words that choose a skill.
 */
function mayShow({ defined, group }: ServedAgent, loop: ToolLoopSettings): boolean {
  if (defined === undefined || has(group.seams?.output) || has(group.seams?.model) || has(group.seams?.run))
    return false;
  const { proofs, skills = [] } = defined.spec;
  if (proofs !== undefined || skills.length > 0) return false;
  const { doubleConfirmation, textCalls = 'off' } = { ...defined.spec.loop, ...loop };
  return doubleConfirmation !== true && textCalls === 'off';
}

function has(guards: readonly unknown[] = []): boolean {
  return guards.length > 0;
}
