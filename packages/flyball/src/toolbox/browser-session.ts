import type { Browser, BrowserContext, Page, Request, Route } from 'playwright-core';
import { FlyballError } from '../core/errors.js';
import { checkUrl, type DomainRules } from '../tools/rules/domains.js';
import { elementsOf, type FoundElement } from './browser-elements.js';
import { type CheckingProxy, checkingProxy, type Refusal } from './browser-proxy.js';
import { PageWatch } from './browser-watch.js';
import type { PageView } from './page-view.js';
import type { Outlets } from './web-fetch-connect.js';

export interface BrowsingRules {
  readonly rules: DomainRules;
  readonly outlets: Outlets;
  readonly methods: readonly string[];
  readonly navigationMs: number;
  readonly actionMs: number;
}

const SETTLE_MS = 5000;
const MAX_TEXT = 500_000;
const MAX_REFUSALS = 100;

/** One page, with cookies and a way out of its own: nothing of one run is known to another. */
export class BrowserSession {
  private readonly how: BrowsingRules;
  private readonly context: BrowserContext;
  private readonly proxy: CheckingProxy;
  private readonly refusals: Refusal[];
  private page: Page;
  private watch: PageWatch;
  private found: readonly FoundElement[] = [];

  static async open(browser: Browser, how: BrowsingRules): Promise<BrowserSession> {
    const refusals: Refusal[] = [];
    const onRefused = (refusal: Refusal): void => {
      if (refusals.length < MAX_REFUSALS) refusals.push(refusal);
    };
    const proxy = await checkingProxy({ ...how, onRefused });
    try {
      const context = await browser.newContext({
        proxy: { server: `http://127.0.0.1:${proxy.port}` },
        acceptDownloads: false,
        serviceWorkers: 'block', // their requests are not shown to whoever drives the browser
      });
      await context.addInitScript('delete window.RTCPeerConnection; delete window.webkitRTCPeerConnection;');
      await context.route('**/*', (route) => judge(route, how, onRefused));
      await context.routeWebSocket(/./, (socket) => {
        onRefused({ url: socket.url(), why: 'Only reading is allowed, and a socket also sends.' });
        return socket.close();
      });
      return new BrowserSession(how, { context, proxy, refusals, page: await context.newPage() });
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  private constructor(
    how: BrowsingRules,
    parts: { context: BrowserContext; proxy: CheckingProxy; refusals: Refusal[]; page: Page },
  ) {
    this.how = how;
    this.context = parts.context;
    this.proxy = parts.proxy;
    this.refusals = parts.refusals;
    this.page = parts.page;
    this.watch = new PageWatch(parts.page);
    // a link that opens a window of its own is followed: there is one page, and it is the one last opened
    this.context.on('page', (opened) => {
      const before = this.page;
      this.page = opened;
      this.watch = new PageWatch(opened);
      void before.close().catch(() => undefined);
    });
  }

  async goTo(url: string): Promise<void> {
    const verdict = checkUrl(this.how.rules, url);
    if (!verdict.ok) throw new FlyballError('DENIED', verdict.why, { detail: { url } });
    await this.acting(async () => {
      await this.page.goto(url, { waitUntil: 'domcontentloaded', timeout: this.how.navigationMs });
    });
  }

  async click(number: number): Promise<void> {
    const { handle } = this.elementAt(number);
    await this.acting(() => handle.click({ timeout: this.how.actionMs }));
  }

  async type(number: number, text: string, submit: boolean): Promise<void> {
    const { handle, element } = this.elementAt(number);
    const { actionMs: timeout } = this.how;
    await this.acting(async () => {
      if (element.kind === 'choice') await handle.selectOption({ label: text }, { timeout });
      else await handle.fill(text, { timeout });
      if (submit) await handle.press('Enter', { timeout });
    });
  }

  /** The page as it is now, with its elements numbered anew. */
  async view(from: number, maxCharacters: number): Promise<PageView> {
    try {
      return await this.look(from, maxCharacters);
    } catch (error) {
      if (!/context was destroyed/.test(String(error))) throw error;
      await this.settled(); // the page went on by itself while it was looked at
      return this.look(from, maxCharacters);
    }
  }

  private async look(from: number, maxCharacters: number): Promise<PageView> {
    this.found = await elementsOf(this.page);
    // innerText is what a reader sees: what a style sheet hides is not in it
    const read: unknown = await this.page.evaluate(`(document.body?.innerText ?? '').slice(0, ${MAX_TEXT})`);
    const whole = (typeof read === 'string' ? read.slice(0, MAX_TEXT) : '').replace(/\n{3,}/g, '\n\n').trim();
    return {
      url: this.page.url(),
      title: (await this.page.title()).slice(0, 300),
      text: whole.slice(from, from + maxCharacters),
      from,
      length: whole.length,
      elements: this.found.map(({ element }) => element),
      refused: this.refusals.splice(0),
    };
  }

  screenshot(): Promise<Buffer> {
    return this.page.screenshot({ type: 'png', timeout: this.how.actionMs });
  }

  async close(): Promise<void> {
    await this.context.close().catch(() => undefined); // the browser may be gone already
    await this.proxy.close();
  }

  /** Does something to the page, lets what follows from it settle, and says so when it ended at something refused. */
  private async acting(work: () => Promise<void>): Promise<void> {
    this.refusals.length = 0;
    this.watch.begin();
    let problem: unknown;
    try {
      await work();
      await this.settled();
    } catch (error) {
      problem = error;
    }
    const denied = this.watch.refusedNavigation(this.refusals);
    if (denied !== undefined) throw new FlyballError('DENIED', `${denied.url.slice(0, 200)} is refused: ${denied.why}`);
    if (this.watch.downloads > 0 || /Download is starting/.test(String(problem)))
      throw new FlyballError('DENIED', 'That would download a file, which is refused.');
    if (problem !== undefined) throw failureOfPage(problem);
  }

  /** A click may open another page, which then has to come to rest as well. */
  private async settled(): Promise<void> {
    for (let page: Page | undefined; page !== this.page; ) {
      page = this.page;
      await this.watch.quiet(SETTLE_MS);
    }
    await this.page.waitForLoadState('domcontentloaded', { timeout: this.how.navigationMs });
  }

  private elementAt(number: number): FoundElement {
    const found = this.found[number - 1];
    if (found !== undefined) return found;
    throw new FlyballError('EFFECT_FAILED', `There is no element [${number}] on the page; browser_read numbers them.`);
  }
}

/** The same rules as the proxy's, where the browser can still say what kind of request it is, also inside TLS. */
async function judge(route: Route, how: BrowsingRules, onRefused: (refusal: Refusal) => void): Promise<void> {
  const request = route.request();
  const why = whyRefused(request, how);
  if (why === undefined) return route.continue();
  onRefused({ url: request.url(), why });
  return route.abort('blockedbyclient');
}

function whyRefused(request: Request, how: BrowsingRules): string | undefined {
  const [url, method] = [request.url(), request.method()];
  if (/^(?:data|blob):/.test(url) && !request.isNavigationRequest()) return undefined; // nothing leaves for these
  const verdict = checkUrl(how.rules, url);
  if (!verdict.ok) return verdict.why;
  return how.methods.includes(method) ? undefined : `${method} would send something, and only reading is allowed.`;
}

function failureOfPage(problem: unknown): FlyballError {
  const message = (problem as Error).message.split('\n')[0]?.replace(/^\w+\.\w+: /, '') ?? '';
  const isSlow = /Timeout \d+ms exceeded/.test(message);
  return new FlyballError('EFFECT_FAILED', `The page could not do that: ${message}`, {
    retryable: isSlow,
    cause: problem,
  });
}
