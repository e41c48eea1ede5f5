import { api } from '../api/client.js';
import { currentKey, forgetKey } from '../api/credentials.js';
import type { WhoAmI } from '../api/types.js';
import { useLoaded } from '../forms/use-loaded.js';
import { ErrorNote } from '../ui/error-note.js';
import './login.css';

/** Who one is to the server, and the way out. */
export function WhoPage() {
  const who = useLoaded(() => api.get<WhoAmI>('/v1/whoami'), []);
  if (who.problem !== undefined) return <ErrorNote error={who.problem} onRetry={who.again} />;
  if (who.value === undefined) return <p class="quiet">Reading…</p>;
  const { subject, tenant, kind, scopes, id } = who.value;
  return (
    <div class="card card-body login">
      <h1>{subject}</h1>
      <dl class="who">
        <div>
          <dt>Signed in with</dt>
          <dd>{KINDS[kind] ?? kind}</dd>
        </div>
        <div>
          <dt>Known as</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
        <div>
          <dt>Tenant</dt>
          <dd>{tenant}</dd>
        </div>
        <div>
          <dt>May</dt>
          <dd>{scopes.includes('*') ? 'everything' : scopes.join(', ')}</dd>
        </div>
      </dl>
      {currentKey() === undefined ? (
        <p class="quiet">This server does not require a key. It can only be reached from this computer.</p>
      ) : (
        <button
          type="button"
          class="button"
          onClick={() => {
            forgetKey();
            location.reload();
          }}
        >
          Sign out
        </button>
      )}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  key: 'an API key',
  jwt: 'a token',
  local: 'no credentials; the server is open on this computer',
};
