import { FlyballError } from 'flyball';
import { describe, expect, it } from 'vitest';
import { webFetchThrough } from '../../packages/flyball/src/toolbox/web-fetch.js';
import { domainRules } from '../../packages/flyball/src/tools/rules/domains.js';
import { inside, names, publicAt, site } from './network.js';
import { called } from './project.js';
import cases from './ssrf-cases.json' with { type: 'json' };

interface SsrfCase {
  readonly name: string;
  readonly url: string;
  readonly why: string;
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly redirect?: string;
  /** Fetches that succeed before the one that must not. */
  readonly fetchedBefore?: number;
}

describe('an address that leads inside', () => {
  it('is one of at least 45 cases', () => expect(cases.length).toBeGreaterThanOrEqual(45));

  it.each((cases as unknown as readonly SsrfCase[]).map((each) => [each.name, each] as const))(
    'is refused with a reason, and nothing inside is touched: %s [R3-SHOW-SECURITY] [R3-FETCH-PRIVATE] [R3-FETCH-ALLOW]',
    async (_name, { url, why, dns, redirect, fetchedBefore = 0 }) => {
      const listener = await inside();
      const filledIn = (text: string): string =>
        text.replace('$INSIDE', String(listener.port)).replace('$LONG', 'x'.repeat(2048));
      const front = await site((_request, response) => {
        if (redirect === undefined) response.writeHead(200, { 'content-type': 'text/plain' }).end('public');
        else response.writeHead(302, { location: filledIn(redirect) }).end();
      });
      const rules = domainRules({
        allow: ['example.com', '*.example.org', '*.google.internal', 'localhost', 'app.localhost'],
        ports: [80, 443, listener.port],
        allowPrivate: [`127.0.0.1:${front.port}`],
      });
      const tool = webFetchThrough({ rules }, { resolver: names(dns), connect: publicAt(front.port) });
      const fetch = (): Promise<unknown> => called(tool as never, { url: filledIn(url) }, 'key');
      for (let n = 0; n < fetchedBefore; n++) expect(await fetch()).toMatchObject({ text: 'public' });
      const error = await fetch().then(
        (page) => page,
        (refusal: unknown) => refusal,
      );
      expect(error).toBeInstanceOf(FlyballError);
      expect(error).toMatchObject({ code: 'DENIED', retryable: false, message: expect.stringContaining(why) });
      expect(listener).toMatchObject({ connections: 0, bytes: 0 });
      expect(front.requests).toHaveLength(fetchedBefore + (redirect === undefined ? 0 : 1));
    },
  );
});
