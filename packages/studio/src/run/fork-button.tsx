import { useComputed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { type ForkPointVerdict, forkPointCheck } from '../../../flyball/src/core/fork-points.js';
import { api } from '../api/client.js';
import type { RunCard } from '../api/types.js';
import { navigate } from '../router/router.js';
import { Dialog } from '../ui/dialog.js';
import { ErrorNote } from '../ui/error-note.js';
import type { RunModel } from './run-model.js';

/** Starts a new run that inherits the journal up to the slider, where the journal allows a cut. */
export function ForkButton({ model }: { readonly model: RunModel }) {
  const [open, setOpen] = useState(false);
  const verdict = useComputed(() => forkAt(model)).value;
  const last = model.shown.value.at(-1);
  if (last === undefined) return null;
  return (
    <>
      <button
        type="button"
        class="button small"
        disabled={!verdict.ok}
        title={verdict.ok ? `Fork after entry ${last.seq}` : verdict.why}
        onClick={() => setOpen(true)}
      >
        Fork from here
      </button>
      {verdict.ok || verdict.nearest < 0 ? null : (
        <button
          type="button"
          class="button small plain"
          title={verdict.why}
          onClick={() => goToEntry(model, last.generation, verdict.nearest)}
        >
          Go to the nearest fork point
        </button>
      )}
      {open ? (
        <ForkDialog model={model} at={last.seq} generation={last.generation} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

/** Whether the journal can be cut where the slider stands. */
export function forkAt(model: Pick<RunModel, 'entries' | 'shown'>): ForkPointVerdict {
  const last = model.shown.value.at(-1);
  if (last === undefined) return { ok: false, why: 'The journal has no entry to fork from.', nearest: -1 };
  return forkPointCheck(model.entries.value, last.seq, last.generation);
}

function goToEntry(model: RunModel, generation: number, seq: number): void {
  const index = model.entries.peek().findIndex((entry) => entry.generation === generation && entry.seq === seq);
  if (index >= 0) model.upTo.value = index + 1;
}

function ForkDialog({
  model,
  at,
  generation,
  onClose,
}: {
  readonly model: RunModel;
  readonly at: number;
  readonly generation: number;
  readonly onClose: () => void;
}) {
  const [live, setLive] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const fork = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const path = `/v1/runs/${encodeURIComponent(model.runId)}/fork`;
      const card = await api.post<RunCard>(path, { at, generation, live });
      onClose();
      navigate(`/runs/${encodeURIComponent(card.id)}`);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Fork after entry ${at}`} onClose={onClose}>
      <p>
        A new run inherits everything up to entry {at} and continues from there on its own. Inherited effects are not
        repeated, charged or asked again. This run is not changed.
      </p>
      <label class="check-row">
        <input type="checkbox" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
        <span>Allow real side effects, each after an approval. Otherwise side effects are simulated.</span>
      </label>
      {problem === undefined ? null : <ErrorNote error={problem} />}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
        <button type="button" class="button primary" disabled={busy} onClick={() => void fork()}>
          Fork
        </button>
      </div>
    </Dialog>
  );
}
