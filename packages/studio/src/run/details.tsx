import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Entry } from '../../../flyball/src/core/events.js';
import type { Effect } from '../../../flyball/src/views/effects.js';
import { baseOf } from '../../../flyball/src/views/paths.js';
import { type Span, spansIn } from '../../../flyball/src/views/trace.js';
import { duration } from '../ui/amounts.js';
import { Code } from '../ui/code.js';
import { Empty } from '../ui/empty.js';
import { EffectBody, Facts } from './effect-body.js';
import { EffectEntriesFold, keyOf } from './effect-entries.js';
import { Decisions, Trouble } from './effect-trouble.js';
import { originOf } from './inherited.js';
import { PrefixFold } from './prefix-fold.js';
import { proposedArguments } from './proposed-arguments.js';
import type { RunModel } from './run-model.js';
import { barNames, KIND_NAMES, plainName } from './waterfall-rows.js';

/** All about what is selected: an effect with everything that happened to it, or one entry as it stands in the journal. */
export function Details({ model }: { readonly model: RunModel }) {
  const selected = model.selected.value;
  if (selected === undefined)
    return (
      <div class="card">
        <Empty title="Nothing selected">Select a bar or an event to see its details.</Empty>
      </div>
    );
  if (selected.startsWith('@')) return <EntryDetails model={model} index={Number(selected.slice(1))} />;
  return <SpanDetails model={model} />;
}

function EntryDetails({ model, index }: { readonly model: RunModel; readonly index: number }) {
  const entry = index < 0 ? model.inherited.value.entries.at(index) : model.entries.value[index];
  if (entry === undefined) return null;
  const origin = originOf(model.inherited.value, index);
  return (
    <div class="card card-body details">
      <h2>
        Entry {origin?.seq ?? entry.seq} <span class="quiet">{entry.event.type}</span>
      </h2>
      <Facts
        facts={[
          ['Inherited from', origin?.run],
          ['Generation', String(origin?.generation ?? entry.generation)],
          ['Time', new Date(entry.at).toLocaleString()],
          ['Active time', duration(entry.activeMs)],
        ]}
      />
      {index < 0 ? null : (
        <button type="button" class="button small" onClick={() => (model.upTo.value = index + 1)}>
          Show the run as of this entry
        </button>
      )}
      <Code value={entry.event} label="The entry as JSON" />
    </div>
  );
}

function SpanDetails({ model }: { readonly model: RunModel }) {
  const entriesByEffect = useMemo(
    () =>
      new PrefixFold(
        () => new EffectEntriesFold(),
        (fold) => fold.read(),
      ),
    [],
  );
  const found = useComputed(() => ({
    effect: model.effects.value.find((effect) => `${effect.generation}:${effect.id}` === model.selected.value),
    entries: entriesByEffect.of(model.shown.value),
    span: spansIn(model.trace.value).find((span) => span.id === model.selected.value),
  })).value;
  const { effect, span } = found;
  if (effect === undefined && span === undefined)
    return (
      <div class="card">
        <Empty title="Not yet">It had not started at this point of the journal.</Empty>
      </div>
    );
  const related = effect === undefined ? [] : (found.entries.get(keyOf(effect.generation, effect.id)) ?? []);
  const guards = effect === undefined ? [] : guardsOf(model, effect);
  return (
    <div class="card card-body details" aria-live="off">
      <h2>
        {titleOf(effect, span)} {span === undefined ? null : <span class="quiet">{KIND_NAMES[span.kind]}</span>}
      </h2>
      {effect === undefined ? (
        <Facts
          facts={[
            ['State', span?.status ?? ''],
            ['Took', span?.endMs === undefined ? 'still running' : duration(span.endMs - span.startMs)],
          ]}
        />
      ) : (
        <EffectBody
          effect={effect}
          arriving={model.arriving.value.get(effect.id)}
          proposed={isPureCall(effect) ? proposedArguments(effect, model.effects.value) : undefined}
        />
      )}
      {span?.kind === 'run' ? <RunBody model={model} /> : null}
      <Decisions guards={guards} />
      <Trouble entries={related} />
      <Related model={model} entries={related} />
    </div>
  );
}

function titleOf(effect: Effect | undefined, span: Span | undefined): string {
  const [known] = effect === undefined ? [] : barNames([effect]).values();
  return known ?? (span === undefined ? (effect?.name ?? '') : plainName(span));
}

/** What went in and what came out. */
function RunBody({ model }: { readonly model: RunModel }) {
  const first = model.shown.value[0]?.event;
  const { outcome } = model.summary.value;
  return (
    <>
      {first?.type === 'run-start' || first?.type === 'generation-start' ? (
        <section>
          <h3>Input</h3>
          <Code value={first.input} label="Input" />
        </section>
      ) : null}
      {outcome === undefined ? null : (
        <section>
          <h3>Outcome</h3>
          <Code value={outcome} label="Outcome" />
        </section>
      )}
    </>
  );
}

function isPureCall({ verb, start }: Effect): boolean {
  return verb === 'call' && start === undefined;
}

function guardsOf(model: RunModel, effect: Effect) {
  const base = baseOf(effect.id);
  return model.guards.value.filter(({ effect: of, generation }) => of === base && generation === effect.generation);
}

function Related({ model, entries }: { readonly model: RunModel; readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <details class="related">
      <summary>
        {entries.length} {entries.length === 1 ? 'entry' : 'entries'} in the journal
      </summary>
      <ul class="plain-list">
        {entries.slice(0, 200).map((entry) => (
          <li key={`${entry.generation}.${entry.seq}`}>
            <button
              type="button"
              class="link"
              onClick={() => (model.selected.value = `@${model.entries.peek().indexOf(entry)}`)}
            >
              {entry.seq} {entry.event.type}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
