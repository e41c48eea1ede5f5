import { FlyballError } from '../../core/errors.js';
import { originalCodeOf } from '../../core/original-code.js';
import { isUnsentCode } from '../../core/retry.js';
import { MessageTooLarge } from './bounded-fetch.js';
import { bounded } from './result.js';
import type { ClientSdk } from './sdk.js';
import type { Blanking } from './secrets.js';

/** What became of a request, as far as anybody here can know. */
export type Fate =
  /** It never left, or was turned away before anything was done. */
  | { readonly kind: 'not-made'; readonly why: string; readonly isLost: boolean; readonly isFinal?: boolean }
  /** It left, and no answer came: it may have been carried out. */
  | { readonly kind: 'unknown'; readonly why: string; readonly isLost: boolean; readonly isFinal?: boolean }
  /** The server answered that it cannot be done. */
  | { readonly kind: 'refused'; readonly why: string };

/** Codes of the answers that are put in place of one that can no longer come; from the range that is ours to use. */
export const STREAM_ENDED = -32_099;
export const TOO_LARGE = -32_098;

/** More of a stranger's words than this tell nobody anything. */
const LONGEST_WHY = 400;
/** A program that is not there, or may not be run, will not be there a moment later. */
const NO_PROGRAM = new Set(['ENOENT', 'EACCES']);

export function fateOf(sdk: ClientSdk, error: unknown, blank: Blanking): Fate {
  const why = reasonIn(error, blank);
  if (error instanceof sdk.SdkHttpError) return ofStatus(error.status, why);
  if (error instanceof MessageTooLarge) return ofAnswer(TOO_LARGE, why);
  if (error instanceof sdk.UnauthorizedError) return { kind: 'not-made', why, isLost: false, isFinal: true };
  if (error instanceof sdk.ProtocolError) return ofAnswer(error.code, why);
  if (error instanceof sdk.SdkError) return ofSdk(sdk, error.code, why);
  const code = originalCodeOf(error);
  if (code !== undefined && NO_PROGRAM.has(code)) return { kind: 'not-made', why, isLost: true, isFinal: true };
  if (isUnsentCode(code)) return { kind: 'not-made', why: `${why} (${code})`, isLost: true };
  // what `fetch` throws when a socket breaks, and what the SDK throws when there is no transport any more
  if (error instanceof Error && error.message === 'Not connected') return { kind: 'not-made', why, isLost: true };
  return { kind: 'unknown', why: `the connection was dropped (${code ?? why})`, isLost: true };
}

function ofAnswer(code: number, why: string): Fate {
  if (code === STREAM_ENDED) return { kind: 'unknown', why: 'the connection was dropped', isLost: true };
  // it would be as large again
  if (code === TOO_LARGE) return { kind: 'unknown', why: new MessageTooLarge().message, isLost: true, isFinal: true };
  return { kind: 'refused', why };
}

function ofStatus(status: number, why: string): Fate {
  if (status === 404) return { kind: 'not-made', why: `it answered ${status}`, isLost: true }; // a session it has forgotten
  if (status === 429 || status === 503) return { kind: 'not-made', why: `it answered ${status}`, isLost: false };
  if (status >= 500) return { kind: 'unknown', why: `it answered ${status}`, isLost: false };
  return { kind: 'not-made', why: `it answered ${status}: ${why}`, isLost: false, isFinal: true };
}

function ofSdk(sdk: ClientSdk, code: string, why: string): Fate {
  const { SdkErrorCode: codes } = sdk;
  switch (code) {
    case codes.NotConnected:
    case codes.SendFailed:
      return { kind: 'not-made', why, isLost: true };
    case codes.ConnectionClosed:
      return { kind: 'unknown', why: 'the connection was dropped', isLost: true };
    case codes.RequestTimeout:
      return { kind: 'unknown', why: 'no answer came in time', isLost: false };
    case codes.UnsupportedResultType:
      return { kind: 'refused', why: 'it asks for the input of a person or a model, and servers get neither here' };
    default:
      return { kind: 'refused', why };
  }
}

/** The fate of a call as an error that fits what repeating the call would mean. */
export function callFailure(server: string, fate: Fate, isRepeatable: boolean): FlyballError {
  const about = `The MCP server ${server}`;
  const detail = { server };
  switch (fate.kind) {
    case 'refused':
      return new FlyballError('EFFECT_FAILED', `${about} refused the call: ${fate.why}`, { detail });
    case 'not-made':
      return new FlyballError('EFFECT_FAILED', `${about} could not be called: ${fate.why}.`, {
        retryable: fate.isFinal !== true,
        detail,
      });
    case 'unknown': {
      if (isRepeatable)
        return new FlyballError('EFFECT_FAILED', `${about} gave no answer: ${fate.why}.`, {
          retryable: fate.isFinal !== true,
          detail,
        });
      const message = `${about} gave no answer: ${fate.why}. Whether the call took place is not known.`;
      return Object.assign(new FlyballError('EFFECT_IN_DOUBT', message, { detail }), { inDoubt: true });
    }
  }
}

/** The words of an error without secrets. Its cause is left behind: nobody has looked through that. */
export function reasonIn(error: unknown, blank: Blanking): string {
  const text = error instanceof Error ? error.message : String(error);
  return bounded(blank.text(text), LONGEST_WHY).trim();
}
