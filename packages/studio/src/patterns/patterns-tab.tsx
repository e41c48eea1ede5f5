import { useMemo } from 'preact/hooks';
import { PatternFold, type PatternUse } from '../../../flyball/src/views/patterns-in.js';
import { api } from '../api/client.js';
import { useLoaded } from '../forms/use-loaded.js';
import { href } from '../router/router.js';
import { PrefixFold } from '../run/prefix-fold.js';
import type { RunModel } from '../run/run-model.js';
import { count, dollars, duration } from '../ui/amounts.js';
import { Badge } from '../ui/badge.js';
import { ErrorNote } from '../ui/error-note.js';
import { intervalText } from './calculate.js';
import { asPredicted, type RunFinding, type SpanNode, spanTree } from './span-tree.js';
import './patterns.css';

/** The patterns of a run as a tree: predicted and actual calls, cost, and what the linter finds at each of them. */
export function PatternsTab({ model }: { readonly model: RunModel }) {
  const fold = useMemo(
    () =>
      new PrefixFold(
        () => new PatternFold(),
        (patterns) => patterns.all(),
      ),
    [model],
  );
  const uses = fold.of(model.shown.value);
  const ended = model.entries.value.filter(
    ({ event }) => event.type === 'scope-end' || event.type === 'run-end',
  ).length;
  const { value, problem, again } = useLoaded(() => readFindings(model.runId), [model.runId, ended]);
  const { roots, rest } = spanTree(uses, value ?? []);
  return (
    <div class="patterns stack">
      {problem === undefined ? null : <ErrorNote error={problem} onRetry={again} />}
      {rest.length === 0 ? null : (
        <section class="card card-body" aria-label="Findings about the run">
          <h2>About the run</h2>
          <Findings of={rest} />
        </section>
      )}
      <section class="card card-body" aria-label="Patterns of the run">
        <h2>Patterns</h2>
        <Spans of={roots} />
      </section>
    </div>
  );
}

const readFindings = async (runId: string): Promise<readonly RunFinding[]> =>
  (await api.get<{ readonly findings: readonly RunFinding[] }>(`/v1/runs/${encodeURIComponent(runId)}/patterns`))
    .findings;

function Spans({ of }: { readonly of: readonly SpanNode[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="span-tree">
      {of.map(({ use, findings, children }) => (
        <li key={`${use.generation} ${use.path}`} data-span={use.path}>
          <Line use={use} />
          <Findings of={findings} />
          <Spans of={children} />
        </li>
      ))}
    </ul>
  );
}

const HOW_TONES: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = {
  done: 'good',
  returned: 'good',
  degraded: 'warn',
  bounded: 'warn',
  failed: 'bad',
};

function Line({ use }: { readonly use: PatternUse }) {
  const { pattern, path, how, predicted, modelCalls, costUsd, startedAt, endedAt, params } = use;
  const kept = asPredicted(use);
  const id = params?.['id'];
  return (
    <div class="span-line">
      {typeof id === 'string' ? (
        <a href={href(`/patterns/${encodeURIComponent(id)}`)}>
          {pattern} ({id})
        </a>
      ) : (
        <strong>{pattern}</strong>
      )}
      <Badge tone={how === undefined ? 'busy' : (HOW_TONES[how] ?? 'idle')}>{how ?? 'running'}</Badge>
      <span class="number" data-calls={modelCalls}>
        {count(modelCalls)} model calls
      </span>
      {predicted === undefined ? null : <span class="quiet number">predicted {intervalText(predicted)}</span>}
      {kept === 'more' || kept === 'fewer' ? <Badge tone="bad">{kept} than predicted</Badge> : null}
      <span class="number">{dollars(costUsd)}</span>
      {endedAt === undefined ? null : <span class="quiet number">{duration(endedAt - startedAt)}</span>}
      <code class="quiet">{path}</code>
    </div>
  );
}

const LEVEL_TONES = { error: 'bad', warning: 'warn', info: 'idle' } as const;

function Findings({ of }: { readonly of: readonly RunFinding[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="span-findings">
      {of.map(({ rule, level, why, change, from, at }) => (
        <li key={`${rule} ${at} ${why}`} data-rule={rule}>
          <p>
            <Badge tone={LEVEL_TONES[level]} title={from === 'journal' ? 'Found in the journal' : `Found in ${at}`}>
              {level}
            </Badge>{' '}
            {why} <code class="quiet">{rule}</code>
          </p>
          <p class="quiet">{change}</p>
        </li>
      ))}
    </ul>
  );
}
