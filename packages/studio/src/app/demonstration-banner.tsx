import { useState } from 'preact/hooks';
import { areAllScripted, demonstrations } from '../store/served-agents.js';

const PLACE = 'flyball.demonstration-hidden';

/** Nobody may take the words of a script for those of a model. Put away for this tab only; the badges stay. */
export function DemonstrationBanner() {
  const [hidden, setHidden] = useState(() => sessionStorage.getItem(PLACE) !== null);
  const said = [...new Set(demonstrations.value.values())];
  if (hidden || said.length === 0) return null;
  const whose = areAllScripted.value ? '' : ` of ${namesIn([...demonstrations.value.keys()])}`;
  return (
    <aside class="banner" aria-label="Demo" title={said.join(' ')}>
      <details>
        <summary>
          <strong>Demo:</strong> replies{whose} are canned; no language model is used
        </summary>
        {said.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </details>
      <button
        type="button"
        class="button plain small"
        onClick={() => {
          sessionStorage.setItem(PLACE, 'yes');
          setHidden(true);
        }}
      >
        Hide<span class="visually-hidden"> the demo notice</span>
      </button>
    </aside>
  );
}

/** More names than these say no more than their number; each has its badge anyhow. */
const FEW = 3;

function namesIn(agents: readonly string[]): string {
  return agents.length <= FEW ? agents.join(', ') : `${agents.length} agents`;
}
