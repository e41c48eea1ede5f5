import type { EventOf } from '../../core/events.js';
import type { Asking } from './person.js';

export type Wait = EventOf<'wait-start'>;

/** What is asked about a wait: what stands above, the line that is typed behind, and how an answer is read. */
export interface ChatQuestion {
  readonly kind: Asking['kind'];
  readonly above: readonly string[];
  readonly prompt: string;
  read(line: string): Understood;
}

/**
 * An answer as the run takes it, why it has to be asked for again (nothing was said where there is no reason), or what is
 * asked next before there is an answer.
 */
export type Understood =
  | { readonly payload: unknown }
  | { readonly again: string | undefined }
  | { readonly next: ChatQuestion };
