import { ConfigError } from '../core/errors.js';
import type { EffectContext } from '../core/tool.js';
import { tool } from '../tools/define-tool.js';
import type { DomainRules } from '../tools/rules/domains.js';
import type { DefinedTool } from '../tools/tool-definition.js';
import { elementLine } from './browser-elements.js';
import { launchChromium } from './browser-launch.js';
import { screenshotTool } from './browser-screenshot.js';
import type { BrowserSession } from './browser-session.js';
import { BrowserSessions } from './browser-sessions.js';
import type { FilesOptions } from './files.js';
import type { LaunchOptions } from './launch-options.js';
import type { PageView } from './page-view.js';
import { type Outlets, type Resolver, systemOutlets } from './web-fetch-connect.js';

/** Options of `browserTools`. */
export interface BrowserOptions extends LaunchOptions {
  /** From `domainRules`. They hold for every request of every page. */
  readonly rules: DomainRules;
  /**
   * What a page may do beyond reading. `never`, the default, refuses every request but GET, HEAD and OPTIONS, so
   * clicking and typing change nothing elsewhere. `ask-a-person` lets pages send, and makes each click and each typing
   * an irreversible effect that somebody approves.
   */
  readonly submits?: 'never' | 'ask-a-person';
  /** Where screenshots may be written; there is no tool for them where absent. */
  readonly screenshots?: Pick<FilesOptions, 'allow' | 'undoFolder'>;
  readonly navigationMs?: number;
  readonly actionMs?: number;
  /** Shown to a model at once. 20,000 where absent. */
  readonly maxCharacters?: number;
  /** A page that nobody uses for so long is closed, and the browser with the last one. 2 minutes where absent. */
  readonly idleMs?: number;
  /** Pages at the same time. 4 where absent. */
  readonly maxSessions?: number;
  readonly resolver?: Resolver;
}

/** Arguments of `browser_open`. */
export type OpenArgs = { readonly url: string };
/** Arguments of `browser_click`. */
export type ClickArgs = { readonly element: number };
/** Arguments of `browser_type`. */
export type TypeArgs = { readonly element: number; readonly text: string; readonly submit?: boolean };
/** Arguments of `browser_read`. */
export type ReadPageArgs = { readonly from?: number };

/** The tools, and a way to close the browser behind them before it closes itself. */
export type BrowserTools = readonly DefinedTool<never, unknown>[] & { close(): Promise<void> };

const READING = ['GET', 'HEAD', 'OPTIONS'];
const ALL = [...READING, 'POST', 'PUT', 'PATCH', 'DELETE'];
const TOOL_MS = 60_000;
const ELEMENT = { type: 'integer', minimum: 1, description: 'its number in brackets' } as const;
const COMMON = { legs: ['untrusted-content', 'outbound'], scopes: ['web:browse'], timeoutMs: TOOL_MS } as const;

/** Tools that drive Chromium behind a proxy that enforces domain rules. */
export function browserTools(options: BrowserOptions): BrowserTools {
  const { resolver = systemOutlets.resolver } = options;
  return browserToolsThrough(options, { ...systemOutlets, resolver });
}

/** The same through given outlets. */
export function browserToolsThrough(options: BrowserOptions, outlets: Outlets): BrowserTools {
  const { maxCharacters = 20_000, submits = 'never' } = options;
  const sessions = sessionsFor(options, outlets);
  const seen = (work: (session: BrowserSession) => Promise<void>) => async (session: BrowserSession) => {
    await work(session);
    return session.view(0, maxCharacters);
  };
  const acting =
    submits === 'never'
      ? ({ effect: 'idempotent' } as const)
      : ({ effect: 'irreversible', why: 'the page may send what it likes to its own site' } as const);
  const tools = [
    tool({
      ...COMMON,
      name: 'browser_open',
      description:
        'Opens a page in a browser and shows its text and its numbered elements. Use it where web_fetch is not enough: ' +
        `pages made by scripts, forms, several steps. Only these domains: ${options.rules.allow.slice(0, 20).join(', ')}.`,
      input: object({ url: { type: 'string', description: 'a complete address' } }, ['url']),
      effect: 'idempotent',
      touches: ({ url }: OpenArgs) => ({ urls: [url] }),
      execute: ({ url }: OpenArgs, how: EffectContext) =>
        sessions.use(
          how,
          'opens-a-page',
          seen((session) => session.goTo(url)),
        ),
      present: describe,
    }),
    tool({
      ...COMMON,
      ...acting,
      name: 'browser_click',
      description: 'Clicks a numbered element of the open page and shows the page after it.',
      input: object({ element: ELEMENT }, ['element']),
      execute: ({ element }: ClickArgs, how: EffectContext) =>
        sessions.use(
          how,
          'needs-a-page',
          seen((session) => session.click(element)),
        ),
      present: describe,
    }),
    tool({
      ...COMMON,
      ...acting,
      name: 'browser_type',
      description: 'Fills a numbered text box, or chooses an option by its label, and shows the page after it.',
      input: object({ element: ELEMENT, text: { type: 'string', maxLength: 10_000 }, submit: { type: 'boolean' } }, [
        'element',
        'text',
      ]),
      execute: ({ element, text, submit = false }: TypeArgs, how: EffectContext) =>
        sessions.use(
          how,
          'needs-a-page',
          seen((session) => session.type(element, text, submit)),
        ),
      present: describe,
    }),
    tool({
      ...COMMON,
      name: 'browser_read',
      description: 'Shows the open page again: a later part of its text, or what has changed since.',
      input: object({ from: { type: 'integer', minimum: 0, description: 'character to continue from' } }, []),
      effect: 'pure',
      execute: ({ from = 0 }: ReadPageArgs, how: EffectContext) =>
        sessions.use(how, 'needs-a-page', (session) => session.view(from, maxCharacters)),
      present: describe,
    }),
    ...(options.screenshots === undefined ? [] : [screenshotTool(sessions, options.screenshots, COMMON)]),
  ] as readonly DefinedTool<never, unknown>[];
  return Object.assign([...tools], { close: () => sessions.close() });
}

function sessionsFor(options: BrowserOptions, outlets: Outlets): BrowserSessions {
  const { navigationMs = 30_000, actionMs = 10_000, idleMs = 120_000, maxSessions = 4 } = options;
  for (const [name, value] of Object.entries({ navigationMs, actionMs, idleMs, maxSessions })) {
    if (!(Number.isInteger(value) && value > 0))
      throw new ConfigError(`browser: ${name} is ${value}, not a number above 0.`);
  }
  const methods = options.submits === 'ask-a-person' ? ALL : READING;
  const how = { rules: options.rules, outlets, methods, navigationMs, actionMs };
  return new BrowserSessions(() => launchChromium(options), how, { idleMs, maxSessions });
}

function object(properties: Record<string, object>, required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function describe({ url, title, text, from, length, elements, refused }: PageView): string {
  const end = from + text.length;
  const part = end < length || from > 0 ? ` (characters ${from} to ${end} of ${length})` : '';
  const next = end < length ? `\nGo on with browser_read, from: ${end}.` : '';
  const hosts = new Set(refused.map((each) => each.why));
  const note =
    refused.length === 0 ? '' : `\n(${refused.length} requests refused: ${[...hosts].slice(0, 5).join(' ')})`;
  const list = elements.length === 0 ? '' : `\n\nElements:\n${elements.map(elementLine).join('\n')}`;
  return `${url}${part}\nTitle: ${title}${next}\n\n${text}${list}${note}`;
}
