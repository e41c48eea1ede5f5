import { arithmetic, mark } from './worlds/arithmetic.js';
import { files } from './worlds/files.js';
import { intents, LABELS, labelOf } from './worlds/intents.js';

/** One call of a calibration, and what to make of its reply. */
export type CalibrationTask =
  | { readonly kind: 'answer'; readonly item: number; readonly prompt: string }
  | { readonly kind: 'judge'; readonly item: number; readonly isGood: boolean; readonly prompt: string }
  | { readonly kind: 'recall'; readonly item: number; readonly tokens: number; readonly prompt: string }
  | { readonly kind: 'label'; readonly item: number; readonly prompt: string };

/** Samples of one question: their agreement tells what they have in common. */
export const SAMPLES = 5;
const SHARES = { answer: 0.4, judge: 0.25, recall: 0.2 } as const;
const LENGTHS = [250, 500, 1_000, 2_000] as const;
const CHARS_PER_TOKEN = 4;
const FILLER = 'Oil, filters and belts were looked at and found in order on that day. ';

const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_none, at) => at);

/** So many calls in all, never more. `window`: tokens that the model reads at most. */
export function calibrationTasks(calls: number, window: number): readonly CalibrationTask[] {
  const questions = Math.max(1, Math.floor((calls * SHARES.answer) / SAMPLES));
  const judged = Math.floor(calls * SHARES.judge);
  const recalled = Math.floor(calls * SHARES.recall);
  const labelled = Math.max(0, calls - questions * SAMPLES - judged - recalled);
  const lengths = LENGTHS.filter((tokens) => tokens <= window / 2);
  return [
    ...upTo(questions).flatMap((item) =>
      upTo(SAMPLES).map(() => ({ kind: 'answer', item, prompt: arithmetic.ask(item) }) as const),
    ),
    ...upTo(judged).map((n) => {
      const item = 1_000 + n;
      const isGood = n % 2 === 0;
      const answer = isGood ? arithmetic.truth(item) : arithmetic.wrong(item, n % 7);
      const prompt = `${arithmetic.ask(item)}\n\nSomebody answered: <answer>${answer}</answer>\n\nIs this answer right? Reply with YES or NO only.`;
      return { kind: 'judge', item, isGood, prompt } as const;
    }),
    ...upTo(recalled).map((n) => {
      const item = 2_000 + n;
      const tokens = lengths[n % Math.max(1, lengths.length)] ?? 100;
      return { kind: 'recall', item, tokens, prompt: recallPrompt(item, tokens) } as const;
    }),
    ...upTo(labelled).map((n) => ({ kind: 'label', item: 3_000 + n, prompt: intents.ask(3_000 + n) }) as const),
  ];
}

/** The fact first, then pages that have nothing to do with it, then the question: as long as it says. */
function recallPrompt(item: number, tokens: number): string {
  const [head, end] = [
    `${mark(item)}. ${files.fact(item)}\n\n`,
    `\n\nWhat is the code of the machine in hall ${item}? Reply with the code only.`,
  ];
  const room = Math.max(0, tokens * CHARS_PER_TOKEN - head.length - end.length);
  return `${head}${FILLER.repeat(Math.ceil(room / FILLER.length)).slice(0, room)}${end}`;
}

/** Whether a reply is right. Numbers and codes are picked out of what stands around them: this measures a model, not a form. */
export function isRightReply(task: CalibrationTask, reply: string): boolean {
  switch (task.kind) {
    case 'answer':
      return answerText(reply) === arithmetic.truth(task.item);
    case 'judge':
      return /^\W*yes\b/i.test(reply);
    case 'recall':
      return reply.includes(files.truth(task.item)) && !reply.includes(files.wrong(task.item, 0));
    case 'label':
      return labelText(reply) === labelOf(task.item);
  }
}

/** The last number of a reply. */
export function answerText(reply: string): string {
  return (
    reply
      .replaceAll(/(?<=\d),(?=\d{3})/g, '')
      .match(/-?\d+/g)
      ?.at(-1) ?? reply.trim()
  );
}

/** The first label that it names. */
export function labelText(reply: string): string | undefined {
  const said = reply.toLowerCase();
  const named = LABELS.map((label) => ({ label, at: said.indexOf(label) })).filter(({ at }) => at >= 0);
  return named.sort((a, b) => a.at - b.at)[0]?.label;
}
