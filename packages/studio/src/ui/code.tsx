import { useState } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import { withoutBytes } from './media.js';

/** Longer values are cut until somebody asks for all of it: a page with a megabyte of text in it is slow for everyone. */
const CUT = 4000;

/** A value as JSON, or a text as it is. Never as markup. */
export function Code({ value, label }: { readonly value: unknown; readonly label?: string }) {
  const [all, setAll] = useState(false);
  const text = textOf(value);
  const isCut = !all && text.length > CUT;
  return (
    <div class="code-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <pre class="code" tabIndex={0} {...(label === undefined ? {} : { 'aria-label': label })}>
        {isCut ? `${text.slice(0, CUT)}…` : text}
      </pre>
      <CopyButton text={text} label={label ?? 'this'} />
      {isCut ? (
        <button type="button" class="button small" onClick={() => setAll(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      ) : null}
    </div>
  );
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, withoutBytes, 2) ?? 'undefined';
}
