import { useState } from 'preact/hooks';
import { ErrorNote } from '../ui/error-note.js';

export interface Sending {
  readonly busy: boolean;
  readonly problem: unknown;
  /** The server has it; the run does not yet. */
  readonly waits: boolean;
  send(what: () => Promise<{ readonly status: string }>): Promise<void>;
}

/** What was said, on its way: nothing is shown as done before the server says so. */
export function useSending(onSaid: () => void): Sending {
  const [state, setState] = useState<Omit<Sending, 'send'>>({ busy: false, problem: undefined, waits: false });
  return {
    ...state,
    send: async (what) => {
      setState({ busy: true, problem: undefined, waits: false });
      try {
        const { status } = await what();
        setState({ busy: false, problem: undefined, waits: status === 'open' });
      } catch (problem) {
        setState({ busy: false, problem, waits: false });
      }
      onSaid(); // also after a refusal: somebody else may have been first
    },
  };
}

export function SendingNotes({ sending }: { readonly sending: Sending }) {
  return (
    <>
      {sending.problem === undefined ? null : <ErrorNote error={sending.problem} />}
      {sending.waits ? (
        <p class="note warn" role="status">
          Sent. The run has not received it yet; it may be waiting or running elsewhere.
        </p>
      ) : null}
    </>
  );
}
