import { useState } from 'preact/hooks';

const LINES = 8;
const CHARACTERS = 700;

/** A text as it is, never as markup; long ones show their beginning until somebody asks for all of it. */
export function FoldedText({
  text,
  label,
  lines = LINES,
}: {
  readonly text: string;
  readonly label: string;
  readonly lines?: number;
}) {
  const [all, setAll] = useState(false);
  const start = beginning(text, lines);
  const isLong = start.length < text.length;
  return (
    <div class="folded-text">
      <pre class="words">{all || !isLong ? text : `${start}…`}</pre>
      {isLong ? (
        <button type="button" class="button small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
          <span class="visually-hidden"> of {label}</span>
        </button>
      ) : null}
    </div>
  );
}

/** The first lines, at the end of a line where there is one: half a character would be none. */
export function beginning(text: string, most = LINES): string {
  const lines = text.split('\n', most + 1);
  const few = lines.length > most ? lines.slice(0, most).join('\n') : text;
  return few.length > CHARACTERS ? few.slice(0, CHARACTERS).replace(/[\ud800-\udbff]$/, '') : few;
}
