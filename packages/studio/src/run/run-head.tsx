import { computed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { CountedAxis } from '../../../flyball/src/core/budget.js';
import type { Waiting } from '../../../flyball/src/core/outcome.js';
import { askedIn } from '../../../flyball/src/views/asked.js';
import type { RunSummary } from '../../../flyball/src/views/summary.js';
import { outcomeText } from '../../../flyball/src/views/timeline-sentences.js';
import type { RunStatus } from '../api/types.js';
import { FoldedText } from '../conversation/folded-text.js';
import { href } from '../router/router.js';
import { isServed } from '../store/served-agents.js';
import { AXIS_NAMES, duration } from '../ui/amounts.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge, StatusBadge } from '../ui/badge.js';
import { DemonstrationMark } from '../ui/demonstration-mark.js';
import { Gauge } from '../ui/gauge.js';
import { useCalmStatus } from './calm-status.js';
import { commandState } from './command-state.js';
import { RunActions } from './run-actions.js';
import { CommandRefusal, RunControls } from './run-controls.js';
import type { RunModel } from './run-model.js';
import { RunResult } from './run-result.js';
import { KIND_NAMES } from './waterfall-rows.js';

const GAUGES: readonly CountedAxis[] = [
  'costUsd',
  'tokensIn',
  'tokensOut',
  'modelCalls',
  'toolCalls',
  'iterations',
  'wallMs',
];

/** On a phone the others are in the tab of the budgets. */
const MAIN: ReadonlySet<CountedAxis> = new Set(['costUsd', 'modelCalls', 'wallMs']);

/** Who, how it stands at the slider's place, what it has spent, and the buttons that steer it. */
export function RunHead({ model }: { readonly model: RunModel }) {
  const card = model.card.value;
  const summary = model.summary.value;
  const isLive = model.upTo.value === 'live';
  const standing = isLive ? (card?.status ?? summary.status) : summary.status;
  const status = useCalmStatus(standing, isLive ? (card?.waiting ?? []) : []);
  const commands = useMemo(
    () =>
      commandState(
        computed(() => model.card.value?.status),
        model.connection,
      ),
    [model],
  );
  useEffect(() => () => commands.stop(), [commands]);
  return (
    <header class="run-head card card-body">
      <div class="run-title">
        <h1>{summary.agent ?? card?.agent ?? 'Run'}</h1>
        <StatusBadge status={status} />
        <DemonstrationMark agent={summary.agent ?? card?.agent} />
        <Remarks model={model} />
        <RunControls model={model} state={commands} />
      </div>
      <CommandRefusal state={commands} />
      <Asked model={model} />
      <RunFacts model={model} />
      <State model={model} status={status} />
      <RunResult outcome={summary.outcome} />
      <Gauges summary={summary} />
    </header>
  );
}

/** What is unusual about it. */
function Remarks({ model }: { readonly model: RunModel }) {
  const card = model.card.value;
  const { takeovers: known } = model.summary.value;
  const isLive = model.upTo.value === 'live';
  const takeovers = isLive ? (card?.takeovers ?? known) : known;
  return (
    <>
      {card === undefined || card.mode === 'tool' || isServed(card.agent) ? null : (
        <Badge
          tone="warn"
          title="This server does not have that agent. You can view the run, but it continues only on a server that has it."
        >
          Agent not on this server
        </Badge>
      )}
      {isLive ? null : <Badge tone="idle">Historical view</Badge>}
      {takeovers > 0 ? (
        <Badge tone="bad" title="Its process crashed and another one resumed the run. The timeline shows when.">
          Crashed and resumed {takeovers === 1 ? 'once' : `${takeovers} times`}
        </Badge>
      ) : null}
    </>
  );
}

function RunFacts({ model }: { readonly model: RunModel }) {
  const card = model.card.value;
  const summary = model.summary.value;
  const isLive = model.upTo.value === 'live';
  return (
    <p class="run-facts quiet">
      <span class="mono">{model.runId}</span>
      <RunActions model={model} />
      {summary.version === undefined ? null : <span>version {summary.version}</span>}
      {card === undefined ? null : <span>{card.mode}</span>}
      {summary.subject === undefined ? null : <span>for {summary.subject}</span>}
      {card?.phase !== undefined && isLive && card.outcome === undefined ? <span>phase {card.phase}</span> : null}
      {summary.startedAt === undefined ? null : (
        <span>
          started <Ago at={summary.startedAt} />
        </span>
      )}
      <span>active for {duration(summary.activeMs)}</span>
      <ForkedFrom model={model} />
    </p>
  );
}

function ForkedFrom({ model }: { readonly model: RunModel }) {
  const fork = model.summary.value.fork ?? model.card.value?.fork;
  const inherited = model.inherited.value.entries.length;
  if (fork === undefined) return null;
  return (
    <span>
      forked from <a href={href(`/runs/${encodeURIComponent(fork.run)}?at=${fork.seq + 1}`)}>{fork.run}</a> after entry{' '}
      {fork.seq}
      {inherited === 0 ? null : `, with ${inherited} entries inherited`}
    </span>
  );
}

function Gauges({ summary }: { readonly summary: RunSummary }) {
  return (
    <dl class="run-gauges">
      {GAUGES.map((axis) => (
        <div key={axis} class={MAIN.has(axis) ? '' : 'only-wide'}>
          <dt>{AXIS_NAMES[axis]}</dt>
          <dd>
            <Gauge axis={axis} use={summary.usage[axis]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What it was given, where everybody looks first. From the journal, so that nothing of it is cut off. */
function Asked({ model }: { readonly model: RunModel }) {
  const first = model.entries.value[0]?.event;
  const asked = first?.type === 'run-start' ? askedIn(first.input, ASKED_LENGTH) : model.card.value?.asked;
  if (asked === undefined) return null;
  return (
    <section class="run-asked-head" aria-label="What was asked">
      <FoldedText text={asked} label="what was asked" lines={2} />
    </section>
  );
}

const ASKED_LENGTH = 4_000;

/** One line on why it stands where it stands: its end, what it waits for, or what is open. */
function State({ model, status }: { readonly model: RunModel; readonly status: RunStatus }) {
  const { outcome, ...summary } = model.summary.value;
  // a nap is told for as long as the status says so: the line would come and go with each of them
  const isAwake = status === 'running';
  const waiting = isAwake ? summary.waiting.filter(({ kind }) => kind !== 'sleep') : summary.waiting;
  const isAsleep = status === 'suspended' && waiting.length === 0;
  const open = isAwake ? summary.open.filter(({ verb }) => verb !== 'sleep') : summary.open;
  const attention = model.upTo.value === 'live' ? model.card.value?.attention : undefined;
  const asks = waiting.filter(({ kind }) => kind === 'approval' || kind === 'question' || kind === 'doubt');
  return (
    <div class={outcome === undefined ? 'run-state open' : 'run-state'} role="status">
      {attention === undefined ? null : <p class="bad-text">{attention}</p>}
      {/* that it is done stands beside its name already */}
      {outcome === undefined || outcome.stop === 'done' ? null : <p>{capital(outcomeText(outcome))}</p>}
      {outcome !== undefined || (waiting.length === 0 && !isAsleep) ? null : (
        <p>
          Waiting for {isAsleep ? 'time to pass' : waiting.map(awaited).join(', ')}.
          {asks.length > 0 && model.upTo.value === 'live' ? (
            <>
              {' '}
              <a href={href(`/inbox?run=${encodeURIComponent(model.runId)}`)}>Answer in the inbox</a>
            </>
          ) : null}
        </p>
      )}
      {outcome !== undefined || open.length === 0 || isAsleep || waiting.length === open.length ? null : (
        <p class="quiet">
          Open:{' '}
          {open
            .slice(0, 4)
            .map(({ verb, name }) => `${KIND_NAMES[verb].toLowerCase()} ${name}`)
            .join(', ')}
          {open.length > 4 ? ` and ${open.length - 4} more` : ''}
        </p>
      )}
    </div>
  );
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function awaited({ kind, name, request }: Waiting): string {
  const { action, prompt } = (request ?? {}) as { readonly action?: unknown; readonly prompt?: unknown };
  switch (kind) {
    case 'sleep':
      return 'time to pass';
    case 'approval':
      return `approval of ${typeof action === 'string' ? action : name}`;
    case 'doubt':
      return `confirmation whether ${typeof action === 'string' ? action : name} happened`;
    case 'question':
      return `an answer to “${typeof prompt === 'string' ? prompt : name}”`;
    case 'signal':
      return `signal ${name}`;
  }
}
