import { useEffect, useRef } from 'preact/hooks';

export interface TabTitle {
  readonly id: string;
  readonly title: string;
}

/** A row of tabs. Arrow keys move between them, as the ARIA pattern asks; the panel has to have the id `panel-<id>`. */
export function TabBar({
  tabs,
  current,
  onPick,
  label,
}: {
  readonly tabs: readonly TabTitle[];
  readonly current: string;
  readonly onPick: (id: string) => void;
  readonly label: string;
}) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // where the row is longer than the screen
    bar.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  const move = (event: KeyboardEvent) => {
    const to = nextIndex(
      event.key,
      tabs.findIndex(({ id }) => id === current),
      tabs.length,
    );
    const tab = to === undefined ? undefined : tabs[to];
    if (tab === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onPick(tab.id);
    bar.current?.querySelector<HTMLElement>(`#tab-${CSS.escape(tab.id)}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={bar} onKeyDown={move}>
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === current}
          {...(id === current ? { 'aria-controls': `panel-${id}` } : {})}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onPick(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function nextIndex(key: string, at: number, length: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % length;
  if (key === 'ArrowLeft') return (at - 1 + length) % length;
  if (key === 'Home') return 0;
  return key === 'End' ? length - 1 : undefined;
}
