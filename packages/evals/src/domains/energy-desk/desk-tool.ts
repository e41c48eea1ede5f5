import type { Bound } from '../../tau2/python/signature.js';
import type { PyValue } from '../../tau2/python/value.js';
import { checkedDate } from './calendar.js';
import { type Desk, Refused } from './desk.js';
import { poundsOf } from './money.js';

/** What one tool does. Type, parameters and every text that a model reads about it are data (`tools.json`). */
export interface DeskTool {
  readonly name: string;
  /** Throws `Refused` where it does not do what was asked. */
  run(desk: Desk, args: Arguments): string;
}

export function deskTool(name: string, run: DeskTool['run']): DeskTool {
  return { name, run };
}

/** The arguments of a call, read as what a tool needs. A model may have sent anything. */
export class Arguments {
  readonly #values: Bound;

  constructor(values: Bound) {
    this.#values = values;
  }

  text(name: string): string {
    const value = this.#values.get(name);
    if (typeof value !== 'string') throw this.#not(name, 'a text');
    return value.trim();
  }

  choice<const C extends string>(name: string, among: readonly C[]): C {
    const given = this.text(name);
    const found = among.find((each) => each === given);
    if (found === undefined) throw new Refused(`${name} must be one of ${among.join(', ')}.`);
    return found;
  }

  date(name: string): string {
    return checkedDate(this.text(name));
  }

  /** 33 and 33.0 are the same count. */
  whole(name: string): number {
    const value = asNumber(this.#values.get(name));
    if (value === undefined || !Number.isSafeInteger(value) || value < 0) throw this.#not(name, 'a whole number');
    return value;
  }

  /** A positive amount in pounds, as pence. */
  pence(name: string): number {
    const value = asNumber(this.#values.get(name)) ?? Number.NaN;
    const pence = Math.round(value * 100);
    const isExact = Math.abs(value * 100 - pence) < 1e-6;
    if (!Number.isSafeInteger(pence) || pence <= 0 || !isExact) throw this.#not(name, 'an amount in pounds and pence');
    return pence;
  }

  #not(name: string, what: string): Refused {
    return new Refused(`${name} must be ${what}.`);
  }
}

function asNumber(value: PyValue | undefined): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

/** `£12.30` */
export function shown(pence: number): string {
  return pence < 0 ? `-£${poundsOf(-pence)}` : `£${poundsOf(pence)}`;
}
