import { count, dollars, duration } from '../ui/amounts.js';
import { Badge } from '../ui/badge.js';
import { FoldedText } from './folded-text.js';
import { PromptView, type RunOf } from './prompt-view.js';
import { ToolUseView } from './tool-use-view.js';
import type { Turn } from './turn.js';
import { useInSight } from './use-in-sight.js';

/** One call of a model: what it was given, what it said, what it wanted done. */
export function TurnView({
  runOf,
  origin,
  turn,
  arriving,
}: {
  readonly runOf: RunOf;
  /** The run that made the call, where a fork inherited it. */
  readonly origin: string | undefined;
  readonly turn: Turn;
  /** What it has said so far, while it speaks. */
  readonly arriving: string | undefined;
}) {
  const { ref, seen } = useInSight<HTMLElement>();
  const { n, session, model, answeredBy, phase, status, attempts, reasoning, text, failure, uses, finish } = turn;
  return (
    <article
      class={`model-call model-call-${status} ${origin === undefined ? '' : 'inherited'}`}
      id={`turn-${n}`}
      aria-label={`Model call ${n}, ${session}`}
      ref={ref}
    >
      <header class="turn-head">
        <h3>
          <span class="turn-n">{n}</span> {session}
        </h3>
        <span class="quiet mono cut">{answeredBy === undefined ? model : `${model}, answered by ${answeredBy}`}</span>
        {origin === undefined ? null : (
          <Badge tone="idle" title={`Made by ${origin}, not charged again`}>
            inherited
          </Badge>
        )}
        {phase === undefined ? null : <Badge tone="idle">{phase}</Badge>}
        {attempts > 1 ? <Badge tone="warn">attempt {attempts}</Badge> : null}
        {status === 'open' ? <Badge tone="busy">▶ asking</Badge> : null}
        {status === 'error' ? <Badge tone="bad">✗ no answer</Badge> : null}
        <Figures turn={turn} />
      </header>
      {seen ? <PromptView runOf={runOf} turn={turn} /> : <p class="quiet prompt-loading">Prompt</p>}
      <div class="reply">
        <div class="reply-title">
          Reply
          {finish === undefined || finish === 'stop' || finish === 'tool_calls' ? null : (
            <Badge tone="warn">ended with {finish}</Badge>
          )}
        </div>
        {reasoning === undefined || reasoning === '' ? null : (
          <details class="reasoning">
            <summary>Reasoning</summary>
            <FoldedText text={reasoning} label="the reasoning" />
          </details>
        )}
        <Said text={text} arriving={status === 'open' ? (arriving ?? '') : undefined} hasCalls={uses.length > 0} />
        {failure === undefined ? null : (
          <p class="failure">
            {failure.message} <code class="quiet">{failure.code}</code>
          </p>
        )}
        {uses.length === 0 ? null : (
          <ul class="uses" aria-label={`Tool calls of call ${n}`}>
            {uses.map((use) => (
              <ToolUseView key={use.key} use={use} />
            ))}
          </ul>
        )}
      </div>
    </article>
  );
}

function Said({
  text,
  arriving,
  hasCalls,
}: {
  readonly text: string;
  readonly arriving: string | undefined;
  readonly hasCalls: boolean;
}) {
  if (arriving !== undefined)
    return (
      <pre class="words arriving" aria-busy="true">
        {arriving}
        <span class="caret" aria-hidden="true" />
      </pre>
    );
  if (text !== '') return <FoldedText text={text} label="the reply" />;
  return hasCalls ? null : <p class="quiet">No text.</p>;
}

function Figures({ turn }: { readonly turn: Turn }) {
  const { status, tokensIn, tokensOut, cacheRead, costUsd, startedAt, endedAt } = turn;
  if (status === 'open') return null;
  const cached = cacheRead === undefined ? '' : ` (${count(cacheRead)} from the provider's cache)`;
  return (
    <span class="figures quiet">
      {count(tokensIn)} in{cached} · {count(tokensOut)} out · {dollars(costUsd)}
      {endedAt === undefined ? '' : ` · ${duration(endedAt - startedAt)}`}
    </span>
  );
}
