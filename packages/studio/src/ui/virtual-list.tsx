import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { scrollToShow, windowOf } from './window-of.js';

export interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  row(item: T, index: number): ComponentChildren;
  keyOf(item: T, index: number): string;
  /** Row that is scrolled into sight when it is another one; that others come before it is no reason to move the reader. */
  readonly shownRow?: number;
  /** Follow the end while it grows, as long as the reader is there. */
  readonly stickToEnd?: boolean;
  /** The reader is near the end: there may be more to load. */
  onEnd?(): void;
  /** Id of the row that is selected, for readers of the screen: the focus stays on the list. */
  readonly activeId?: string;
  /** Up and down while the list has the focus. */
  onStep?(by: 1 | -1): void;
  /** Stands above the rows and scrolls sideways with them. */
  readonly header?: ComponentChildren;
  readonly headerHeight?: number;
  /** Wider than the box where rows are: the list then scrolls sideways, never the page. */
  readonly width?: string;
  readonly class?: string;
  readonly role?: 'list' | 'listbox' | 'tree';
}

/** A long list of which only the rows in sight are in the page. All rows have the same height. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, rowHeight, label, row, keyOf, onEnd, stickToEnd = false, headerHeight = 0 } = props;
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(stickToEnd);
  const [view, measure] = useView(box);
  useShownRow(box, atEnd, props);

  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && stickToEnd && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [items.length, stickToEnd]);

  const onScroll = () => {
    const element = box.current;
    if (element === null) return;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    atEnd.current = left < rowHeight * 2;
    if (left < rowHeight * 10) onEnd?.();
    measure();
  };
  const { from, to } = windowOf(items.length, rowHeight, view.top, view.height);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: all roles it can have take a label
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is given from outside
    <div
      class={`virtual ${props.class ?? ''}`}
      ref={box}
      onScroll={onScroll}
      onKeyDown={(event) => stepOn(event, props.onStep)}
      {...(props.activeId === undefined ? {} : { 'aria-activedescendant': props.activeId })}
      // no taller than its rows; the room for a bar to scroll sideways with comes on top
      style={{ maxHeight: `${items.length * rowHeight + headerHeight + (props.width === undefined ? 0 : 16)}px` }}
      // a region that scrolls has to be reachable by keyboard
      tabIndex={0}
      role={props.role ?? 'list'}
      aria-label={label}
    >
      {props.header === undefined ? null : (
        <div
          class="virtual-head"
          role="presentation"
          style={{ height: `${headerHeight}px`, width: props.width ?? '100%' }}
        >
          {props.header}
        </div>
      )}
      <div
        class="virtual-all"
        role="presentation"
        style={{ height: `${items.length * rowHeight}px`, width: props.width ?? '100%' }}
      >
        <div class="virtual-rows" role="presentation" style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {items.slice(from, to).map((item, offset) => (
            <div
              key={keyOf(item, from + offset)}
              role="presentation"
              class="virtual-row"
              style={{ height: `${rowHeight}px` }}
            >
              {row(item, from + offset)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

type Box = RefObject<HTMLDivElement | null>;

/** What of the box is in sight, and how to look again. */
function useView(box: Box): readonly [view: { readonly top: number; readonly height: number }, measure: () => void] {
  const [view, setView] = useState({ top: 0, height: 600 });
  const measure = () => {
    const element = box.current;
    if (element !== null) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return [view, measure];
}

/** Scrolls to the row that is shown, when it is another one. */
function useShownRow<T>(box: Box, atEnd: { current: boolean }, props: VirtualListProps<T>): void {
  const { items, rowHeight, keyOf, shownRow, headerHeight = 0 } = props;
  const shown = shownRow === undefined ? undefined : items[shownRow];
  const shownKey = shown === undefined || shownRow === undefined ? undefined : keyOf(shown, shownRow);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || shownKey === undefined || shownRow === undefined) return;
    const height = element.clientHeight - headerHeight;
    const to = scrollToShow(shownRow, rowHeight, element.scrollTop, height);
    if (to === undefined) return;
    element.scrollTop = to;
    atEnd.current = false;
  }, [shownKey, rowHeight, headerHeight]);
}

function stepOn(event: KeyboardEvent, onStep: ((by: 1 | -1) => void) | undefined): void {
  if (onStep === undefined || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  event.preventDefault();
  event.stopPropagation();
  onStep(event.key === 'ArrowDown' ? 1 : -1);
}
