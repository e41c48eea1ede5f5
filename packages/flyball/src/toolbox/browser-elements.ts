import type { ElementHandle, Page } from 'playwright-core';
import type { PageElement } from './page-view.js';

export interface FoundElement {
  readonly element: PageElement;
  readonly handle: ElementHandle;
}

const SELECTOR =
  'a[href], button, input:not([type=hidden]), textarea, select, summary, [role=button], [role=link], ' +
  '[role=checkbox], [role=tab], [role=menuitem], [role=option], [contenteditable=true]';
const MAX_LOOKED_AT = 600;
const MAX_SHOWN = 120;
const MAX_NAME = 80;

/** The visible ones, in the order of the page. */
export async function elementsOf(page: Page): Promise<readonly FoundElement[]> {
  const all = await page.$$(SELECTOR);
  for (const handle of all.slice(MAX_LOOKED_AT)) void handle.dispose().catch(() => undefined);
  const handles = all.slice(0, MAX_LOOKED_AT);
  const visible = await Promise.all(handles.map((handle) => handle.isVisible().catch(() => false)));
  const shown = handles.filter((_handle, at) => visible[at] === true).slice(0, MAX_SHOWN);
  const described = await page.evaluate(describeAll, shown as unknown as readonly DomElement[]);
  return shown.map((handle, at) => ({ handle, element: elementFrom((described as readonly unknown[])[at]) }));
}

/** What is used of an element in the page; the types of a browser are not those of this process. */
interface DomElement {
  readonly tagName: string;
  readonly innerText?: string;
  readonly value?: unknown;
  readonly href?: unknown;
  readonly labels?: ArrayLike<{ readonly innerText?: string }> | null;
  getAttribute(name: string): string | null;
}

// runs in the page: it must not use anything from outside
function describeAll(elements: readonly DomElement[]): readonly unknown[] {
  return elements.map((element) => {
    const type = (element.getAttribute('type') ?? '').toLowerCase();
    const words = [
      element.getAttribute('aria-label'),
      element.labels?.[0]?.innerText,
      element.innerText,
      element.getAttribute('placeholder'),
      element.getAttribute('title'),
      element.getAttribute('name'),
      type === 'submit' || type === 'button' ? element.value : '',
    ];
    const name = words.find((text) => typeof text === 'string' && text.trim() !== '');
    return [element.tagName.toLowerCase(), type, element.getAttribute('role') ?? '', name ?? '', element.href ?? ''];
  });
}

/** A page says what it likes about itself: only short plain text gets out of it. */
function elementFrom(described: unknown): PageElement {
  const [tag = '', type = '', role = '', name = '', href = ''] = (Array.isArray(described) ? described : []).map(
    (part) => (typeof part === 'string' ? part : ''),
  );
  const kind = (role === '' ? kindOf(tag, type) : role).slice(0, 20);
  const label = name.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME);
  return { kind, name: label, ...(tag === 'a' && href !== '' ? { href: href.slice(0, 300) } : {}) };
}

function kindOf(tag: string, type: string): string {
  if (tag === 'a') return 'link';
  if (tag === 'select') return 'choice';
  if (tag === 'textarea') return 'textbox';
  if (tag !== 'input') return 'button';
  if (['submit', 'button', 'image', 'reset'].includes(type)) return 'button';
  return type === 'checkbox' || type === 'radio' ? type : type === 'password' ? 'password' : 'textbox';
}

export function elementLine({ kind, name, href }: PageElement, index: number): string {
  return `[${index + 1}] ${kind} "${name}"${href === undefined ? '' : ` → ${href}`}`;
}
