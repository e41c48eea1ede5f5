import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What the open page says of itself, more than its name; tabs of a browser are told apart by it. */
const own = signal<string | undefined>(undefined);
const page = signal('');

export const title = computed(() => titleFor(page.value, own.value));

export function titleFor(pageName: string, ownName: string | undefined): string {
  return `${ownName === undefined || ownName === '' ? pageName : cut(ownName)} · Flyball`;
}

export function setPageName(name: string): void {
  page.value = name;
}

/** While the component is there. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    own.value = text;
  }, [text]);
  useEffect(
    () => () => {
      own.value = undefined;
    },
    [],
  );
}

/** The beginning is all that fits on a tab; the status comes first, so that it is always seen. */
const LENGTH = 80;

function cut(text: string): string {
  return text.length <= LENGTH ? text : `${text.slice(0, LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
