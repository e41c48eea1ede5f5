import { MESSAGE } from '../../agents/conversation.js';
import { unreachable } from '../../core/errors.js';
import { exampleOf } from '../answers.js';
import { printable } from '../printable.js';
import type { Screen } from '../screen.js';
import type { ChatQuestion, Wait } from './chat-question.js';
import { detailLines } from './detail-lines.js';
import { widgetQuestion } from './widget-questions.js';

const BYE = /^\/(?:bye|exit|quit)$/i;

export function questionFor(wait: Wait, screen: Pick<Screen, 'paint' | 'width'>): ChatQuestion {
  switch (wait.kind) {
    case 'question':
      return widgetQuestion(wait, screen) ?? signal(wait, screen);
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
        return {
          again: `There is no command ${text}. /bye ends the conversation; any other text is sent to the agent.`,
        };
      return { payload: { text: line } };
    },
  };
}

function signal({ name, request, schema }: Wait, { paint, width }: Pick<Screen, 'paint' | 'width'>): ChatQuestion {
  const example = schema === undefined ? '' : `, such as ${printable(JSON.stringify(exampleOf(schema)))}`;
  return {
    kind: 'decision',
    above: [
      `${paint('yellow', '?')} The run waits for ${paint('bold', printable(name))}.`,
      ...detailLines(request, width),
    ],
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
      `${paint('yellow', '?')} The agent wants to use ${paint('bold', printable(String(action ?? name)))}${reason}`,
      ...detailLines(input, width),
    ],
    prompt: `  Allow it? ${paint('bold', '[y/N, or a reason] ')}`,
    read: (line) => {
      const word = line.trim();
      if (/^y(es)?$/i.test(word)) return { payload: { verdict: 'approve' } };
      if (CONSENT.test(word)) return { again: 'Enter y or yes to allow it, n to refuse, or a reason to refuse.' };
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
      `${paint('yellow', '?')} It is not known whether ${what} happened. Check before you answer.`,
      ...detailLines(input, width),
    ],
    prompt: `  Did it happen? ${paint('bold', '[y/n] ')}`,
    read: (line) => {
      const word = line.trim();
      if (/^y(es)?$/i.test(word)) return { payload: { happened: true, result: null } };
      if (/^no?$/i.test(word)) return { payload: { happened: false } };
      return { again: 'Enter y if it happened, n if it did not. Ctrl-D leaves the question open.' };
    },
  };
}
