import { useId } from 'preact/hooks';
import type { Bounds } from './agents.js';
import { BOUNDS } from './bounds.js';

export function BoundsFields({
  own,
  texts,
  problems,
  onChange,
}: {
  readonly own: Bounds;
  readonly texts: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (texts: Readonly<Record<string, string>>) => void;
}) {
  const id = useId();
  return (
    <details class="bounds">
      <summary>Lower the limits for this run</summary>
      <div class="bounds-grid">
        {BOUNDS.map(({ axis, title, unit }) => {
          const most = own[axis];
          if (most === undefined) return null;
          const problem = problems[axis];
          return (
            <div class="field-row" key={axis}>
              <label class="label" for={`${id}-${axis}`}>
                {title}
              </label>
              <input
                id={`${id}-${axis}`}
                name={axis}
                class="field"
                type="number"
                min={0}
                max={most / unit}
                step="any"
                placeholder={`at most ${most / unit}`}
                value={texts[axis] ?? ''}
                aria-invalid={problem !== undefined}
                onInput={(event) => onChange({ ...texts, [axis]: event.currentTarget.value })}
              />
              {problem === undefined ? null : (
                <p class="field-problem" role="alert">
                  {title} {problem}.
                </p>
              )}
            </div>
          );
        })}
      </div>
    </details>
  );
}
