import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { keepKey } from '../api/credentials.js';
import { ApiError, problemIn, unreachableServer } from '../api/problem.js';
import { ErrorNote } from '../ui/error-note.js';
import './login.css';

/** Asks for a key. It is tried before it is kept, and kept for this tab only. */
export function LoginPage() {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const enter = async (): Promise<void> => {
    if (key.trim() === '' || busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await tried(key.trim());
      location.reload(); // whatever was refused before is asked for again, with the key
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <form
      class="card card-body login"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <h1>Sign in</h1>
      <p>This server requires an API key. Create one with</p>
      <pre class="code">flyball keys create --name me --scope admin</pre>
      <label class="label" for={id}>
        API key or token
      </label>
      <input
        id={id}
        ref={field}
        class="field"
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={key}
        onInput={(event) => setKey(event.currentTarget.value)}
      />
      <p class="quiet">The key is kept in this tab only, until you close it or sign out.</p>
      <button type="submit" class="button primary" disabled={busy}>
        {busy ? 'Trying…' : 'Sign in'}
      </button>
      {problem === undefined ? null : <ErrorNote error={problem} />}
    </form>
  );
}

/** Not through the client: it would keep what the server may refuse. */
async function tried(key: string): Promise<void> {
  const response = await fetch('/v1/whoami', { headers: { authorization: `Bearer ${key}` } }).catch(
    (error: unknown) => {
      throw unreachableServer(error);
    },
  );
  if (response.ok) return keepKey(key);
  const error = await problemIn(response);
  throw error.status === 401 ? refused(error) : error;
}

function refused(error: ApiError): ApiError {
  return new ApiError({
    ...error.problem,
    title: 'The server did not accept this key',
    next: 'Check that it was copied completely and has not expired or been revoked: flyball keys list',
  });
}
