import { href } from '../router/router.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge } from '../ui/badge.js';
import type { InboxItem } from './requests.js';
import { Deadline, RiskBadge } from './risk-badge.js';
import { asSentences } from './verdict-words.js';

export function inboxPath(id: string): string {
  return `/inbox/${encodeURIComponent(id)}`;
}

const KINDS = { approval: 'Approval', question: 'Question', doubt: 'Doubt' } as const;

/** What a question is about is the question; its name is that of the widget. */
function titleOf({ kind, why, about }: InboxItem): string {
  return (kind === 'question' ? asSentences(why) : undefined) ?? about;
}

export function RequestList({
  items,
  current,
}: {
  readonly items: readonly InboxItem[];
  readonly current: string | undefined;
}) {
  return (
    <ul class="request-list" aria-label="Requests from runs">
      {items.map((item) => (
        <li key={item.id}>
          <a
            href={href(inboxPath(item.id))}
            class="request-row"
            data-request={item.id}
            {...(item.id === current ? { 'aria-current': 'true' as const } : {})}
          >
            <span class="request-head">
              <strong class={item.kind === 'question' ? 'request-why' : 'cut'}>{titleOf(item)}</strong>
              {item.risk === undefined ? null : <RiskBadge risk={item.risk} />}
            </span>
            {item.why === undefined || item.kind === 'question' ? null : (
              <span class="request-why quiet">{asSentences(item.why)}</span>
            )}
            <span class="request-foot quiet">
              <span>{KINDS[item.kind]}</span>
              <span class="cut">{item.agent}</span>
              <Ago at={item.askedAt} />
              {item.status === 'open' ? null : <Badge tone="idle">{item.status}</Badge>}
              {item.status === 'open' && item.due !== undefined ? <Deadline due={item.due} /> : null}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
