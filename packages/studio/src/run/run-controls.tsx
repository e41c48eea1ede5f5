import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { RunStatus } from '../api/types.js';
import { Dialog } from '../ui/dialog.js';
import { ErrorNote } from '../ui/error-note.js';
import type { CommandState } from './command-state.js';
import { type Command, commandsFor, payloadFrom } from './run-commands.js';
import type { RunModel } from './run-model.js';

const NAMES: Readonly<Record<Command, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  redirect: 'Redirect',
  signal: 'Signal',
  cancel: 'Cancel',
};

/** The buttons that steer the run. Those that need words open a dialog. */
export function RunControls({ model, state }: { readonly model: RunModel; readonly state: CommandState }) {
  const [open, setOpen] = useState<Command>();
  const [busy, setBusy] = useState(false);
  const status: RunStatus | undefined = model.card.value?.status;
  const { refusal } = state;
  const send = async (command: Command, body: unknown) => {
    setBusy(true);
    refusal.value = undefined;
    try {
      await api.post(`/v1/runs/${encodeURIComponent(model.runId)}/${command}`, body);
      setOpen(undefined);
      model.refresh();
    } catch (error) {
      refusal.value = { command, error };
    } finally {
      setBusy(false);
    }
  };
  const start = (command: Command) => {
    refusal.value = undefined;
    if (command === 'pause') void send(command, {});
    else if (command === 'resume' && status !== 'bounded') void send(command, {});
    else setOpen(command);
  };
  return (
    <div class="controls" role="group" aria-label="Control the run">
      {commandsFor(status).map((command) => (
        <button
          key={command}
          type="button"
          class={`button ${command === 'cancel' ? 'danger' : ''}`}
          disabled={busy}
          onClick={() => start(command)}
        >
          {NAMES[command]}
        </button>
      ))}
      {open === undefined ? null : (
        <CommandDialog
          command={open}
          busy={busy}
          problem={refusal.value?.command === open ? refusal.value.error : undefined}
          waiting={model.card.value?.waiting ?? []}
          onSend={(body) => void send(open, body)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

/** A line of its own below the head: beside the buttons it would push them, and the name of the run, out of their places. */
export function CommandRefusal({ state: { refusal } }: { readonly state: CommandState }) {
  if (refusal.value === undefined) return null;
  const { command, error } = refusal.value;
  return (
    <div class="command-refusal">
      <p class="quiet">{NAMES[command]} failed.</p>
      <ErrorNote error={error} />
      <button type="button" class="button small" onClick={() => (refusal.value = undefined)}>
        Dismiss
      </button>
    </div>
  );
}

interface Fields {
  readonly text: string;
  readonly name: string;
}

function CommandDialog({
  command,
  busy,
  problem,
  waiting,
  onSend,
  onClose,
}: {
  readonly command: Command;
  readonly busy: boolean;
  readonly problem: unknown;
  readonly waiting: readonly string[];
  readonly onSend: (body: unknown) => void;
  readonly onClose: () => void;
}) {
  const [fields, setFields] = useState<Fields>({ text: '', name: waiting[0] ?? '' });
  const { title, words, label, required } = DIALOGS[command];
  const ready = !required || (command === 'signal' ? fields.name.trim() !== '' : fields.text.trim() !== '');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) onSend(bodyOf(command, fields));
        }}
      >
        <p class="quiet">{words}</p>
        {command !== 'signal' ? null : (
          <label class="form-row">
            <span class="label">Signal name</span>
            <input
              class="field wide"
              list="waited-for"
              value={fields.name}
              onInput={(event) => setFields({ ...fields, name: event.currentTarget.value })}
            />
            <datalist id="waited-for">
              {waiting.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
        )}
        <label class="form-row">
          <span class="label">{label}</span>
          <textarea
            class="field"
            rows={4}
            value={fields.text}
            onInput={(event) => setFields({ ...fields, text: event.currentTarget.value })}
          />
        </label>
        {problem === undefined ? null : <ErrorNote error={problem} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Keep it running
          </button>
          <button
            type="submit"
            class={`button ${command === 'cancel' ? 'danger' : 'primary'}`}
            disabled={busy || !ready}
          >
            {title}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const DIALOGS: Readonly<
  Record<
    Command,
    { readonly title: string; readonly words: string; readonly label: string; readonly required: boolean }
  >
> = {
  cancel: {
    title: 'Cancel the run',
    words: 'The run stops at its next step and undoes what can be undone. You cannot reverse this.',
    label: 'Reason (optional)',
    required: false,
  },
  redirect: {
    title: 'Redirect the run',
    words: 'The agent reads this before its next step.',
    label: 'What to do differently',
    required: true,
  },
  signal: {
    title: 'Send a signal',
    words: 'If the run waits for a signal with this name, it continues with the value.',
    label: 'Value: JSON or plain text (optional)',
    required: true,
  },
  resume: {
    title: 'Resume the run',
    words: 'The run reached a limit. Enter the limits to raise as JSON, for example {"costUsd": 2}.',
    label: 'New limits',
    required: true,
  },
  pause: { title: 'Pause the run', words: '', label: '', required: false },
};

function bodyOf(command: Command, { text, name }: Fields): unknown {
  switch (command) {
    case 'cancel':
      return text.trim() === '' ? {} : { why: text.trim() };
    case 'redirect':
      return { instruction: text.trim() };
    case 'signal': {
      const payload = payloadFrom(text);
      return { name: name.trim(), ...(payload === undefined ? {} : { payload }) };
    }
    case 'resume':
      return { budget: payloadFrom(text) };
    case 'pause':
      return {};
  }
}
