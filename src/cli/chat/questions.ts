import { MESSAGE } from '../../agents/conversation.js';
import { unreachable } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import { plural, shorten } from '../amounts.js';
import { exampleOf } from '../answers.js';
import { printable } from '../printable.js';
import type { Screen } from '../screen.js';
import type { Asking } from './person.js';

export type Wait = EventOf<'wait-start'>;

/** What is asked about a wait: what stands above, the line that is typed behind, and how an answer is read. */
export interface ChatQuestion {
  readonly kind: Asking['kind'];
  readonly above: readonly string[];
  readonly prompt: string;
  read(line: string): Understood;
}

/** An answer as the run takes it, or why it has to be asked for again; nothing was said where there is no reason. */
export type Understood = { readonly payload: unknown } | { readonly again: string | undefined };

const BYE = /^\/(?:bye|exit|quit)$/i;

export function questionFor(wait: Wait, screen: Pick<Screen, 'paint' | 'width'>): ChatQuestion {
  switch (wait.kind) {
    case 'signal':
      return wait.name === MESSAGE ? message(screen) : signal(wait, screen);
    case 'approval':
      return approval(wait, screen);
    case 'doubt':
      return doubt(wait, screen);
    default:
      return unreachable(wait.kind);
  }
}

function message({ paint }: Pick<Screen, 'paint'>): ChatQuestion {
  return {
    kind: 'message',
    above: [],
    prompt: paint('bold', '> '),
    read: (line) => {
      const text = line.trim();
      if (text === '') return { again: undefined };
      if (BYE.test(text)) return { payload: { end: true } };
      if (/^\/[a-z]+$/i.test(text))
        return { again: `There is no ${text}. /bye ends the conversation; everything else is said to the agent.` };
      return { payload: { text: line } };
    },
  };
}

function signal({ name, request, schema }: Wait, { paint, width }: Pick<Screen, 'paint' | 'width'>): ChatQuestion {
  const example = schema === undefined ? '' : `, such as ${JSON.stringify(exampleOf(schema))}`;
  return {
    kind: 'decision',
    above: [`${paint('yellow', '?')} It waits for ${paint('bold', printable(name))}.`, ...detailLines(request, width)],
    prompt: `  Answer in JSON${example}: `,
    read: (line) => {
      try {
        return { payload: JSON.parse(line) as unknown };
      } catch (error) {
        return { again: `That is not JSON: ${(error as Error).message}. Text needs quotes: "…"` };
      }
    },
  };
}

interface Request {
  readonly action?: unknown;
  readonly input?: unknown;
  readonly why?: unknown;
}

/** Sounds like a yes and may mean less: "yes, but not that file". It must neither count as one nor as a reason. */
const CONSENT = /^(?:y|yes|yep|yup|yeah|ok|okay|sure|fine|approved?)\b/i;

function approval({ request, name }: Wait, { paint, width }: Pick<Screen, 'paint' | 'width'>): ChatQuestion {
  const { action, input, why } = (request ?? {}) as Request;
  const reason = typeof why === 'string' ? `: ${printable(why)}` : '';
  return {
    kind: 'decision',
    above: [
      `${paint('yellow', '?')} It wants to use ${paint('bold', printable(String(action ?? name)))}${reason}`,
      ...detailLines(input, width),
    ],
    prompt: `  Let it? ${paint('bold', '[y/N, or why not] ')}`,
    read: (line) => {
      const word = line.trim();
      if (/^y(es)?$/i.test(word)) return { payload: { verdict: 'approve' } };
      if (CONSENT.test(word)) return { again: 'Only y or yes lets it. Say n, or why not.' };
      return { payload: { verdict: 'reject', reason: /^(n|no)?$/i.test(word) ? 'the person said no' : word } };
    },
  };
}

function doubt({ request, name }: Wait, { paint, width }: Pick<Screen, 'paint' | 'width'>): ChatQuestion {
  const { action, input } = (request ?? {}) as Request;
  const what = paint('bold', printable(String(action ?? name)));
  return {
    kind: 'decision',
    above: [
      `${paint('yellow', '?')} Nothing proves whether ${what} happened. Look for yourself before you answer.`,
      ...detailLines(input, width),
    ],
    prompt: `  Did it happen? ${paint('bold', '[y/n] ')}`,
    read: (line) => {
      const word = line.trim();
      if (/^y(es)?$/i.test(word)) return { payload: { happened: true, result: null } };
      if (/^no?$/i.test(word)) return { payload: { happened: false } };
      return { again: 'Say y if it happened and n if it did not. Ctrl-D leaves the question open.' };
    },
  };
}

const MOST_LINES = 12;

/** What it is about, one value a line: nobody should have to read JSON to know what they agree to. */
function detailLines(value: unknown, width: number): readonly string[] {
  if (value === undefined || value === null) return [];
  const fields = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [['', value] as const];
  const names = Math.min(20, Math.max(0, ...fields.map(([name]) => name.length)));
  return fields.flatMap(([name, field]) => {
    const lines = (typeof field === 'string' ? field : (JSON.stringify(field) ?? 'nothing')).split('\n');
    const more = lines.length - MOST_LINES;
    const shown = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… ${plural(more, 'more line')}`] : [])];
    return shown.map((line, n) => {
      const label = shorten(n === 0 ? name : '', 20).padEnd(names);
      return `    ${label}${names === 0 ? '' : '  '}${wrapped(line, { width, indent: names + 6 })}`;
    });
  });
}

const MOST_CHARACTERS = 600;

/** A long line is shown up to a limit, never cut to one row: what is hidden behind a cut would be agreed to unseen. */
function wrapped(line: string, { width, indent }: { readonly width: number; readonly indent: number }): string {
  const text = printable(line);
  const cut = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… ${text.length} characters` : text;
  const room = Math.max(20, width - indent - 1);
  const rows = cut.match(new RegExp(`.{1,${room}}`, 'gu')) ?? [''];
  return rows.join(`\n${' '.repeat(indent)}`);
}
