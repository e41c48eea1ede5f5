import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';

/** A real browser before a real server: the built command line in a process of its own, over a database in a folder. */

const MAIN = join(root, 'packages/flyball/dist/cli/main.js');
const DEMONSTRATION = join(root, 'packages/flyball/dist-examples/studio/agents.js');
const AGENTS = [join(root, 'dist-programs/studio-agents.js'), DEMONSTRATION];
const PICTURES = join(root, 'docs/pictures');

/** Where pictures for the docs go; they are only made when asked for. */
export const TAKES_PICTURES = process.env['FLYBALL_PICTURES'] !== undefined;

export const CHROMIUM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
].find(existsSync);

export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }), args: ['--no-sandbox'] });
}

export interface Served {
  readonly url: string;
  readonly folder: string;
  readonly database: string;
  /** The process is gone when this resolves, without having been told. */
  kill(): Promise<void>;
  /** The same address and database, another process. */
  again(): Promise<void>;
  /** Any other command over the same database. */
  flyball(...words: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export async function serve({
  evals,
  agents = 'all',
  before,
  dispatcher,
}: {
  readonly agents?: 'all' | 'demonstration';
  readonly evals?: string;
  /** The address of a dispatcher. */
  readonly dispatcher?: string;
  /** Done with the database before the server starts. */
  readonly before?: (run: (...words: readonly string[]) => Promise<string>) => Promise<void>;
} = {}): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-studio-'));
  const database = join(folder, 'runs.db');
  const flyball = (...words: readonly string[]): Promise<string> => output([...words, '--db', database]);
  await before?.(flyball);
  const words = [
    'serve',
    ...(agents === 'all' ? AGENTS : [DEMONSTRATION]),
    '--db',
    database,
    '--json',
    '--quiet',
    ...(evals === undefined ? [] : ['--evals', evals]),
    ...(dispatcher === undefined ? [] : ['--dispatcher', dispatcher]),
  ];
  const env = { ...process.env, FLYBALL_DEMONSTRATION: '1', FLYBALL_HARBOUR: folder };
  let running = await started([...words, '--port', '0'], env);
  const { url, port } = running;
  return {
    url,
    folder,
    database,
    flyball,
    kill: () => ended(running.child, 'SIGKILL'),
    again: async () => {
      running = await started([...words, '--port', port], env);
    },
    close: async () => {
      await ended(running.child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: string;
}

async function started(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: unknown): void => {
      said += String(chunk);
      const found = /"url":\s*"(http:[^"]+)"/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${said}`)));
  });
  return { child, url, port: new URL(url).port };
}

async function output(words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.on('data', (chunk: unknown) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk: unknown) => {
    out += String(chunk);
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`flyball ${words.join(' ')} ended with ${code}: ${out}`);
  return out;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** A page of the studio, with all that it did wrong. */
export interface Visit {
  readonly page: Page;
  /** Addresses of other origins that it asked for. */
  readonly strangers: readonly string[];
  /** What the console and the page itself called an error, violations of the content policy among them. */
  readonly errors: readonly string[];
  go(path: string): Promise<void>;
  /** The same without loading the page again, as a link does. */
  walk(path: string): Promise<void>;
  /** Kept for the docs when FLYBALL_PICTURES is set. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patient(30_000));
  const strangers: string[] = [];
  const errors: string[] = [];
  await context.route('**/*', (route) => {
    const asked = route.request().url();
    if (asked.startsWith(`${url}/`)) return route.continue();
    strangers.push(asked);
    return route.abort();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return {
    page,
    strangers,
    errors,
    go: async (path) => {
      await page.goto(`${url}/studio${path}`);
    },
    walk: async (path) => {
      await page.evaluate(
        `history.pushState(null, '', ${JSON.stringify(`/studio${path}`)}); dispatchEvent(new PopStateEvent('popstate'))`,
      );
    },
    picture: async (name) => {
      if (!TAKES_PICTURES) return;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    },
    close: () => context.close(),
  };
}

/** Whether something would have to be scrolled sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
}

/** Until the expression is true. The page's own policy forbids the ways in which a driver would wait inside of it. */
export async function until(page: Page, expression: string): Promise<void> {
  for (const end = Date.now() + patient(30_000); ; ) {
    if (await page.evaluate(`Boolean(${expression})`)) return;
    if (Date.now() > end) throw new Error(`It never became true: ${expression}`);
    await page.waitForTimeout(30);
  }
}

/** What is to be touched and has less than 24 by 24 pixels; a link within a text may be as high as the text. */
export function tooSmallToTouch(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('button, input, select, textarea, summary, nav a, [role=tab]')]
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, box]) => box.width > 1 && box.height > 1 && (box.height < 24 || box.width < 24))
    .filter(([one]) => !one.closest('label') || one.closest('label').getBoundingClientRect().height < 24)
    .map(([one]) => one.outerHTML.slice(0, 120))`);
}

/** Pages, tabs, agents and names of bars that are not seen as a whole. */
export function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('.menu a, .tabs [role=tab], .run-agent, .wf-label')]
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, { left, right }]) =>
      left < 0 || right > document.documentElement.clientWidth + 1 ||
      one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2)
    .map(([one]) => one.textContent)`);
}

/** Nothing that a run wrote became an element, a link or a program, or turned the direction of what is read. */
export async function expectOnlyText(page: Page): Promise<void> {
  const found = await page.evaluate(`[
    globalThis.hacked ?? 'nothing ran',
    document.querySelectorAll('main :is(img, script, iframe, object, embed, style)').length,
    [...document.querySelectorAll('a')].filter((link) => !/^https?:$/.test(link.protocol)).length,
    /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText),
  ]`);
  expect(found).toEqual(['nothing ran', 0, 0, false]);
}
