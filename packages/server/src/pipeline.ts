import { randomUUID } from 'node:crypto';
import { parsedUrl, redactSecrets } from 'flyball/internal';
import { holds, type Principal } from './access/principal.js';
import { compressed } from './compress.js';
import { type ErrorShape, PROBLEM_ERRORS } from './contract/error-shape.js';
import { STREAM } from './contract/event-schema.js';
import type { Answer, JsonAnswer, Route, ServerRequest } from './contract/route.js';
import { type CheckJson, fitting, typedQuery } from './contract/validate.js';
import type { Gate, KeptAnswer } from './gate.js';
import type { Log } from './log.js';
import type { AnswerSeen } from './metrics/metrics.js';
import { Problem, problemFrom } from './problem.js';
import type { ServerSettings } from './settings.js';
import type { Wire } from './wire.js';

export interface PipelineParts {
  readonly gate: Gate;
  readonly settings: ServerSettings;
  readonly check: CheckJson;
  readonly log: Log;
  /** For how long something took: `monotonic` of a clock. */
  readonly monotonic: () => number;
  readonly phases: Phases;
  /** Told of every answer. */
  readonly observe: (seen: AnswerSeen) => void;
  readonly wire: Wire;
}

/** How far a server has come on its way down. Each is aborted once, in this order. */
export interface Phases {
  /** It says that it is not ready, and serves as before: whoever sends requests has to notice first. */
  readonly leaving: AbortSignal;
  /** It takes no more work and brings its runs to a safe point. What is read can still be read. */
  readonly closing: AbortSignal;
  /** Streams end. */
  readonly ending: AbortSignal;
}

export interface Incoming {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly remote: string;
  /** Called once the answer is out, or nobody is there to take it. */
  readonly onClosed: (listener: () => void) => void;
}

/** Nobody in particular: for routes that ask for no credential. */
const ANYBODY: Principal = { id: 'anybody', kind: 'local', tenant: '', subject: 'anybody', scopes: [], limits: {} };

/** From a request to its answer; the only way to a handler. */
export async function answerTo(parts: PipelineParts, route: Route, incoming: Incoming): Promise<Response> {
  return guarded(parts, route.id, incoming, (frame) => through(parts, route, incoming, frame), route.errors);
}

export interface Frame {
  readonly id: string;
  /** Headers that the answer gets. */
  readonly headers: Headers;
  /** What the log says of the request: filled in as it becomes known. */
  readonly about: { tenant?: string; key?: string; run?: string };
}

/** An id that a proxy or a client gave, where it is nothing but one: it is written into logs as it came. */
const GIVEN_ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/;
/** An address as long as this says enough in a log. */
const LONGEST_PATH = 300;

/** Around everything that the server answers: id, headers, refusals, log and count. */
export async function guarded(
  parts: PipelineParts,
  name: string,
  incoming: Incoming,
  work: (frame: Frame, incoming: Incoming) => Promise<Response>,
  errors: ErrorShape = PROBLEM_ERRORS,
): Promise<Response> {
  const { gate, log, monotonic } = parts;
  const { request } = incoming;
  const began = monotonic();
  const given = request.headers.get('x-request-id') ?? '';
  const frame: Frame = { id: GIVEN_ID.test(given) ? given : randomUUID(), headers: new Headers(), about: {} };
  frame.headers.set('x-request-id', frame.id);
  let response: Response;
  try {
    const entered = gate.enter(request);
    for (const [key, value] of Object.entries(entered.headers)) frame.headers.set(key, value);
    response = entered.answer ?? (await work(frame, incoming));
  } catch (error) {
    const problem = problemFrom(error);
    // what a server on its way down refuses is as it should be: the line of the request says 503
    if (problem.status >= 500 && !(error instanceof ClosingDown))
      log.error('request failed', problem.cause ?? problem, { id: frame.id, route: name, ...frame.about });
    response = refusal(parts.wire, problem, frame, errors);
  }
  const ms = monotonic() - began;
  parts.observe({ route: name, status: response.status, ms, leaving: parts.phases.leaving.aborted });
  log.info('request', {
    id: frame.id,
    method: request.method,
    // before it is cut: half a key is not recognized
    path: redactSecrets(pathIn(request.url), parts.settings.secrets).slice(0, LONGEST_PATH),
    route: name,
    status: response.status,
    ms,
    remote: incoming.remote,
    ...frame.about,
  });
  return withHeaders(await compressed(request, response), frame.headers);
}

/** Also of an address that is none, which was refused: its line says what was asked for. */
function pathIn(url: string): string {
  return parsedUrl(url)?.pathname ?? /^[^:/]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '';
}

/** What is our own fault is told to the log in full, and to nobody else. */
function refusal(wire: Wire, problem: Problem, { id }: Frame, { type, bodyOf, headersOf }: ErrorShape): Response {
  const headers = {
    'content-type': type,
    'cache-control': 'no-store',
    ...headersOf?.(problem),
    ...problem.headers,
  };
  return new Response(wire.json(bodyOf(problem, id)), { status: problem.status, headers });
}

function withHeaders(response: Response, headers: Headers): Response {
  const joined = new Headers(headers);
  response.headers.forEach((value, key) => {
    if (key === 'vary')
      joined.append(key, value); // what each of the two depends on
    else joined.set(key, value);
  });
  return new Response(response.body, { status: response.status, headers: joined });
}

/** Something beside the routes: static files, the MCP endpoint. It goes through the same gate, and out by the same door. */
export interface Mount {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  /** Rejects whoever may not use it. Asked again as long as an answer is open. Absent: anybody may, without a credential. */
  readonly admit?: (principal: Principal) => void;
  handle(mounted: Mounted, frame: Frame): Promise<Response>;
}

export interface Mounted extends Incoming {
  readonly principal: Principal;
  /** Aborted when the client has gone or may no longer be here. */
  readonly signal: AbortSignal;
}

/** The only way to a mount. */
export async function mountedAnswer(
  parts: PipelineParts,
  mount: Mount,
  incoming: Incoming,
  frame: Frame,
): Promise<Response> {
  if (incoming.request.method !== 'POST') parts.gate.noBody(incoming.request.headers);
  const principal = await entitled(parts, mount, incoming, frame);
  const watch = new Watch(incoming, {}); // what ends with the server is for the mount: it knows what it has begun
  if (mount.admit !== undefined) watch.recheck(parts.settings.heartbeatMs, () => stillEntitled(parts, mount, incoming));
  const { signal } = watch;
  return parts.wire.answer(await mount.handle({ ...incoming, principal, signal }, frame), signal);
}

async function through(parts: PipelineParts, route: Route, incoming: Incoming, frame: Frame): Promise<Response> {
  if (route.method !== 'get' && parts.phases.closing.aborted) throw new ClosingDown();
  const door = doorOf(route);
  const principal = await entitled(parts, door, incoming, frame);
  const { gate, check, phases, settings } = parts;
  const { request } = incoming;
  const params = route.params === undefined ? {} : await fitting(check, route.params, incoming.params, 'address');
  const { runId } = params as { readonly runId?: string };
  if (runId !== undefined) frame.about.run = runId;
  const query = await queryOf(parts, route, request.url);
  if (!takesBody(route)) gate.noBody(request.headers);
  const { raw, json } = takesBody(route)
    ? await gate.body(request, route.raw === true ? 'raw' : 'json')
    : { raw: new Uint8Array(0), json: undefined };
  // no body at all is an empty one: what it lacks is told by name
  const given = json === undefined && raw.byteLength === 0 ? {} : json;
  const body = route.body === undefined ? undefined : await fitting(check, route.body, given, 'body');
  const key = route.method === 'post' ? keyFor(route, request.headers) : null;
  const target = `${route.method} ${new URL(request.url).pathname}`;
  const repeatable = key === null ? undefined : { principal, route: route.id, target, key, raw };
  const streams = typeof route.streams === 'function' ? route.streams(body) : route.streams === true;
  // a limit beyond the time at which an invocation answers by itself that it goes on alone
  const until = streams ? { end: phases.ending } : { end: phases.closing, limitMs: settings.requestTimeoutMs + 5_000 };
  const watch = new Watch(incoming, until);
  if (streams) watch.recheck(settings.heartbeatMs, () => stillEntitled(parts, door, incoming));
  const asked: ServerRequest = {
    id: frame.id,
    params,
    query,
    body,
    principal,
    headers: request.headers,
    rawBody: raw,
    signal: watch.signal,
    once: repeatable === undefined ? undefined : gate.nameOf(repeatable),
    isAbout: (run) => {
      frame.about.run = run;
    },
    countFor: (whom) => {
      for (const [key, value] of Object.entries(gate.within(whom))) frame.headers.set(key, value);
    },
  };
  const act = async (): Promise<Answer> => watch.within(async () => route.handle(asked));
  if (repeatable === undefined) return responseOf(parts.wire, route, await act(), watch.signal);
  const kept = await gate.once(repeatable, async () => ({ ...keepable(await act()), ...aboutRun(frame) }));
  if (kept.replayed === true) frame.headers.set('idempotent-replayed', 'true');
  const { status, body: again, headers = {} } = kept;
  return responseOf(parts.wire, route, { status, body: again, headers: { ...headers } }, watch.signal);
}

/** A key that would be ignored is refused: whoever sent it counts on it when the request is repeated. */
function keyFor({ idempotent }: Route, headers: Headers): string | null {
  const key = idempotent === 'by-message' ? null : headers.get('idempotency-key');
  if (key === null || idempotent !== false) return key;
  throw new Problem(400, 'REQUEST_INVALID', 'This route does not support Idempotency-Key.', {
    next: 'Omit the header. Before you repeat the request, check whether the first one was executed.',
  });
}

function takesBody({ body, raw }: Route): boolean {
  return body !== undefined || raw === true;
}

type Door = Pick<Mount, 'admit'> & Pick<Route, 'unmetered'>;

async function entitled(parts: PipelineParts, door: Door, incoming: Incoming, frame: Frame): Promise<Principal> {
  if (door.admit === undefined) return ANYBODY;
  const principal = await parts.gate.who(incoming.request.headers, incoming.remote);
  frame.about.tenant = principal.tenant;
  frame.about.key = principal.id;
  if (door.unmetered !== true)
    for (const [key, value] of Object.entries(parts.gate.within(principal))) frame.headers.set(key, value);
  door.admit(principal);
  return principal;
}

function doorOf({ scope, unmetered = false }: Route): Door {
  if (scope === undefined) return { unmetered };
  return { unmetered, admit: (principal) => requireScope(principal, scope) };
}

/** A stream outlives what let it begin: it ends when its key is revoked or its token is over. */
async function stillEntitled(
  { gate }: PipelineParts,
  { admit }: Door,
  { request, remote }: Incoming,
): Promise<boolean> {
  if (admit === undefined) return true;
  try {
    admit(await gate.who(request.headers, remote));
    return true;
  } catch (error) {
    const { status } = problemFrom(error);
    return status !== 401 && status !== 403; // what cannot be checked now is checked again later
  }
}

export function requireScope(principal: Principal, scope: string): void {
  if (scope === 'any' || holds(principal.scopes, scope)) return;
  throw new Problem(403, 'FORBIDDEN', `This requires the scope ${scope}, which the credential does not have.`, {
    next: `Create a key with this scope: flyball keys create --scope ${scope}`,
  });
}

async function queryOf({ check }: PipelineParts, route: Route, url: string): Promise<unknown> {
  const given = new Map<string, string>();
  for (const [name, value] of new URL(url).searchParams) {
    if (given.has(name)) throw new Problem(400, 'REQUEST_INVALID', 'A query parameter is given twice. Use it once.');
    given.set(name, value);
  }
  if (route.query !== undefined)
    return fitting(check, route.query, typedQuery(route.query, Object.fromEntries(given)), 'query');
  if (given.size === 0) return {};
  throw new Problem(400, 'REQUEST_INVALID', 'This route does not take query parameters.', {
    next: 'Remove everything after the "?".',
  });
}

/** The one way out for what handlers answer. */
function responseOf(wire: Wire, { givesSecret }: Route, answer: Answer, until: AbortSignal): Response {
  if (answer instanceof Response) return wire.answer(answer, until);
  const kept = { 'cache-control': 'no-store', ...answer.headers };
  if ('events' in answer) return new Response(answer.events, { headers: { 'content-type': STREAM, ...kept } });
  const { status, body } = answer;
  const text = givesSecret === true ? wire.secret(body) : wire.json(body);
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...kept } });
}

function aboutRun({ about: { run } }: Frame): Pick<KeptAnswer, 'run'> {
  return run === undefined ? {} : { run };
}

function keepable(answer: Answer): KeptAnswer {
  if (isJson(answer)) return answer;
  throw new Problem(400, 'REQUEST_INVALID', 'This route does not support idempotency keys.');
}

function isJson(answer: Answer): answer is JsonAnswer {
  return !(answer instanceof Response || 'events' in answer);
}

/**
 * How long a handler may take, and whether anybody still waits for it. Listeners are taken off when the answer is out:
 * the signal of a server that closes lives as long as the server, and must not keep every request it ever served.
 */
class Watch {
  private readonly control = new AbortController();
  private readonly stops: (() => void)[] = [];
  private overdue: Promise<never> | undefined;

  constructor(incoming: Incoming, { end, limitMs }: { readonly end?: AbortSignal; readonly limitMs?: number }) {
    this.follow(incoming.request.signal);
    if (end !== undefined) this.follow(end);
    if (limitMs !== undefined) this.limit(limitMs);
    incoming.onClosed(() => {
      this.end();
      this.control.abort(); // the body of an answer to HEAD is a stream that nobody reads or cancels
    });
  }

  get signal(): AbortSignal {
    return this.control.signal;
  }

  within<T>(work: () => Promise<T>): Promise<T> {
    return this.overdue === undefined ? work() : Promise.race([work(), this.overdue]);
  }

  end(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  recheck(everyMs: number, isEntitled: () => Promise<boolean>): void {
    if (this.signal.aborted) return; // over before it began: nobody would take the timer off
    const timer = setInterval(() => {
      void isEntitled().then((is) => {
        if (!is) this.control.abort();
      });
    }, everyMs);
    timer.unref();
    this.stops.push(() => clearInterval(timer));
  }

  private follow(signal: AbortSignal): void {
    const abort = (): void => this.control.abort(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    this.stops.push(() => signal.removeEventListener('abort', abort));
  }

  private limit(ms: number): void {
    this.overdue = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => {
        this.control.abort();
        reject(tooLate());
      }, ms);
      this.stops.push(() => clearTimeout(timer));
    });
    this.overdue.catch(() => undefined); // a handler that ended first has answered
  }
}

class ClosingDown extends Problem {
  constructor() {
    super(503, 'BUSY', 'The server is shutting down and does not accept new work. Nothing was done.', {
      retryable: true,
      next: 'Send the same request again; the next server handles it.',
      headers: { 'retry-after': '1', connection: 'close' },
    });
  }
}

function tooLate(): Problem {
  return new Problem(503, 'TIMEOUT', 'The response took longer than the server timeout.', {
    retryable: true,
    next: 'Start a run instead (POST /v1/runs) and follow its events.',
  });
}
