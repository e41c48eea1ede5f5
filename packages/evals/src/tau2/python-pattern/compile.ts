import { isIn } from './characters.js';
import type { Parsed } from './parse.js';
import type { Instruction, Place, Program } from './program.js';
import type { Anchor, FlagChange, Node, Sequence } from './syntax.js';
import { type Modes, Unit, type UnitNode, unitOf } from './unit.js';

export function compile({ body, flags, groups }: Parsed, options: { readonly ignoreCase: boolean }): Program {
  const modes: Modes = {
    ignoreCase: options.ignoreCase || flags.has('i'),
    multiline: flags.has('m'),
    dotAll: flags.has('s'),
    ascii: flags.has('a'),
  };
  return new Compiler(groups).whole(body, modes);
}

class Compiler {
  private readonly instructions: Instruction[] = [];
  private slots: number;

  constructor(groups: number) {
    this.slots = groups * 2;
  }

  whole(body: Sequence, modes: Modes): Program {
    this.sequence(body, modes);
    this.emit({ op: 'end' });
    return { instructions: this.instructions, slots: this.slots, first: anyOf(firstUnits(body, modes)) };
  }

  private emit(instruction: Instruction): number {
    return this.instructions.push(instruction) - 1;
  }

  private get here(): number {
    return this.instructions.length;
  }

  /** Keeps a place for an instruction whose target is not known yet. */
  private later(): (instruction: Instruction) => void {
    const at = this.emit({ op: 'end' });
    return (instruction) => {
      this.instructions[at] = instruction;
    };
  }

  private sequence(body: Sequence, modes: Modes): void {
    for (const node of body) this.node(node, modes);
  }

  private node(node: Node, modes: Modes): void {
    switch (node.kind) {
      case 'char':
      case 'set':
      case 'any':
        this.emit({ op: 'unit', unit: unitOf(node, modes) });
        return;
      case 'at':
        this.emit({ op: 'at', where: placeOf(node.where, modes), word: modes.ascii ? ASCII_WORD : UNICODE_WORD });
        return;
      case 'reference':
        this.emit({ op: 'reference', slot: node.group * 2, ignoreCase: modes.ignoreCase, ascii: modes.ascii });
        return;
      case 'group':
        this.group(node, changed(modes, node.flags));
        return;
      case 'branch':
        this.branch(node.options, modes);
        return;
      case 'repeat':
        this.repeat(node, modes);
        return;
      case 'look':
        this.look(node, modes);
        return;
      case 'atomic':
        this.atomic(() => this.sequence(node.body, modes));
        return;
      case 'condition':
        this.condition(node, modes);
        return;
    }
  }

  private group({ group, body }: Extract<Node, { readonly kind: 'group' }>, modes: Modes): void {
    if (group !== undefined) this.emit({ op: 'save', slot: group * 2 });
    this.sequence(body, modes);
    if (group !== undefined) this.emit({ op: 'save', slot: group * 2 + 1 });
  }

  private branch(options: readonly Sequence[], modes: Modes): void {
    const ends: ((instruction: Instruction) => void)[] = [];
    for (const [nth, option] of options.entries()) {
      const isLast = nth === options.length - 1;
      const split = isLast ? undefined : this.later();
      this.sequence(option, modes);
      if (!isLast) ends.push(this.later());
      split?.({ op: 'split', otherwise: this.here });
    }
    for (const end of ends) end({ op: 'jump', to: this.here });
  }

  private repeat(node: Extract<Node, { readonly kind: 'repeat' }>, modes: Modes): void {
    const { min, max, mode, body } = node;
    const [single] = body.length === 1 ? body : [];
    if (single !== undefined && isUnit(single)) {
      this.emit({ op: 'run', unit: unitOf(single, modes), min, max, mode });
      return;
    }
    // each round of a possessive loop is atomic too: what a round has taken it does not give back
    if (mode === 'possessive')
      this.atomic(() => this.loop(node, () => this.atomic(() => this.sequence(body, modes)), false));
    else this.loop(node, () => this.sequence(body, modes), mode === 'lazy');
  }

  private loop({ min, max }: { readonly min: number; readonly max: number }, body: () => void, lazy: boolean): void {
    const slot = this.slots;
    this.slots += 2;
    this.emit({ op: 'loop-start', slot });
    const start = this.here;
    const loop = this.later();
    body();
    this.emit({ op: 'jump', to: start });
    loop({ op: 'loop', slot, min, max, lazy, exit: this.here });
  }

  private look(node: Extract<Node, { readonly kind: 'look' }>, modes: Modes): void {
    const look = this.later();
    this.sequence(node.body, modes);
    this.emit({ op: 'end' });
    look({ op: 'look', back: node.back, negative: node.negative, next: this.here });
  }

  private atomic(body: () => void): void {
    const atomic = this.later();
    body();
    this.emit({ op: 'end' });
    atomic({ op: 'atomic', next: this.here });
  }

  private condition({ group, yes, no }: Extract<Node, { readonly kind: 'condition' }>, modes: Modes): void {
    const test = this.later();
    this.sequence(yes, modes);
    const end = no === undefined ? undefined : this.later();
    test({ op: 'condition', slot: group * 2, otherwise: this.here });
    this.sequence(no ?? [], modes);
    end?.({ op: 'jump', to: this.here });
  }
}

function isUnit(node: Node): node is UnitNode {
  return node.kind === 'char' || node.kind === 'set' || node.kind === 'any';
}

const UNICODE_WORD = new Unit((code) => isIn('word', code, false));
const ASCII_WORD = new Unit((code) => isIn('word', code, true));

function placeOf(where: Anchor, { multiline }: Modes): Place {
  if (where === 'line-start') return multiline ? 'line-start' : 'text-start';
  if (where === 'line-end') return multiline ? 'line-end' : 'last-line-end';
  return where;
}

function changed(modes: Modes, { on, off }: FlagChange): Modes {
  return {
    ignoreCase: (modes.ignoreCase || on.has('i')) && !off.has('i'),
    multiline: (modes.multiline || on.has('m')) && !off.has('m'),
    dotAll: (modes.dotAll || on.has('s')) && !off.has('s'),
    ascii: (modes.ascii && !on.has('u')) || on.has('a'),
  };
}

function anyOf(units: readonly Unit[] | undefined): Unit | undefined {
  return units === undefined ? undefined : new Unit((code) => units.some((unit) => unit.test(code)));
}

/** The units a match can begin with, where every match begins with one of them. */
function firstUnits(body: Sequence, modes: Modes): readonly Unit[] | undefined {
  for (const node of body) {
    if (isUnit(node)) return [unitOf(node, modes)];
    if (node.kind === 'branch') {
      const each = node.options.map((option) => firstUnits(option, modes));
      return each.every((units) => units !== undefined) ? each.flat() : undefined;
    }
    if (node.kind === 'group') {
      // an empty group says nothing about what follows it
      return firstUnits(node.body, changed(modes, node.flags));
    }
    if (node.kind === 'atomic' || (node.kind === 'repeat' && node.min > 0)) return firstUnits(node.body, modes);
    if (node.kind !== 'at') return undefined;
  }
  return undefined;
}
