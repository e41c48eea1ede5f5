import type { ComponentChildren } from 'preact';

/** What stands where there is nothing yet, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <div class="quiet">{children}</div>}
    </div>
  );
}
