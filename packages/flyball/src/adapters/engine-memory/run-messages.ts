import { alreadyTerminal } from '../../core/engine-errors.js';
import type { Engine, InboxMessage } from '../../ports/engine.js';
import type { Signalled } from './memory-run.js';
import { type MemoryState, TERMINAL } from './memory-state.js';

/** What is said to runs, and who is told of it. */
export function messagesIn(state: MemoryState): Pick<Engine, 'post' | 'waits' | 'inbox' | 'watch'> {
  const { runs, listeners } = state;
  return {
    async post(runId, message) {
      const run = state.known(runId);
      if (run.delivered.has(message.id)) return 'duplicate';
      if (TERMINAL.has(run.status)) throw alreadyTerminal(run);
      if (message.kind === 'answer') {
        if (!run.waits.has(message.name)) return 'closed';
        if (run.inbox.some(({ kind, name }) => kind === 'answer' && name === message.name)) return 'answered';
      }
      run.delivered.add(message.id);
      run.inbox.push({ ...message, number: run.delivered.size });
      state.change(run, { updatedAt: message.at, signalled: signalledBy(message.kind, run.signalled) });
      state.notify(runId);
      return 'accepted';
    },

    waits: async (runId) => [...(runs.get(runId)?.waits.values() ?? [])],

    async inbox(runId, after) {
      const run = runs.get(runId);
      return (run?.inbox ?? []).filter(({ number }) => number > after && run?.taken.has(number) !== true);
    },

    watch(listener) {
      // a wrapper of its own: the same function may watch twice, and each watch stops alone
      const own = (runId?: string) => listener(runId);
      listeners.add(own);
      return () => listeners.delete(own);
    },
  };
}

/** A later pause takes a resume back: the run is to rest until the next one. Nothing takes a cancellation back. */
function signalledBy(kind: InboxMessage['kind'], before: Signalled): Signalled {
  if (kind === 'cancel' || before === 'cancel') return 'cancel';
  if (kind === 'resume') return 'resume';
  return kind === 'pause' || before === 'nothing' ? 'messages' : before;
}
