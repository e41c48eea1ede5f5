import type { WorkerEnd, WorkerLine } from './protocol.js';

/** A line of the worker, or undefined for one that no sound worker writes. */
export function readWorkerLine(line: string): WorkerLine | undefined {
  const value = parsed(line);
  switch (value?.['type']) {
    case 'ready':
      return { type: 'ready' };
    case 'missing':
      return { type: 'missing', message: String(value['message']) };
    case 'call':
      return isCall(value) ? { type: 'call', id: value.id, name: value.name, value: value.value } : undefined;
    case 'end': {
      const end = readEnd(value['end']);
      const logs = Array.isArray(value['logs']) ? value['logs'].map(String) : [];
      return end === undefined ? undefined : { type: 'end', end, logs, elidedLogs: Number(value['elidedLogs']) || 0 };
    }
    default:
      return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(line: string): Fields | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined; // said by the caller, as for every other line that makes no sense
  }
}

function isCall(
  value: Fields,
): value is Fields & { readonly id: number; readonly name: string; readonly value: string } {
  return typeof value['id'] === 'number' && typeof value['name'] === 'string' && typeof value['value'] === 'string';
}

const LIMITS = ['wallMs', 'memoryMb', 'outputBytes', 'calls'] as const;

function readEnd(given: unknown): WorkerEnd | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const end = given as Fields;
  switch (end['how']) {
    case 'value':
      return typeof end['json'] === 'string' ? { how: 'value', json: end['json'] } : undefined;
    case 'error':
      return {
        how: 'error',
        name: String(end['name']),
        message: String(end['message']),
        ...(typeof end['stack'] === 'string' ? { stack: end['stack'] } : {}),
      };
    case 'limit': {
      const limit = LIMITS.find((each) => each === end['limit']);
      return limit === undefined ? undefined : { how: 'limit', limit, allowed: Number(end['allowed']) };
    }
    case 'stuck':
      return { how: 'stuck' };
    default:
      return undefined;
  }
}
