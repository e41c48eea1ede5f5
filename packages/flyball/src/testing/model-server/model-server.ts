import { AssertionError } from 'node:assert';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '../../ports/clock.js';
import { perform } from './answer.js';
import { planOf, refusalPlan } from './answer-plan.js';
import { anthropic } from './anthropic.js';
import { gemini } from './gemini.js';
import { modelList } from './model-list.js';
import { ollama } from './ollama.js';
import { openAiChat } from './openai-chat.js';
import { openAiResponses } from './openai-responses.js';
import { scriptProblem } from './refusals.js';
import { RequestLog } from './request-log.js';
import { type ServerScript, ServerScriptReader } from './server-script.js';
import type { ServedRequest, Wire, WireFormat } from './wire.js';

/** Options of `modelServer`. */
export interface ModelServerOptions {
  readonly replies: ServerScript;
  /** What the lists of models name. */
  readonly models?: readonly string[];
  /** What latencies are measured on. */
  readonly clock?: Clock;
}

/** A model provider on loopback that answers from a script, in whichever wire format it is asked. */
export interface ModelServer {
  readonly url: string;
  /** Where a client of this format is pointed: the address with the prefix that the vendor's own has. */
  baseUrl(format: WireFormat): string;
  /** Every request in the order received. */
  readonly requests: readonly ServedRequest[];
  /** The n-th request, from 1. */
  requestAt(n: number): ServedRequest;
  /** Resolves with the n-th request once it has been received, answered or not. */
  reached(n: number): Promise<ServedRequest>;
  /** Resolves once the client of the n-th request has gone away before it had its answer. */
  abandoned(n: number): Promise<void>;
  /** How many connections were opened. */
  readonly connections: number;
  /** Closes the connections on which no request is under way, as servers do that tire of waiting. */
  dropIdle(): void;
  /** Fails when replies are left over, or when a request found none. */
  assertFinished(): void;
  /** Ends everything, hanging requests included. */
  close(): Promise<void>;
}

const WIRES: readonly Wire[] = [openAiChat, openAiResponses, anthropic, gemini, ollama];
const PREFIX: Readonly<Record<WireFormat, string>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  anthropic: '/v1',
  gemini: '/v1beta',
  ollama: '',
};

/** Starts a local model provider that answers from a script. */
export async function modelServer(options: ModelServerOptions): Promise<ModelServer> {
  const desk = new Desk(options);
  const server = createServer((request, response) => void desk.serve(request, response));
  server.on('connection', (socket) => desk.connected(socket));
  server.keepAliveTimeout = 0; // a test decides when connections end, not a timer
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
  return {
    url,
    baseUrl: (format) => `${url}${PREFIX[format]}`,
    requests: desk.log.requests,
    requestAt: (n) => desk.log.at(n),
    reached: (n) => desk.log.reached(n),
    abandoned: (n) => desk.log.abandoned(n),
    get connections() {
      return desk.connections;
    },
    dropIdle: () => server.closeIdleConnections(),
    assertFinished() {
      const problems = desk.unfinished();
      if (problems.length > 0) throw new AssertionError({ message: problems.join('\n') });
    },
    async close() {
      if (desk.closing) return;
      desk.closing = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Connection = IncomingMessage['socket'];

/** Takes requests in and answers them. */
class Desk {
  readonly log = new RequestLog();
  connections = 0;
  closing = false;
  private readonly options: ModelServerOptions;
  private readonly script: ServerScriptReader;
  private readonly problems: string[] = [];
  private readonly numbers = new WeakMap<Connection, number>();
  /** Answers that we broke off ourselves: their clients did not go away. */
  private readonly brokenOff = new WeakSet<ServerResponse>();

  constructor(options: ModelServerOptions) {
    this.options = options;
    this.script = new ServerScriptReader(options.replies);
  }

  connected(socket: Connection): void {
    this.connections += 1;
    this.numbers.set(socket, this.connections);
  }

  unfinished(): readonly string[] {
    const left = this.script.leftOver();
    return [...this.problems, ...(left.length === 0 ? [] : [`Replies left over: ${left.join('; ')}.`])];
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const bare = path.split('?', 1)[0] ?? path;
    const wire = WIRES.find((each) => each.path.test(bare));
    if (request.method !== 'POST' || wire === undefined) return modelList(bare, response, this.options.models ?? []);
    try {
      const body = await bodyOf(request);
      const connection = this.numbers.get(request.socket) ?? 0;
      const { format } = wire;
      const received = { ...wire.parse(body, bare), format, path, headers: request.headers, body, connection };
      await this.answer(this.log.add(received), wire, response);
    } catch (error) {
      if (!request.complete) return; // the client left in the middle of its own request
      this.problems.push(String(error)); // shown by assertFinished: a server has nobody to throw to
      response.destroy();
    }
  }

  private async answer(received: ServedRequest, wire: Wire, response: ServerResponse): Promise<void> {
    response.once('close', () => {
      if (!response.writableFinished && !this.brokenOff.has(response) && !this.closing) this.log.wentAway(received.n);
    });
    try {
      const parts = await this.script.next(received);
      if (parts === undefined) return await this.giveUp(`the script has run dry`, { received, wire, response });
      const plan = planOf(parts, received, wire);
      if (plan.ending === 'cut') this.brokenOff.add(response);
      await perform(plan, response, { ...parts, clock: this.options.clock });
    } catch (error) {
      await this.giveUp(error instanceof Error ? error.message : String(error), { received, wire, response });
    }
  }

  /** Refuses for good: a client that tried again would find the same. */
  private async giveUp(
    why: string,
    at: { readonly received: ServedRequest; readonly wire: Wire; readonly response: ServerResponse },
  ): Promise<void> {
    const sentence = `The model server has no reply to request ${at.received.n}: ${why}.`;
    this.problems.push(sentence);
    await perform(refusalPlan(scriptProblem(sentence, at.wire.format), at.wire), at.response, {});
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
