import { type IncomingMessage, request } from 'node:http';
import { FlyballError } from '../core/errors.js';
import { parsedUrl } from '../core/parsed-url.js';
import { checkUrl, type DomainRules, portOf } from '../tools/rules/domains.js';
import { connectChecked, type Outlets, secured, unreachable } from './web-fetch-connect.js';

const USER_AGENT = 'flyball-web-fetch';

export interface Answer {
  readonly url: URL;
  readonly response: IncomingMessage;
  readonly redirects: number;
}

/** Follows redirects, each of which is judged as if it had been asked for. */
export async function get(
  rules: DomainRules,
  start: string,
  how: { readonly outlets: Outlets; readonly signal: AbortSignal; readonly maxRedirects: number },
): Promise<Answer> {
  let url = allowedUrl(rules, start);
  for (let redirects = 0; ; redirects++) {
    const response = await getOnce(rules, url, how);
    const location = isRedirect(response.statusCode) ? response.headers.location : undefined;
    if (location === undefined) return { url, response, redirects };
    response.destroy();
    if (redirects >= how.maxRedirects)
      throw new FlyballError('EFFECT_FAILED', `${start} redirects more than ${how.maxRedirects} times.`);
    url = redirected(rules, url, location);
  }
}

function allowedUrl(rules: DomainRules, text: string): URL {
  const verdict = checkUrl(rules, text);
  if (!verdict.ok) throw new FlyballError('DENIED', verdict.why, { detail: { url: text } });
  return new URL(text);
}

function redirected(rules: DomainRules, from: URL, location: string): URL {
  // joined, not parsed: what a lenient reader would mend has to reach the rules as it is
  const target =
    /^[a-z][a-z0-9+.-]*:/i.test(location) || parsedUrl(location, from.href) === undefined
      ? location
      : new URL(location, from).href;
  const verdict = checkUrl(rules, target);
  const refuse = (why: string): never => {
    throw new FlyballError('DENIED', `${from.href} redirects to ${target.slice(0, 200)}, which is refused: ${why}`, {
      detail: { from: from.href, url: target },
    });
  };
  if (!verdict.ok) return refuse(verdict.why);
  const url = new URL(target);
  return from.protocol === 'https:' && url.protocol === 'http:' ? refuse('it leaves https.') : url;
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && [301, 302, 303, 307, 308].includes(status);
}

async function getOnce(
  rules: DomainRules,
  url: URL,
  { outlets, signal }: { readonly outlets: Outlets; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const to = { hostname: url.hostname, port: portOf(url) };
  const tcp = await connectChecked(rules, to, outlets, signal);
  const socket = url.protocol === 'https:' ? await secured(tcp, to, outlets, signal) : tcp;
  return new Promise((resolve, reject) => {
    const asked = request({
      createConnection: () => socket,
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      // nothing about who asks: no cookies, no credentials, no referrer
      headers: {
        Host: url.host,
        'User-Agent': USER_AGENT,
        Accept: 'text/html, text/plain, application/json, text/*;q=0.9, */*;q=0.1',
        'Accept-Encoding': 'gzip, br',
        Connection: 'close',
      },
      signal,
    });
    asked.on('error', (error) => {
      socket.destroy();
      reject(signal.aborted ? signal.reason : unreachable(to, error));
    });
    asked.once('response', (response) => {
      response.on('error', () => undefined); // whoever reads it is told by the reading; nobody may read it
      resolve(response);
    });
    asked.end();
  });
}
