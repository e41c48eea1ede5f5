import type { TriggerInfo } from '../playground/agents.js';
import { href } from '../router/router.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge } from '../ui/badge.js';
import { Table } from '../ui/table.js';

/** What starts runs by itself. */
export function Triggers({ triggers }: { readonly triggers: readonly TriggerInfo[] }) {
  return (
    <Table
      label="Triggers"
      rows={triggers}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Name', cell: ({ name }) => <code>{name}</code> },
        { title: 'Kind', cell: ({ kind, schedule, timezone }) => [kind, schedule, timezone].filter(Boolean).join(' ') },
        { title: 'Agent', cell: ({ agent }) => agent },
        { title: 'Next', cell: ({ next }) => (next === undefined ? '' : new Date(next).toLocaleString()) },
        { title: 'Last', cell: (trigger) => <Last trigger={trigger} /> },
      ]}
    />
  );
}

function Last({ trigger: { last, lastRun, missed = 0, failure } }: { readonly trigger: TriggerInfo }) {
  return (
    <>
      {last === undefined ? 'never' : <Ago at={last} />}{' '}
      {lastRun === undefined ? null : <a href={href(`/runs/${encodeURIComponent(lastRun)}`)}>run</a>}
      {missed === 0 ? null : <Badge tone="warn">{missed} missed</Badge>}
      {failure === undefined ? null : <p class="field-problem">{failure}</p>}
    </>
  );
}
