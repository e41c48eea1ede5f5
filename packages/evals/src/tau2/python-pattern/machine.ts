import { FlyballError } from 'flyball';
import { lowerCase } from './characters.js';
import type { Instruction, Place, Program } from './program.js';
import type { Unit } from './unit.js';

/** Steps that may still be taken; shared by all texts of one search. */
export interface Fuel {
  left: number;
}

/** Walking over characters in a tight loop is cheap beside a step of the program. */
function charged(characters: number): number {
  return characters >> 3;
}

/** What to do when everything after a choice has failed. */
interface Choice {
  readonly kind: 'go' | 'shorten' | 'lengthen' | 'round';
  readonly to: number;
  position: number;
  /** How far `shorten` and `lengthen` may go. */
  readonly limit: number;
  readonly trail: number;
}

/**
 * Runs a program over one text by backtracking, as Python's engine does: the same alternatives in the same order, so that
 * it finds the same matches. Choices are kept on a stack of its own, not on JavaScript's, so a long text does not
 * overflow it, and every step is counted, so a pattern that would take for ever ends in an error instead.
 */
export class Machine {
  private readonly program: Program;
  private text: Uint32Array = new Uint32Array();
  private fuel: Fuel = { left: 0 };
  /** All -1 between two searches. */
  private readonly slots: Int32Array;
  private readonly choices: Choice[] = [];
  /** Slots that were changed, with what they held: slot, value, slot, value. */
  private readonly trail: number[] = [];
  private start = 0;
  private mustAdvance = false;

  constructor(program: Program) {
    this.program = program;
    this.slots = new Int32Array(program.slots).fill(-1);
  }

  /** As `len(findall(text))`: matches that do not overlap, empty ones included, but not two at one place. */
  count(text: Uint32Array, fuel: Fuel): number {
    let count = 0;
    this.text = text;
    this.fuel = fuel;
    this.mustAdvance = false;
    // a search that ran out of steps has left these as they were then
    this.choices.length = 0;
    this.undo(0);
    for (let from = 0; from <= this.text.length; ) {
      const end = this.searchFrom(from);
      if (end < 0) break;
      count++;
      this.mustAdvance = end === this.start;
      from = end;
    }
    return count;
  }

  /** The end of the first match that begins at or after `from`; -1 where there is none. */
  private searchFrom(from: number): number {
    for (let at = from; at <= this.text.length; at++, this.mustAdvance = false) {
      const skipped = this.nextBeginning(at);
      if (skipped > at) this.mustAdvance = false;
      at = skipped;
      if (at > this.text.length) return -1;
      this.start = at;
      const end = this.run(0, at, true);
      this.undo(0);
      if (end >= 0) return end;
    }
    return -1;
  }

  /** The first place at or after `from` where a match can begin, or past the end. */
  private nextBeginning(from: number): number {
    const { first } = this.program;
    if (first === undefined) return from;
    let at = from;
    while (at < this.text.length && !first.test(this.text[at] ?? 0)) at++;
    this.spend(charged(at - from));
    return at < this.text.length ? at : at + 1;
  }

  private spend(steps: number): void {
    this.fuel.left -= steps;
    if (this.fuel.left >= 0) return;
    throw new FlyballError(
      'EFFECT_FAILED',
      'The pattern needs too many steps. Avoid repeats inside repeats, and say more exactly what to look for.',
    );
  }

  /** Runs to the end of the program, or of the part that begins at `entry`; returns the position there, or -1. */
  private run(entry: number, from: number, isWhole: boolean): number {
    const floor = this.choices.length;
    let [pc, at] = [entry, from];
    for (;;) {
      this.spend(1);
      const instruction = this.program.instructions[pc];
      if (instruction === undefined || instruction.op === 'end') {
        const isRefused = isWhole && this.mustAdvance && at === this.start;
        if (!isRefused) {
          this.choices.length = floor;
          return at;
        }
      } else {
        const next = this.step(instruction, pc, at);
        if (next >= 0) {
          pc = next;
          at = this.position;
          continue;
        }
      }
      const resumed = this.backtrack(floor);
      if (resumed < 0) return -1;
      pc = resumed;
      at = this.position;
    }
  }

  /** Where `step` and `backtrack` have got to. */
  private position = 0;

  /** The next instruction, with `position` set; -1 where this one fails. */
  private step(instruction: Instruction, pc: number, at: number): number {
    this.position = at;
    switch (instruction.op) {
      case 'unit':
        return this.readUnit(instruction.unit, at) ? pc + 1 : -1;
      case 'jump':
        return instruction.to;
      case 'split':
        this.choose('go', instruction.otherwise, at);
        return pc + 1;
      case 'save':
        this.set(instruction.slot, at);
        return pc + 1;
      case 'at':
        return this.isAt(instruction.where, instruction.word, at) ? pc + 1 : -1;
      case 'reference':
        return this.refer(instruction, at) ? pc + 1 : -1;
      case 'loop-start':
        this.set(instruction.slot, 0);
        this.set(instruction.slot + 1, -1);
        return pc + 1;
      case 'loop':
        return this.loop(instruction, pc, at);
      case 'run':
        return this.runUnits(instruction, pc, at);
      case 'look':
        return this.look(instruction, pc, at) ? instruction.next : -1;
      case 'atomic': {
        const end = this.run(pc + 1, at, false);
        this.position = end;
        return end < 0 ? -1 : instruction.next;
      }
      case 'condition':
        return this.isSet(instruction.slot) ? pc + 1 : instruction.otherwise;
      case 'end':
        return -1;
    }
  }

  private readUnit(unit: Extract<Instruction, { readonly op: 'unit' }>['unit'], at: number): boolean {
    const code = this.text[at];
    if (code === undefined || !unit.test(code)) return false;
    this.position = at + 1;
    return true;
  }

  private choose(kind: Choice['kind'], to: number, position: number, limit = 0): void {
    this.choices.push({ kind, to, position, limit, trail: this.trail.length });
  }

  private set(slot: number, value: number): void {
    this.trail.push(slot, this.slots[slot] ?? -1);
    this.slots[slot] = value;
  }

  private undo(length: number): void {
    while (this.trail.length > length) {
      const value = this.trail.pop() ?? -1;
      this.slots[this.trail.pop() ?? 0] = value;
    }
  }

  /** Goes back to the last choice above `floor` and takes its other way. */
  private backtrack(floor: number): number {
    while (this.choices.length > floor) {
      const choice = this.choices.at(-1) as Choice;
      this.undo(choice.trail);
      const to = this.otherWay(choice);
      if (to >= 0) return to;
    }
    return -1;
  }

  /** The instruction to go on with; -1 where the choice is used up. */
  private otherWay(choice: Choice): number {
    const { kind, to, position, limit } = choice;
    this.position = position;
    switch (kind) {
      case 'go':
        this.choices.pop();
        return to;
      case 'shorten': {
        const end = this.lastFitting(to + 1, position, limit);
        if (end <= limit) this.choices.pop();
        else choice.position = end - 1;
        this.position = end;
        return end < limit ? -1 : to + 1;
      }
      case 'lengthen': {
        const run = this.program.instructions[to];
        const code = this.text[position];
        if (run?.op !== 'run' || position >= limit || code === undefined || !run.unit.test(code)) {
          this.choices.pop();
          return -1;
        }
        choice.position = position + 1;
        this.position = position + 1;
        return to + 1;
      }
      case 'round': {
        this.choices.pop();
        const loop = this.program.instructions[to];
        return loop?.op === 'loop' ? this.round(loop, to, position) : -1;
      }
    }
  }

  /** The last position, going back from `from` to `limit`, whose character the instruction can take; limit - 1 if none. */
  private lastFitting(pc: number, from: number, limit: number): number {
    const next = this.program.instructions[pc];
    if (next?.op !== 'unit') return from;
    let at = from;
    while (at >= limit && (at >= this.text.length || !next.unit.test(this.text[at] ?? 0))) at--;
    this.spend(charged(from - at));
    return at;
  }

  /** At the head of a loop: one more round, or what follows it. A round that moved nothing is not followed by another. */
  private loop(loop: Extract<Instruction, { readonly op: 'loop' }>, pc: number, at: number): number {
    const count = this.slots[loop.slot] ?? 0;
    if (count < loop.min) {
      this.set(loop.slot, count + 1);
      return pc + 1;
    }
    if (loop.lazy) {
      this.choose('round', pc, at);
      return loop.exit;
    }
    if (!this.mayGoRound(loop, at)) return loop.exit;
    this.choose('go', loop.exit, at);
    return this.round(loop, pc, at);
  }

  private mayGoRound({ slot, max }: Extract<Instruction, { readonly op: 'loop' }>, at: number): boolean {
    return (this.slots[slot] ?? 0) < max && this.slots[slot + 1] !== at;
  }

  private round(loop: Extract<Instruction, { readonly op: 'loop' }>, pc: number, at: number): number {
    if (!this.mayGoRound(loop, at)) return -1;
    this.set(loop.slot, (this.slots[loop.slot] ?? 0) + 1);
    this.set(loop.slot + 1, at);
    return pc + 1;
  }

  /** A repeated single character: taken in one go, and given back one at a time. */
  private runUnits(run: Extract<Instruction, { readonly op: 'run' }>, pc: number, at: number): number {
    const { unit, min, max, mode } = run;
    const limit = Math.min(this.text.length, at + max);
    const enough = at + min;
    const wanted = mode === 'lazy' ? Math.min(limit, enough) : limit;
    let end = at;
    while (end < wanted && unit.test(this.text[end] ?? 0)) end++;
    this.spend(charged(end - at));
    if (end < enough) return -1;
    this.position = end;
    if (mode === 'greedy' && end > enough) this.choose('shorten', pc, end - 1, enough);
    if (mode === 'lazy') this.choose('lengthen', pc, end, limit);
    return pc + 1;
  }

  private look({ back, negative }: Extract<Instruction, { readonly op: 'look' }>, pc: number, at: number): boolean {
    const mark = this.trail.length;
    const found = at >= back && this.run(pc + 1, at - back, false) >= 0;
    if (negative || !found) this.undo(mark); // what a failed or a negative look captured is not kept
    this.position = at;
    return found !== negative;
  }

  private isSet(slot: number): boolean {
    const [from, to] = [this.slots[slot] ?? -1, this.slots[slot + 1] ?? -1];
    return from >= 0 && to >= from;
  }

  private refer(to: Extract<Instruction, { readonly op: 'reference' }>, at: number): boolean {
    if (!this.isSet(to.slot)) return false;
    const from = this.slots[to.slot] ?? 0;
    const length = (this.slots[to.slot + 1] ?? 0) - from;
    if (at + length > this.text.length) return false;
    this.spend(length);
    for (let nth = 0; nth < length; nth++) {
      const [a, b] = [this.text[from + nth] ?? 0, this.text[at + nth] ?? 0];
      if (a !== b && !(to.ignoreCase && lowerCase(a, to.ascii) === lowerCase(b, to.ascii))) return false;
    }
    this.position = at + length;
    return true;
  }

  private isAt(where: Place, word: Unit, at: number): boolean {
    const { text } = this;
    switch (where) {
      case 'text-start':
        return at === 0;
      case 'text-end':
        return at === text.length;
      case 'line-start':
        return at === 0 || text[at - 1] === 10;
      case 'line-end':
        return at === text.length || text[at] === 10;
      case 'last-line-end':
        return at === text.length || (at === text.length - 1 && text[at] === 10);
      default: {
        if (text.length === 0) return false; // so it was up to Python 3.13, for both
        const before = at > 0 && word.test(text[at - 1] ?? 0);
        const after = at < text.length && word.test(text[at] ?? 0);
        return (before !== after) === (where === 'boundary');
      }
    }
  }
}
