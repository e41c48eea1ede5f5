import { currentKey, forgetKey, needsLogin } from '../api/credentials.js';
import type { StreamState } from '../api/event-stream.js';
import { connection } from '../live/connection.js';
import { href, place } from '../router/router.js';
import { nextTheme, theme } from '../theme/theme.js';
import { pages } from './pages.js';

export function TopBar({ onKeys }: { readonly onKeys: () => void }) {
  const { path } = place.value;
  return (
    <header class="top">
      <a class="brand" href={href('/runs')}>
        <img src={`${href('/')}icon.svg`} alt="" width="20" height="20" />
        Flyball
      </a>
      <nav class="menu" aria-label="Pages">
        {pages
          .filter(({ key }) => key !== undefined)
          .map((page) => (
            <a
              key={page.path}
              href={href(page.path)}
              {...(path === page.path || path.startsWith(`${page.path}/`) ? { 'aria-current': 'page' as const } : {})}
            >
              {page.title}
            </a>
          ))}
      </nav>
      <div class="tools">
        <Connection />
        <button type="button" class="button plain" onClick={nextTheme} title="Change the theme (t)">
          <span class="visually-hidden">Theme: </span>
          {THEMES[theme.value]}
        </button>
        <button type="button" class="button plain" onClick={onKeys} title="Show the keys (?)">
          Keys
        </button>
        <SignOut />
      </div>
    </header>
  );
}

const THEMES = { system: 'Auto', light: 'Light', dark: 'Dark' } as const;

const STATES: Readonly<Record<StreamState, { readonly text: string; readonly tone: string }>> = {
  open: { text: 'Live', tone: 'good' },
  connecting: { text: 'Connecting', tone: 'idle' },
  waiting: { text: 'Server away, trying again', tone: 'warn' },
  refused: { text: 'Not connected', tone: 'bad' },
  closed: { text: 'At rest', tone: 'idle' },
};

function Connection() {
  const { text, tone } = STATES[connection.value];
  return (
    <span class={`connection ${tone}`} role="status" data-state={connection.value}>
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}

function SignOut() {
  if (needsLogin.value || currentKey() === undefined) return null;
  return (
    <button
      type="button"
      class="button plain"
      onClick={() => {
        forgetKey();
        location.reload();
      }}
    >
      Sign out
    </button>
  );
}
