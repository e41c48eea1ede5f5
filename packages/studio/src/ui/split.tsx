import type { ComponentChildren } from 'preact';

/** A main part and a side part; on a narrow screen the side stands below. */
export function Split({
  main,
  side,
  label,
}: {
  readonly main: ComponentChildren;
  readonly side: ComponentChildren;
  readonly label: string;
}) {
  return (
    <div class="split">
      <div class="split-main">{main}</div>
      <aside class="split-side" aria-label={label}>
        {side}
      </aside>
    </div>
  );
}
