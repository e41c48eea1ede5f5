import { Ago } from '../ui/amounts-view.js';
import { Readable } from './readable-value.js';
import type { InboxItem, Said, WholeRequest } from './requests.js';
import { saidWords } from './verdict-words.js';

/** How it ended. */
export function Over({ request }: { readonly request: InboxItem }) {
  const { status, decision } = request;
  if (status === 'timed-out')
    return <p class="note warn">The request expired without an answer. It was not approved.</p>;
  if (status === 'withdrawn') return <p class="note">The run is no longer waiting for an answer.</p>;
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

/** What was said before: by those who agreed, changed or passed it on. */
export function History({ request }: { readonly request: WholeRequest }) {
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
