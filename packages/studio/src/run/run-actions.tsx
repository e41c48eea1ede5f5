import { playgroundPath } from '../playground/paths.js';
import { href } from '../router/router.js';
import { isServed } from '../store/served-agents.js';
import { CopyButton } from '../ui/copy-button.js';
import { saveJournal } from './export-run.js';
import type { RunModel } from './run-model.js';

/** What can be done with any run, over or not: take its name or its journal along, or ask the same again. */
export function RunActions({ model }: { readonly model: RunModel }) {
  const card = model.card.value;
  const canRepeat = card !== undefined && REPEATABLE.has(card.mode) && isServed(card.agent);
  return (
    <span class="run-actions">
      <CopyButton text={model.runId} label="the id of the run" />
      <button
        type="button"
        class="button plain small"
        disabled={model.entries.value.length === 0 || model.isCut.value}
        title={
          model.isCut.value
            ? `Too long to download here. Use flyball export ${model.runId}`
            : 'The journal, one entry per line'
        }
        onClick={() => saveJournal(model.runId, model.entries.peek())}
      >
        Export
      </button>
      {canRepeat ? (
        <a
          class="button plain small"
          href={href(`${playgroundPath(card.agent)}?from=${encodeURIComponent(model.runId)}`)}
          title="Opens the playground with the same input"
        >
          Run again
        </a>
      ) : null}
    </span>
  );
}

/** A conversation goes on in its own place, and a tool is called by its own page. */
const REPEATABLE: ReadonlySet<string> = new Set(['iterative', 'once', 'workflow']);
