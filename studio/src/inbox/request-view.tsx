import { useEffect, useState } from 'preact/hooks';
import { href } from '../router/router.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge, StatusBadge } from '../ui/badge.js';
import { Code } from '../ui/code.js';
import { ErrorNote } from '../ui/error-note.js';
import { Gauge } from '../ui/gauge.js';
import { changes, reload } from './inbox-store.js';
import { QuestionPanel } from './question-panel.js';
import { Readable } from './readable-value.js';
import {
  approvalIn,
  type InboxItem,
  isHidden,
  questionIn,
  requests,
  type Said,
  type WholeRequest,
} from './requests.js';
import { Deadline, RiskBadge } from './risk-badge.js';
import { VerdictPanel } from './verdict-panel.js';
import { agreementWords, saidWords } from './verdict-words.js';

/** One request on one screen. Shows what the server says and nothing ahead of it. */
export function RequestView({ id }: { readonly id: string }) {
  const { request, problem, again } = useRequest(id);
  if (request === undefined)
    return problem === undefined ? <p class="quiet">Reading…</p> : <ErrorNote error={problem} onRetry={again} />;
  return (
    <article class="card request" data-shown={request.id} data-status={request.status}>
      <Heading request={request} />
      <div class="card-body request-body">
        <div class="request-main">
          {isHidden(request) ? (
            <p class="note">The run marked this as private. Look at it where the run was started.</p>
          ) : request.kind === 'approval' ? (
            <Approval request={request} />
          ) : (
            <h2 class="question-prompt">{questionIn(request).prompt ?? request.about}</h2>
          )}
          <Standing request={request} onSaid={again} />
          <History request={request} />
        </div>
        <RunSoFar request={request} />
      </div>
    </article>
  );
}

function useRequest(id: string) {
  const [request, setRequest] = useState<WholeRequest>();
  const [problem, setProblem] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const seen = changes.value.get(request?.run ?? '') ?? 0;
  useEffect(() => {
    const leaving = new AbortController();
    requests
      .get(id, leaving.signal)
      .then((found) => {
        setRequest(found);
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (!leaving.signal.aborted) setProblem(error);
      });
    return () => leaving.abort();
  }, [id, turn, seen]);
  const again = () => {
    setTurn((before) => before + 1);
    void reload();
  };
  return { request, problem, again };
}

function Heading({ request }: { readonly request: WholeRequest }) {
  const { about, risk, due, status, askedAt, agent, kind } = request;
  return (
    <header class="request-title">
      <a class="button plain small only-narrow" href={href('/inbox')}>
        ← Inbox
      </a>
      <h1>
        {kind === 'approval' ? 'May it use ' : 'Question from '}
        <code>{about}</code>
        {kind === 'approval' ? '?' : ''}
      </h1>
      <span class="request-badges">
        {risk === undefined ? null : <RiskBadge risk={risk} />}
        {status === 'open' && due !== undefined ? <Deadline due={due} /> : null}
        {status === 'open' ? null : <Badge tone={status === 'decided' ? 'good' : 'idle'}>{status}</Badge>}
      </span>
      <p class="quiet">
        {agent}, asked <Ago at={askedAt} />
      </p>
    </header>
  );
}

/** Everything that the run says about the action, in words. */
function Approval({ request }: { readonly request: WholeRequest }) {
  const about = approvalIn(request);
  const agreement = agreementWords(request, about.people, about.to);
  return (
    <>
      <dl class="review">
        <Row title="Why" text={about.why ?? request.why} />
        <Row title="Expected effect" text={about.expectedEffect} />
        <Row
          title="How to undo it"
          text={about.undo ?? (about.effect === 'irreversible' ? 'It cannot be undone.' : undefined)}
        />
        {about.alternatives === undefined || about.alternatives.length === 0 ? null : (
          <div>
            <dt>Alternatives</dt>
            <dd>
              <ul class="review-list">
                {about.alternatives.map((one) => (
                  <li key={one}>{one}</li>
                ))}
              </ul>
            </dd>
          </div>
        )}
        <Row title="Kind of action" text={about.effect} />
        <Row title="Recommendation" text={about.recommendation} />
        <Row title="Confidence" text={about.confidence === undefined ? undefined : percent(about.confidence)} />
        {about.scores === undefined ? null : (
          <div>
            <dt>Scores</dt>
            <dd>
              <Readable value={about.scores} />
            </dd>
          </div>
        )}
        <Row title="Who has to agree" text={agreement} />
      </dl>
      <Proposal request={request} />
    </>
  );
}

function Proposal({ request }: { readonly request: WholeRequest }) {
  const { input, output } = approvalIn(request);
  const value = output ?? input;
  if (value === undefined) return null;
  return (
    <section class="proposal" aria-label={output === undefined ? 'Arguments' : 'Output'}>
      <h2>{output === undefined ? 'With these arguments' : 'The output'}</h2>
      <Readable value={value} />
      <details>
        <summary class="quiet">as JSON</summary>
        <Code value={value} label="As JSON" />
      </details>
    </section>
  );
}

function Row({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd class="text-value">{text}</dd>
    </div>
  );
}

/** Decide while it is open; how it ended after. */
function Standing({ request, onSaid }: { readonly request: WholeRequest; readonly onSaid: () => void }) {
  if (request.status !== 'open') return <Over request={request} />;
  if (isHidden(request)) return null;
  if (request.overdue)
    return (
      <p class="note warn">Its deadline has passed: the run goes on without an answer as soon as it is looked at.</p>
    );
  return request.kind === 'approval' ? (
    <VerdictPanel request={request} onSaid={onSaid} />
  ) : (
    <QuestionPanel request={request} onSaid={onSaid} />
  );
}

function Over({ request }: { readonly request: InboxItem }) {
  const { status, decision } = request;
  if (status === 'timed-out') return <p class="note warn">Nobody answered in time. Silence approves nothing.</p>;
  if (status === 'withdrawn') return <p class="note">The run no longer waits for an answer.</p>;
  if (decision === undefined) return null;
  return (
    <div class="note" role="status">
      <SaidLine said={decision} />
    </div>
  );
}

function SaidLine({ said }: { readonly said: Said }) {
  const { reason, value, at } = said;
  return (
    <>
      <strong>{saidWords(said)}</strong>
      {at === undefined ? null : (
        <span class="quiet">
          {' '}
          <Ago at={at} />
        </span>
      )}
      {reason === undefined || reason === '' ? null : <p class="text-value">“{reason}”</p>}
      {value === undefined ? null : <Readable value={value} />}
    </>
  );
}

function History({ request }: { readonly request: WholeRequest }) {
  const earlier = request.status === 'open' ? request.history : request.history.slice(0, -1);
  if (earlier.length === 0) return null;
  return (
    <section aria-label="Earlier decisions">
      <h2>Earlier decisions</h2>
      <ol class="review-list said">
        {earlier.map((said, index) => (
          <li key={index}>
            <SaidLine said={said} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function RunSoFar({ request }: { readonly request: WholeRequest }) {
  const { card, timeline, run } = request;
  const cost = card.usage.costUsd;
  return (
    <aside class="run-so-far" aria-label="The run so far">
      <h2>The run so far</h2>
      <p class="run-line">
        <a href={href(`/runs/${encodeURIComponent(run)}`)} class="mono">
          {run}
        </a>{' '}
        <StatusBadge status={card.status} />
      </p>
      {cost === undefined ? null : <Gauge axis="costUsd" use={cost} />}
      <ol class="story">
        {timeline.map(({ symbol, text, detail, offsetMs }, index) => (
          <li key={index} title={detail ?? ''}>
            <span class="quiet number">+{(offsetMs / 1000).toFixed(1)} s</span> <span aria-hidden="true">{symbol}</span>{' '}
            {text}
          </li>
        ))}
      </ol>
    </aside>
  );
}

function percent(share: number): string {
  return share >= 0 && share <= 1 ? `${Math.round(share * 100)} %` : String(share);
}
