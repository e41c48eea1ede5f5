import type { Clock, Host, Store } from 'flyball';
import { parsedUrl } from 'flyball/internal';
import type { Gate } from '../gate.js';
import type { Log } from '../log.js';
import { noAddress, Problem } from '../problem.js';
import type { ServerSettings } from '../settings.js';
import type { ApiKeys } from './api-keys.js';
import { authenticator } from './authenticator.js';
import { bodyReader, refuseBody } from './body-reader.js';
import { idempotency, nameOf } from './idempotency.js';
import type { JwtVerifier } from './jwt.js';
import { type OriginGuard, originGuard } from './origin-guard.js';
import { type RateLimiter, rateLimiter } from './rate-limiter.js';
import { securityHeaders } from './security-headers.js';

export interface GateParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: ServerSettings;
  readonly keys: ApiKeys;
  readonly jwt?: JwtVerifier | undefined;
  readonly log: Log;
  /** Counts requests; without it, those of this process. */
  readonly rates?: RateLimiter;
  /** Proves that the server which claimed an idempotency key is gone; without it its claim has to run out. */
  readonly host?: Host;
}

/** Everything between the network and a handler, as the pipeline asks for it. */
export function openGate({ store, clock, settings, keys, jwt, log, host, ...given }: GateParts): Gate {
  const guard = originGuard(settings);
  const rates = given.rates ?? rateLimiter(settings, clock);
  const repeated = idempotency(store, clock, settings, { log, ...(host === undefined ? {} : { host }) });
  return {
    enter(request) {
      const always = securityHeaders(parsedUrl(request.url)?.pathname ?? '/v1');
      const answer = guardedBy(always, () => admitted(guard, request));
      return { headers: { ...always, ...guard.cors(request.headers) }, ...(answer === undefined ? {} : { answer }) };
    },
    who: authenticator({ keys, jwt, settings, clock }),
    within: (principal, count) => rates.take(principal, count),
    body: (request, as) => bodyReader(request, settings, as),
    noBody: refuseBody,
    once: (request, act) => repeated.around(request, act),
    nameOf,
  };
}

function admitted(guard: OriginGuard, request: Request): Response | undefined {
  if (parsedUrl(request.url) === undefined) throw noAddress(); // all that follows reads it
  guard.check(request.headers);
  return guard.preflight(request);
}

/** A refusal at the door has the headers of every other answer. */
function guardedBy<T>(headers: Readonly<Record<string, string>>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code, message, retryable, next } = error;
    throw new Problem(status, code, message, {
      retryable,
      ...(next === undefined ? {} : { next }),
      headers: { ...headers, ...error.headers },
    });
  }
}
