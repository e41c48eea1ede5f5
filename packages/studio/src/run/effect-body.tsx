import type { Failure } from '../../../flyball/src/core/errors.js';
import type { EventOf } from '../../../flyball/src/core/events.js';
import type { Effect } from '../../../flyball/src/views/effects.js';
import { outcomeText } from '../../../flyball/src/views/timeline-sentences.js';
import { count, dollars, duration } from '../ui/amounts.js';
import { useNow } from '../ui/amounts-view.js';
import { Code } from '../ui/code.js';

export type Fact = readonly [name: string, value: string | undefined];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Arguments, result, reply, tokens and cost: whatever this kind of effect has. */
export function EffectBody({
  effect,
  arriving,
  proposed,
}: {
  readonly effect: Effect;
  readonly arriving: string | undefined;
  /** The arguments of a pure call, as the model proposed them. */
  readonly proposed: string | undefined;
}) {
  const now = useNow(500, effect.status === 'open');
  const { startedAt, endedAt, inferredStart, starts, status, dropped } = effect;
  return (
    <>
      <Facts
        facts={[
          ['State', dropped === true ? 'dropped' : STATES[status]],
          ['Took', duration(Math.max(0, (endedAt ?? now) - startedAt)) + (inferredStart ? ' or more' : '')],
          ['Starts', starts > 1 ? `${starts}, restarted after a crash` : undefined],
          ...startFacts(effect),
          ...endFacts(effect),
        ]}
      />
      <Start effect={effect} proposed={proposed} />
      {arriving === undefined || status !== 'open' ? null : (
        <section>
          <h3>Arriving</h3>
          <Code value={arriving} label="The reply so far" />
        </section>
      )}
      <End effect={effect} />
    </>
  );
}

const STATES = { open: 'open', ok: 'done', error: 'failed' } as const;

function startFacts({ start, id }: Effect): readonly Fact[] {
  const named: Fact = ['Effect', id];
  switch (start?.type) {
    case 'ask-start':
      return [['Model', start.model], ['Session', start.session], named];
    case 'intent':
      return [['Class', start.class + (start.undo === true ? ', can be undone' : '')], ['Key', start.key], named];
    case 'wait-start':
      return [['Waits for', start.kind], ['Until', timeOf(start.due)], named];
    case 'sleep-start':
      return [['Until', timeOf(start.due)], named];
    case 'spawn-start':
    case undefined:
      return [named];
  }
}

function endFacts({ end }: Effect): readonly Fact[] {
  if (end?.type === 'ask-end') {
    const { reply, spent } = end;
    return [
      ['Tokens in', amount(spent.tokensIn ?? reply?.usage.input)],
      ['of these cached', amount(reply?.usage.cacheRead)],
      ['Tokens out', amount(spent.tokensOut ?? reply?.usage.output)],
      ['Cost', spent.costUsd === undefined ? undefined : dollars(spent.costUsd)],
      ['Not accepted', reply?.problem],
      ['Answered by', reply?.model],
      ['Finished', reply?.finish],
    ];
  }
  if (end?.type === 'complete' || end?.type === 'abort') {
    const { spent } = end;
    return [
      ['Cost', spent?.costUsd === undefined || spent.costUsd === 0 ? undefined : dollars(spent.costUsd)],
      ['How this is known', end.type === 'complete' ? end.how : undefined],
    ];
  }
  if (end?.type === 'wait-end')
    return [
      ['Answered by', end.from],
      ['In time', end.timedOut === true ? 'no' : undefined],
    ];
  return [];
}

function Start({ effect: { start }, proposed }: { readonly effect: Effect; readonly proposed: string | undefined }) {
  switch (start?.type) {
    case 'intent':
      return <Section title="Arguments" value={start.input} />;
    case 'spawn-start':
      return <Section title="Input" value={start.input} />;
    case 'wait-start':
      return start.request === undefined ? null : <Section title="What was asked" value={start.request} />;
    case undefined:
      return proposed === undefined ? null : <Section title="Arguments" value={readable(proposed)} />;
    case 'ask-start':
    case 'sleep-start':
      return null;
  }
}

function End({ effect: { end } }: { readonly effect: Effect }) {
  switch (end?.type) {
    case 'ask-end':
      return (
        <>
          {end.reply === undefined ? null : <Reply reply={end.reply} />}
          <FailureNote failure={end.failure} />
        </>
      );
    case 'complete':
      return (
        <>
          <Section title="Result" value={end.result} />
          <FailureNote failure={end.failure} />
        </>
      );
    case 'abort':
      return <FailureNote failure={end.failure} />;
    case 'spawn-end':
      return (
        <>
          <p>{outcomeText(end.outcome)}</p>
          {'value' in end.outcome ? <Section title="Value" value={end.outcome.value} /> : null}
        </>
      );
    case 'wait-end':
      return end.payload === undefined ? null : <Section title="Answer" value={end.payload} />;
    case 'sleep-end':
    case 'post':
    case undefined:
      return null;
  }
}

function Reply({ reply }: { readonly reply: NonNullable<EventOf<'ask-end'>['reply']> }) {
  return (
    <>
      {reply.reasoning === undefined ? null : <Section title="Reasoning" value={reply.reasoning} />}
      {reply.text === '' ? null : <Section title="Reply" value={reply.text} />}
      {reply.toolCalls?.map((call) => (
        <Section key={call.id} title={`Wants ${call.name}`} value={readable(call.arguments)} />
      ))}
    </>
  );
}

function FailureNote({ failure }: { readonly failure: Failure | undefined }) {
  if (failure === undefined) return null;
  return (
    <div class="note bad">
      <strong>{failure.code}</strong>
      <p>{failure.message}</p>
    </div>
  );
}

function Section({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <section>
      <h3>{title}</h3>
      <Code value={value} label={title} />
    </section>
  );
}

function amount(of: number | undefined): string | undefined {
  return of === undefined ? undefined : count(of);
}

function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(Math.min(at, 8.64e15)).toLocaleString();
}

/** Arguments are JSON in a string, as the model wrote them; what is not JSON is shown as it came. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
