import type { StreamState } from '../api/event-stream.js';
import { openAsks } from '../inbox/open-asks.js';
import { connection } from '../live/connection.js';
import { SignedIn } from '../login/signed-in.js';
import { href, place } from '../router/router.js';
import { nextTheme, theme } from '../theme/theme.js';
import type { Page } from './page.js';
import { pages } from './pages.js';

export function TopBar({ onShortcuts }: { readonly onShortcuts: () => void }) {
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
            <MenuLink key={page.path} page={page} />
          ))}
      </nav>
      <div class="tools">
        <Connection />
        <button type="button" class="button plain" onClick={nextTheme} title="Change the theme (t)">
          Theme: {THEMES[theme.value]}
        </button>
        <button type="button" class="button plain for-keyboards" onClick={onShortcuts} title="Keyboard shortcuts (?)">
          Shortcuts
        </button>
        <SignedIn />
      </div>
    </header>
  );
}

function MenuLink({ page: { path: to, title } }: { readonly page: Page }) {
  const { path } = place.value;
  const isHere = path === to || path.startsWith(`${to}/`);
  return (
    <a href={href(to)} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
      {title}
      {to === '/inbox' ? <OpenAsks /> : null}
    </a>
  );
}

function OpenAsks() {
  const open = openAsks.value;
  if (open === undefined || open === 0) return null;
  return (
    <span class="count number">
      {open > 99 ? '99+' : open}
      <span class="visually-hidden"> waiting for an answer</span>
    </span>
  );
}

const THEMES = { system: 'auto', light: 'light', dark: 'dark' } as const;

const STATES: Readonly<Record<StreamState, { readonly text: string; readonly tone: string }>> = {
  open: { text: 'Live', tone: 'good' },
  connecting: { text: 'Connecting', tone: 'idle' },
  waiting: { text: 'Server unreachable, reconnecting', tone: 'warn' },
  refused: { text: 'Not connected', tone: 'bad' },
  closed: { text: '', tone: 'idle' },
};

/** Says nothing where nothing is followed: a page at rest is no news. */
function Connection() {
  const { text, tone } = STATES[connection.value];
  return (
    <span class={`connection ${tone}`} role="status" data-state={connection.value}>
      {text === '' ? null : <span class="dot" aria-hidden="true" />}
      {text}
    </span>
  );
}
