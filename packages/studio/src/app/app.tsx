import { useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { needsLogin } from '../api/credentials.js';
import { watchAsks } from '../inbox/open-asks.js';
import { LoginPage } from '../login/login-page.js';
import { match, navigate, place } from '../router/router.js';
import { readServedAgents } from '../store/served-agents.js';
import { nextTheme } from '../theme/theme.js';
import { Boundary } from '../ui/boundary.js';
import { Empty } from '../ui/empty.js';
import { DemonstrationBanner } from './demonstration-banner.js';
import { KeyHelp } from './key-help.js';
import { type KeyAction, startKeys, useKeys } from './keys.js';
import { setPageName, title } from './page-title.js';
import { pages } from './pages.js';
import { TopBar } from './top-bar.js';

/** The frame around every page: menu, connection, keys. */
export function App() {
  const [helpOpen, setHelpOpen] = useState(false);
  useEffect(startKeys, []);
  useEffect(watchAsks, []);
  useEffect(() => void readServedAgents(), []);
  useKeys(useMemo(() => globalKeys(() => setHelpOpen(true)), []));
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar onShortcuts={() => setHelpOpen(true)} />
      <DemonstrationBanner />
      <main id="main" tabIndex={-1}>
        <CurrentPage />
      </main>
      <KeyHelp open={helpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

function CurrentPage() {
  const found = useComputed(() => pageAt(place.value.path)).value;
  useEffect(() => {
    setPageName(found?.page.title ?? 'Not found');
    if (place.peek().path === '/') navigate('/runs', { replace: true });
  }, [found?.page]);
  useSignalEffect(() => {
    document.title = title.value;
  });
  if (needsLogin.value) return <LoginPage />;
  if (found === undefined)
    return <Empty title="Page not found">Choose a page from the menu, or press ? for keyboard shortcuts.</Empty>;
  const { page, params } = found;
  return (
    <Boundary key={place.value.path}>
      <page.View key={Object.values(params).join('/')} params={params} />
    </Boundary>
  );
}

function pageAt(path: string) {
  const wanted = path === '/' ? '/runs' : path;
  for (const page of pages) {
    const params = match(page.path, wanted);
    if (params !== undefined) return { page, params };
  }
  return undefined;
}

function globalKeys(showHelp: () => void): readonly KeyAction[] {
  return [
    { keys: '?', what: 'Show keyboard shortcuts', run: showHelp },
    { keys: 't', what: 'Switch theme: light, dark or system', run: nextTheme },
    ...pages.flatMap(({ path, title, key }) =>
      key === undefined ? [] : [{ keys: `g ${key}`, what: `Go to ${title.toLowerCase()}`, run: () => navigate(path) }],
    ),
  ];
}
