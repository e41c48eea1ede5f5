import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** What a key does now. `keys` is one key (`j`, `Enter`, `?`) or two after each other (`g r`). */
export interface KeyAction {
  readonly keys: string;
  readonly what: string;
  run(event: KeyboardEvent): void;
}

/** Those of the pages that are open, the innermost last: it wins over those around it. */
export const keyActions = signal<readonly KeyAction[]>([]);

const SEQUENCE_MS = 1200;

/** Keys that work while the component is there. Give the same array as long as nothing changes. */
export function useKeys(actions: readonly KeyAction[]): void {
  // before the page is drawn: whoever sees a component can use its keys
  useLayoutEffect(() => {
    keyActions.value = [...keyActions.peek(), ...actions];
    return () => {
      const mine = new Set(actions);
      keyActions.value = keyActions.peek().filter((action) => !mine.has(action));
    };
  }, [actions]);
}

/** Listens once for the whole page. */
export function startKeys(): () => void {
  let first: { readonly key: string; readonly at: number } | undefined;
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event)) return;
    const before = first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? first.key : undefined;
    first = undefined;
    const action = actionFor(keyActions.peek(), before, event.key);
    if (action !== undefined) {
      event.preventDefault();
      action.run(event);
    } else if (startsSequence(keyActions.peek(), event.key)) first = { key: event.key, at: event.timeStamp };
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

export function actionFor(
  actions: readonly KeyAction[],
  before: string | undefined,
  key: string,
): KeyAction | undefined {
  const named = before === undefined ? key : `${before} ${key}`;
  return actions.findLast(({ keys }) => keys === named);
}

function startsSequence(actions: readonly KeyAction[], key: string): boolean {
  return actions.some(({ keys }) => keys.startsWith(`${key} `));
}

/** Letters belong to whoever writes, and an open dialog keeps its keys to itself. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('dialog[open]') !== null) return true;
  if (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  if (target instanceof HTMLInputElement) return target.type !== 'range' || key.startsWith('Arrow');
  // what has focus answers these itself
  return (key === 'Enter' || key === ' ') && target.closest('a,button,summary,[role=button],[role=tab]') !== null;
}
