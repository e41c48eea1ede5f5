import { useEffect, useMemo, useState } from 'preact/hooks';
import { type KeyAction, useKeys } from '../app/keys.js';
import { useTitle } from '../app/page-title.js';
import { navigate, type Params, place } from '../router/router.js';
import { Empty } from '../ui/empty.js';
import { ErrorNote } from '../ui/error-note.js';
import { items, listProblem, reload, showsAll, useInbox } from './inbox-store.js';
import { MetricsLine } from './metrics-line.js';
import { openAsks } from './open-asks.js';
import { inboxPath, RequestList } from './request-list.js';
import { RequestView } from './request-view.js';
import './inbox.css';

/** What runs ask of people, and one of it with everything that decides it. */
export function InboxPage({ params }: { readonly params: Params }) {
  useInbox();
  useTitle(openAsks.value === undefined || openAsks.value === 0 ? undefined : `Inbox (${openAsks.value})`);
  const list = items.value ?? [];
  const run = place.value.query.get('run'); // a run's page leads to what that run asks
  const current = usePinned(params['id'], run);
  useKeys(useMemo(() => moves(current), [current]));
  return (
    <div class={`inbox ${params['id'] === undefined && run === null ? 'at-list' : 'at-request'}`}>
      <section class="inbox-list" aria-label="Inbox">
        <header class="inbox-head">
          <h1>Inbox</h1>
          <AllOrOpen />
        </header>
        <MetricsLine />
        {listProblem.value === undefined ? null : <ErrorNote error={listProblem.value} onRetry={() => void reload()} />}
        {items.value === undefined ? (
          listProblem.value === undefined ? (
            <p class="quiet">Reading…</p>
          ) : null
        ) : list.length === 0 ? (
          <Empty title="No open requests">Approvals and questions from runs appear here.</Empty>
        ) : (
          <RequestList items={list} current={current} />
        )}
      </section>
      <section class="inbox-request" aria-label="Request">
        {current === undefined ? null : <RequestView key={current} id={current} />}
      </section>
    </div>
  );
}

/** What was opened stays open when it has left the list: whoever decided sees what came of it. */
function usePinned(id: string | undefined, run: string | null): string | undefined {
  const [pinned, setPinned] = useState<{ readonly id: string; readonly run: string | null }>();
  const list = items.value ?? [];
  const first = run === null ? list[0] : list.find((item) => item.run === run);
  const kept = pinned?.run === run ? pinned.id : first?.id;
  useEffect(() => {
    if (kept !== undefined && pinned?.id !== kept) setPinned({ id: kept, run });
  }, [kept, pinned, run]);
  return id ?? kept;
}

function AllOrOpen() {
  useEffect(() => showsAll.subscribe(() => void reload()), []);
  return (
    <label class="quiet">
      <input
        type="checkbox"
        checked={showsAll.value}
        onChange={(event) => {
          showsAll.value = event.currentTarget.checked;
        }}
      />{' '}
      Show resolved
    </label>
  );
}

function moves(from: string | undefined): readonly KeyAction[] {
  const move = (step: 1 | -1): void => {
    const list = items.peek() ?? [];
    const at = list.findIndex(({ id }) => id === from);
    const to = at < 0 ? list[0] : list[at + step];
    if (to !== undefined) navigate(inboxPath(to.id));
  };
  return [
    { keys: 'j', what: 'Next request', run: () => move(1) },
    { keys: 'k', what: 'Previous request', run: () => move(-1) },
  ];
}
