import { effect } from '@preact/signals';
import { api } from '../api/client.js';
import type { EventStream, StreamHandler } from '../api/event-stream.js';
import { ApiError } from '../api/problem.js';
import type { RunDetail } from '../api/types.js';
import { noteAsks } from '../inbox/open-asks.js';
import { noteState, noteStream } from '../live/connection.js';
import { follow } from '../live/streams.js';
import { inheritedAt } from './inherited.js';
import { readUpTo } from './read-inherited.js';
import { RunFeed } from './run-feed.js';
import { type RunInputs, type RunModel, runInputs, runModel } from './run-model.js';

/** Opens a run: its card at once, its entries as they arrive, and again after every loss of the connection. */
export function watchRun(runId: string): RunModel {
  const inputs = runInputs();
  const feed = new RunFeed(inputs);
  const address = `/v1/runs/${encodeURIComponent(runId)}`;
  const name = `run ${runId}`;
  let stream: EventStream | undefined;
  let closed = false;
  let wasAway = false;

  const loadCard = async () => {
    try {
      const detail = await api.get<RunDetail>(address);
      if (!closed) feed.takeCard(detail);
    } catch (error) {
      // a server that is away comes back, and the stream with it
      if (!closed && error instanceof ApiError && error.status !== 0) inputs.problem.value = error;
    }
  };
  const listen = () => {
    const handler: StreamHandler = {
      event: (event) => feed.receive(event),
      state: (state, why) => {
        if (state === 'open' && wasAway) void loadCard();
        wasAway = state === 'waiting' || (wasAway && state !== 'open');
        inputs.connection.value = state;
        // a run that is not there says nothing about the connection
        noteState(name, state === 'refused' && why?.status === 404 ? 'closed' : state);
        if (state === 'refused' && why !== undefined) inputs.problem.value = why;
      },
    };
    stream = follow(`run:${runId}`, handler, feed.lastId());
    noteStream(name, stream);
  };
  const leaving = new AbortController();
  void loadCard();
  listen();
  readParents(inputs, leaving.signal);
  const stopNoting = effect(() => {
    if (inputs.card.value !== undefined) noteAsks(inputs.card.value);
  });
  return runModel(runId, inputs, {
    refresh: () => {
      inputs.problem.value = undefined;
      void loadCard();
      const state = inputs.connection.peek();
      if (state === 'closed' || state === 'refused') listen();
    },
    close: () => {
      closed = true;
      leaving.abort();
      stopNoting();
      stream?.close();
    },
  });
}

/** Once, as soon as the first entry tells that the run is a fork. Its own entries are there all the while. */
function readParents(inputs: RunInputs, leaving: AbortSignal): void {
  let asked = false;
  const stop = effect(() => {
    const first = inputs.entries.value[0];
    if (first === undefined || asked) return;
    asked = true;
    const fork = first.event.type === 'run-start' ? first.event.fork : undefined;
    if (fork === undefined) return;
    inheritedAt(fork, first.generation, (run, point) => readUpTo(run, point, leaving))
      .then((inherited) => {
        inputs.inherited.value = inherited;
      })
      .catch((error: unknown) => {
        // the parent may be gone, or another's: what the fork did itself is shown all the same
        if (!leaving.aborted) inputs.parentProblem.value = error;
      });
  });
  leaving.addEventListener('abort', stop);
}
