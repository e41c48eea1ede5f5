import type { Questions } from 'flyball/testing/simulated';
import { mark } from './arithmetic.js';

/** W9: messages with the label of what their writer wants. */
export const LABELS = ['refund', 'delivery', 'account'] as const;

const MESSAGES: Readonly<Record<(typeof LABELS)[number], readonly string[]>> = {
  refund: [
    'I want my money back for the kettle.',
    'Please return the amount to my card.',
    'You charged me twice. Pay one back.',
  ],
  delivery: ['Where is my parcel?', 'The driver left it at the wrong door.', 'When does my order arrive?'],
  account: ['I forgot my password.', 'Please change my email address.', 'I cannot log in since Monday.'],
};

export const labelOf = (item: number): (typeof LABELS)[number] => LABELS[item % LABELS.length] ?? 'refund';

export const intents: Questions = {
  ask: (item) => {
    const messages = MESSAGES[labelOf(item)];
    const message = messages[Math.floor(item / LABELS.length) % messages.length];
    return `${mark(item)}: what is this message about: ${LABELS.join(', ')}? Reply with one of these words only.\n\n${message}`;
  },
  truth: labelOf,
  wrong: (item, n) => LABELS[(item + 1 + (n % (LABELS.length - 1))) % LABELS.length] ?? 'delivery',
};
