import type { Page, Request } from 'playwright-core';
import { parsedUrl } from '../core/parsed-url.js';
import type { Refusal } from './browser-proxy.js';

const QUIET_MS = 200;
const POLL_MS = 25;
const MAX_NAVIGATIONS = 50;

/** What a page does while something is done to it. */
export class PageWatch {
  private readonly open = new Set<Request>();
  private quietFor = 0;
  private navigations: string[] = [];
  downloads = 0;

  constructor(page: Page) {
    page.on('request', (request) => {
      this.open.add(request);
      this.quietFor = 0;
      if (isOfMainFrame(page, request) && this.navigations.length < MAX_NAVIGATIONS)
        this.navigations.push(request.url());
    });
    const over = (request: Request): void => {
      this.open.delete(request);
      this.quietFor = 0;
    };
    page.on('requestfinished', over);
    page.on('requestfailed', over);
    page.on('download', (download) => {
      this.downloads++;
      void download.cancel().catch(() => undefined);
    });
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  }

  begin(): void {
    this.navigations = [];
    this.downloads = 0;
  }

  /**
   * Nothing tells beforehand whether a click leads anywhere, so rest is a while without requests; a page that never
   * stops asking is looked at after `maxMs`.
   */
  async quiet(maxMs: number): Promise<void> {
    this.quietFor = 0;
    for (let waited = 0; waited < maxMs && this.quietFor < QUIET_MS; waited += POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      this.quietFor = this.open.size === 0 ? this.quietFor + POLL_MS : 0;
    }
  }

  /** The refusal that kept the page itself from going somewhere; what it merely wanted to show is none. */
  refusedNavigation(refusals: readonly Refusal[]): Refusal | undefined {
    return refusals.find(({ url }) => this.navigations.some((wanted) => concerns(url, wanted)));
  }
}

function isOfMainFrame(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    return true; // only the first request of a new page has no frame yet
  }
}

/** Of a tunnel only host and port are known. */
function concerns(refused: string, wanted: string): boolean {
  const [a, b] = [refused, wanted].map((url) => parsedUrl(url));
  if (a === undefined || b === undefined || a.origin !== b.origin) return false;
  const isTunnel = a.protocol === 'https:' && a.pathname === '/' && a.search === '';
  return isTunnel || (a.pathname === b.pathname && a.search === b.search);
}
