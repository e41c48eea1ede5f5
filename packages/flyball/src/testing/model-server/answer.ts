import type { ServerResponse } from 'node:http';
import { ConfigError } from '../../core/errors.js';
import type { Clock } from '../../ports/clock.js';
import { orAborted, pauseOn } from '../abortable.js';
import { turns } from '../turns.js';
import type { AnswerPlan } from './answer-plan.js';

export interface Pace {
  readonly gate?: PromiseLike<unknown> | undefined;
  readonly latencyMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Sends what was planned. Resolves when nothing is left to do, because it was sent or because the client has gone. */
export async function perform(plan: AnswerPlan, response: ServerResponse, pace: Pace): Promise<void> {
  const client = new AbortController();
  response.once('close', () => client.abort());
  try {
    if (!plan.paced) await holdBack(pace, client.signal);
    if (plan.ending === 'none') return;
    await write(plan, response, { pace, client });
  } catch (error) {
    if (!client.signal.aborted) throw error; // otherwise nobody is there to be answered
  }
}

async function holdBack(pace: Pace, signal: AbortSignal): Promise<void> {
  if (pace.gate !== undefined) await orAborted(signal, pace.gate);
  await wait(pace, signal);
}

async function wait({ latencyMs, clock }: Pace, signal: AbortSignal): Promise<void> {
  if (latencyMs === undefined) return;
  if (clock === undefined) throw new ConfigError('A latency needs a clock: pass { clock: virtualClock() }.');
  await pauseOn(clock, { ms: latencyMs, signal });
}

async function write(
  plan: AnswerPlan,
  response: ServerResponse,
  to: { readonly pace: Pace; readonly client: AbortController },
): Promise<void> {
  const [first, ...rest] = plan.pieces;
  if (first !== undefined) response.writeHead(plan.status, plan.headers);
  if (!plan.paced && plan.ending === 'end') {
    // one piece in the same turn as the head: the usual answer goes out in one packet
    if (rest.length === 0) return void response.end(first);
    for (const piece of plan.pieces) response.write(piece);
    return void response.end();
  }
  const half = Math.floor(plan.pieces.length / 2);
  for (const [index, piece] of plan.pieces.entries()) {
    if (plan.paced && index === half && to.pace.gate !== undefined) await orAborted(to.client.signal, to.pace.gate);
    if (plan.paced && index > 0) await pause(to.pace, to.client.signal);
    await flushed(response, piece, to.client);
  }
  if (plan.ending === 'end') response.end();
  else response.destroy();
}

async function pause(pace: Pace, signal: AbortSignal): Promise<void> {
  if (pace.latencyMs === undefined)
    await orAborted(signal, turns(1)); // a turn of its own makes a packet of its own
  else await wait(pace, signal);
}

/**
 * Resolves once the piece is with the operating system: what is destroyed afterwards still arrives up to here. Where it
 * cannot be written the client has gone, also when the connection's `close` is still to come.
 */
function flushed(response: ServerResponse, piece: string | Buffer, client: AbortController): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(piece, (error) => {
      if (error === undefined || error === null) return resolve();
      client.abort();
      reject(error);
    });
  });
}
