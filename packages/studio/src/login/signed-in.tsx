import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { currentKey, needsLogin } from '../api/credentials.js';
import type { WhoAmI } from '../api/types.js';
import { href, place } from '../router/router.js';

/** Whose key is in use; the page behind it has the way out. Nothing where the server takes no keys. */
export function SignedIn() {
  const [subject, setSubject] = useState<string>();
  const isOut = needsLogin.value || currentKey() === undefined;
  useEffect(() => {
    if (isOut) return;
    const leaving = new AbortController();
    api
      .get<WhoAmI>('/v1/whoami', {}, leaving.signal)
      .then((who) => setSubject(who.subject))
      .catch(() => undefined); // the name is a courtesy: the link works without it
    return () => leaving.abort();
  }, [isOut]);
  if (isOut) return null;
  return (
    <a
      class="button plain who-link"
      href={href('/who')}
      title="Account and sign out"
      {...(place.value.path === '/who' ? { 'aria-current': 'page' as const } : {})}
    >
      <span class="cut">{subject ?? 'Signed in'}</span>
    </a>
  );
}
