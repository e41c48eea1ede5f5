import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { unreachable } from '../../core/errors.js';
import { type QuestionRequest, WIDGETS } from '../../core/question.js';
import { isCalendarDate } from '../../people/calendar-date.js';
import { printable, printableLines } from '../printable.js';
import type { Screen } from '../screen.js';
import type { ChatQuestion, Understood, Wait } from './chat-question.js';
import { detailLines } from './detail-lines.js';
import { formQuestion } from './form-questions.js';

/** Questions of tools, each asked in the words of its widget. */

type Painted = Pick<Screen, 'paint' | 'width'>;
type Details = Readonly<Record<string, unknown>>;

/** Undefined where the wait does not say how it wants to be asked about: then its schema has to do. */
export function widgetQuestion({ request }: Wait, screen: Painted): ChatQuestion | undefined {
  const { widget, prompt, details = {} } = (request ?? {}) as Partial<QuestionRequest>;
  if (widget === undefined || !WIDGETS.includes(widget)) return undefined;
  const above = [`${screen.paint('yellow', '?')} ${printableLines(String(prompt), '    ')}`];
  switch (widget) {
    case 'confirm':
      return line(above, `  Yes or no? ${screen.paint('bold', '[y/n] ')}`, readConfirm);
    case 'text':
      return line(above, '  ', (text) => (text === '' ? { again: 'Enter some text.' } : { payload: text }));
    case 'number':
      return line(above, `  A number${limits(details)}: `, (text) => readNumber(text, details));
    case 'date':
      return line(above, `  A date as YYYY-MM-DD${days(details)}: `, (text) => readDay(text, details));
    case 'choose-one':
      return line([...above, ...numbered(details)], '  Its number: ', (text) => readChoice(text, details));
    case 'choose-several':
      return line([...above, ...numbered(details)], '  Their numbers, or none: ', (text) => readChoices(text, details));
    case 'file':
      return line(above, '  The path of a text file: ', (text) => readFile(text, details));
    case 'form':
      return formQuestion(details['fields'], above, screen);
    case 'edit-arguments':
      return editing(above, details, screen);
    default:
      return unreachable(widget);
  }
}

function line(above: readonly string[], prompt: string, read: (text: string) => Understood): ChatQuestion {
  return { kind: 'decision', above, prompt, read: (given) => read(given.trim()) };
}

function readConfirm(text: string): Understood {
  if (/^y(?:es)?$/i.test(text)) return { payload: true };
  if (/^no?$/i.test(text)) return { payload: false };
  return { again: 'Enter y or n.' };
}

function limits({ minimum, maximum }: Details): string {
  const from = typeof minimum === 'number' ? ` from ${minimum}` : '';
  return `${from}${typeof maximum === 'number' ? ` up to ${maximum}` : ''}`;
}

function readNumber(text: string, { minimum, maximum, integer }: Details): Understood {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) return { again: 'That is not a number.' };
  if (integer === true && !Number.isInteger(value)) return { again: 'It must be a whole number.' };
  if (typeof minimum === 'number' && value < minimum) return { again: `It must be at least ${minimum}.` };
  if (typeof maximum === 'number' && value > maximum) return { again: `It must be at most ${maximum}.` };
  return { payload: value };
}

function days({ earliest, latest }: Details): string {
  const from = typeof earliest === 'string' ? ` from ${printable(earliest)}` : '';
  return `${from}${typeof latest === 'string' ? ` up to ${printable(latest)}` : ''}`;
}

function readDay(text: string, { earliest, latest }: Details): Understood {
  if (!isCalendarDate(text)) return { again: 'That is not a valid date. Write it as 2026-01-31.' };
  if (typeof earliest === 'string' && text < earliest) return { again: `It must be ${earliest} or later.` };
  if (typeof latest === 'string' && text > latest) return { again: `It must be ${latest} or earlier.` };
  return { payload: text };
}

function choicesIn({ choices }: Details): readonly string[] {
  return Array.isArray(choices) ? choices.map(String) : [];
}

function numbered(details: Details): readonly string[] {
  return choicesIn(details).map((choice, index) => `    ${index + 1}. ${printable(choice)}`);
}

/** By its number, or in its own words. */
function chosen(text: string, choices: readonly string[]): string | undefined {
  const byNumber = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
  return byNumber ?? choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
}

function readChoice(text: string, details: Details): Understood {
  const choices = choicesIn(details);
  const choice = chosen(text, choices);
  return choice === undefined ? { again: `Enter a number from 1 to ${choices.length}.` } : { payload: choice };
}

function readChoices(text: string, details: Details): Understood {
  const choices = choicesIn(details);
  const words = /^none$/i.test(text) ? [] : text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0 && !/^none$/i.test(text)) return { again: 'Enter numbers, as in 1 3, or none.' };
  const found = [...new Set(words.map((word) => chosen(word, choices)))];
  if (found.includes(undefined)) return { again: `Enter numbers from 1 to ${choices.length}, as in 1 3.` };
  const { minimum, maximum } = details;
  if (typeof minimum === 'number' && found.length < minimum) return { again: `Choose at least ${minimum}.` };
  if (typeof maximum === 'number' && found.length > maximum) return { again: `Choose at most ${maximum}.` };
  return { payload: found };
}

/** The file is read here, where the person is: its content goes into the run. */
function readFile(path: string, { maxBytes }: Details): Understood {
  if (path === '') return { again: 'Give a path.' };
  try {
    const { size } = statSync(path);
    if (typeof maxBytes === 'number' && size > maxBytes)
      return { again: `${path} has ${size} bytes; the limit is ${maxBytes}.` };
    const content = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    return { payload: { name: basename(path), content } };
  } catch (error) {
    return { again: `${path} cannot be read as text: ${(error as Error).message}.` };
  }
}

function editing(above: readonly string[], details: Details, screen: Painted): ChatQuestion {
  const proposed = details['arguments'];
  return line(
    [...above, ...detailLines(proposed, screen.width)],
    `  Press Enter to accept them, or enter all of them as JSON: `,
    (text) => {
      if (text === '') return { payload: proposed };
      try {
        return { payload: JSON.parse(text) as unknown };
      } catch (error) {
        return { again: `That is not JSON: ${(error as Error).message}.` };
      }
    },
  );
}
