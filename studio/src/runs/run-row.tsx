import type { CountedAxis } from '../../../src/core/budget.js';
import type { RunCard } from '../api/types.js';
import { href } from '../router/router.js';
import { AXIS_NAMES } from '../ui/amounts.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge, StatusBadge } from '../ui/badge.js';
import { DemonstrationMark } from '../ui/demonstration-mark.js';
import { Gauge } from '../ui/gauge.js';
import { useNarrow } from '../ui/use-narrow.js';
import { nowOf } from './run-words.js';

const GAUGES: readonly CountedAxis[] = ['costUsd', 'modelCalls', 'wallMs'];

export function RunRowHead() {
  return (
    <div class="run-row run-row-head" aria-hidden="true">
      <span>Status</span>
      <span>Agent</span>
      <span>Now</span>
      {GAUGES.map((axis) => (
        <span key={axis}>{AXIS_NAMES[axis]}</span>
      ))}
      <span class="right">Changed</span>
    </div>
  );
}

export function RunRow({ card, picked }: { readonly card: RunCard; readonly picked: boolean }) {
  const { id, agent, version, status, usage, updatedAt } = card;
  const now = nowOf(card);
  return (
    <div role="listitem" class="run-item">
      <a class={`run-row ${picked ? 'picked' : ''}`} id={`run-${id}`} href={href(`/runs/${encodeURIComponent(id)}`)}>
        <span class="run-status">
          <StatusBadge status={status} />
        </span>
        <span class="run-agent cut">
          <strong>{agent}</strong> <span class="quiet">{version}</span> <DemonstrationMark agent={agent} />
          <span class="mono quiet cut run-id">{id}</span>
        </span>
        <span class="run-now">
          <Marks card={card} />
          <span class="cut" title={now}>
            {now}
          </span>
        </span>
        {GAUGES.map((axis) => (
          <span key={axis} class={`run-gauge ${axis}`}>
            <Gauge axis={axis} use={usage[axis] ?? { spent: 0 }} short />
          </span>
        ))}
        <span class="run-changed right quiet">
          <Ago at={updatedAt} />
        </span>
      </a>
    </div>
  );
}

function Marks({ card }: { readonly card: RunCard }) {
  const { asks, takeovers, fork, attention } = card;
  return (
    <>
      {asks > 0 ? <Badge tone="warn">{asks === 1 ? 'Needs you' : `Needs you ${asks} times`}</Badge> : null}
      {takeovers > 0 ? (
        <Badge tone="idle">{takeovers === 1 ? 'Taken over' : `Taken over ${takeovers} times`}</Badge>
      ) : null}
      {attention === undefined ? null : (
        <Badge tone="bad" title={attention}>
          Needs attention
        </Badge>
      )}
      {fork === undefined ? null : (
        <Badge tone="idle" title={`Forked from ${fork.run} after entry ${fork.seq}`}>
          Fork
        </Badge>
      )}
    </>
  );
}

const TALL = 84;
const FLAT = 46;

/** Rows have one height, which the list needs to know: three lines where the screen is narrow. */
export function useRowHeight(): number {
  return useNarrow() ? TALL : FLAT;
}
