import { signal } from '@preact/signals';

/** History paths below the studio's base: `/runs/r1` stands for `/studio/runs/r1`. */
const BASE = '/studio';

export type Params = Readonly<Record<string, string>>;

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

export const place = signal<Place>({ path: '/', query: new URLSearchParams() });

export function href(path: string): string {
  return `${BASE}${path}`;
}

export function navigate(path: string, how: { readonly replace?: boolean } = {}): void {
  if (how.replace === true) history.replaceState(null, '', href(path));
  else history.pushState(null, '', href(path));
  follow();
  if (how.replace !== true) scrollTo(0, 0);
}

/** Sets one parameter of the address without a new step in the history, so that a link shows what is seen now. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(place.peek().query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(`${place.peek().path}${text === '' ? '' : `?${text}`}`, { replace: true });
}

/** Reads the address now and whenever it changes; links inside the studio change it without loading the page again. */
export function startRouter(): void {
  follow();
  addEventListener('popstate', follow);
  document.addEventListener('click', (event) => {
    const path = pathOfClick(event);
    if (path === undefined) return;
    event.preventDefault();
    navigate(path);
  });
}

function follow(): void {
  const { pathname, search } = location;
  place.value = { path: localPath(pathname), query: new URLSearchParams(search) };
}

export function localPath(pathname: string): string {
  const inside = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  const bare = inside.replace(/\/+$/, '');
  return bare === '' ? '/' : bare;
}

function pathOfClick(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return undefined;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined;
  if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return undefined;
  return `${localPath(link.pathname)}${link.search}`;
}

/** Parameters of a path by its pattern, `/runs/:runId`; undefined where it does not fit. */
export function match(pattern: string, path: string): Params | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) {
      const decoded = plain(value);
      if (decoded === undefined || decoded === '') return undefined;
      params[part.slice(1)] = decoded;
    } else if (part !== value) return undefined;
  }
  return params;
}

function plain(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // `%zz` is no path of ours
  }
}
