import { api } from '../api/client.js';
import type { EventStream } from '../api/event-stream.js';
import { ApiError } from '../api/problem.js';
import type { RunDetail } from '../api/types.js';
import { noteState, noteStream } from '../live/connection.js';
import { RunFeed } from './run-feed.js';
import { type RunModel, runInputs, runModel } from './run-model.js';

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
      if (!closed) inputs.card.value = detail;
    } catch (error) {
      // a server that is away comes back, and the stream with it
      if (!closed && error instanceof ApiError && error.status !== 0) inputs.problem.value = error;
    }
  };
  const listen = () => {
    const lastId = feed.lastId();
    stream = api.events(`${address}/events?deltas=true`, lastId === undefined ? {} : { lastId }, {
      event: (event) => feed.receive(event),
      state: (state, why) => {
        if (state === 'open' && wasAway) void loadCard();
        wasAway = state === 'waiting' || (wasAway && state !== 'open');
        inputs.connection.value = state;
        noteState(name, state);
        if (state === 'refused' && why !== undefined) inputs.problem.value = why;
      },
    });
    noteStream(name, stream);
  };
  void loadCard();
  listen();
  return runModel(runId, inputs, {
    refresh: () => {
      inputs.problem.value = undefined;
      void loadCard();
      const state = inputs.connection.peek();
      if (state === 'closed' || state === 'refused') listen();
    },
    close: () => {
      closed = true;
      stream?.close();
    },
  });
}
