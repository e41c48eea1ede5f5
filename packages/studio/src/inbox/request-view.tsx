import { href } from '../router/router.js';
import { Ago } from '../ui/amounts-view.js';
import { Badge } from '../ui/badge.js';
import { DemonstrationMark } from '../ui/demonstration-mark.js';
import { ErrorNote } from '../ui/error-note.js';
import { ApprovalView } from './approval-view.js';
import { DoubtPanel } from './doubt-panel.js';
import { QuestionPanel } from './question-panel.js';
import { isHidden, questionIn, type WholeRequest } from './requests.js';
import { Deadline, RiskBadge } from './risk-badge.js';
import { RunSoFar } from './run-so-far.js';
import { History, Over } from './said-view.js';
import { useRequest } from './use-request.js';
import { VerdictPanel } from './verdict-panel.js';

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
            <p class="note">The run marked this as private. View it where the run was started.</p>
          ) : request.kind !== 'question' ? (
            <ApprovalView request={request} />
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

const HEADINGS = {
  approval: { before: 'May it use ', after: '?' },
  question: { before: 'Question from ', after: '' },
  doubt: { before: 'Did ', after: ' happen?' },
} as const;

function Heading({ request }: { readonly request: WholeRequest }) {
  const { about, risk, due, status, askedAt, agent, kind } = request;
  return (
    <header class="request-title">
      <a class="button plain small only-narrow" href={href('/inbox')}>
        ← Inbox
      </a>
      <h1>
        {HEADINGS[kind].before}
        <code>{about}</code>
        {HEADINGS[kind].after}
      </h1>
      <span class="request-badges">
        {risk === undefined ? null : <RiskBadge risk={risk} />}
        {status === 'open' && due !== undefined ? <Deadline due={due} /> : null}
        {status === 'open' ? null : <Badge tone={status === 'decided' ? 'good' : 'idle'}>{status}</Badge>}
      </span>
      <p class="quiet">
        {agent}, asked <Ago at={askedAt} /> <DemonstrationMark agent={agent} />
      </p>
    </header>
  );
}

/** Decide while it is open; how it ended after. */
function Standing({ request, onSaid }: { readonly request: WholeRequest; readonly onSaid: () => void }) {
  if (request.status !== 'open') return <Over request={request} />;
  if (isHidden(request)) return null;
  if (request.overdue)
    return <p class="note warn">The deadline has passed. The run will continue without an answer.</p>;
  if (request.kind === 'doubt') return <DoubtPanel request={request} onSaid={onSaid} />;
  return request.kind === 'approval' ? (
    <VerdictPanel request={request} onSaid={onSaid} />
  ) : (
    <QuestionPanel request={request} onSaid={onSaid} />
  );
}
